"""A case of the oracle's upgrade_traces.jsonl as a cluster's objects, put to the state machine round by round."""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from generator.upgrade.assembled import Assembled, assembled
from generator.upgrade.budgets import Guards, live_guards
from generator.upgrade.environment import settle
from generator.upgrade.event import Event, Kind
from generator.upgrade.machine import reconcile
from generator.upgrade.ruling import ruling
from generator.upgrade.state import REQUESTED, SAFE_LOAD, VALIDATES_SINCE, WAITS_SINCE, WAS_CORDONED
from generator.upgrade.world import DriverPod, Node, Successor, World
from tests.testing import live
from tests.testing.live import SPACE, Object
from tests.testing.shared import release_of

OWNER = "nvidia.com/gpu-operator.driver.owner"
DIGEST = "DRIVER_CONFIG_DIGEST"
BLOCKED = "oracle/blocked"  # a label that no policy's selector asks for


def trace(case: dict[str, Any]) -> dict[str, Any]:
    """The oracle's output for the case: rounds, final nodes, and whether nothing changes any more."""
    return Replay(case).output()


def objects_of(case: dict[str, Any]) -> list[Object]:
    """Everything that the cluster holds at the start, as kubectl prints it."""
    given = case["input"]
    return [
        *_settings(given),
        *(_node(node) for node in given["nodes"]),
        *_daemonsets(given),
        *(_driver_pod(pod, case) for pod in given["driver_pods"]),
        *(_validator(one) for one in given["validators"] if one["state"] != "missing"),
        *(_pod(pod) for pod in given["pods"]),
        *budgets_of(given["pods"]),
    ]


def left_out(case: dict[str, Any]) -> str:
    """Why no cluster can be what the case says; empty where one can."""
    refused = [pod for pod in case["input"]["pods"] if pod["eviction_blocked"]]
    if any(pod["phase"] != "Running" for pod in refused):
        return "the stand-in for the API refuses to evict a pod that doesn't run, which a real one always does"
    return ""


def is_left_alone(case: dict[str, Any]) -> bool:
    """Whether nothing happens from outside, and new driver pods are ready at once: what simulate assumes as well."""
    given = case["input"]
    keys = ("unblocked_after_round", "completes_after_round")
    outside = bool(given.get("actions")) or any(key in pod for pod in given["pods"] for key in keys)
    late = any("ready_at_round" in one for one in given["validators"])
    driver_pods = given["driver_pods"]
    other = any(
        pod["new_pod_ready_after_rounds"] or pod["new_pod_restart_count"] or pod.get("orphan") for pod in driver_pods
    )
    return case["output"]["stable"] and not outside and not late and not other


class Replay:
    """The state machine on one case, with what the case says happens outside after each round."""

    def __init__(self, case: dict[str, Any]) -> None:
        """Reads the objects as the command does."""
        self.case, self.given, self.seconds = case, case["input"], case["input"]["seconds_per_round"]
        self.blocked = {live.key(pod) for pod in self.given["pods"] if pod["eviction_blocked"]}
        self.objects = live.read(*objects_of(case))
        release = release_of(case)
        ruled = ruling(self.objects, release)
        self.controller = ruled.controller
        self.found: Assembled = assembled(self.objects, ruled, release)
        drivers = {pod["node"]: pod for pod in self.given["driver_pods"]}
        nodes = [self._with_successor(node, drivers.get(node.name)) for node in self.found.nodes.values()]
        self.world = World(nodes, self.found.pods)
        self.guards = Guards(live_guards(self.objects, self.found.pods))

    def _with_successor(self, node: Node, pod: dict[str, Any] | None) -> Node:
        if pod is None or node.driver is None:
            return node
        after = pod["new_pod_ready_after_rounds"]
        again = not pod.get("orphan") or pod.get("pending_replacement")
        ready_after = None if after < 0 else after * self.seconds
        successor = Successor(ready_after, pod["new_pod_restart_count"]) if again else None
        return replace(node, driver=replace(node.driver, successor=successor))

    def output(self) -> dict[str, Any]:
        """All rounds."""
        rounds: list[dict[str, Any]] = []
        for number in range(1, self.given["max_rounds"] + 1):
            now = (number - 1) * self.seconds
            outcome = reconcile(self.world, self.controller, self.guards.evict, now, now + self.seconds)
            rounds.append(_record(self.world, outcome.events))
            settle(self.world, outcome.deleted, now)
            self._outside(number)
        kept = _cut(rounds)
        return {
            "rounds": [{"round": number, **record} for number, record in enumerate(kept, 1)],
            "final": rounds[-1]["nodes"],
            "stable": len(rounds) - len(kept) >= 7,
        }

    def _outside(self, number: int) -> None:
        """What the case says happens after a round."""
        for pod in self.given["pods"]:
            name = live.key(pod)
            if pod.get("unblocked_after_round") == number:
                self._unblock({name})
            if pod.get("completes_after_round") == number and name in self.world.pods:
                old = self.world.pods[name]
                self.world.put_pod(replace(old, standing=replace(old.standing, phase="Succeeded")))
        for one in self.given["validators"]:
            if one.get("ready_at_round") == number:
                self.world.put(replace(self.world.nodes[one["node"]], validators=(True,)))
        for action in self.given.get("actions") or ():
            if action["after_round"] == number:
                self._act(action)

    def _unblock(self, names: set[str]) -> None:
        """The budgets over these pods are deleted."""
        self.blocked -= names
        left = live.read(*budgets_of(pod for pod in self.given["pods"] if live.key(pod) in self.blocked))
        self.guards = Guards(live_guards(left, ()))

    def _act(self, action: dict[str, Any]) -> None:
        world, node = self.world, self.world.nodes.get(action.get("node", ""))
        match action["kind"], node:
            case "unblock_evictions", _:
                self._unblock(set(self.blocked))
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


def _settings(given: dict[str, Any]) -> Iterable[Object]:
    per_object = given["mode"] == "nvidiadriver"
    for cr in given["crs"]:
        policy = {"upgradePolicy": cr["upgradePolicy"]} if cr.get("upgradePolicy") is not None else {}
        spec = policy if per_object else {"driver": policy}
        kind = "NVIDIADriver" if per_object else "ClusterPolicy"
        yield {"kind": kind, "metadata": {"name": cr["name"]}, "spec": spec | (cr.get("extra_spec") or {})}


def _node(node: dict[str, Any]) -> Object:
    labels = {"nvidia.com/gpu.present": "true", **(node.get("labels") or {})}
    if node.get("owner"):
        labels[OWNER] = node["owner"]
    ready = node.get("ready_condition", "True")
    return {
        "kind": "Node",
        "metadata": {"name": node["name"], "labels": labels, "annotations": node.get("annotations") or {}},
        "spec": {"unschedulable": True} if node.get("unschedulable") else {},
        "status": {"conditions": [{"type": "Ready", "status": ready}] if ready else []},
    }


def _daemonsets(given: dict[str, Any]) -> Iterable[Object]:
    for one in given["daemonsets"]:
        yield from live.daemonset(one["name"], one["digest"])
    for pod in given["pods"]:
        if pod["owner"] == "DaemonSet":
            metadata = {"name": live.owner_name(pod["name"]), "namespace": pod["namespace"]}
            yield {"kind": "DaemonSet", "metadata": metadata}


def _driver_pod(pod: dict[str, Any], case: dict[str, Any]) -> Object:
    owner = {"kind": "DaemonSet", "name": pod["daemonset"], "controller": True}
    env = [{"name": DIGEST, "value": pod["digest"]}] if pod["digest"] else []
    status = {"name": "nvidia-driver-ctr", "ready": pod["ready"], "restartCount": pod["restart_count"]}
    by_object = {"app.kubernetes.io/component": "nvidia-driver"}
    label = by_object if case["input"]["mode"] == "nvidiadriver" else {"app": "nvidia-driver-daemonset"}
    revision = "new" if pod["in_sync"] else "old"
    return {
        "kind": "Pod",
        "metadata": {
            "name": f"{pod['daemonset']}-{pod['node']}",
            "namespace": SPACE,
            "labels": {**label, "controller-revision-hash": revision},
            "ownerReferences": [] if pod.get("orphan") else [owner],
        },
        "spec": {"nodeName": pod["node"], "containers": [{"name": "nvidia-driver-ctr", "env": env}]},
        "status": {"phase": "Running", "containerStatuses": [status]},
    }


def _validator(one: dict[str, Any]) -> Object:
    return live.validator(one["node"], ready=one["state"] == "ready")


def _pod(pod: dict[str, Any]) -> Object:
    owner = {"kind": pod["owner"], "name": live.owner_name(pod["name"]), "controller": True}
    blocked = {BLOCKED: pod["name"]} if pod["eviction_blocked"] else {}
    return {
        "kind": "Pod",
        "metadata": {
            "name": pod["name"],
            "namespace": pod["namespace"],
            "labels": {**(pod["labels"] or {}), **blocked},
            "ownerReferences": [] if pod["owner"] == "none" else [owner],
        },
        "spec": {
            "nodeName": pod["node"],
            "containers": [{"name": "c", "resources": {"limits": {pod["resource"]: "1"}}}],
            "volumes": [{"name": "scratch", "emptyDir": {}}] if pod["empty_dir"] else [],
        },
        "status": {"phase": pod["phase"], "conditions": [{"type": "Ready", "status": "True"}]},
    }


def budgets_of(pods: Iterable[dict[str, Any]]) -> list[Object]:
    """What makes the API answer 429 for each pod that is blocked: a budget of its own without room."""
    budgets = []
    for pod in pods:
        if pod["eviction_blocked"]:
            one = live.budget(pod["name"], {BLOCKED: pod["name"]}, (1, 1, 1), minAvailable=1)
            one["metadata"]["namespace"] = pod["namespace"]
            budgets.append(one)
    return budgets


def _record(world: World, events: list[Event]) -> dict[str, Any]:
    record: dict[str, Any] = {"nodes": {name: _state(node) for name, node in world.nodes.items()}}
    found = {
        "evicted": sorted(event.detail for event in events if event.kind is Kind.EVICTED),
        "driver_pods_deleted_on": sorted(event.node for event in events if event.kind is Kind.DRIVER_POD_DELETED),
        "reconcile_error": next((event.detail for event in events if event.kind is Kind.ERROR), ""),
    }
    in_flight = any(node.leaving is not None for node in world.nodes.values())
    return record | {name: value for name, value in found.items() if value} | ({IN_FLIGHT: True} if in_flight else {})


# The oracle's word for a wait that stays open: evictions in the background.
IN_FLIGHT = "background_in_flight"


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


def states_of(case: dict[str, Any]) -> dict[str, str]:
    """Each node's last state, as the case says it."""
    return {name: node["state"] for name, node in case["output"]["final"].items()}
