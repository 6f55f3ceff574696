"""`drivergate init --from-driver`: driver objects as clusters hold them, taken as they run."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.testing.adopting import Proposal, document, errors, given, notes, pools, propose
from tests.testing.command import call_in
from tests.testing.judging import bytes_of, findings, revision_of
from tests.testing.nodes import GPU, listed, nfd, node
from tests.testing.stored import (
    HELM,
    IMAGE,
    KERNEL,
    NODES,
    REQUIRED,
    UPGRADE,
    driver,
    kubectl_list,
    policy,
    selecting,
)


def rendered(proposal: Proposal) -> dict[str, Any]:
    """The objects that the proposal renders, by name."""
    context, _ = revision_of(bytes_of(proposal.files))
    return {file.name: yaml.safe_load(file.text) for file in context.rendered.files if file.kind}


def test_each_object_is_a_pool_with_its_nodes() -> None:
    objects = kubectl_list(driver("train", **selecting("train")), driver("serve", **selecting("serve"), version="570"))
    proposal = propose(given("one", NODES, objects))
    by_name = pools(proposal, "one")
    assert by_name["train"]["driver"] == {"branch": "580"}
    assert by_name["serve"]["driver"] == {"branch": "570"}
    assert by_name["serve"]["kernels"] == [KERNEL]
    assert by_name["serve"]["nodes"] == 2
    assert sorted(errors(proposal)) == [
        "image/missing 570-5.15.0-173-generic-ubuntu22.04",
        "image/missing 580-5.15.0-173-generic-ubuntu22.04",
    ]
    spec = rendered(proposal)["train"]["spec"]
    assert spec["upgradePolicy"]["maxParallelUpgrades"] == 2
    assert spec["upgradePolicy"]["podDeletion"]["deleteEmptyDir"] is True
    assert [note for note in notes(proposal) if "is rendered as" in note] == []


def test_the_release_is_the_first_with_all_fields() -> None:
    old = driver("train", **selecting("train"), default=None, upgradePolicy=None, hostNetwork=True)
    proposal = propose(given("one", NODES, kubectl_list(old)))
    assert document(proposal, "inventory/fleet.yaml")["defaults"]["operator"] == {"version": "v26.3.3"}
    assert "one: operator v26.3.3 is taken, the first with all the fields that are used" in notes(proposal)


def test_a_default_object_takes_the_other_nodes() -> None:
    objects = kubectl_list(driver("train", **selecting("train")), driver("default", default=True))
    by_name = pools(propose(given("one", NODES, objects)), "one")
    assert by_name["default"]["default"] is True
    assert by_name["default"]["nodes"] == 2
    assert "nodeSelector" not in by_name["default"]


def test_nodes_that_no_object_selects_are_unmanaged() -> None:
    proposal = propose(given("one", NODES, kubectl_list(driver("train", **selecting("train")))))
    assert pools(proposal, "one")["serve"]["driver"] == {"mode": "unmanaged"}
    assert any("no NVIDIADriver selects its nodes (serve-0, serve-1)" in note for note in notes(proposal))


def test_an_object_without_nodes_is_a_comment() -> None:
    objects = kubectl_list(driver("train", **selecting("train")), driver("spare", **selecting("spare")))
    proposal = propose(given("one", NODES, objects))
    assert "spare" not in pools(proposal, "one")
    file = proposal.files["inventory/clusters/one.yaml"]
    assert "#   spare:" in file
    assert "#     nodeSelector: {example.com/pool: spare}" in file
    assert any(note.startswith("one/spare: no node matches it now") for note in notes(proposal))


def test_what_stands_for_a_taint_becomes_one() -> None:
    tolerations = [
        {"key": "example.com/dedicated", "operator": "Equal", "value": "train", "effect": "NoSchedule"},
        {"key": "sku", "operator": "Exists", "effect": "NoExecute"},
        {"operator": "Exists"},
    ]
    proposal = propose(
        given("one", NODES, kubectl_list(driver("train", **selecting("train"), tolerations=tolerations)))
    )
    assert pools(proposal, "one")["train"]["taints"] == ["example.com/dedicated=train:NoSchedule", "sku:NoExecute"]
    of_tolerations = [note.partition(": a pool has")[0] for note in notes(proposal) if "tolerations" in note]
    assert of_tolerations == ["one/train: spec.tolerations[2] can't be said"]


def test_other_fields_go_to_driver_spec() -> None:
    more = {"rdma": {"enabled": True}, "labels": {"team": "ml"}, "env": [{"name": "A", "value": "1"}]}
    proposal = propose(given("one", NODES, kubectl_list(driver("train", **selecting("train"), **more))))
    cluster = document(proposal, "inventory/clusters/one.yaml")
    assert cluster["driver"]["spec"] == {
        "env": [{"name": "A", "value": "1"}], "labels": {"team": "ml"}, "rdma": {"enabled": True}
    }  # fmt: skip
    assert rendered(proposal)["train"]["spec"]["labels"] == {"team": "ml"}


@pytest.mark.parametrize(
    ("image", "repository", "version"),
    [
        ("nvcr.io/nvidia/driver:580.126.20", "nvcr.io/nvidia/driver", "580.126.20"),
        ("host:5000/a/driver:580.126.20", "host:5000/a/driver", "580.126.20"),
        (f"nvcr.io/nvidia/driver@sha256:{'ab' * 32}", "nvcr.io/nvidia/driver", f"sha256:{'ab' * 32}"),
    ],
)
def test_a_whole_reference_is_taken_apart_and_told(image: str, repository: str, version: str) -> None:
    stored = driver("train", **selecting("train"), repository=None, version=None, usePrecompiled=False, image=image)
    proposal = propose(given("one", NODES, kubectl_list(stored)))
    cluster = document(proposal, "inventory/clusters/one.yaml")
    defaults = document(proposal, "inventory/fleet.yaml")["defaults"]["driver"]
    layer = {**defaults, **cluster.get("driver", {})}
    assert (layer["repository"], layer["version"], layer["mode"]) == (repository, version, "compiled")
    assert any("spec.image is" in note and "is rendered as" in note for note in notes(proposal))


def test_labels_of_people_are_listed() -> None:
    metadata = {"labels": {"team": "ml", "argocd.argoproj.io/instance": "gpu"}, "annotations": {"note": "x"}}
    proposal = propose(given("one", NODES, kubectl_list(driver("train", metadata, **selecting("train")))))
    assert "one/train: metadata.labels can't be said: team" in notes(proposal)
    assert "one/train: metadata.annotations can't be said: note" in notes(proposal)


def test_an_object_that_helm_would_delete_is_told() -> None:
    metadata = {"annotations": {"meta.helm.sh/release-name": "gpu-operator"}}
    proposal = propose(given("one", NODES, kubectl_list(driver("default", metadata, default=True))))
    hints = [note.hint for note in proposal.notes if "Helm deletes it" in note.message]
    assert hints == ["first: kubectl annotate nvidiadriver default helm.sh/resource-policy=keep"]


def test_a_field_of_no_release_is_left_out() -> None:
    stored = driver("train", **selecting("train"), newField=1, rdma={"enabled": True, "newInside": 1})
    proposal = propose(given("one", NODES, kubectl_list(stored), "--operator=v26.7.0"))
    for field in ("newField", "rdma.newInside"):
        left_out = f"spec.{field} is no field of NVIDIADriver in operator v26.7.0, and is left out"
        assert f"one/train: {left_out}" in notes(proposal)
    assert document(proposal, "inventory/clusters/one.yaml")["driver"]["spec"] == {"rdma": {"enabled": True}}
    assert [error for error in errors(proposal) if not error.startswith("image/missing")] == []


def test_two_objects_for_one_node_are_told() -> None:
    objects = kubectl_list(driver("train", **selecting("train")), driver("all", nodeSelector=None))
    assert any("is claimed by train too" in note for note in notes(propose(given("one", NODES, objects))))


def test_an_object_whose_nodes_run_two_systems_keeps_its_selector() -> None:
    other = node("odd", {**GPU, **nfd("ubuntu", "24.04", "6.8.0-60-generic"), "example.com/pool": "train"})
    proposal = propose(given("one", [*NODES, other], kubectl_list(driver("train", **selecting("train")))))
    assert pools(proposal, "one")["train"]["os"] == {"id": "ubuntu", "version": "22.04"}
    assert pools(proposal, "one")["train"]["kernels"] == [KERNEL]
    assert any("doesn't look for images of odd" in note for note in notes(proposal))


def test_a_charts_policy_gives_the_driver_and_no_base() -> None:
    manager = {
        "repository": "nvcr.io/nvidia/cloud-native", "image": "k8s-driver-manager", "version": "v0.9.1",
        "imagePullPolicy": "IfNotPresent",
    }  # fmt: skip
    settings = {
        "enabled": True, **IMAGE, "kernelModuleType": "open", "imagePullPolicy": "IfNotPresent", "manager": manager,
        "rdma": {"enabled": True, "useHostMofed": False}, "repoConfig": {"configMapName": ""}, "upgradePolicy": UPGRADE,
        "licensingConfig": {"nlsEnabled": True, "secretName": ""},
    }  # fmt: skip
    proposal = propose(given("one", NODES, kubectl_list(policy(metadata=HELM, driver=settings))))
    cluster = document(proposal, "inventory/clusters/one.yaml")
    assert cluster["operator"] == {"namespace": "gpu", "driverApi": "ClusterPolicy"}
    assert document(proposal, "inventory/fleet.yaml")["defaults"]["operator"] == {"version": "v25.10.1"}
    assert cluster["driver"] == {"spec": {"rdma": {"enabled": True}}}
    assert not [path for path in proposal.files if path.startswith("bases/")]
    assert sorted(set(errors(proposal))) == ["image/missing 580-5.15.0-173-generic-ubuntu22.04"]
    assert [note for note in notes(proposal) if "is rendered as" in note] == []


def test_taints_that_a_charts_policy_tolerates_are_no_error() -> None:
    tainted = [node("a", {**GPU, **nfd("ubuntu", "22.04", KERNEL), "example.com/pool": "a"}, "sku=gpu:NoSchedule")]
    daemonsets = {"tolerations": [{"key": "sku", "operator": "Exists", "effect": "NoSchedule"}]}
    proposal = propose(given("one", tainted, kubectl_list(policy(metadata=HELM, daemonsets=daemonsets))))
    assert errors(proposal) == ["image/missing 580-5.15.0-173-generic-ubuntu22.04"]
    without = propose(given("one", tainted, kubectl_list(policy(metadata=HELM))))
    assert [error.partition(" ")[0] for error in errors(without)] == ["image/missing", "operator/taint-not-tolerated"]


def test_a_policy_of_ones_own_becomes_the_base() -> None:
    annotations = {
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "argocd.argoproj.io/tracking-id": "gpu:nvidia.com/ClusterPolicy:/cluster-policy",
        "example.com/mine": "yes",
    }
    own = policy(metadata={"annotations": annotations, "managedFields": [{"manager": "kubectl"}]})
    proposal = propose(given("one", NODES, kubectl_list(own), "--operator=v26.3.3"))
    assert document(proposal, "bases/one.yaml") == {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "cluster-policy", "annotations": {"example.com/mine": "yes"}},
        "spec": {**{key: {} for key in REQUIRED}, "toolkit": {"enabled": True}},
    }
    assert sorted(set(errors(proposal))) == ["image/missing 580-5.15.0-173-generic-ubuntu22.04"]
    spec = rendered(proposal)["cluster-policy"]["spec"]
    assert spec["toolkit"] == {"enabled": True}
    assert spec["driver"]["version"] == "580"


def test_openshift_is_olm() -> None:
    own = policy("gpu-cluster-policy", operator={"use_ocp_driver_toolkit": True, "defaultRuntime": "crio"})
    cluster = document(
        propose(given("ocp", NODES, kubectl_list(own), "--operator=v26.3.3")), "inventory/clusters/ocp.yaml"
    )
    assert cluster["operator"] == {
        "namespace": "nvidia-gpu-operator", "install": "olm", "clusterPolicyName": "gpu-cluster-policy",
        "clusterPolicyBase": "bases/ocp.yaml", "driverApi": "ClusterPolicy",
    }  # fmt: skip


def test_a_policy_that_brings_no_driver_leaves_hosts_with_theirs() -> None:
    proposal = propose(given("one", NODES, kubectl_list(policy(metadata=HELM, driver={"enabled": False}))))
    assert {pool["driver"]["mode"] for pool in pools(proposal, "one").values()} == {"preinstalled"}
    assert [finding.message for finding in findings(proposal.files) if finding.severity != "warning"] == []


VALUES = """\
toolkit:
  enabled: true
driver:
  usePrecompiled: true
  version: "570"
  upgradePolicy:
    gpuPodDeletion: {deleteEmptyDir: true}
"""


def test_chart_values_are_taken_with_what_the_chart_adds() -> None:
    proposal = propose(given("one", NODES, VALUES, "--operator=v26.3.3"))
    assert document(proposal, "inventory/fleet.yaml")["defaults"]["driver"] == {
        "repository": "nvcr.io/nvidia/driver",
        "mode": "precompiled",
        "branch": "570",
        "upgradePolicy": {"podDeletion": {"deleteEmptyDir": True}},
    }
    assert document(proposal, "inventory/clusters/one.yaml")["operator"] == {"driverApi": "ClusterPolicy"}


def test_a_charts_own_driver_is_compiled_unless_said() -> None:
    proposal = propose(given("one", NODES, "driver: {enabled: true}\n", "--operator=v26.7.0"))
    defaults = document(proposal, "inventory/fleet.yaml")["defaults"]["driver"]
    assert (defaults["mode"], defaults["version"]) == ("compiled", "595.91.07")  # values.yaml of v26.7.0


def test_documents_lists_and_json_are_one() -> None:
    objects = [driver("train", **selecting("train")), policy(driver={"useNvidiaDriverCRD": True})]
    pod = {"apiVersion": "v1", "kind": "Pod"}
    documents = "---\n".join(yaml.safe_dump(item) for item in [*objects, pod])
    in_list = yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [*objects, pod]})
    json_list = propose(given("one", NODES, kubectl_list(*objects)))
    for written in (f"---\n{documents}---\n# nothing\n", in_list):
        assert propose(given("one", NODES, written)) == json_list


def test_a_marker_that_is_indented_is_text() -> None:
    values = (
        "driver:\n  usePrecompiled: true\n  version: '580'\n  repoConfig:\n    configMapName: |\n      ---\n      x\n"
    )
    layer = document(propose(given("one", NODES, values)), "inventory/clusters/one.yaml")
    assert layer["driver"]["spec"]["repoConfig"]["configMapName"] == "---\nx\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "it is no JSON"),
        ("driver: {}\n---\na: [\n", "line 4: "),
        ("a: 1\na: 2\n", "line 2: "),
        ("- driver\n", "holds no ClusterPolicy, no NVIDIADriver and no chart values"),
        ("driver: [a]\n", "driver of the chart values is no mapping"),
        (kubectl_list(driver("a", tolerations="all")), "spec.tolerations of NVIDIADriver is no list"),
    ],
)
def test_what_can_not_be_read_is_told(tmp_path: Path, content: str, reason: str) -> None:
    (tmp_path / "nodes.json").write_bytes(listed(NODES))
    (tmp_path / "driver.yaml").write_text(content, encoding="utf-8")
    called = call_in(tmp_path, "init", "--from-nodes=one=nodes.json", "--from-driver=one=driver.yaml", "drivers")
    assert called.code == 2
    assert "`driver.yaml`" in called.err
    assert reason in called.err
    assert not (tmp_path / "drivers").exists()


def test_a_number_as_text_is_a_number() -> None:
    stored = driver("train", **selecting("train"), upgradePolicy={**UPGRADE, "maxUnavailable": "3"})
    proposal = propose(given("one", NODES, kubectl_list(stored)))
    assert document(proposal, "inventory/fleet.yaml")["defaults"]["driver"]["upgradePolicy"]["maxUnavailable"] == 3
    assert any('maxUnavailable is "3" in the cluster and is rendered as 3' in note for note in notes(proposal))
