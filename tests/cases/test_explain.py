"""Public cases of the area explain: what an upgrade state means for this node, here and now."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.testing.command import call
from tests.testing.live import daemonset, driver_pod, files, node, policy, validator

STATE = "nvidia.com/gpu-driver-upgrade-state"
Capture = pytest.CaptureFixture[str]


def bare(name: str, labels: dict[str, str], **more: Any) -> dict[str, Any]:
    """A node with the case's labels only."""
    return {"kind": "Node", "metadata": {"name": name, "labels": labels, **more}}


def test_d34_the_node_that_holds_the_slot_is_named(tmp_path: Path, capfd: Capture) -> None:
    """NVIDIA/gpu-operator#2509."""
    nodes = (
        node("n1", "upgrade-done", ready="False"),
        *(node(name, "upgrade-required") for name in ("n2", "n3", "n4")),
    )
    file = tmp_path / "all.json"
    file.write_text(json.dumps({"kind": "List", "items": [policy(), *nodes]}))
    said = call(capfd, "upgrade", "status", "--nodes", str(file))
    assert said.code == 1
    assert "0 free slots of cluster-policy: maxUnavailable 25% of 4 nodes is 1 and 1 is unavailable" in said.out
    assert "waits for a free slot; nothing is done to it" in said.out
    assert "n1 is NotReady" in said.out


def test_d36_labels_of_a_driver_that_is_turned_off_are_stale(tmp_path: Path, capfd: Capture) -> None:
    """NVIDIA/gpu-operator#626."""
    nodes = (node("n1", "validation-required"), node("n2", "pod-restart-required"))
    said = call(capfd, "upgrade", "status", *files(tmp_path, policy(driver={"enabled": False}), *nodes))
    assert said.code == 1
    told = "stale: the managed driver is disabled: driver.enabled of ClusterPolicy cluster-policy is false"
    assert said.out.count(told) == 2


def test_d37_a_node_that_was_cordoned_before_stays_so(tmp_path: Path, capfd: Capture) -> None:
    """NVIDIA/gpu-operator#2820."""
    was = {"nvidia.com/gpu-driver-upgrade.node-initial-state.unschedulable": "true"}
    one = node("n1", "drain-required", cordoned=True, annotations=was)
    said = call(capfd, "upgrade", "status", *files(tmp_path, policy(), *daemonset(), one, driver_pod("n1", "old")))
    assert said.code == 0
    assert "it was cordoned before its upgrade and stays so: uncordon it by hand with kubectl uncordon n1" in said.out


def test_d38_a_paused_component_is_neither_disabled_nor_invalid(tmp_path: Path, capfd: Capture) -> None:
    """NVIDIA/gpu-operator#316."""
    deploy = "nvidia.com/gpu.deploy"
    one = bare("n1", {f"{deploy}.driver": "true", f"{deploy}.device-plugin": "paused-for-driver-upgrade"})
    said = call(
        capfd, "upgrade", "status", *files(tmp_path, policy(), *daemonset(), one, driver_pod("n1"), validator("n1"))
    )
    assert said.code == 0
    assert "device-plugin paused by a driver upgrade: neither disabled nor invalid" in said.out


def test_d39_a_state_that_nobody_knows_is_shown_as_it_is(tmp_path: Path, capfd: Capture) -> None:
    """NVIDIA/k8s-operator-libs PR#145."""
    file = tmp_path / "n1.json"
    file.write_text(json.dumps(bare("n1", {STATE: "some-new-state"})))
    said = call(capfd, "upgrade", "status", "--nodes", str(file))
    assert said.code == 0
    assert "1 some-new-state: unknown to this release" in said.out
    assert "Traceback" not in said.out + said.err


def test_d39_the_states_have_no_order_that_is_enforced(tmp_path: Path, capfd: Capture) -> None:
    """A restart alone goes from upgrade-required to pod-restart-required."""
    objects = (policy(), *daemonset(), node("n1", "upgrade-done"), driver_pod("n1"), validator("n1"))
    said = call(capfd, "upgrade", "simulate", *files(tmp_path, *objects), "--restart-only", "--format", "json")
    states = [span["state"] for span in json.loads(said.out)["lanes"][0]["spans"]]
    assert said.code == 0
    assert states[states.index("upgrade-required") + 1] == "pod-restart-required"
