"""Every run of a real kubectl drain that the operator's drain can be: as a cluster's objects, through simulate."""

import json
from pathlib import Path
from typing import Any

import pytest

from generator.facts.release import known
from generator.upgrade.event import Event, Kind
from generator.upgrade.simulation import Simulation, Wish, simulate
from generator.upgrade.state import State
from tests.testing.command import call_in, process
from tests.testing.live import Object, budget, daemonset, driver_pod, files, node, other_daemonset, pod, policy, read
from tests.testing.shared import oracle, own, release

Case = dict[str, Any]
FILES = (oracle, own)
LABELS = {"app": "w"}
OWNERS = {"ReplicaSet": "ReplicaSet", "DaemonSet": "DaemonSet", "missing-rs": "ReplicaSet", "missing-ds": "DaemonSet"}
RETRY_SECONDS = 5  # kubectl sleeps so long after a 429, and notices its deadline then
SLACK = 2  # what the processes of the recorded run took themselves


def left_out(case: Case) -> str:
    """Why the operator never drains like this; empty where it does (drain_manager.go, pod_manager.go)."""
    args = " ".join(case["input"]["args"])
    if "--dry-run" in args:
        return "it never tries only"
    if "--disable-eviction" in args:
        return "it evicts, and never deletes instead"
    daemonsets = any(group["kind"] == "DaemonSet" for group in case["input"]["groups"])
    return "it always ignores DaemonSets" if daemonsets and "--ignore-daemonsets" not in args else ""


def timeout_of(case: Case) -> int:
    [written] = [arg for arg in case["input"]["args"] if arg.startswith("--timeout=")]
    return int(written.partition("=")[2].removesuffix("s"))


def objects_of(case: Case) -> list[Object]:
    """A node that the operator drains: with the pods and budgets of the case."""
    given = case["input"]
    args = dict(arg.lstrip("-").partition("=")[::2] for arg in given["args"])
    drain = {
        "enable": True,
        "force": "force" in args,
        "deleteEmptyDir": "delete-emptydir-data" in args,
        "timeoutSeconds": timeout_of(case),
        "podSelector": args.get("pod-selector", ""),
    }
    return [
        policy(drain=drain),
        *daemonset(),
        other_daemonset("other"),
        node("n1", State.DRAIN, cordoned=given["already_cordoned"]),
        driver_pod("n1", "old"),
        *pods_of(given),
        *(budget(f"b{number}", LABELS, **spec) for number, spec in enumerate(given["pdbs"])),
    ]


def pods_of(given: dict[str, Any]) -> list[Object]:
    """The pods of the case, and those of their owners that are there."""
    objects = []
    for number, group in enumerate(given["groups"]):
        count, kind, name = group.get("n", 1), group["kind"], f"w{number}"
        for index in range(count):
            one = pod(
                f"{name}-{index}", "n1", OWNERS[kind], gpus=0, labels=LABELS, empty_dir=group.get("emptyDir", False)
            )
            if group.get("finalizer"):
                one["metadata"]["finalizers"] = ["example.com/keep"]
            objects.append(one)
        if kind == "DaemonSet":
            objects.append(other_daemonset(name))
        elif kind == "ReplicaSet":
            metadata = {"name": name, "namespace": "ml"}
            objects.append({"kind": "ReplicaSet", "metadata": metadata, "spec": {"replicas": count}})
    return objects


def error_class(event: Event) -> str:
    """The oracle's word for what is an error to kubectl; empty for what is none."""
    match event.kind:
        case Kind.CANNOT_LEAVE:
            return event.why
        case Kind.EVICTION_REFUSED:
            return "pdb-429-retry" if "violate" in event.why or "disruption budget" in event.why else "eviction-error"
        case Kind.TIMED_OUT:
            return "wait-deadline" if "finalizers" in event.why else "global-timeout"
        case _:
            return ""


def drained(case: Case, found: Simulation) -> dict[str, Any]:
    """How the drain of n1 ends, in the oracle's words."""
    events = [event for event in found.events if event.node == "n1"]
    end = next(index for index, event in enumerate(events) if event.kind is Kind.STATE)
    during = events[:end]
    classes = [word for event in during if (word := error_class(event))]
    evicted = {event.detail for event in during if event.kind is Kind.EVICTED}
    held = {event.detail for event in during if event.kind is Kind.HELD}
    count = sum(group.get("n", 1) for group in case["input"]["groups"])
    cordoned = case["input"]["already_cordoned"] or any(event.kind is Kind.CORDONED for event in during)
    return {
        "exit": 0 if events[end].detail == State.POD_RESTART else 1,
        "first_error_classes": classes[:1],
        "all_error_classes": sorted(set(classes)),
        "node_cordoned": cordoned,
        "pods_left_on_node": count - len(evicted),
        "pods_terminating": len(held),
    }


def least_seconds(found: Simulation) -> int:
    """How long the drain waits at least: what it waits for is its deadline, or nothing."""
    return next((event.seconds for event in found.events if event.kind is Kind.TIMED_OUT), 0)


def simulated(case: Case, operator: str = known()[-1]) -> Simulation:
    return simulate(read(*objects_of(case)), release(operator), Wish())


@pytest.mark.parametrize("cases", FILES)
def test_every_drain_ends_as_kubectl_ends_it(cases) -> None:
    """Lines name pods that the recording renamed, and warnings are what the operator doesn't log: left out."""
    possible = [case for case in cases("drain") if not left_out(case)]
    assert possible
    for case in possible:
        answer = drained(case, simulated(case))
        assert answer == {key: case["output"][key] for key in answer}, case["id"]


@pytest.mark.parametrize("cases", FILES)
def test_every_drain_ends_within_its_deadline_or_at_it(cases) -> None:
    for case in cases("drain"):
        if left_out(case):
            continue
        seconds, least = case["output"]["seconds"], least_seconds(simulated(case))
        if least:
            assert least == timeout_of(case)
            assert least <= seconds <= least + RETRY_SECONDS + SLACK, case["id"]
        else:
            assert seconds < timeout_of(case), case["id"]


@pytest.mark.parametrize("operator", ["v26.7.0", "v26.3.3"])
def test_one_of_each_ending_through_the_process(tmp_path: Path, operator: str) -> None:
    classes: dict[tuple[str, ...], Case] = {}
    for case in own("drain"):
        if not left_out(case):
            classes.setdefault(tuple(case["output"]["all_error_classes"]), case)
    assert len(classes) > 1
    for classes_of_case, case in classes.items():
        folder = tmp_path / "-".join(("drain", *classes_of_case))
        folder.mkdir()
        options = files(folder, *objects_of(case))
        ran = process("upgrade", "simulate", *options, "--operator", operator, "--format", "json")
        assert ran.err == ""
        spans = json.loads(ran.out)["lanes"][0]["spans"]
        after = next(span["state"] for span in spans if span["state"] != State.DRAIN)
        assert after == (State.FAILED if case["output"]["exit"] else State.POD_RESTART), case["id"]
        looked = call_in(folder, "upgrade", "status", *options, "--operator", operator, "--format", "json")
        (status,) = json.loads(looked.out)["nodes"]
        assert (status["verdict"] == "moving") == (case["output"]["exit"] == 0), case["id"]


def blocked_twice(timeout: int) -> list[Object]:
    drain = {"enable": True, "force": False, "deleteEmptyDir": False, "timeoutSeconds": timeout, "podSelector": ""}
    return [
        policy(drain=drain),
        *daemonset(),
        node("n1", State.DRAIN, cordoned=True),
        driver_pod("n1", "old"),
        pod("a-0", "n1", labels={"app": "a", "tier": "b"}),
        budget("by-app", {"app": "a"}, (2, 1, 2), minAvailable=1),
        budget("by-tier", {"tier": "b"}, (2, 1, 2), minAvailable=1),
    ]


@pytest.mark.parametrize("timeout", [0, 300])
def test_two_budgets_on_a_pod_end_the_drain_at_once(timeout: int) -> None:
    """Kubectl pkg/drain/drain.go evictPods asks again after 429 alone; two budgets are answered with 500."""
    found = simulate(read(*blocked_twice(timeout)), release("v26.7.0"), Wish())
    assert [(event.at, event.detail) for event in found.events if event.kind is Kind.STATE] == [(0, State.FAILED)]
    assert found.waited == 0


def test_a_pod_that_can_go_goes_though_another_is_refused() -> None:
    objects = [*blocked_twice(300), pod("free-0", "n1")]
    found = simulate(read(*objects), release("v26.7.0"), Wish())
    assert [event.detail for event in found.events if event.kind is Kind.EVICTED] == ["ml/free-0"]
    assert found.lanes[0].spans[-1].state == State.FAILED


def test_a_refusal_that_is_final_waits_for_the_pods_that_are_asked_for_again() -> None:
    """EvictPods counts an answer for every pod before it returns."""
    objects = [
        *blocked_twice(300),
        pod("c-0", "n1", labels={"app": "c"}),
        budget("c", {"app": "c"}, (1, 1, 1), minAvailable=1),
    ]
    found = simulate(read(*objects), release("v26.7.0"), Wish())
    assert [event.detail for event in found.events if event.kind is Kind.TIMED_OUT] == ["ml/c-0"]
    assert found.waited == 300


def test_a_finalizer_that_kubernetes_takes_off_itself_holds_nothing() -> None:
    """Every pod of a Job has this one (kubernetes pkg/apis/batch, JobTrackingFinalizer)."""
    drain = {"enable": True, "force": False, "deleteEmptyDir": False, "timeoutSeconds": 300, "podSelector": ""}
    job = pod("job-0", "n1", "Job")
    job["metadata"]["finalizers"] = ["batch.kubernetes.io/job-tracking"]
    objects = [policy(drain=drain), *daemonset(), node("n1", State.DRAIN, cordoned=True), driver_pod("n1", "old"), job]
    found = simulate(read(*objects), release("v26.7.0"), Wish())
    assert [event.detail for event in found.events if event.kind is Kind.EVICTED] == ["ml/job-0"]
    assert [event for event in found.events if event.kind is Kind.HELD] == []
