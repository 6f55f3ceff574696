"""What the operator goes by: facts/gpu-operator.md 2, 7 and 9b; who claims a node: oracle/node_pools.jsonl."""

import random

import pytest

from tests.testing.audited import KERNEL, OTHER, audited, driver_pod, node, said
from tests.testing.planning import catalog, files, pool, tag

ONE = files(pool("arch: [amd64], kernels: [5.15.0-173-generic]"), **{"inventory/catalog.yaml": catalog(tag(KERNEL))})


def test_a_node_as_declared_makes_no_difference() -> None:
    found = audited(ONE, node("n1"))
    assert said(found) == []
    (one,) = found.nodes
    assert (one.pool, one.kernel, one.built) == ("a", KERNEL, True)
    assert one.image == f"nvcr.io/nvidia/driver:580-{KERNEL}-ubuntu22.04"
    assert not found.failed


def test_a_newer_kernel_is_undeclared_and_its_image_named() -> None:
    """One node ahead: the others are as declared, this one silently loses its GPUs."""
    found = audited(ONE, node("n1"), node("n2", kernel=OTHER))
    assert said(found) == [("undeclared", "n2"), ("not-built", "n2")]
    assert OTHER in found.differences[0].message
    assert f"580-{OTHER}-ubuntu22.04" in found.differences[1].message
    assert found.failed


def test_an_upcoming_kernel_says_that_it_is_early() -> None:
    early = files(
        pool(f"arch: [amd64], kernels: [{KERNEL}], upcomingKernels: [{OTHER}]"),
        **{"inventory/catalog.yaml": catalog(tag(KERNEL), tag(OTHER))},
    )
    found = audited(early, node("n1", kernel=OTHER))
    assert ("undeclared", "n1") in said(found)
    assert "upcoming only" in found.differences[0].message


@pytest.mark.parametrize(("label", "what"), [("other", "unclaimed"), ("a", "claimed-twice")])
def test_nodes_that_no_pool_or_two_claim(label: str, what: str) -> None:
    twice = files(
        pool(f"arch: [amd64], kernels: [{KERNEL}]"),
        pool(f"arch: [amd64], kernels: [{KERNEL}]"),
        **{"inventory/catalog.yaml": catalog(tag(KERNEL))},
    )
    found = audited(twice, node("n1", pool=label))
    assert (what, "n1") in said(found)
    assert found.failed


def test_a_node_without_nfd_labels_is_counted_and_named() -> None:
    """D14, NVIDIA/gpu-operator#149."""
    bare = {f"feature.node.kubernetes.io/{key}": None for key in ("kernel-version.full", "system-os_release.ID")}
    found = audited(ONE, node("n1", labels=bare))
    assert said(found)[0] == ("unlabelled", "n1")
    message = found.differences[0].message
    assert "kernel-version.full" in message
    assert "status.nodeInfo says kernel 5.15.0-173-generic" in message
    assert len(found.nodes) == 1


def test_a_plus_sign_is_no_drift() -> None:
    """D12: NFD replaces it, and so does whoever compares."""
    plus = files(
        'nodeSelector: {x/y: a}, os: {id: rhel, version: "9.4"}, arch: [arm64], '
        'kernels: ["5.14.0-427.37.1.el9_4.aarch64+64k"], driver: {version: "550.90.07"}'
    )
    labelled = {
        "feature.node.kubernetes.io/system-os_release.ID": "rhel",
        "feature.node.kubernetes.io/system-os_release.VERSION_ID.major": "9",
    }
    seen = node(
        "n1",
        kernel="5.14.0-427.37.1.el9_4.aarch64_64k",
        uname="5.14.0-427.37.1.el9_4.aarch64+64k",
        version="9.4",
        arch="arm64",
        labels=labelled,
    )
    assert [what for what, _ in said(audited(plus, seen))] == ["not-built"]


@pytest.mark.parametrize(
    ("key", "gpu"),
    [("pci-0302_10de", True), ("pci-10de", True), ("pci-0300_10de", True), ("pci-0300_1d0f", False)],
)
def test_what_makes_a_gpu_node(key: str, gpu: bool) -> None:
    """D15, NVIDIA/gpu-operator#78."""
    plain = {"nvidia.com/gpu.present": None, f"feature.node.kubernetes.io/{key}.present": "true"}
    seen = node("n1", labels=plain)
    seen["status"]["capacity"] = {}
    found = audited(ONE, seen)
    assert (len(found.nodes), found.otherNodes) == ((1, 0) if gpu else (0, 1))


def test_no_node_at_all_is_no_error() -> None:
    """D16: a pool that is scaled to zero."""
    found = audited(ONE)
    assert found.nodes == ()
    assert not found.failed


@pytest.mark.parametrize(
    ("labels", "what"),
    [
        ({"nvidia.com/gpu.deploy.driver": "pre-installed"}, "host-driver"),
        ({"nvidia.com/gpu.deploy.driver": "false"}, "host-driver"),
        ({"nvidia.com/gpu.deploy.driver": "paused-for-driver-upgrade"}, None),
        ({"nvidia.com/gpu.deploy.driver": "true"}, None),
    ],
)
def test_the_label_that_starts_the_driver(labels: dict[str, str], what: str | None) -> None:
    found = audited(ONE, node("n1", labels=labels))
    assert said(found) == ([(what, "n1")] if what else [])


def test_a_preinstalled_pool_must_register_so() -> None:
    host = files('nodeSelector: {x/y: a}, driver: {mode: preinstalled, version: "570.86.15"}')
    assert said(audited(host, node("n1"))) == [("host-driver", "n1")]
    assert said(audited(host, node("n1", labels={"nvidia.com/gpu.deploy.driver": "pre-installed"}))) == []


def test_signs_explain_and_are_no_difference() -> None:
    """D38: a paused component is neither disabled nor invalid."""
    paused = {"nvidia.com/gpu.deploy.device-plugin": "paused-for-driver-upgrade"}
    found = audited(ONE, node("n1", cordoned=True, ready="False", labels=paused))
    assert said(found) == []
    assert found.nodes[0].signs == (
        "cordoned",
        "not ready",
        "paused by a driver upgrade in progress: device-plugin",
    )


@pytest.mark.parametrize(
    ("labels", "loaded", "differs"),
    [
        ({"nvidia.com/cuda.driver-version.full": "580.126.20"}, "580.126.20", False),
        ({"nvidia.com/cuda.driver.major": "580", "nvidia.com/cuda.driver.minor": "142"}, "580.142", False),
        ({"nvidia.com/cuda.driver.major": "535", "nvidia.com/cuda.driver.minor": "104",
          "nvidia.com/cuda.driver.rev": "05"}, "535.104.05", True),
        ({}, "", False),
    ],
)  # fmt: skip
def test_the_driver_that_is_loaded(labels: dict[str, str], loaded: str, differs: bool) -> None:
    found = audited(ONE, node("n1", labels=labels))
    assert found.nodes[0].driver == loaded
    assert said(found) == ([("loaded-driver", "n1")] if differs else [])


def test_a_tag_whose_exact_driver_is_recorded_is_compared_exactly() -> None:
    exact = tag(KERNEL, more=", platforms: [linux/amd64], driverVersion: 580.126.20")
    recorded = files(pool("arch: [amd64], kernels: [5.15.0-173-generic]"), **{"inventory/catalog.yaml": catalog(exact)})
    found = audited(recorded, node("n1", labels={"nvidia.com/cuda.driver-version.full": "580.95.05"}))
    assert said(found) == [("loaded-driver", "n1")]
    assert "580.126.20" in found.differences[0].message


def test_an_image_that_cannot_be_pulled_is_the_cause_in_one_line() -> None:
    waiting = {"waiting": {"reason": "ImagePullBackOff", "message": "not found"}}
    found = audited(ONE, node("n1"), driver_pod("n1", state=waiting, ready=False))
    assert said(found) == [("driver-pod", "n1")]
    assert "ImagePullBackOff" in found.differences[0].message
    assert f"580-{KERNEL}-ubuntu22.04" in found.differences[0].message


def test_a_pod_of_the_old_image_and_one_that_is_not_there() -> None:
    found = audited(ONE, node("n1"), node("n2"), driver_pod("n1", tag="535-5.15.0-173-generic-ubuntu22.04"))
    assert said(found) == [("other-image", "n1"), ("driver-pod", "n2")]


def test_without_pods_nothing_is_said_of_them() -> None:
    found = audited(ONE, node("n1"))
    assert [text.partition(":")[0] for text in found.unseen] == [
        "pods", "NVIDIADriver objects", "ClusterPolicy objects",
    ]  # fmt: skip
    assert said(audited(ONE, node("n1"), kinds=("Pod",))) == [("driver-pod", "n1")]


def test_the_order_of_nodes_makes_no_difference() -> None:
    """D08: choosing the first item hides a mismatch."""
    seen = [node(f"n{number}", kernel=KERNEL if number % 2 else OTHER) for number in range(6)]
    wanted = audited(ONE, *seen)
    for seed in range(5):
        random.Random(seed).shuffle(seen)
        assert audited(ONE, *seen) == wanted


def _bare(name: str, **labels: str) -> dict[str, object]:
    """A node as it registers: node feature discovery has not been there, and no device plugin."""
    return {"kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/arch": "amd64", **labels}}}


def test_a_node_of_a_pool_that_nfd_has_never_seen_is_no_other_node() -> None:
    """It has not one of NFD's labels, so the operator doesn't take it for a GPU node; the audit must."""
    found = audited(ONE, _bare("n1", **{"x/y": "a"}), _bare("cpu"))
    assert said(found) == [("unlabelled", "n1")]
    assert "kernel-version.full" in found.differences[0].message
    assert "pci-10de.present" in found.differences[0].message
    assert (found.failed, len(found.nodes), found.otherNodes) == (True, 1, 1)


def test_a_node_whose_gpu_has_vanished() -> None:
    """facts/gpu-operator.md 7: gpu.present is set to "false", not removed, when the PCI labels vanish."""
    lost = node("n1", labels={"nvidia.com/gpu.present": "false"})
    del lost["status"]["capacity"]
    found = audited(ONE, lost)
    assert said(found) == [("no-gpu", "n1")]
    assert "gpu.present is false" in found.differences[0].message


def test_a_pool_that_is_chosen_by_gpu_present_means_no_cpu_node() -> None:
    by_gpu = files(
        'nodeSelector: {nvidia.com/gpu.present: "true"}, os: {id: ubuntu, version: "22.04"}, arch: [amd64], '
        f"kernels: [{KERNEL}]",
        **{"inventory/catalog.yaml": catalog(tag(KERNEL))},
    )
    assert said(audited(by_gpu, node("n1"), _bare("cpu"))) == []


def test_no_driver_pod_is_missed_where_the_node_wants_no_operands() -> None:
    """facts/gpu-operator.md 7: with gpu.deploy.operands=false all gpu.deploy.* labels are removed from the node."""
    found = audited(ONE, node("n1", labels={"nvidia.com/gpu.deploy.operands": "false"}), kinds=("Pod",))
    assert said(found) == []
    assert "operands is false" in found.nodes[0].signs[0]
