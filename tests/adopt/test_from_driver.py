"""Driver objects as clusters hold them, taken as they run.

Shapes: gpu-operator api/nvidia/v1/clusterpolicy_types.go and v1alpha1/nvidiadriver_types.go; labels of the chart:
deployments/gpu-operator/templates/_helpers.tpl.
"""

import json
from typing import Any

import hypothesis
import pytest
import yaml
from hypothesis import strategies as st

from generator.adopt.driverobject import Objects, Unreadable, parse
from generator.adopt.given import Given
from generator.adopt.proposal import proposed
from tests.adopt.proposing import document, errors, given, nodes, notes, pools, propose
from tests.testing.judging import VERSION, bytes_of, revision_of
from tests.testing.nodes import GPU, nfd, node

KERNEL = "5.15.0-173-generic"
NODES = [
    node(f"{pool}-{number}", {**GPU, **nfd("ubuntu", "22.04", KERNEL), "example.com/pool": pool})
    for pool in ("train", "serve")
    for number in range(2)
]
IMAGE = {"repository": "nvcr.io/nvidia", "image": "driver", "version": "580", "usePrecompiled": True}
UPGRADE = {
    "autoUpgrade": True,
    "maxParallelUpgrades": 2,
    "maxUnavailable": "25%",
    "waitForCompletion": {"timeoutSeconds": 0},
    "podDeletion": {"force": False, "timeoutSeconds": 300, "deleteEmptyDir": True},
    "drain": {"enable": False, "force": False, "timeoutSeconds": 300, "deleteEmptyDir": False},
}
REQUIRED = ("daemonsets", "dcgm", "dcgmExporter", "devicePlugin", "gfd", "nodeStatusExporter", "operator")
CLUSTERS_OWN = {"uid": "4d5e", "resourceVersion": "7", "generation": 3, "creationTimestamp": "2026-01-01T00:00:00Z"}


def driver(name: str, metadata: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """An NVIDIADriver as the API server stores it."""
    stored = {"driverType": "gpu", "kernelModuleType": "auto", **IMAGE, "upgradePolicy": UPGRADE, "default": False}
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "NVIDIADriver",
        "metadata": {"name": name, **CLUSTERS_OWN, **(metadata or {})},
        "spec": {key: value for key, value in {**stored, **spec}.items() if value is not None},
        "status": {"state": "ready"},
    }


def policy(name: str = "cluster-policy", metadata: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A ClusterPolicy; `more` is its spec."""
    required = {key: {} for key in REQUIRED}
    spec = {**required, "toolkit": {"enabled": True}, "driver": {"enabled": True, **IMAGE}, **more}
    return {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": name, **CLUSTERS_OWN, **(metadata or {})},
        "spec": spec,
        "status": {"state": "ready"},
    }


def text(*objects: dict[str, Any]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})


def selecting(pool: str) -> dict[str, Any]:
    return {"nodeSelector": {"example.com/pool": pool}}


def rendered(found: Any) -> dict[str, Any]:
    """The objects that the proposal renders, by name."""
    context, _ = revision_of(bytes_of(found.files))
    return {file.name: yaml.safe_load(file.text) for file in context.rendered.files if file.kind}


def test_each_object_is_a_pool_with_its_nodes() -> None:
    objects = text(driver("train", **selecting("train")), driver("serve", **selecting("serve"), version="570"))
    found = propose(given("one", NODES, objects))
    made = pools(found, "one")
    assert made["train"]["driver"] == {"branch": "580"}
    assert made["serve"]["driver"] == {"branch": "570"}
    assert made["serve"]["kernels"] == [KERNEL]
    assert made["serve"]["nodes"] == 2
    assert sorted(errors(found)) == [
        "image/missing 570-5.15.0-173-generic-ubuntu22.04",
        "image/missing 580-5.15.0-173-generic-ubuntu22.04",
    ]
    spec = rendered(found)["train"]["spec"]
    assert spec["upgradePolicy"]["maxParallelUpgrades"] == 2
    assert spec["upgradePolicy"]["podDeletion"]["deleteEmptyDir"] is True
    assert [one for one in notes(found) if "is rendered as" in one] == []


def test_the_release_is_the_first_with_all_fields() -> None:
    old = driver("train", **selecting("train"), default=None, upgradePolicy=None, hostNetwork=True)
    found = propose(given("one", NODES, text(old)))
    assert document(found, "inventory/fleet.yaml")["defaults"]["operator"] == {"version": "v26.3.3"}
    assert "one: operator v26.3.3 is taken, the first with all the fields that are used" in notes(found)


def test_a_default_object_takes_the_other_nodes() -> None:
    objects = text(driver("train", **selecting("train")), driver("default", default=True))
    made = pools(propose(given("one", NODES, objects)), "one")
    assert made["default"]["default"] is True
    assert made["default"]["nodes"] == 2
    assert "nodeSelector" not in made["default"]


def test_nodes_that_no_object_selects_are_unmanaged() -> None:
    found = propose(given("one", NODES, text(driver("train", **selecting("train")))))
    assert pools(found, "one")["serve"]["driver"] == {"mode": "unmanaged"}
    assert any("no NVIDIADriver selects its nodes (serve-0, serve-1)" in one for one in notes(found))


def test_an_object_without_nodes_is_a_comment() -> None:
    objects = text(driver("train", **selecting("train")), driver("spare", **selecting("spare")))
    found = propose(given("one", NODES, objects))
    assert "spare" not in pools(found, "one")
    file = found.files["inventory/clusters/one.yaml"]
    assert "#   spare:" in file
    assert "#     nodeSelector: {example.com/pool: spare}" in file
    assert any(one.startswith("one/spare: no node matches it now") for one in notes(found))


def test_what_stands_for_a_taint_becomes_one() -> None:
    tolerations = [
        {"key": "example.com/dedicated", "operator": "Equal", "value": "train", "effect": "NoSchedule"},
        {"key": "sku", "operator": "Exists", "effect": "NoExecute"},
        {"operator": "Exists"},
    ]
    found = propose(given("one", NODES, text(driver("train", **selecting("train"), tolerations=tolerations))))
    assert pools(found, "one")["train"]["taints"] == ["example.com/dedicated=train:NoSchedule", "sku:NoExecute"]
    told = [one for one in notes(found) if "tolerations" in one]
    assert [one.partition(": a pool has")[0] for one in told] == ["one/train: spec.tolerations[2] can't be said"]


def test_other_fields_go_to_driver_spec() -> None:
    more = {"rdma": {"enabled": True}, "labels": {"team": "ml"}, "env": [{"name": "A", "value": "1"}]}
    found = propose(given("one", NODES, text(driver("train", **selecting("train"), **more))))
    made = document(found, "inventory/clusters/one.yaml")
    assert made["driver"]["spec"] == {
        "env": [{"name": "A", "value": "1"}], "labels": {"team": "ml"}, "rdma": {"enabled": True}
    }  # fmt: skip
    assert rendered(found)["train"]["spec"]["labels"] == {"team": "ml"}


@pytest.mark.parametrize(
    ("image", "repository", "version"),
    [
        ("nvcr.io/nvidia/driver:580.126.20", "nvcr.io/nvidia/driver", "580.126.20"),
        ("host:5000/a/driver:580.126.20", "host:5000/a/driver", "580.126.20"),
        (f"nvcr.io/nvidia/driver@sha256:{'ab' * 32}", "nvcr.io/nvidia/driver", f"sha256:{'ab' * 32}"),
    ],
)
def test_a_whole_reference_is_taken_apart_and_told(image: str, repository: str, version: str) -> None:
    one = driver("train", **selecting("train"), repository=None, version=None, usePrecompiled=False, image=image)
    found = propose(given("one", NODES, text(one)))
    made = document(found, "inventory/clusters/one.yaml")
    defaults = document(found, "inventory/fleet.yaml")["defaults"]["driver"]
    layer = {**defaults, **made.get("driver", {})}
    assert (layer["repository"], layer["version"], layer["mode"]) == (repository, version, "compiled")
    assert any("spec.image is" in one and "is rendered as" in one for one in notes(found))


def test_labels_of_people_are_listed() -> None:
    metadata = {"labels": {"team": "ml", "argocd.argoproj.io/instance": "gpu"}, "annotations": {"note": "x"}}
    found = propose(given("one", NODES, text(driver("train", metadata, **selecting("train")))))
    assert "one/train: metadata.labels can't be said: team" in notes(found)
    assert "one/train: metadata.annotations can't be said: note" in notes(found)


def test_an_object_that_helm_would_delete_is_told() -> None:
    metadata = {"annotations": {"meta.helm.sh/release-name": "gpu-operator"}}
    found = propose(given("one", NODES, text(driver("default", metadata, default=True))))
    hints = [note.hint for note in found.notes if "Helm deletes it" in note.message]
    assert hints == ["first: kubectl annotate nvidiadriver default helm.sh/resource-policy=keep"]


def test_a_field_of_no_release_is_left_out() -> None:
    found = propose(given("one", NODES, text(driver("train", **selecting("train"), newField=1)), operator="v26.7.0"))
    assert "one/train: spec.newField is no field of NVIDIADriver in operator v26.7.0, and is left out" in notes(found)
    assert [one for one in errors(found) if not one.startswith("image/missing")] == []


def test_two_objects_for_one_node_are_told() -> None:
    objects = text(driver("train", **selecting("train")), driver("all", nodeSelector=None))
    assert any("is claimed by train too" in one for one in notes(propose(given("one", NODES, objects))))


def test_an_object_whose_nodes_run_two_systems_keeps_its_selector() -> None:
    other = node("odd", {**GPU, **nfd("ubuntu", "24.04", "6.8.0-60-generic"), "example.com/pool": "train"})
    found = propose(given("one", [*NODES, other], text(driver("train", **selecting("train")))))
    assert pools(found, "one")["train"]["os"] == {"id": "ubuntu", "version": "22.04"}
    assert pools(found, "one")["train"]["kernels"] == [KERNEL]
    assert any("doesn't look for images of odd" in one for one in notes(found))


HELM = {
    "labels": {"helm.sh/chart": "gpu-operator-v25.10.1", "app.kubernetes.io/managed-by": "Helm"},
    "annotations": {"meta.helm.sh/release-name": "gpu-operator", "meta.helm.sh/release-namespace": "gpu"},
}


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
    found = propose(given("one", NODES, text(policy(metadata=HELM, driver=settings))))
    made = document(found, "inventory/clusters/one.yaml")
    assert made["operator"] == {"namespace": "gpu", "driverApi": "ClusterPolicy"}
    assert document(found, "inventory/fleet.yaml")["defaults"]["operator"] == {"version": "v25.10.1"}
    assert made["driver"] == {"spec": {"rdma": {"enabled": True}}}
    assert not [path for path in found.files if path.startswith("bases/")]
    assert sorted(set(errors(found))) == ["image/missing 580-5.15.0-173-generic-ubuntu22.04"]
    assert [one for one in notes(found) if "is rendered as" in one] == []


def test_taints_that_a_charts_policy_tolerates_are_no_error() -> None:
    tainted = [node("a", {**GPU, **nfd("ubuntu", "22.04", KERNEL), "example.com/pool": "a"}, "sku=gpu:NoSchedule")]
    daemonsets = {"tolerations": [{"key": "sku", "operator": "Exists", "effect": "NoSchedule"}]}
    found = propose(given("one", tainted, text(policy(metadata=HELM, daemonsets=daemonsets))))
    assert errors(found) == ["image/missing 580-5.15.0-173-generic-ubuntu22.04"]
    without = propose(given("one", tainted, text(policy(metadata=HELM))))
    assert [one.partition(" ")[0] for one in errors(without)] == ["image/missing", "operator/taint-not-tolerated"]


def test_a_policy_of_ones_own_becomes_the_base() -> None:
    annotations = {
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "argocd.argoproj.io/tracking-id": "gpu:nvidia.com/ClusterPolicy:/cluster-policy",
        "example.com/mine": "yes",
    }
    own = policy(metadata={"annotations": annotations, "managedFields": [{"manager": "kubectl"}]})
    found = propose(given("one", NODES, text(own), operator="v26.3.3"))
    assert document(found, "bases/one.yaml") == {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "cluster-policy", "annotations": {"example.com/mine": "yes"}},
        "spec": {**{key: {} for key in REQUIRED}, "toolkit": {"enabled": True}},
    }
    assert sorted(set(errors(found))) == ["image/missing 580-5.15.0-173-generic-ubuntu22.04"]
    made = rendered(found)["cluster-policy"]["spec"]
    assert made["toolkit"] == {"enabled": True}
    assert made["driver"]["version"] == "580"


def test_openshift_is_olm() -> None:
    own = policy("gpu-cluster-policy", operator={"use_ocp_driver_toolkit": True, "defaultRuntime": "crio"})
    made = document(propose(given("ocp", NODES, text(own), operator="v26.3.3")), "inventory/clusters/ocp.yaml")
    assert made["operator"] == {
        "namespace": "nvidia-gpu-operator", "install": "olm", "clusterPolicyName": "gpu-cluster-policy",
        "clusterPolicyBase": "bases/ocp.yaml", "driverApi": "ClusterPolicy",
    }  # fmt: skip


def test_a_policy_that_brings_no_driver_leaves_hosts_with_theirs() -> None:
    found = propose(given("one", NODES, text(policy(metadata=HELM, driver={"enabled": False}))))
    assert {pool["driver"]["mode"] for pool in pools(found, "one").values()} == {"preinstalled"}
    assert errors_without_catalog(found) == []


def errors_without_catalog(found: Any) -> list[str]:
    from tests.testing.judging import findings

    return [one.message for one in findings(found.files) if one.severity != "warning"]


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
    found = propose(given("one", NODES, VALUES, operator="v26.3.3"))
    assert document(found, "inventory/fleet.yaml")["defaults"]["driver"] == {
        "repository": "nvcr.io/nvidia/driver",
        "mode": "precompiled",
        "branch": "570",
        "upgradePolicy": {"podDeletion": {"deleteEmptyDir": True}},
    }
    assert document(found, "inventory/clusters/one.yaml")["operator"] == {"driverApi": "ClusterPolicy"}


def test_a_charts_own_driver_is_compiled_unless_said() -> None:
    found = propose(given("one", NODES, "driver: {enabled: true}\n", operator="v26.7.0"))
    defaults = document(found, "inventory/fleet.yaml")["defaults"]["driver"]
    assert (defaults["mode"], defaults["version"]) == ("compiled", "595.91.07")  # values.yaml of v26.7.0


def read(text: str) -> Objects:
    found = parse(text.encode())
    assert isinstance(found, Objects)
    return found


def test_documents_lists_and_json_are_one() -> None:
    one, other = driver("a"), policy()
    documents = f"---\n{yaml.safe_dump(one)}---\n{yaml.safe_dump(other)}---\n# nothing\n---\n{VALUES}"
    assert read(documents).drivers == read(text(one)).drivers
    listed = yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [one, other, {"kind": "Pod"}]})
    found = read(listed)
    assert (len(found.drivers), len(found.policies), found.others) == (1, 1, ("Pod",))
    assert len(read(documents).values) == 1


def test_a_marker_that_is_indented_is_text() -> None:
    assert len(read("driver:\n  env: |\n    ---\n    x\n").values) == 1


@pytest.mark.parametrize(
    ("given_text", "reason"),
    [
        ("{", "it is no JSON"),
        ("driver: {}\n---\na: [\n", "line 4: "),
        ("a: 1\na: 2\n", "line 2: "),
    ],
)
def test_what_can_not_be_read_is_told(given_text: str, reason: str) -> None:
    found = parse(given_text.encode())
    assert isinstance(found, Unreadable)
    assert reason in found.reason


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a tree."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(one for key, below in inner for one in paths(below, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    if not path:
        return by
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], by)
    return copy


WHOLE = driver(
    "train",
    {"labels": {"a": "b"}, "annotations": {"c": "d"}},
    **selecting("train"),
    tolerations=[{"key": "sku", "operator": "Exists", "effect": "NoExecute"}],
    env=[{"name": "A", "value": "1"}],
)
ANYTHING = [WHOLE, policy(metadata=HELM, driver={"enabled": True, **IMAGE, "upgradePolicy": UPGRADE}), policy()]
ANYTHING.append({"driver": {"nvidiaDriverCRD": {"enabled": False}, "upgradePolicy": UPGRADE, **IMAGE}})
PLACES = [(number, path) for number, one in enumerate(ANYTHING) for path in paths(one)]


@hypothesis.given(st.sampled_from(PLACES), st.sampled_from(["", "x", 7, -1, 1.5, True, None, [], ["x"], {}, {"x": 1}]))
def test_no_object_breaks_it(place: tuple[int, tuple[Any, ...]], by: Any) -> None:
    """What an API server would refuse ends in a finding or a word, never in an exception."""
    number, path = place
    found = parse(json.dumps(replaced(ANYTHING[number], path, by)).encode())
    if isinstance(found, Objects):
        proposed("fleet", [Given(name="one", nodes=nodes(NODES), objects=found)], {}, version=VERSION)


def test_a_number_as_text_is_a_number() -> None:
    one = driver("train", **selecting("train"), upgradePolicy={**UPGRADE, "maxUnavailable": "3"})
    found = propose(given("one", NODES, text(one)))
    assert document(found, "inventory/fleet.yaml")["defaults"]["driver"]["upgradePolicy"]["maxUnavailable"] == 3
    assert any('maxUnavailable is "3" in the cluster and is rendered as 3' in one for one in notes(found))
