"""A user's own ClusterPolicy: where it may lie, what it must be, and that the rest of it stays as it is."""

import pytest

from generator.declared.policy import read_base
from generator.finding import Finding, Place, Severity
from generator.render.views import ClusterValues
from tests.testing.inventories import CLUSTER_FILE, POOL, files
from tests.testing.judging import findings, revision_of

PATH = "bases/policy.yaml"
BASE = """apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata:
  name: cluster-policy
spec:
  operator: {defaultRuntime: crio, initContainer: {}}
  daemonsets: {}
  toolkit: {enabled: true}
  devicePlugin: {}
  dcgm: {}
  dcgmExporter: {}
  gfd: {}
  nodeStatusExporter: {}
"""


def repository(
    base: str | None = BASE, *, path: str = PATH, file: str = PATH, install: str = "olm", pool: str = POOL
) -> dict[str, str]:
    named = f"clusterPolicyBase: {path}, " if path else ""
    made = files(pool, more=f"operator: {{install: {install}, {named}driverApi: ClusterPolicy}}\n")
    return made if base is None else {**made, file: base}


def invalid(repo: dict[str, str]) -> list[Finding]:
    return [one for one in findings(repo) if one.severity is Severity.INVALID]


def alone(repo: dict[str, str]) -> Finding:
    (found,) = invalid(repo)
    assert found.hint
    return found


@pytest.mark.parametrize("install", ["olm", "manifest"])
def test_a_base_at_its_place_is_fine(install: str) -> None:
    assert invalid(repository(install=install)) == []


@pytest.mark.parametrize("install", ["olm", "manifest"])
def test_a_base_is_needed(install: str) -> None:
    finding = alone(repository(None, path="", install=install))
    assert (finding.rule, finding.place) == ("inventory/schema", Place(CLUSTER_FILE, 4, 21))
    assert "operator.clusterPolicyBase" in finding.hint


def test_a_base_that_the_chart_would_fight_with() -> None:
    assert alone(repository(install="helm")).place == Place(CLUSTER_FILE, 4, 46)


@pytest.mark.parametrize("path", ["/etc/hosts", "../x.yaml", "bases/../../x.yaml", "./bases/policy.yaml", "a//b.yaml"])
def test_a_path_leads_into_the_repository_in_one_spelling(path: str) -> None:
    finding = alone(repository(path=path))
    assert (finding.rule, finding.place) == ("inventory/schema", Place(CLUSTER_FILE, 4, 45))


def test_a_base_that_is_not_there() -> None:
    finding = alone(repository(None))
    assert finding.message == f"clusterPolicyBase {PATH} is not there"
    assert finding.place == Place(CLUSTER_FILE, 4, 45)


def test_a_base_inside_the_output_is_told_once() -> None:
    for base in (None, BASE):
        found = findings(repository(base, path="out/p.yaml", file="out/p.yaml"))
        about = [one for one in found if one.rule != "out/drift"]
        assert [one.rule for one in about] == ["out/contains-input"]


def test_a_base_inside_the_inventory() -> None:
    finding = alone(repository(None, path="inventory/p.yaml"))
    assert "lies inside inventory/" in finding.message


def test_a_base_of_another_name() -> None:
    finding = alone(repository(BASE.replace("name: cluster-policy", "name: other")))
    assert (finding.rule, finding.place) == ("inventory/schema", Place(PATH, 4, 9))


@pytest.mark.parametrize(
    ("base", "place"),
    [
        (f"{BASE}x: [\n", Place(PATH, 15, 1)),
        (BASE.replace("kind: ClusterPolicy", "kind: ConfigMap"), Place(PATH, 1, 1)),
        (BASE.replace("nvidia.com/v1", "nvidia.com/v1alpha1"), Place(PATH, 1, 1)),
        ("", Place(PATH, 1, 1)),
        ("- a\n", Place(PATH, 1, 1)),
        ("text\n", Place(PATH, 1, 1)),
        (BASE.replace("metadata:\n  name: cluster-policy\n", "metadata: [a]\n"), Place(PATH, 3, 11)),
        (BASE.replace("name: cluster-policy", "name: 5.50"), Place(PATH, 4, 9)),
        (BASE.replace("name: cluster-policy", "annotations: text"), Place(PATH, 4, 16)),
        (
            BASE.replace("name: cluster-policy", "annotations: {argocd.argoproj.io/sync-options: 1.5}"),
            Place(PATH, 4, 50),
        ),
        (BASE.split("spec:", maxsplit=1)[0] + "spec: []\n", Place(PATH, 5, 7)),
        (f"{BASE}kind: ClusterPolicy\n", Place(PATH, 14, 1)),
    ],
)
def test_what_is_no_base(base: str, place: Place) -> None:
    assert alone(repository(base)).place == place


def test_nulls_of_a_base_are_absent_where_drivergate_looks() -> None:
    text = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: , annotations: ~}\nspec:\n"
    value, problems = read_base(PATH, text.encode())
    assert problems == ()
    assert value == {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": {}}


ODD = """apiVersion: nvidia.com/v1
kind: ClusterPolicy
spec:
  zeta: {a: ~, b: 0535, c: on, d: 1.10, e: 2024-01-01, f: [~, 0x1f, {g: .inf}], h: "", i: [], j: {}, k: "on"}
  driver: {rdma: {enabled: true}}
  alpha: true
status: {}
"""


def test_everything_but_the_driver_is_printed_again_as_it_was_written() -> None:
    rendered = revision_of(repository(ODD))[0].rendered
    (text,) = [file.text for file in rendered.files if file.kind == "ClusterPolicy"]
    for line in ("b: 0535", "c: on", "d: 1.10", "e: 2024-01-01", "- 0x1f", "- g: .inf", 'h: ""', "i: []", "j: {}"):
        assert line in text
    assert 'k: "on"' in text
    assert text.index("zeta:") < text.index("alpha:")  # its order
    assert "rdma" not in text
    assert "status: {}" in text
    assert "  name: cluster-policy" in text  # a base without metadata gets the declared name


def test_annotations_of_the_base_are_kept_and_sync_options_joined() -> None:
    own = """annotations: {a: "1", argocd.argoproj.io/sync-options: "ServerSideApply=true, Prune=true"}"""
    context, _ = revision_of(repository(BASE.replace("name: cluster-policy", own)))
    (cluster,) = context.fleet.clusters
    annotations = ClusterValues(cluster, context.bases[PATH]).policy["metadata"]["annotations"]
    assert annotations == {
        "a": "1",
        "argocd.argoproj.io/sync-options": "Delete=confirm,Prune=confirm,ServerSideApply=true,"
        "SkipDryRunOnMissingResource=true",
        "kustomize.toolkit.fluxcd.io/prune": "disabled",
    }


def test_hosts_with_drivers_of_their_own_switch_the_operator_s_off() -> None:
    repo = repository(pool="driver: {mode: preinstalled}")
    assert invalid(repo) == []
    files_of = revision_of(repo)[0].rendered.files
    (text,) = [file.text for file in files_of if file.kind == "ClusterPolicy"]
    assert "  driver:\n    enabled: false\n" in text
    assert [file.path for file in files_of] == [
        "one/gpu-operator/clusterpolicy.yaml",
        "one/gpu-operator/kustomization.yaml",
    ]
