"""A case of the oracle's pdb.jsonl as a cluster's objects, and our answers to it in the oracle's words."""

from collections.abc import Iterable
from typing import Any

from generator.facts.eviction import Answer
from generator.observed.objects import SCALED
from generator.upgrade.assembled import assembled
from generator.upgrade.budgets import Guard, Guards, live_guards
from generator.upgrade.ruling import ruling
from generator.upgrade.world import Pod
from tests.testing.live import Object, read
from tests.testing.shared import release

Case = dict[str, Any]
SPACE = "ns"
KINDS = {"CRScale": "Widget", "CRNoScale": "Gadget", "MissingOwner": "ReplicaSet", "RSWrongUID": "ReplicaSet"}
CUSTOM = {"CRScale", "CRNoScale"}


class Cluster:
    """The namespace of a case: with the statuses that the disruption controller wrote, or as manifests without them."""

    def __init__(self, case: Case, *, statuses: bool) -> None:
        """Reads the objects as the command does."""
        self.objects = read(*objects_of(case, statuses=statuses), complete=(*SCALED, "DaemonSet"))
        newest = release()
        pods = {pod.name: pod for pod in assembled(self.objects, ruling(self.objects, newest), newest).pods}
        self.pods = [pods[f"{SPACE}/pod-{index}"] for index in range(len(case["input"]["pods"]))]
        self.guards = Guards(live_guards(self.objects, self.pods))

    def evictions(self) -> list[dict[str, Any]]:
        """What the API answers to the eviction of each pod."""
        return [eviction(self.guards.answer(pod)) for pod in self.pods]

    def budgets(self) -> dict[str, dict[str, Any]]:
        """Each budget's status, by name."""
        return {guard.budget.name: _status(guard) for guard in self.guards.guards()}


def objects_of(case: Case, *, statuses: bool, on: str = "") -> list[Object]:
    """Owners, pods and the budgets that the API took."""
    given = case["input"]
    budgets = []
    for spec, answer in zip(given["pdbs"], case["output"]["pdbs"], strict=True):
        if answer["created"] == 201:
            status = _written_status(answer) if statuses else None
            budgets.append(_budget(answer["name"], spec, status))
    pods = [_pod(index, pod, given["owners"][pod["owner"]], on) for index, pod in enumerate(given["pods"])]
    return [*_owners(given), *pods, *budgets]


def _owners(given: dict[str, Any]) -> Iterable[Object]:
    for number, owner in enumerate(given["owners"]):
        metadata = {"name": f"o{number}", "namespace": SPACE, "uid": f"u{number}"}
        match owner["kind"]:
            case "Deployment":
                yield {"kind": "Deployment", "metadata": metadata, "spec": {"replicas": owner["replicas"]}}
                reference = {"kind": "Deployment", "name": f"o{number}", "uid": f"u{number}", "controller": True}
                for name in (f"o{number}-old", f"o{number}-new"):
                    made = {"name": name, "namespace": SPACE, "uid": f"u-{name}", "ownerReferences": [reference]}
                    yield {"kind": "ReplicaSet", "metadata": made, "spec": {"replicas": 1}}
            case "RSWrongUID":
                other = {**metadata, "uid": "another"}
                yield {"kind": "ReplicaSet", "metadata": other, "spec": {"replicas": owner["replicas"]}}
            case kind if kind in SCALED:
                yield {"kind": kind, "metadata": metadata, "spec": {"replicas": owner["replicas"]}}


def _pod(index: int, pod: dict[str, Any], owner: dict[str, Any], on: str) -> Object:
    number, kind = pod["owner"], owner["kind"]
    name = f"o{number}"
    if kind == "Deployment":
        name = f"o{number}-new" if pod["added_by_controller"] else f"o{number}-old"
    uid = f"u-{name}" if kind == "Deployment" else f"u{number}"
    controller = "ReplicaSet" if kind == "Deployment" else KINDS.get(kind, kind)
    metadata = {"name": f"pod-{index}", "namespace": SPACE, "labels": pod["labels"]}
    if kind != "none":
        reference = {"kind": controller, "name": name, "uid": uid, "controller": pod["controlled"]}
        metadata["ownerReferences"] = [reference]
    if pod["terminating"]:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    return {
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"nodeName": on, "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]},
        "status": {"phase": pod["phase"], "conditions": [{"type": "Ready", "status": str(pod["ready"])}]},
    }


def _budget(name: str, spec: dict[str, Any], status: dict[str, Any] | None) -> Object:
    metadata = {"name": name, "namespace": SPACE, "generation": 1}
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}
    return budget if status is None else {**budget, "status": status}


def _written_status(answer: dict[str, Any]) -> dict[str, Any]:
    """As kubectl prints it: what is not there is left out."""
    fields = (
        "observedGeneration",
        "disruptionsAllowed",
        "currentHealthy",
        "desiredHealthy",
        "expectedPods",
        "conditions",
    )
    return {field: answer[field] for field in fields if answer[field] is not None}


def eviction(answer: Answer) -> dict[str, Any]:
    """An answer of the eviction API."""
    found: dict[str, Any] = {"code": answer.code, "reason": answer.reason or None}
    if answer.message:
        found["message"] = answer.message
    if answer.cause:
        found["causes"] = [{"reason": "DisruptionBudget", "message": answer.cause}]
    return found | ({"retry_after": answer.retry_after} if answer.retry_after else {})


def _status(guard: Guard) -> dict[str, Any]:
    status = guard.status
    reason = "SyncFailed" if status.failure else "SufficientPods" if status.allowed else "InsufficientPods"
    condition = {
        "type": "DisruptionAllowed",
        "status": "True" if status.allowed else "False",
        "reason": reason,
        "message": status.failure,
    }
    return {
        "created": 201,
        "name": guard.budget.name,
        "expectedPods": status.expected,
        "desiredHealthy": status.desired,
        "currentHealthy": status.healthy,
        "disruptionsAllowed": status.allowed,
        "disruptedPods": [],
        "observedGeneration": 1 if status.synced else None,
        "conditions": [condition],
    }


def before_evictions(case: Case) -> Case:
    """The case as it was before its prior evictions: nothing terminates, and nothing has come in its place."""
    evicted = {one["pod"] for one in case["input"]["prior_evictions"]}
    pods = []
    for index, pod in enumerate(case["input"]["pods"]):
        if not pod["added_by_controller"]:
            pods.append({**pod, "terminating": False} if index in evicted else pod)
    return {**case, "input": {**case["input"], "pods": pods}}


def evicted_in_turn(case: Case) -> list[int]:
    """The codes of the prior evictions, one after the other."""
    cluster = Cluster(before_evictions(case), statuses=False)
    pods: list[Pod] = list(cluster.pods)
    return [cluster.guards.evict(pods[one["pod"]]).code for one in case["input"]["prior_evictions"]]
