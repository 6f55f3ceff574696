"""What a change of the driver settings does on the nodes of a pool, the operator's own release included."""

from enum import StrEnum
from typing import Any

from msgspec import Struct

from generator.declared.fleet import Cluster, Install, Pool
from generator.facts.release import DriverApi
from generator.operator.driver import object_spec, policy_spec
from generator.operator.driverpod import DriverPod, Machine, Unmade, driver_pod
from generator.operator.reload import ABSENT, Change, Effect, changes, compared, machine_of, written
from generator.operator.settings import Settings


class Outcome(StrEnum):
    """What happens to the driver on a pool's nodes, worst first."""

    REMOVED = "removed"  # the nodes lose it
    MOVED = "moved"  # the selector is another one: some nodes lose it, others get it
    RELOAD = "reload"
    UNDECIDED = "undecided"
    RESTART = "restart"  # in place: nothing is evicted
    ADDED = "added"  # nodes that had none get one
    NONE = "none"


MANAGER = "manager.image"
OUTCOMES = {Effect.NONE: Outcome.NONE, Effect.RESTART_ONLY: Outcome.RESTART, Effect.FULL_RELOAD: Outcome.RELOAD}


class Told(Struct, frozen=True):
    """An outcome with the fields behind it, and in words what no field says."""

    outcome: Outcome
    changes: tuple[Change, ...] = ()
    reason: str = ""


class Sides(Struct, frozen=True):
    """A cluster and one of its pools, before and after."""

    was: tuple[Cluster, Pool]
    becomes: tuple[Cluster, Pool]

    @property
    def clusters(self) -> tuple[Cluster, Cluster]:
        """The cluster before and after."""
        return self.was[0], self.becomes[0]


def effect(api: DriverApi, sides: Sides, old: Settings, new: Settings, roots: tuple[str, str] = ("", "")) -> Told:
    """The outcome for nodes that run the driver of `old`; `roots` are what the host's root is mounted from."""
    if api is DriverApi.NVIDIADRIVER:
        left = [one for one in changes(_selector(old), _selector(new)) if one.becomes != ABSENT]
        if left:
            return Told(Outcome.MOVED, tuple(left), "nodes without the new labels lose this driver")
    before, after = sides.clusters
    pods = []
    for cluster, spec, root in ((before, old, roots[0]), (after, new, roots[1])):
        pods.append(driver_pod(api, cluster.operator.release, spec, _machine(sides, old, root)))
    for pod in pods:
        if isinstance(pod, Unmade):
            return Told(Outcome.UNDECIDED, reason=pod.message)
    was, becomes = (pod for pod in pods if not isinstance(pod, Unmade))
    in_place = before.operator.release.restart_only and after.operator.release.restart_only
    if api is DriverApi.NVIDIADRIVER and not (_named(old) or _named(new)):
        becomes = _with_manager(was, becomes)
    found = compared(was, becomes, in_place=in_place)
    told = Told(OUTCOMES[found.effect], written(old, new, found.changes))
    return told if before.operator.release == after.operator.release else _of_release(api, before, after, told)


def effect_of_release(sides: Sides) -> Told:
    """The outcome where the operator's release is all that moves, by the settings that are declared."""
    api = sides.becomes[0].operator.driver_api
    old, new = (_declared(cluster, pool) for cluster, pool in (sides.was, sides.becomes))
    return effect(api, sides, old, new)


def _declared(cluster: Cluster, pool: Pool) -> Settings:
    """The settings of the object that carries the pool's driver."""
    if cluster.operator.driver_api is DriverApi.NVIDIADRIVER:
        return object_spec(cluster, pool)
    by_default = cluster.operator.install is Install.HELM  # the chart's default; that of the CRD is false
    return {"driver": policy_spec(cluster, auto_upgrade=by_default)}


def _selector(spec: Settings) -> dict[str, Any]:
    return {"nodeSelector": spec.get("nodeSelector") or {}}


def _named(spec: Settings) -> bool:
    """Whether a driver manager is named, so that the operator's default is not taken."""
    manager = spec.get("manager")
    return isinstance(manager, dict) and bool(manager.get("image"))


def _with_manager(was: DriverPod, becomes: DriverPod) -> DriverPod:
    """A newer operator's default driver manager is not taken while nothing else of the pod changes.

    gpu-operator internal/state/driver.go, handleDefaultImagesInObjects, v24.9.0 to v26.7.0.
    """
    kept = DriverPod({**becomes.loaded, MANAGER: was.loaded.get(MANAGER)}, becomes.around)
    return becomes if changes(was.loaded, kept.loaded) or changes(was.around, kept.around) else kept


def _machine(sides: Sides, old: Settings, root: str) -> Machine:
    """The node as it is before the change: where the pool's system changes too, its nodes are made anew."""
    pool = sides.was[1] if sides.was[1].os is not None else sides.becomes[1]
    found = machine_of(pool, old.get("nodeSelector") or {})
    return Machine(labels=found.labels, host_root=root)


def _of_release(api: DriverApi, before: Cluster, after: Cluster, told: Told) -> Told:
    """Another operator makes other pods of the same settings, if its templates changed in between."""
    was, becomes = before.operator.release, after.operator.release
    moved = f"operator {was.version} -> {becomes.version}"
    if told.outcome is Outcome.RELOAD:
        return Told(told.outcome, told.changes, moved)
    if was.unknown or becomes.unknown:
        return Told(Outcome.UNDECIDED, told.changes, f"{moved}: nothing is known of the newer one's driver pods")
    if was.template != becomes.template:
        return Told(Outcome.RELOAD, told.changes, f"{moved}: it makes its driver pods of another template")
    if api is DriverApi.CLUSTERPOLICY and after.operator.install is Install.HELM:
        labelled = Outcome.RESTART if was.restart_only else Outcome.RELOAD
        return Told(labelled, told.changes, f"{moved}: the chart labels driver pods with its version")
    return Told(told.outcome, told.changes, moved)
