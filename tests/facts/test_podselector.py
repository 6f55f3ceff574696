"""Label selectors as text, by the rules of Kubernetes' own parser."""

import pytest

from generator.facts.podselector import selector_problem, selects

# k8s.io/apimachinery pkg/labels selector_test.go: TestSelectorParse and TestSetSelectorParser.
VALID = [
    "",
    "x=a,y=b,z=c",
    "x!=a,y=b",
    "x=",
    "x= ,z= ",
    "!x",
    "x>1,z<5",
    "x==a",
    "\rx",
    "this-is-a-dns.domain.com/key-with-dash",
    "foo  in\t (abc)",
    "x notin\n (abc)",
    "x in (abc,)",
    "x in ()",
    "x notin (abc,,def),bar,z in (),w",
    "x,y in (a)",
]
REFUSED = [
    "x=a||y=b",
    "x==a==b",
    "!x=a",
    "x<a",
    "x,,y",
    ",x,y",
    "x in (a b)",
    "x nott in (y)",
    "x in a",
    "x=a,",
    "x=(a)",
    "-x=a",
    "x=-a",
    "x y",
    "x=" + "a" * 64,
]


@pytest.mark.parametrize("text", VALID)
def test_what_kubernetes_parses(text: str) -> None:
    assert selector_problem(text) is None


@pytest.mark.parametrize("text", REFUSED)
def test_what_kubernetes_refuses(text: str) -> None:
    assert selector_problem(text)


def test_the_selector_that_stalled_the_operator() -> None:
    """../shared/oracle upgrade_traces tr-073: bad_selector."""
    assert selector_problem("app==a=b") == '"=b" follows where a comma is wanted'


def test_a_value_that_is_no_label_value_is_named() -> None:
    problem = selector_problem("app in (good, no+good)")
    assert problem is not None
    assert "no+good" in problem


# k8s.io/apimachinery pkg/labels selector_test.go: TestSelectorMatches.
@pytest.mark.parametrize(
    ("text", "labels", "matches"),
    [
        ("", {"x": "y"}, True),
        ("x=y", {"x": "y"}, True),
        ("x=y,z=w", {"x": "y", "z": "w"}, True),
        ("x!=y,z!=w", {"x": "z", "z": "a"}, True),
        ("notin=in", {"notin": "in"}, True),
        ("x", {"x": "z"}, True),
        ("!x", {"y": "z"}, True),
        ("x>1", {"x": "2"}, True),
        ("x<1", {"x": "0"}, True),
        ("x=z", {}, False),
        ("x=y", {"x": "z"}, False),
        ("x=y,z=w", {"x": "w", "z": "w"}, False),
        ("x!=y,z!=w", {"x": "z", "z": "w"}, False),
        ("x", {"y": "z"}, False),
        ("!x", {"x": "z"}, False),
        ("x>1", {"x": "0"}, False),
        ("x<1", {"x": "2"}, False),
        ("x in (a,b)", {"x": "b"}, True),
        ("x notin (a,b)", {}, True),
        ("x notin (a,b)", {"x": "a"}, False),
        ("x>1", {"x": "many"}, False),
        ("x==a==b", {"x": "a"}, False),
    ],
)
def test_what_a_selector_selects(text: str, labels: dict[str, str], *, matches: bool) -> None:
    assert selects(text, labels) is matches
