"""Files below inventory/: known by their kind, all of them read or told, and no content makes a run fail."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.declared.inventory import load
from generator.declared.selection import exactly
from generator.documents.document import read
from generator.finding import Place, Severity
from generator.rules.table import BY_ID
from tests.testing.inventories import (
    CLUSTER_FILE,
    FLEET,
    FLEET_FILE,
    HEAD,
    IMAGE,
    IMAGE_FILE,
    POOL,
    cluster,
    files,
    only,
    told,
)
from tests.testing.judging import bytes_of, findings


def test_files_lie_at_any_depth_and_are_known_by_their_kind() -> None:
    inventory = load(bytes_of({f"inventory/x/y/{index}.yml": text for index, text in enumerate(files().values())}))
    assert (len(inventory.fleets), len(inventory.clusters), len(inventory.node_images)) == (1, 1, 1)
    assert [one.repository for one in inventory.catalogs] == ["nvcr.io/nvidia/driver"]
    assert inventory.findings == ()


def test_a_document_may_be_in_flow_style() -> None:
    flow = "{apiVersion: drivergate.dev/v1alpha1, kind: Cluster, name: two, operator: {version: v26.7.0}}"
    assert told({**files(), "inventory/two.yaml": flow}) == []


@pytest.mark.parametrize("name", ["a.YAML", "a.yaml.bak", "a.yml~", "a.yaml.j2", "x/a.Yml"])
def test_a_file_with_another_ending_is_told(name: str) -> None:
    finding = only({**files(), f"inventory/{name}": FLEET})
    assert (finding.rule, finding.place) == ("inventory/unread-file", Place(f"inventory/{name}", 1, 1))


@pytest.mark.parametrize("name", ["README.md", ".gitkeep", "a.yamlish", "notes.txt"])
def test_what_is_no_yaml_file_is_nobody_s_business(name: str) -> None:
    assert told({**files(), f"inventory/{name}": "anything"}) == []


DOCUMENT = cluster(POOL, name="two")
BEGINNINGS = ["", "# a comment\n\n---\n", "\ufeff", "%YAML 1.2\n---\n", "\r\n", "x-note: 1\n"]
JSON = '{"apiVersion": "drivergate.dev/v1alpha1", "kind": "Cluster"}'


@pytest.mark.parametrize("name", ["fra2.ymal", "fra2", "fra2.txt", "fra2.yaml_"])
@pytest.mark.parametrize("text", [*(f"{begin}{DOCUMENT}" for begin in BEGINNINGS), JSON, JSON.replace("{", "{\n  ", 1)])
def test_a_document_of_ours_is_read_or_told_of_under_any_name(name: str, text: str) -> None:
    finding = only({**files(), f"inventory/{name}": text})
    assert (finding.rule, finding.place) == ("inventory/unread-file", Place(f"inventory/{name}", 1, 1))
    assert finding.message == 'the file is not read: its name doesn\'t end in ".yaml" or ".yml"'


@pytest.mark.parametrize(
    "text",
    [
        f"# Pools\n\nA cluster:\n\n```yaml\n{DOCUMENT}```\n",
        f"#!/bin/sh\ncat > fra2.yaml <<EOF\n{DOCUMENT}EOF\n",
        f'"""Makes clusters."""\n\nTEXT = """\\\n{DOCUMENT}"""\n',
        "apiVersion: example.com/v1\nnote: of drivergate.dev/v1alpha1\n",
        "\n" * 50_000 + "drivergate.dev/",
    ],
)
def test_a_text_about_documents_is_none(text: str) -> None:
    assert told({**files(), "inventory/about": text}) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "a: 1\n",
        "kind: Deployment\napiVersion: apps/v1\n",
        "- a\n",
        "text",
        "kind: [x]\n",
        "kind: ~\n",
    ],
)
def test_a_file_without_one_of_our_documents_is_told(text: str) -> None:
    finding = only({**files(), "inventory/x.yaml": text})
    assert (finding.rule, finding.severity) == ("inventory/unread-file", Severity.ERROR)
    assert finding.place.line == 1
    assert finding.hint


def test_a_kind_that_is_not_known() -> None:
    finding = only({**files(), "inventory/x.yaml": f"{HEAD}kind: Workload\nname: team\n"})
    assert (finding.rule, finding.place) == ("inventory/schema", Place("inventory/x.yaml", 2, 7))
    assert finding.hint == 'did you mean "Workloads"?'


def test_a_version_that_is_not_known() -> None:
    finding = only(files(image=IMAGE.replace("v1alpha1", "v1beta1")))
    assert (finding.place, finding.hint) == (Place(IMAGE_FILE, 1, 13), 'did you mean "drivergate.dev/v1alpha1"?')


def test_two_documents_in_one_file() -> None:
    assert told(files(image=f"{IMAGE}---\n{IMAGE}")) == [f"inventory/schema {IMAGE_FILE}:9:1"]


def test_two_node_images_of_one_name() -> None:
    finding = only({**files(), "inventory/x.yaml": IMAGE})
    assert (finding.rule, finding.place) == ("inventory/duplicate", Place("inventory/x.yaml", 3, 7))


@pytest.mark.parametrize("broken", ["pools: [\n", "bogus: 1\n", "pools:\n  a: {nodes: x}\n", "\tx\n", 'x: "\n'])
def test_with_some_clusters_only_the_others_are_not_parsed(broken: str) -> None:
    other = f"{HEAD}kind: Cluster\nname: two\n{broken}"
    inventory = load(bytes_of({**files(), "inventory/two.yaml": other}), clusters=exactly({"one"}))
    assert inventory.findings == ()
    assert [one.shape.name for one in inventory.clusters] == ["one"]
    assert load(bytes_of({**files(), "inventory/two.yaml": other})).findings != ()


def test_a_broken_document_keeps_what_its_text_shows() -> None:
    inventory = load(bytes_of(files(image=f"{IMAGE}x: [\n", fleet="kind: Fleet\nname: small\na: [\n")))
    assert inventory.missing("NodeImage") == {"aws"}
    assert inventory.missing("Fleet") == {"small"}
    assert inventory.missing("Cluster") == frozenset()


# One to a line or column: what a value may be replaced by, as it is written.
WRITTEN = """~ null 0535 550.90 on 6.10 1e3 .inf 2024-01-01 0x1f 99999999999999999999 -1 0 1 true "x" ".." = "a\\nb" "é"
"" con a/b -x A 580 v26.7.0 "{{x}}" "a:\\tb" "*" ../../etc out/x.yaml inventory/fleet.yaml . [] {} [[]] [~] [a,a]
{"a":[b,{"c":~}]} {"enabled":on} {"mode":unmanaged} {"branch":"1","version":"2"}"""
NAMES = """bogus driver spec pools default version branch nodeImage os mode .. a/b é enabled 1 renamedFrom nodeSelector
kernels drain podDeletion manager image metadata annotations name operator install profile"""
SCALARS, KEYS = WRITTEN.split(), NAMES.split()
BASE = """apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: cluster-policy, annotations: {argocd.argoproj.io/sync-options: Prune=false}}
spec: {driver: {rdma: {enabled: true}}, toolkit: {}, operator: {defaultRuntime: crio}}
"""
OLM = "operator: {install: olm, clusterPolicyBase: bases/p.yaml, driverApi: ClusterPolicy, version: v25.10.1}\n"
SPEC = """driver: {
    spec: {
      manager: {repository: r, image: i, version: v, env: [{name: A, value: b}]}, rdma: {enabled: true}, args: [a],
      gds: {enabled: true, repository: r, image: i, version: v}, labels: {a: b}, resources: {limits: {cpu: "1"}}},
    upgradePolicy: {drain: {enable: true}, maxUnavailable: "25%"}}""".replace("\n", "")
VALID = {
    FLEET_FILE: f"{FLEET}profiles: {{p: {{protect: false}}}}\nrequires: '>=0.1'\nsilenced: [{{rule: a, reason: c}}]\n",
    IMAGE_FILE: IMAGE,
    CLUSTER_FILE: cluster(
        f"{POOL}, {SPEC}, taints: ['a=b:NoSchedule'], nodes: {{min: 0, max: 1}}", more="profile: p\n"
    ),
    "inventory/two.yaml": cluster(
        "nodeImage: aws", "driver: {mode: preinstalled}, os: {id: ubuntu, version: '22.04'}", name="two", more=OLM
    ),
    "bases/p.yaml": BASE,
}


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from paths(inner, (*path, key))


class Written(str):
    """YAML as it stands."""

    __slots__ = ()


def printed(value: Any) -> str:
    """Flow style YAML of plain values, quoted but for what is Written."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)}: {printed(inner)}' for key, inner in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(printed, value))}]"
    return value if isinstance(value, Written) else json.dumps(value)


@st.composite
def changed(draw: st.DrawFn) -> dict[str, str]:
    """The valid repository with one to three values, keys or items changed, of any type at any depth."""
    repository = dict(VALID)
    for file in draw(st.lists(st.sampled_from(sorted(VALID)), min_size=1, max_size=3, unique=True)):
        value = deepcopy(read(VALID[file], file).value)
        path = draw(st.sampled_from(list(paths(value))))
        within = value
        for step in path[:-1]:
            within = within[step]
        new = Written(draw(st.sampled_from(SCALARS) | st.just('"' + "x" * 300 + '"')))
        match draw(st.integers(0, 3)):
            case 0:
                del within[path[-1]]
            case 1 if isinstance(within, dict):
                within[draw(st.sampled_from(KEYS))] = new
            case 2 if isinstance(within, list):
                within.append(deepcopy(within[path[-1]]))
            case _:
                within[path[-1]] = new
        lines = (f"{json.dumps(key)}: {printed(inner)}\n" for key, inner in value.items())
        repository[file] = "".join(lines) if draw(st.booleans()) else printed(value)
    return repository


def test_the_valid_repository_can_be_rendered() -> None:
    about_the_base = {"operator/field-not-in-release"}
    invalid = [one for one in findings(VALID) if one.severity is Severity.INVALID]
    assert {one.rule for one in invalid} <= about_the_base, invalid


@given(changed())
def test_no_content_makes_a_run_fail(repository: dict[str, str]) -> None:
    for finding in findings(repository):
        assert finding.rule in BY_ID
        assert finding.place.file
        assert not finding.place.file.startswith("(drivergate)"), finding
        assert finding.place.line or finding.place.file == "inventory", finding
        assert finding.message
        assert finding.hint
        assert "Ambiguous(" not in finding.message + finding.hint


@given(st.sampled_from(sorted(VALID)), st.integers(0, 10_000), st.text(max_size=3))
def test_no_torn_text_makes_a_run_fail(file: str, at: int, inserted: str) -> None:
    at %= len(VALID[file])
    for text in (VALID[file][:at], VALID[file][:at] + inserted + VALID[file][at:]):
        for finding in findings({**VALID, file: text.encode("utf-8", "surrogatepass")}):
            assert finding.rule in BY_ID
            assert finding.hint
