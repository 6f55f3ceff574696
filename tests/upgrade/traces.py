"""Puts a case of the oracle's upgrade_traces.jsonl to our state machine, and says the answer in the oracle's words."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from generator.facts.deletable import Standing
from generator.facts.gpupod import is_gpu_resource
from generator.upgrade.environment import settle
from generator.upgrade.event import Event, Kind
from generator.upgrade.machine import Controller, reconcile
from generator.upgrade.policy import policy_of, policy_of_object
from generator.upgrade.state import REQUESTED, SAFE_LOAD, SKIP, STATE, VALIDATES_SINCE, WAITS_SINCE, WAS_CORDONED
from generator.upgrade.world import DriverPod, Node, Pod, Scope, Successor, World

# Released after them: the crash without a drain object and the restart-only path (facts/gpu-operator.md 6.5, 9b).
NEWEST = "v26.7.0"


def trace(case: dict[str, Any]) -> dict[str, Any]:
    """The oracle's output for the case: rounds, final nodes, and whether nothing changes any more."""
    given, seconds = case["input"], case["input"]["seconds_per_round"]
    world, blocked = _world(given), {_key(pod) for pod in given["pods"] if pod["eviction_blocked"]}
    rounds: list[dict[str, Any]] = []
    for number in range(1, given["max_rounds"] + 1):
        now = (number - 1) * seconds
        outcome = reconcile(world, _controller(case), lambda _, pod: _refusal(pod, blocked), now, now + seconds)
        rounds.append(_record(world, outcome.events))
        settle(world, outcome.deleted, now)
        _outside(world, given, number, blocked)
    kept = _cut(rounds)
    return {
        "rounds": [{"round": number, **record} for number, record in enumerate(kept, 1)],
        "final": rounds[-1]["nodes"],
        "stable": len(rounds) - len(kept) >= 7,
    }


def _controller(case: dict[str, Any]) -> Controller:
    newest, per_object = case["operator"] == NEWEST, case["input"]["mode"] == "nvidiadriver"
    policy: Callable[..., Any] = policy_of_object if per_object else policy_of
    scopes = tuple(
        Scope(name=cr["name"], policy=policy(cr.get("upgradePolicy")), owner=cr["name"] if per_object else "")
        for cr in case["input"]["crs"]
    )
    return Controller(scopes=scopes, restart_only=newest, needs_drain=not newest)


def _world(given: dict[str, Any]) -> World:
    digests = {one["name"]: one["digest"] for one in given["daemonsets"]}
    drivers = {pod["node"]: _driver(pod, digests, given["seconds_per_round"]) for pod in given["driver_pods"]}
    validators = {one["node"]: one["state"] for one in given["validators"]}
    nodes = [_node(node, drivers.get(node["name"]), validators.get(node["name"], "missing")) for node in given["nodes"]]
    return World(nodes, map(_pod, given["pods"]))


def _driver(pod: dict[str, Any], digests: dict[str, str], seconds: int) -> DriverPod:
    after, wanted = pod["new_pod_ready_after_rounds"], digests[pod["daemonset"]]
    again = not pod.get("orphan") or pod.get("pending_replacement")
    ready_after = None if after < 0 else after * seconds
    return DriverPod(
        in_sync=pod["in_sync"] and not pod.get("orphan"),
        ready=pod["ready"],
        restarts=pod["restart_count"],
        orphan=pod.get("orphan", False),
        same_digest=bool(pod["digest"]) and pod["digest"] == wanted,
        successor=Successor(ready_after, pod["new_pod_restart_count"]) if again else None,
    )


def _node(node: dict[str, Any], driver: DriverPod | None, validators: str) -> Node:
    labels, notes = node.get("labels") or {}, node.get("annotations") or {}
    return Node(
        name=node["name"],
        state=labels.get(STATE, ""),
        owner=node.get("owner", ""),
        cordoned=node.get("unschedulable", False),
        ready=node.get("ready_condition", "True") == "True",
        skip=labels.get(SKIP) == "true",
        requested=notes.get(REQUESTED) == "true",
        safe_load=bool(notes.get(SAFE_LOAD)),
        was_cordoned=WAS_CORDONED in notes,
        driver=driver,
        validators={"ready": (True,), "not_ready": (False,), "missing": ()}[validators],
    )


def _key(pod: dict[str, Any]) -> str:
    return f"{pod['namespace']}/{pod['name']}"


def _pod(pod: dict[str, Any]) -> Pod:
    owner = "" if pod["owner"] == "none" else pod["owner"]
    return Pod(
        name=_key(pod),
        node=pod["node"],
        labels=pod["labels"] or {},
        standing=Standing(owner=owner, empty_dir=pod["empty_dir"], phase=pod["phase"]),
        controller=owner,
        gpu=is_gpu_resource(pod["resource"]),
    )


def _refusal(pod: Pod, blocked: set[str]) -> str:
    return "HTTP 429" if pod.name in blocked else ""


def _record(world: World, events: list[Event]) -> dict[str, Any]:
    record: dict[str, Any] = {"nodes": {name: _state(node) for name, node in world.nodes.items()}}
    found = {
        "evicted": sorted(event.detail for event in events if event.kind is Kind.EVICTED),
        "driver_pods_deleted_on": sorted(event.node for event in events if event.kind is Kind.DRIVER_POD_DELETED),
        "reconcile_error": next((event.detail for event in events if event.kind is Kind.ERROR), ""),
    }
    return record | {name: value for name, value in found.items() if value}


def _state(node: Node) -> dict[str, Any]:
    notes = {
        REQUESTED: node.requested,
        SAFE_LOAD: node.safe_load,
        WAS_CORDONED: node.was_cordoned,
        WAITS_SINCE: node.waits_since is not None,
        VALIDATES_SINCE: node.validates_since is not None,
    }
    found = sorted(name.removeprefix("nvidia.com/") for name, there in notes.items() if there)
    return {"state": str(node.state), "cordoned": node.cordoned} | ({"annotations": found} if found else {})


def _cut(rounds: list[dict[str, Any]]) -> list[dict[str, Any]]:
    end = len(rounds)
    while end > 1 and _unchanged(rounds[end - 1], rounds[end - 2]):
        end -= 1
    return rounds[:end]


def _unchanged(record: dict[str, Any], before: dict[str, Any]) -> bool:
    happened = "evicted" in record or "driver_pods_deleted_on" in record
    return not happened and all(record.get(key) == before.get(key) for key in ("nodes", "reconcile_error"))


def _outside(world: World, given: dict[str, Any], number: int, blocked: set[str]) -> None:
    """What the case says happens after a round."""
    for pod in given["pods"]:
        if pod.get("unblocked_after_round") == number:
            blocked.discard(_key(pod))
        if pod.get("completes_after_round") == number and _key(pod) in world.pods:
            old = world.pods[_key(pod)]
            world.put_pod(replace(old, standing=replace(old.standing, phase="Succeeded")))
    for one in given["validators"]:
        if one.get("ready_at_round") == number:
            world.put(replace(world.nodes[one["node"]], validators=(True,)))
    for action in given.get("actions") or ():
        if action["after_round"] == number:
            _act(world, action, blocked)


def _act(world: World, action: dict[str, Any], blocked: set[str]) -> None:
    node = world.nodes.get(action.get("node", ""))
    match action["kind"], node:
        case "unblock_evictions", _:
            blocked.clear()
        case "set_state_label", Node():
            world.put(replace(node, state=action["value"]))
        case "cordon", Node():
            world.put(replace(node, cordoned=True))
        case "request_upgrade", Node():
            world.put(replace(node, requested=True))
        case "driver_pod_becomes_ready", Node(driver=DriverPod() as driver):
            world.put(replace(node, driver=replace(driver, ready=True)))
        case "delete_driver_pod", Node(driver=DriverPod() as driver):
            world.put(replace(node, driver=None))
            settle(world, {node.name: driver}, 0)
            settle(world, {}, 1_000_000)
        case other:
            raise AssertionError(other)
