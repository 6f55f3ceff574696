"""A live cluster as the state machine reads it, and what the input leaves untold."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from msgspec import Struct

from generator.facts.deletable import Standing
from generator.facts.gpupod import Device, is_gpu_pod
from generator.facts.label import GPU_PRESENT
from generator.facts.release import Release
from generator.observed import node as observed
from generator.observed.driver import DaemonSet
from generator.observed.objects import Objects
from generator.observed.pod import GENERATION, REVISION
from generator.observed.pod import Pod as LivePod
from generator.upgrade import state
from generator.upgrade.ruling import Ruling
from generator.upgrade.state import State
from generator.upgrade.world import DriverPod, Node, Pod

DAEMONSET = "DaemonSet"
DEPLOY = "nvidia.com/gpu.deploy."
# A driver pod of a node in these states is the new one already; what the states mean before it was deleted is "old".
AFTER_RESTART = frozenset({State.DONE, State.VALIDATION, State.UNCORDON, State.UNKNOWN})


class Missing(StrEnum):
    """What would have to be given, with the option that takes it."""

    NODES = "nodes (--nodes)"
    PODS = "pods of all namespaces (--pods)"
    BUDGETS = "PodDisruptionBudgets (--budgets)"
    POLICY = "the ClusterPolicy and NVIDIADrivers (--drivers)"
    REVISIONS = "the driver DaemonSets and their ControllerRevisions (--drivers)"
    DAEMONSETS = "DaemonSets of all namespaces (--drivers)"


class Assembled(Struct, frozen=True, kw_only=True):
    """Nodes and pods for the machine; `drivers` are the live driver pods, by node, `validators` likewise.

    `in_sync` is None for a driver pod of which the input doesn't tell it.
    """

    nodes: Mapping[str, Node]
    pods: tuple[Pod, ...]
    drivers: Mapping[str, LivePod] = {}
    validators: Mapping[str, tuple[LivePod, ...]] = {}
    in_sync: Mapping[str, bool | None] = {}
    missing: frozenset[Missing] = frozenset()


def assembled(objects: Objects, ruled: Ruling, release: Release) -> Assembled:
    """The cluster; nodes that are no GPU nodes and have no upgrade state are left out."""
    drivers = {pod.node: pod for pod in objects.pods.values() if pod.drives and pod.node and not pod.terminating}
    leaving = {pod.node: pod for pod in objects.pods.values() if pod.drives and pod.node and pod.terminating}
    drivers = {**leaving, **drivers}
    validators = _by_node(pod for pod in objects.pods.values() if pod.validates)
    in_sync = {name: synced(pod, objects) for name, pod in drivers.items()}
    missing = _missing(objects, ruled, in_sync.values())
    nodes = {
        node.name: _node(node, ruled, drivers.get(node.name), objects, validators, in_sync.get(node.name))
        for node in objects.nodes.values()
        if node.name in drivers or _concerns(node)
    }
    claims = _claims(objects)
    return Assembled(
        nodes=nodes,
        pods=tuple(_pod(pod, release, objects, claims) for pod in objects.pods.values() if not pod.drives),
        drivers=drivers,
        validators=validators,
        in_sync=in_sync,
        missing=missing,
    )


def _concerns(node: observed.Node) -> bool:
    """Whether a node has GPUs, or a label that only the operator's upgrade gives."""
    labels = node.labels
    return labels.get(GPU_PRESENT) == "true" or state.STATE in labels or any(key.startswith(DEPLOY) for key in labels)


def _missing(objects: Objects, ruled: Ruling, synced_pods: Iterable[bool | None]) -> frozenset[Missing]:
    found = {
        Missing.NODES: "Node" not in objects.kinds,
        Missing.PODS: "Pod" not in objects.kinds,
        Missing.BUDGETS: "PodDisruptionBudget" not in objects.kinds,
        Missing.POLICY: not ruled.known,
        Missing.REVISIONS: None in set(synced_pods),
    }
    return frozenset(one for one, lacking in found.items() if lacking)


def synced(pod: LivePod, objects: Objects) -> bool | None:
    """Whether a driver pod is of its DaemonSet's newest revision (pod_manager.go); None where that isn't told.

    Without ControllerRevisions the template generations say the same.
    """
    if pod.owner is None or pod.owner.kind != DAEMONSET:
        return False
    newest = _newest(pod, objects)
    if newest:
        return pod.labels.get(REVISION) == newest
    daemonset = objects.daemonsets.get(f"{pod.namespace}/{pod.owner.name}")
    wanted = daemonset.template_generation if daemonset else ""
    return pod.labels.get(GENERATION) == wanted if wanted and GENERATION in pod.labels else None


def _newest(pod: LivePod, objects: Objects) -> str:
    assert pod.owner is not None
    start = f"{pod.owner.name}-"
    own = [
        one
        for one in objects.revisions.values()
        if one.namespace == pod.namespace and one.name.startswith(start) and one.owner in {"", pod.owner.name}
    ]
    return max(own, key=lambda one: one.number).name.removeprefix(start) if own else ""


def _node(
    node: observed.Node,
    ruled: Ruling,
    driver: LivePod | None,
    objects: Objects,
    validators: Mapping[str, tuple[LivePod, ...]],
    in_sync: bool | None,
) -> Node:
    labels, notes = node.labels, node.annotations
    at = labels.get(state.STATE, "")
    found = _driver(driver, objects, in_sync, at) if "Pod" in objects.kinds else _imagined(at)
    told = tuple(pod.ready and pod.phase == "Running" for pod in validators.get(node.name, ()))
    return Node(
        name=node.name,
        state=at,
        owner=ruled.owners.get(node.name, ""),
        cordoned=node.cordoned,
        ready=not node.not_ready,
        skip=labels.get(state.SKIP) == "true",
        requested=notes.get(state.REQUESTED) == "true",
        safe_load=bool(notes.get(state.SAFE_LOAD)),
        was_cordoned=state.WAS_CORDONED in notes,
        waits_since=_seconds(notes, state.WAITS_SINCE),
        validates_since=_seconds(notes, state.VALIDATES_SINCE),
        driver=found,
        validators=told if "Pod" in objects.kinds else (True,),
    )


def _seconds(notes: Mapping[str, str], key: str) -> int | None:
    text = notes.get(key, "")
    return int(text) if text.isdigit() else None


def _imagined(at: str) -> DriverPod:
    """Without pods: as the state says."""
    return DriverPod(in_sync=at in AFTER_RESTART, ready=at != State.FAILED)


def _driver(pod: LivePod | None, objects: Objects, in_sync: bool | None, at: str) -> DriverPod | None:
    if pod is None:
        return None
    daemonset = objects.daemonsets.get(f"{pod.namespace}/{pod.owner.name}") if pod.owner else None
    return DriverPod(
        in_sync=at in AFTER_RESTART if in_sync is None else in_sync,
        ready=pod.runs,
        restarts=pod.restarts,
        orphan=not pod.owned,
        same_digest=_same_digest(pod, daemonset),
    )


def _same_digest(pod: LivePod, daemonset: DaemonSet | None) -> bool:
    return daemonset is not None and bool(pod.config_digest) and pod.config_digest == daemonset.config_digest


def _by_node(pods: Iterable[LivePod]) -> dict[str, tuple[LivePod, ...]]:
    found: dict[str, tuple[LivePod, ...]] = {}
    for pod in pods:
        found[pod.node] = (*found.get(pod.node, ()), pod)
    return found


def _claims(objects: Objects) -> dict[str, dict[str, tuple[Device, ...]]]:
    found: dict[str, dict[str, tuple[Device, ...]]] = {}
    for claim in objects.claims.values():
        found.setdefault(claim.namespace, {})[claim.name] = claim.devices
    return found


def _pod(
    pod: LivePod, release: Release, objects: Objects, claims: Mapping[str, Mapping[str, tuple[Device, ...]]]
) -> Pod:
    standing, shown = _standing(pod, objects)
    return Pod(
        name=pod.key,
        node=pod.node,
        labels=pod.labels,
        standing=standing,
        controller=f"{pod.namespace}/{pod.owner.kind}/{pod.owner.name}" if pod.owner else "",
        gpu=is_gpu_pod(release, pod.gpu, claims.get(pod.namespace, {})),
        ready=pod.ready,
        terminating=pod.terminating,
        wants=pod.wants,
        finalizers=pod.finalizers,
        owner_shown=shown,
    )


def _standing(pod: LivePod, objects: Objects) -> tuple[Standing, bool]:
    """The pod as a drain sees it, and whether the input shows that its DaemonSet is there or gone."""
    owner = pod.owner
    is_seen = True
    # The operator makes its validator's DaemonSet again, whatever happens to it.
    if owner is not None and owner.kind == DAEMONSET and not pod.validates:
        is_seen = f"{pod.namespace}/{owner.name}" in objects.daemonsets
    all_shown = DAEMONSET in objects.whole
    standing = Standing(
        owner=owner.kind if owner else "",
        owner_found=is_seen or not all_shown,
        empty_dir=pod.empty_dir,
        mirror=pod.mirror,
        phase=pod.phase,
    )
    return standing, is_seen or all_shown
