"""Why a node isn't empty, where no recorded drain looks in between: before, during and after its timeout."""

import json
from pathlib import Path
from typing import Any

import pytest

from generator.upgrade.scene import Verdict
from generator.upgrade.state import State
from generator.upgrade.status import NodeStatus, status
from tests.testing.command import call
from tests.testing.live import Object, budget, daemonset, driver_pod, files, node, other_daemonset, pod, policy, read
from tests.testing.shared import release

DRAIN = {"enable": True, "force": False, "deleteEmptyDir": False, "timeoutSeconds": 300, "podSelector": ""}
MIRROR = "kubernetes.io/config.mirror"


def standing(state: State, *objects: Object, **changes: Any) -> NodeStatus:
    """How n1 stands, whose driver pod is the old one."""
    there = (policy(**changes), *daemonset(), node("n1", state, cordoned=True), driver_pod("n1", "old"), *objects)
    (found,) = status(read(*there), release()).nodes
    return found


def kept(*, deleted: bool) -> Object:
    """A pod with a finalizer of somebody else's."""
    one = pod("a-0", "n1")
    one["metadata"]["finalizers"] = ["example.com/keep", "orphan"]
    if deleted:
        one["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    return one


@pytest.mark.parametrize("state", [State.POD_DELETION, State.DRAIN])
@pytest.mark.parametrize(
    ("deleted", "said"),
    [
        (True, "pod ml/a-0 is deleted and still held by its finalizers: example.com/keep"),
        (False, "pod ml/a-0 is not gone when it is evicted, but held by its finalizers: example.com/keep"),
    ],
)
def test_finalizers_hold_a_node_until_its_timeout(state: State, deleted: bool, said: str) -> None:
    found = standing(state, kept(deleted=deleted), drain=DRAIN)
    assert found.verdict is Verdict.WAITING
    assert found.why[0] == said
    assert found.why[1].startswith("after 300 s it ")


def test_after_the_timeout_somebody_must_act() -> None:
    found = standing(State.FAILED, kept(deleted=True))
    assert found.verdict is Verdict.STUCK
    assert found.why[1] == "pod ml/a-0 is deleted and still held by its finalizers: example.com/keep"
    assert "label the node upgrade-required again" in found.effect


def test_two_budgets_are_not_asked_again() -> None:
    """Kubectl pkg/drain/drain.go evictPods: only 429 is."""
    twice = [budget(name, {"app": "a"}, (2, 1, 2), minAvailable=1) for name in ("one", "two")]
    found = standing(State.POD_DELETION, pod("a-0", "n1", labels={"app": "a"}), *twice)
    assert found.verdict is Verdict.STUCK
    assert found.why[0].endswith("one, two (HTTP 500)")
    assert found.why[1] == "that is not asked again, so that it becomes upgrade-failed"


@pytest.mark.parametrize(
    ("others", "force", "verdict"),
    [
        ([other_daemonset("agent")], False, Verdict.MOVING),
        ([other_daemonset("else")], False, Verdict.STUCK),
        ([other_daemonset("else")], True, Verdict.MOVING),
        ([], False, Verdict.UNTOLD),
        ([], True, Verdict.MOVING),
    ],
)
def test_a_drain_and_the_daemonset_of_a_pod(others: list[Object], force: bool, verdict: Verdict) -> None:
    """There, gone where all DaemonSets are shown, or not shown (kubectl pkg/drain/filters.go daemonSetFilter)."""
    agent = pod("agent-x", "n1", "DaemonSet", gpus=0)
    found = standing(State.DRAIN, agent, *others, drain={**DRAIN, "force": force})
    assert found.verdict is verdict
    assert bool(found.missing) == (verdict is Verdict.UNTOLD)


def test_a_simulated_drain_past_pods_whose_daemonset_is_not_shown_is_not_verified(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    agent = pod("agent-x", "n1", "DaemonSet", gpus=0)
    there = (policy(drain=DRAIN), *daemonset(), node("n1", State.DRAIN, cordoned=True), driver_pod("n1", "old"), agent)
    answered = call(capfd, "upgrade", "simulate", *files(tmp_path, *there), "--format", "json")
    assert "DaemonSets of all namespaces (--drivers)" in json.loads(answered.out)["missing"]


def test_a_static_pod_with_a_gpu_is_named() -> None:
    """pod_manager.go counts it among the pods that must go, and kubectl's filter passes it over."""
    static = pod("static-n1", "n1", "")
    static["metadata"]["annotations"] = {MIRROR: "x"}
    found = standing(State.POD_DELETION, static)
    assert found.verdict is Verdict.STUCK
    assert found.why[0] == "pod ml/static-n1 is a static pod, which only its node's kubelet ends"
