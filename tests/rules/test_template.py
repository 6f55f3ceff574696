"""Users' kustomizations: what they list is there, and beside driver objects nothing is left out."""

import pytest

from generator.finding import Finding
from generator.rules.rule import problems_of
from generator.rules.table import BY_ID
from tests.testing.inventories import POOL, cluster, files
from tests.testing.judging import revision_of

RULE = BY_ID["template/not-a-manifest"]
OURS = "templates/{cluster}/gpu-operator/kustomization.yaml.j2"
OTHER = "templates/{cluster}/extra/kustomization.yml.j2"
NOTE = {"templates/{cluster}/extra/note.yaml.j2": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: note}\n"}
HEAD = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
BESIDE = ["drivergate-images.yaml", "nvidiadriver-a.yaml"]


def told(template: str, text: str, **more: str) -> list[Finding]:
    revision, problems = revision_of({**files(), **NOTE, **more, template: text})
    assert problems == ()
    assert revision.rendered.findings == ()
    return [RULE.finding(problem) for problem in problems_of(RULE, revision)]


def listing(*names: str) -> str:
    return HEAD + "resources:\n" + "".join(f"  - {name}\n" for name in names)


@pytest.mark.parametrize(
    "text", [listing(*BESIDE), listing(*reversed(BESIDE)), listing(*(f"./{one}" for one in BESIDE))]
)
def test_exactly_what_lies_beside_it(text: str) -> None:
    assert told(OURS, text) == []
    assert told(OURS, text.replace("resources:", "namePrefix: x-\nresources:")) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (listing(BESIDE[0]), "nvidiadriver-a.yaml is not listed"),
        (HEAD, "drivergate-images.yaml, nvidiadriver-a.yaml are not listed"),
        (HEAD + "resources: text\n", "drivergate-images.yaml, nvidiadriver-a.yaml are not listed"),
        (listing(*BESIDE, "nvidiadriver-b.yaml"), "nvidiadriver-b.yaml is not beside it"),
        (listing(*BESIDE, "../extra/note.yaml"), "note.yaml is not beside it"),
        (listing(*BESIDE, "https://example.com/x.yaml"), "https://example.com/x.yaml is not beside it"),
        (listing(*BESIDE, BESIDE[1]), "nvidiadriver-a.yaml is listed twice"),
        (listing(BESIDE[0], "x.yaml"), "nvidiadriver-a.yaml is not listed, and x.yaml is not beside it"),
    ],
)
def test_what_it_leaves_out_or_adds(text: str, wrong: str) -> None:
    (finding,) = told(OURS, text)
    start = "out/one/gpu-operator/kustomization.yaml does not list exactly the files beside it"
    assert finding.message == f"{start}: {wrong}"
    assert (finding.severity, finding.place.file) == ("invalid", OURS)


def test_a_template_is_told_once() -> None:
    more = {"inventory/two.yaml": cluster(POOL, name="two")}
    assert len(told(OURS, HEAD, **more)) == 1


@pytest.mark.parametrize(
    "names",
    [("note.yaml",), ("../gpu-operator/nvidiadriver-a.yaml",), ("sub", "github.com/x/y?ref=v1"), ("../../../x.yaml",)],
)
def test_elsewhere_it_may_list_less_and_what_lies_elsewhere(names: tuple[str, ...]) -> None:
    assert told(OTHER, listing(*names)) == []


def test_elsewhere_too_a_file_has_to_be_there() -> None:
    (finding,) = told(OTHER, listing("note.yaml", "noet.yaml", "../gpu-operator/x.yaml"))
    assert finding.message == "out/one/extra/kustomization.yml lists what is not there: noet.yaml, x.yaml"
