"""What the operator does with a node; every answer of the real operator is in test_oracle."""

from typing import Any

import pytest
from msgspec.structs import replace

from generator.declared.fleet import Cluster, Mode, OsRelease
from generator.facts import label
from generator.facts.release import DriverApi
from generator.observed.node import Node
from generator.operator.ask import (
    Asks,
    ClaimedTwice,
    HostDriver,
    NotAGpuNode,
    Unclaimed,
    Unlabelled,
    ask,
)
from generator.operator.claim import PCI_LABELS
from tests.testing.clusters import cluster, pool

UBUNTU = {
    label.GPU_PRESENT: "true",
    label.OS_ID: "ubuntu",
    label.OS_VERSION: "22.04",
    label.KERNEL: "5.15.0-173-generic",
}
COREOS = {label.GPU_PRESENT: "true", label.OS_ID: "rhcos", label.OS_VERSION: "4.18", label.OS_MAJOR: "4"}
A = pool("a", {"pool": "a"})
COMPILED = pool("a", {"pool": "a"}, mode=Mode.COMPILED, version="580.126.20")
HOST = pool("host", {"pool": "host"}, mode=Mode.PREINSTALLED, repository="", version="")


def node(labels: dict[str, str], **more: Any) -> Node:
    return Node(name="n1", labels=labels, **more)


def test_a_node_of_a_pool_asks_for_its_image() -> None:
    found = ask(cluster(A), node({**UBUNTU, "pool": "a"}))
    assert isinstance(found, Asks)
    assert found.reference == "nvcr.io/nvidia/driver:580-5.15.0-173-generic-ubuntu22.04"
    assert found.node_pool is not None
    assert found.node_pool.name == "ubuntu22.04-5.15.0-173-generic"


def test_a_node_that_no_pool_selects() -> None:
    assert ask(cluster(A), node({**UBUNTU, "pool": "b"})) == Unclaimed()


@pytest.mark.parametrize(
    ("api", "other", "stops"),
    [
        (DriverApi.NVIDIADRIVER, pool("b", {"pool": "a"}), True),
        (DriverApi.CLUSTERPOLICY, pool("b", {"pool": "a"}), False),
        # Nothing is rendered for it, so the operator sees one object.
        (DriverApi.NVIDIADRIVER, pool("b", {"pool": "a"}, mode=Mode.UNMANAGED, repository="", version=""), False),
    ],
)
def test_two_pools_stop_the_operator_where_both_are_its_objects(api: DriverApi, other: Any, *, stops: bool) -> None:
    found = ask(cluster(A, other, api=api), node({**UBUNTU, "pool": "a"}))
    assert found == ClaimedTwice((A, other), stops=stops)


def test_a_node_that_offers_gpus_before_anything_labelled_it() -> None:
    bare = node({"pool": "a"}, resources=frozenset({"nvidia.com/gpu"}))
    assert ask(cluster(A), bare) == Unlabelled(A, (label.OS_ID, label.OS_VERSION, label.KERNEL))


def test_a_node_of_a_pool_that_nothing_has_looked_at() -> None:
    missing = (label.OS_ID, label.OS_VERSION, label.KERNEL, PCI_LABELS[0])
    assert ask(cluster(A), node({"pool": "a"})) == Unlabelled(A, missing)


@pytest.mark.parametrize(
    ("labels", "expects"),
    [
        ({**UBUNTU, label.GPU_PRESENT: "false", "pool": "a"}, True),
        ({**UBUNTU, label.GPU_PRESENT: "false"}, False),
        ({key: value for key, value in UBUNTU.items() if key != label.GPU_PRESENT} | {"pool": "a"}, False),
        ({}, False),
    ],
)
def test_a_node_on_which_the_operator_sees_no_gpu(labels: dict[str, str], *, expects: bool) -> None:
    """A pool expects GPUs on it only where they are gone: workers of one node group may have none."""
    assert ask(cluster(A), node(labels)) == NotAGpuNode(A if expects else None)


def test_gpus_that_only_the_kubelet_knows_of_are_none_to_the_operator() -> None:
    """gpu-operator controllers/state_manager.go hasGPULabels: labels alone make a GPU node."""
    seen = {key: value for key, value in UBUNTU.items() if key != label.GPU_PRESENT}
    offering = node({**seen, "pool": "a"}, resources=frozenset({"nvidia.com/gpu"}))
    assert ask(cluster(A), offering) == NotAGpuNode(A)


@pytest.mark.parametrize(
    ("labels", "loads"),
    [
        ({}, True),
        ({label.DEPLOY_DRIVER: "pre-installed"}, False),
        ({"nvidia.com/gpu.workload.config": "vm-passthrough"}, False),
    ],
)
def test_a_pool_with_a_driver_of_its_own_must_say_so_on_its_nodes(labels: dict[str, str], *, loads: bool) -> None:
    rest = pool("rest", default=True)
    found = ask(cluster(HOST, rest), node({**UBUNTU, "pool": "host", **labels}))
    assert found == HostDriver(HOST, loads=rest if loads else None)


OPENSHIFT = {"node.openshift.io/os_id": "rhel"}


@pytest.mark.parametrize("api", list(DriverApi))
@pytest.mark.parametrize("labels", [COREOS, {**UBUNTU, **OPENSHIFT}])
def test_a_node_of_openshift_needs_the_version_of_its_image(api: DriverApi, labels: dict[str, str]) -> None:
    """nodepool.go getNodePools, and the driver toolkit of a ClusterPolicy: one DaemonSet for each OSTREE_VERSION."""
    made = cluster(COMPILED, api=api)
    assert ask(made, node({**labels, "pool": "a"})) == Unlabelled(COMPILED, (label.OSTREE_VERSION,))
    found = ask(made, node({**labels, "pool": "a", label.OSTREE_VERSION: "418.94"}))
    assert isinstance(found, Asks)


def test_precompiled_drivers_of_openshift_go_by_the_kernel() -> None:
    found = ask(cluster(A), node({**COREOS, label.KERNEL: "5.14.0-427.37.1.el9_4.x86_64", "pool": "a"}))
    assert isinstance(found, Asks)


def test_a_cluster_with_a_pool_of_coreos_is_openshift() -> None:
    coreos = replace(pool("coreos", {"pool": "coreos"}), os=OsRelease("rhcos", "4.18"))
    made: Cluster = cluster(COMPILED, coreos)
    rhel = {**UBUNTU, "pool": "a", label.OS_ID: "rhel", label.OS_VERSION: "9.4", f"{label.OS_VERSION}.major": "9"}
    assert ask(made, node(rhel)) == Unlabelled(COMPILED, (label.OSTREE_VERSION,))
    assert isinstance(ask(made, node({**UBUNTU, "pool": "a"})), Asks)  # OpenShift has no such nodes
