"""Public cases of the area pdb as a cluster shows them: the pods of one node, and the budgets that may keep them."""

from pathlib import Path
from typing import Any

import pytest

from tests.cases.outcome import hides, shows
from tests.testing.command import Exit, call
from tests.testing.live import (
    Object,
    budget,
    daemonset,
    driver_pod,
    files,
    node,
    other_daemonset,
    pod,
    policy,
    validator,
)

Capture = pytest.CaptureFixture[str]
WEB = {"app": "web"}


def one(name: str, *, ready: bool = True, **more: Any) -> Object:
    """A pod of the node n1 that uses a GPU."""
    owner = more.pop("owner", "ReplicaSet")
    made = pod(name, "n1", owner, labels=more.pop("labels", WEB), phase=more.pop("phase", "Running"))
    made["metadata"] |= more
    made["status"]["conditions"][0]["status"] = str(ready)
    return made


class Node:
    """The node n1, which is being emptied; `status` tells what is in its way, `simulate` what will be."""

    def __init__(self, folder: Path, capture: Capture) -> None:
        self._folder, self._capture = folder, capture

    def status(self, *objects: Object, **changes: Any) -> Exit:
        """What upgrade status says."""
        state = changes.pop("state", "pod-deletion-required")
        there = (policy(**changes), *daemonset(), node("n1", state, cordoned=True), driver_pod("n1", "old"), *objects)
        return call(self._capture, "upgrade", "status", *files(self._folder, *there))

    def simulate(self, *objects: Object) -> Exit:
        """What a replay says before anything moves."""
        there = (policy(), *daemonset(), node("n1", "upgrade-done"), driver_pod("n1"), validator("n1"), *objects)
        return call(self._capture, "upgrade", "simulate", *files(self._folder, *there))


@pytest.fixture
def n1(tmp_path: Path, capfd: Capture) -> Node:
    return Node(tmp_path, capfd)


def test_d46_one_replica_that_must_stay_blocks_with_its_numbers(n1: Node) -> None:
    """kubernetes/kubernetes#66811: from its status, and without one counted from the replicas."""
    for counts in ((1, 1, 1), None):
        web = budget("web", WEB, counts, minAvailable=1)
        said = n1.status(one("web-0"), web)
        assert said.code == 1
        shows(said.out, "pod ml/web-0: the disruption budget web needs 1 healthy pods and has 1 currently (HTTP 429)")
        replayed = n1.simulate(one("web-0"), web)
        assert replayed.code == 1
        shows(replayed.out, "n1 can't evict ml/web-0: the disruption budget web needs 1 healthy pods and has 1")


def test_d47_a_budget_over_nothing_that_runs_blocks_no_node(n1: Node) -> None:
    """devantler-tech/platform#1880: the static view warns, the live one has nothing to say."""
    issuer = budget("issuer", {"app": "issuer"}, (0, 1, 0), minAvailable=1)
    assert n1.status(one("web-0"), issuer).code == 0
    hides(n1.simulate(one("web-0"), issuer).out, "issuer")


@pytest.mark.parametrize(
    "spec",
    [{"maxUnavailable": 0}, {"maxUnavailable": "0%"}, {"minAvailable": "100%"}, {"minAvailable": 3}],
    ids=["wa", "wb", "wc", "wd"],
)
def test_d48_four_spellings_of_none_all_block(n1: Node, spec: dict[str, Any]) -> None:
    """kubernetes/website PR#17573."""
    pods = [one(f"web-{index}") for index in range(3)]
    said = n1.status(*pods, budget("web", WEB, **spec))
    assert said.code == 1
    shows(said.out, "the disruption budget web needs 3 healthy pods and has 3 currently")


@pytest.mark.parametrize(
    ("replicas", "spec", "code", "needed"),
    [
        (7, {"minAvailable": "50%"}, 0, 0),
        (3, {"maxUnavailable": "40%"}, 0, 0),
        (1, {"maxUnavailable": "30%"}, 0, 0),
        (3, {"minAvailable": "80%"}, 1, 3),
    ],
    ids=["p1", "p2", "p3", "p4"],
)
def test_d49_percentages_round_up_in_a_cluster_too(n1: Node, replicas: int, spec: Any, code: int, needed: int) -> None:
    """kubernetes/website#7581."""
    said = n1.status(*(one(f"web-{index}") for index in range(replicas)), budget("web", WEB, **spec))
    assert said.code == code
    assert (f"web needs {needed} healthy pods" in said.out) is bool(code)


def test_d52_two_budgets_are_named_even_where_each_would_allow_it(n1: Node) -> None:
    """kubernetes/kubernetes#75957."""
    web = one("web-1", labels={"app": "web", "tier": "front"})
    by_app = budget("by-app", WEB, (2, 1, 2), maxUnavailable=1)
    by_tier = budget("by-tier", {"tier": "front"}, (3, 1, 3), maxUnavailable=2)
    said = n1.status(web, by_app, by_tier)
    assert said.code == 1
    shows(said.out, "pod ml/web-1: ", "more than one PodDisruptionBudget", ": by-app, by-tier (HTTP 500)")


def test_d53_an_empty_selector_guards_a_namespace_and_a_missing_one_nothing(n1: Node) -> None:
    """kubernetes/kubernetes#119731."""
    every, none = budget("all", {}, minAvailable=3), budget("none", {}, minAvailable=1)
    every["spec"]["selector"] = {}
    del none["spec"]["selector"]
    said = n1.status(*(one(f"web-{index}", labels={"app": str(index)}) for index in range(3)), every, none)
    assert said.code == 1
    shows(said.out, "the disruption budget all needs 3 healthy pods and has 3 currently")
    hides(said.out, "none.*block", "budget none")


def test_d54_budgets_of_the_old_version_are_read(n1: Node) -> None:
    """spotahome/redis-operator PR#359. There an empty selector selected nothing, in policy/v1 everything."""
    web = budget("web", WEB, (1, 1, 1), minAvailable=1) | {"apiVersion": "policy/v1beta1"}
    said = n1.status(one("web-0"), web)
    assert said.code == 1
    shows(said.out, "the disruption budget web needs 1 healthy pods and has 1 currently")
    old = budget("all", {}, minAvailable=3) | {"apiVersion": "policy/v1beta1"}
    for selector in ({}, {"matchLabels": {}}):
        old["spec"]["selector"] = selector
        assert n1.status(one("web-0"), old).code == 0


@pytest.mark.parametrize(("written", "code"), [({}, 1), ({"unhealthyPodEvictionPolicy": "AlwaysAllow"}, 0)])
def test_d55_pods_that_run_and_serve_nothing(n1: Node, written: dict[str, str], code: int) -> None:
    """kubernetes/kubernetes#72320: one field decides whether they may be evicted."""
    name = "p2" if written else "p1"
    crashing = [one(f"{name}-{index}", ready=False) for index in range(2)]
    said = n1.status(*crashing, budget(name, WEB, (2, 1, 0), minAvailable=1, **written))
    assert said.code == code
    hides(said.out, "p2.*block", "budget p2")
    if code:
        shows(said.out, "the disruption budget p1 needs 1 healthy pods and has 0 currently")
        advised = (
            """kubectl patch pdb -n ml p1 --type merge -p '{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}'"""
        )
        shows(said.out, advised)


def test_d56_no_budget_is_asked_for_pods_that_are_over_or_not_begun(n1: Node) -> None:
    """kubernetes/kubernetes PR#94381: a pod that runs is another matter."""
    train = [
        one("train-1", phase="Succeeded"),
        one("train-2", phase="Pending", ready=False),
        one("train-3", deletionTimestamp="2026-01-01T00:00:00Z"),
    ]
    jobs = budget("jobs", WEB, (1, 1, 1), maxUnavailable=0)
    said = n1.status(*train, jobs)
    assert said.code == 0
    hides(said.out, "jobs.*block", "budget jobs")
    more = n1.status(*train, one("train-4"), jobs)
    assert more.code == 1
    shows(more.out, "pod ml/train-4: the disruption budget jobs needs 1 healthy pods and has 1 currently")


@pytest.mark.parametrize(
    "made", [{"owner": "DaemonSet"}, {"owner": "", "annotations": {"kubernetes.io/config.mirror": "x"}}]
)
def test_d58_a_drain_passes_over_daemonsets_and_static_pods(n1: Node, made: dict[str, Any]) -> None:
    """DataDog/datadog-operator#401."""
    drain = {"enable": True, "force": False, "deleteEmptyDir": False, "timeoutSeconds": 300}
    agent = budget("agent", WEB, (1, 1, 1), maxUnavailable=0)
    there = (one("agent-x", **made), agent, other_daemonset("agent"))
    said = n1.status(*there, state="drain-required", drain=drain)
    assert said.code == 0, said.out
    hides(said.out, "agent.*block", "budget agent")


def test_d59_a_budget_selects_pods_of_its_own_namespace_by_their_labels(n1: Node) -> None:
    """yonahd/kor#364."""
    web = budget("web", {}, (1, 1, 1), minAvailable=1)
    web["spec"]["selector"] = {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}
    said = n1.status(one("web-0"), web)
    shows(said.out, "pod ml/web-0: the disruption budget web")
    hides(said.out, "web.*matches nothing")
    elsewhere = one("web-0", namespace="other")
    assert n1.status(elsewhere, web).code == 0


def test_d60_none_allowed_is_no_obstacle_where_no_pod_is_selected(n1: Node) -> None:
    """1Password/connect-helm-charts#240."""
    connect = budget("connect", {"app.kubernetes.io/name": "connect"}, (0, 0, 0), minAvailable=1)
    said = n1.status(one("connect-0", labels={"app": "connect"}), connect)
    assert said.code == 0
    hides(said.out, "connect.*blocks", "budget connect")
