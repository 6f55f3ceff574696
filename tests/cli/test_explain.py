import json

import pytest

from generator.cli import explain
from generator.rules.table import BY_ID, RULES
from tests.testing.command import call

Capture = pytest.CaptureFixture[str]
IDS = sorted(rule.id for rule in RULES if rule.family == "catalog")
DOCS = "# Rules of the family catalog\n\n" + "".join(f"## {one}\n\nWhat {one} means.\n\n" for one in IDS)


@pytest.fixture(autouse=True)
def docs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain, "rule_docs", {"catalog": DOCS}.__getitem__)


def test_a_rule(capfd: Capture) -> None:
    called = call(capfd, "explain", "catalog/conflict")
    assert called == (0, "## catalog/conflict\n\nWhat catalog/conflict means.\n", "")


@pytest.mark.parametrize("family", ["catalog", "catalog/"])
def test_a_family(capfd: Capture, family: str) -> None:
    called = call(capfd, "explain", family)
    assert called.out == "\n".join(f"## {one}\n\nWhat {one} means.\n" for one in IDS)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("catalog/conflicts", 'did you mean "catalog/conflict"?'),
        ("catalogs", 'did you mean "catalog"?'),
        ("conflict", 'did you mean "catalog/conflict"?'),
    ],
)
def test_an_unknown_rule(capfd: Capture, name: str, hint: str) -> None:
    called = call(capfd, "explain", name)
    assert (called.code, called.out) == (2, "")
    assert called.err == f'drivergate: no rule is named "{name}"\n    hint: {hint}\n'


def test_a_name_that_nothing_is_near_to(capfd: Capture) -> None:
    called = call(capfd, "explain", "nope")
    assert called == (2, "", 'drivergate: no rule is named "nope"\n    hint: see: drivergate rules\n')


def test_a_rule_as_json(capfd: Capture) -> None:
    called = call(capfd, "explain", "catalog/conflict", "--format", "json")
    assert (called.code, called.err) == (0, "")
    rule = BY_ID["catalog/conflict"]
    assert json.loads(called.out) == {
        "rule": rule.id,
        "severity": "error",
        "blocking": True,
        "summary": rule.summary,
        "text": "## catalog/conflict\n\nWhat catalog/conflict means.\n",
    }


def test_a_family_as_json(capfd: Capture) -> None:
    printed = json.loads(call(capfd, "explain", "catalog", "--format", "json").out)
    assert [one["rule"] for one in printed] == IDS
