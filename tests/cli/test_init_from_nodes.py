"""`drivergate init --from-nodes`: inventories proposed for the clusters that four providers show."""

import pytest

from tests.testing import shapes
from tests.testing.adopting import document, errors, given, notes, pools, propose
from tests.testing.nodes import GPU, nfd, node

LISTS = {"eks": shapes.eks, "gke": shapes.gke, "aks": shapes.aks, "bare-metal": shapes.bare_metal}
# The names that the operator composes, <branch>-<kernel>-<os>: rhel drops its minor from operator v26.7 on.
TAGS = {
    "eks": ["580-6.8.0-1050-aws-ubuntu24.04", "580-6.8.0-1053-aws-ubuntu24.04"],
    "gke": ["580-5.15.0-1087-gke-ubuntu22.04"],
    "aks": ["580-5.15.0-1095-azure-ubuntu22.04", "580-5.15.0-1096-azure-ubuntu22.04"],
    "bare-metal": [
        "580-5.14.0-427.37.1.el9_4.aarch64_64k-rhel9",
        "580-5.15.0-173-generic-ubuntu22.04",
        "580-6.8.0-60-generic-ubuntu24.04",
    ],
}


@pytest.mark.parametrize("name", LISTS)
def test_only_images_that_no_catalog_lists_are_wrong(name: str) -> None:
    proposal = propose(given(name, LISTS[name]()))
    assert sorted(set(errors(proposal))) == [f"image/missing {tag}" for tag in TAGS[name]]


@pytest.mark.parametrize("name", LISTS)
def test_it_passes_once_they_are_listed(name: str) -> None:
    assert errors(propose(given(name, LISTS[name]())), TAGS[name]) == []


@pytest.mark.parametrize("name", LISTS)
def test_the_order_of_nodes_changes_nothing(name: str) -> None:
    forth, back = (propose(given(name, items)) for items in (list(LISTS[name]()), list(LISTS[name]())[::-1]))
    assert forth.files == back.files


def test_eks_node_groups_share_their_image() -> None:
    proposal = propose(given("eks", shapes.eks()))
    assert pools(proposal, "eks") == {
        "a100-train": {
            "nodeSelector": {"eks.amazonaws.com/nodegroup": "a100-train"},
            "taints": ["nvidia.com/gpu=present:NoSchedule"],
            "nodes": 2,
            "gpu": {"family": "ampere"},
            "nodeImage": "aws-ubuntu2404",
        },
        "l4-serve": {
            "nodeSelector": {"eks.amazonaws.com/nodegroup": "l4-serve"},
            "taints": ["nvidia.com/gpu=present:NoSchedule"],
            "nodes": 2,
            "gpu": {"family": "ada"},
            "nodeImage": "aws-ubuntu2404",
        },
    }
    stream = document(proposal, "inventory/node-images/aws-ubuntu2404.yaml")
    assert stream["kernels"] == {
        "ami-0c4ca6471e3246940": "6.8.0-1050-aws",
        "ami-0c4ca6471e3246941": "6.8.0-1053-aws",
    }
    assert stream["running"] == list(stream["kernels"])
    assert "eks: 1 of 5 nodes show no GPU and are left out" in notes(proposal)


def test_gke_container_optimized_nodes_have_their_own_driver() -> None:
    proposal = pools(propose(given("gke", shapes.gke())), "gke")
    assert proposal["t4-pool"]["driver"] == {"mode": "preinstalled"}
    assert proposal["h100-pool"] == {
        "nodeSelector": {"cloud.google.com/gke-nodepool": "h100-pool"},
        "taints": ["nvidia.com/gpu=present:NoSchedule"],
        "nodes": 3,
        "gpu": {"family": "hopper"},
        "os": {"id": "ubuntu", "version": "22.04"},
        "arch": ["amd64"],
        "kernels": ["5.15.0-1087-gke"],
    }


def test_aks_nodes_of_one_image_with_two_kernels_float() -> None:
    proposal = propose(given("aks", shapes.aks()))
    assert pools(proposal, "aks")["a100"]["kernelSource"] == "floating"
    assert "kernelSource" not in pools(proposal, "aks")["t4"]
    assert any(
        "nodes of image 202509.23.0 run 5.15.0-1095-azure, 5.15.0-1096-azure" in note for note in notes(proposal)
    )


def test_bare_metal_is_divided_by_the_one_label_that_fits() -> None:
    proposal = propose(given("muc", shapes.bare_metal()))
    cluster = pools(proposal, "muc")
    assert list(cluster) == ["appliance", "fresh", "grace-hopper", "train-ubuntu22.04", "train-ubuntu24.04", "vgpu"]
    assert cluster["appliance"]["driver"] == {"mode": "preinstalled", "version": "580.126.20"}
    assert cluster["vgpu"]["driver"] == {"mode": "unmanaged"}
    assert cluster["grace-hopper"]["nodeSelector"] == {"example.com/pool": "Grace_Hopper"}
    assert cluster["grace-hopper"]["driver"] == {"kernelModuleType": "open"}
    assert cluster["train-ubuntu24.04"]["nodeSelector"] == {
        "example.com/pool": "train",
        "feature.node.kubernetes.io/system-os_release.VERSION_ID": "24.04",
    }
    assert any(": fresh-0; the operator passes them over" in note for note in notes(proposal))


def test_several_clusters_share_a_fleet() -> None:
    proposal = propose(given("east", shapes.eks()), given("west", shapes.gke()))
    assert {"inventory/clusters/east.yaml", "inventory/clusters/west.yaml"} <= proposal.files.keys()
    assert document(proposal, "inventory/fleet.yaml")["defaults"] == {
        "operator": {"version": "v26.7.0"},
        "driver": {"repository": "nvcr.io/nvidia/driver", "mode": "precompiled", "branch": "580"},
    }


def test_a_named_label_comes_first() -> None:
    proposal = propose(given("eks", shapes.eks(), "", "--pool-label=node.kubernetes.io/instance-type"))
    assert [pool["nodeSelector"] for pool in pools(proposal, "eks").values()] == [
        {"node.kubernetes.io/instance-type": "g6.12xlarge"},
        {"node.kubernetes.io/instance-type": "p4d.24xlarge"},
    ]


def test_nodes_that_no_label_tells_apart_are_the_default_pool() -> None:
    plain = node("n0", {**GPU, **nfd("ubuntu", "22.04", "5.15.0-173-generic")})
    assert pools(propose(given("one", [plain])), "one")["gpu"]["default"] is True
    before = pools(propose(given("one", [plain], "", "--operator=v26.3.3")), "one")["gpu"]
    assert before["nodeSelector"] == {"nvidia.com/gpu.present": "true"}


def test_nodes_that_no_label_tells_from_others_are_in_no_pool_before_a_default_object() -> None:
    """NVIDIADriver spec.default came with operator v26.7.0."""
    system = {**GPU, **nfd("ubuntu", "22.04", "5.15.0-173-generic")}
    nodes = [node("n0", {**system, "eks.amazonaws.com/nodegroup": "train"}), node("n1", system)]
    proposal = propose(given("one", nodes, "", "--operator=v26.3.3"))
    assert list(pools(proposal, "one")) == ["train"]
    assert "one: no label tells these nodes from other pools, so they are in none: n1" in notes(proposal)
    assert pools(propose(given("one", nodes, "", "--operator=v26.7.0")), "one")["gpu"]["default"] is True


def test_labels_of_a_loaded_driver_say_a_branch_and_select_nothing() -> None:
    loaded = {"nvidia.com/cuda.driver.major": "570", "nvidia.com/cuda.driver.minor": "172", "nvidia.com/gpu.count": "8"}
    nodes = [node(f"n{one}", {**GPU, **nfd("ubuntu", "22.04", "5.15.0-173-generic"), **loaded}) for one in range(2)]
    proposal = propose(given("one", nodes))
    assert document(proposal, "inventory/fleet.yaml")["defaults"]["driver"]["branch"] == "570"
    assert "nodeSelector" not in pools(proposal, "one")["gpu"]


def test_a_gpu_node_without_a_known_system_is_named() -> None:
    shy = node("shy", {"nvidia.com/gpu.present": "true", "kubernetes.io/arch": "amd64"})
    proposal = propose(given("one", [shy]))
    assert pools(proposal, "one") == {}
    assert any("in no pool: shy" in note for note in notes(proposal))


def test_no_gpu_at_all_is_told() -> None:
    assert "one: none of 1 nodes shows a GPU" in notes(propose(given("one", [node("cpu", {})])))


def test_an_existing_fleet_stays_and_the_cluster_says_everything() -> None:
    fleet = "apiVersion: drivergate.dev/v1alpha1\nkind: Fleet\nname: old\ndefaults:\n  driver: {branch: '535'}\n"
    proposal = propose(given("eks", shapes.eks()), existing={"inventory/my-fleet.yaml": fleet})
    assert "inventory/fleet.yaml" not in proposal.files
    cluster = document(proposal, "inventory/clusters/eks.yaml")
    assert cluster["driver"] == {"repository": "nvcr.io/nvidia/driver", "mode": "precompiled", "branch": "580"}
    assert cluster["operator"] == {
        "version": "v26.7.0", "namespace": "gpu-operator", "install": "helm", "clusterPolicyName": "cluster-policy",
        "driverApi": "NVIDIADriver",
    }  # fmt: skip


def test_a_declared_cluster_is_left_alone() -> None:
    first = propose(given("eks", shapes.eks()))
    again = propose(given("eks", shapes.gke()), existing=dict(first.files))
    assert again.files == {}
    assert notes(again) == ["eks: the cluster is declared already, and its file is left as it is"]
