"""What a change of driver object, policy or chart values does to a pool: reloaded, taken away, or let loose."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from generator.declared.fleet import Cluster, Pool
from generator.facts.release import DriverApi
from generator.layout import OUT
from generator.operator.driverpod import Unmade
from generator.operator.reload import ABSENT, Change, Effect, changes, machine_of, verdict
from generator.operator.settings import Settings
from generator.revision.driver_objects import VALUES, DriverObject
from generator.rules.operator.changed_objects import takes_over
from generator.words import shortened

SHOWN = 4
WIDEST = 60
# What switches the driver of a whole cluster whatever its API (gpu-operator controllers/state_manager.go).
SWITCHES = frozenset({"driver.enabled", "driver.useNvidiaDriverCRD"})
# Nodes whose pod is older than its template wait for this one, whatever made them so.
BEGINS = "upgradePolicy.autoUpgrade"


class Both(Struct, frozen=True):
    """A cluster's driver objects, before and now; what is not there before is as it was."""

    cluster: Cluster
    before: tuple[DriverObject, ...]
    now: tuple[DriverObject, ...]

    def gone(self) -> Iterator[DriverObject]:
        """The NVIDIADrivers that are no longer rendered."""
        kept = {(one.kind, one.name) for one in self.now}
        for old in self.before:
            if old.kind == DriverApi.NVIDIADRIVER and (old.kind, old.name) not in kept:
                yield old


def told(both: Both, pool: Pool) -> str:
    """What the change does to the driver of a held pool, in words; "" where it stays."""
    return _of_object(both, pool) or _of_cluster(both, pool)


def _of_object(both: Both, pool: Pool) -> str:
    """What becomes of the pool's own NVIDIADriver, in words; "" where its driver stays, or there was none."""
    kind, gone = str(DriverApi.NVIDIADRIVER), list(both.gone())
    old = next((one for one in both.before if (one.kind, one.name) == (kind, pool.object_name)), None)
    new = next((one for one in both.now if (one.kind, one.name) == (kind, pool.object_name)), None)
    if old is None:
        old = next((one for one in gone if one.name == pool.name or takes_over(pool, one)), None)
    if old is None:
        return ""
    if new is None:
        return f"NVIDIADriver {old.name} goes or gets another name, which removes the driver of its nodes"
    left = [one for one in changes(old.spec, new.spec) if one.path.startswith("nodeSelector.") and not _widens(one)]
    if left:
        return f"NVIDIADriver {old.name} leaves nodes without it: {_told(left)}"
    selector = old.spec.get("nodeSelector")
    found = _reloading(DriverApi.NVIDIADRIVER, both, pool, (old.spec, new.spec), selector)
    return f"NVIDIADriver {old.name} changes: {_told(found)}" if found else ""


def _widens(change: Change) -> bool:
    """Whether a selector asks for a label less: every node that it matched stays."""
    return change.becomes == ABSENT


def _of_cluster(both: Both, pool: Pool) -> str:
    """What becomes of the driver settings of the whole cluster, as far as they concern the pool."""
    old, new = carrier(both.before), carrier(both.now)
    if old is None or not pool.driver.managed:
        return ""
    if new is None:
        return f"{_name(old)} goes, which removes the driver of the cluster's nodes"
    specs = (old.spec, new.spec) if old.kind == new.kind != VALUES else (as_policy(old), as_policy(new))
    told = [one for one in changes(*specs) if one.path in SWITCHES]
    if not told and both.cluster.operator.driver_api is DriverApi.CLUSTERPOLICY:
        told = _reloading(DriverApi.CLUSTERPOLICY, both, pool, specs)
    return f"{_name(new)} changes: {_told(told)}" if told else ""


def _reloading(
    api: DriverApi, both: Both, pool: Pool, specs: tuple[Settings, Settings], selector: Any = None
) -> list[Change]:
    """The fields that load the driver again, or that let an upgrade begin which waited."""
    machine = machine_of(pool, *([selector] if isinstance(selector, dict) else []))
    found = verdict(api, both.cluster.operator.release, *specs, machine)
    if isinstance(found, Unmade):  # nobody can say what the operator makes of it
        return list(changes(*specs))
    reloads = found.changes if found.effect is Effect.FULL_RELOAD else ()
    begins = [one for one in changes(*specs) if one.path.endswith(BEGINS) and one.becomes == "true"]
    return [*reloads, *begins]


def carrier(objects: Iterable[DriverObject]) -> DriverObject | None:
    """What carries the driver settings of the cluster: its ClusterPolicy, else chart values that enable a driver."""
    found = list(objects)
    policies = [one for one in found if one.kind == DriverApi.CLUSTERPOLICY]
    values = [one for one in found if one.kind == VALUES and "enabled" in one.spec]
    return next(iter([*policies, *values]), None)


def as_policy(one: DriverObject) -> Settings:
    """The spec of a ClusterPolicy that says only what chart values can say (render/values.py)."""
    if one.kind != VALUES:
        return {"driver": one.spec.get("driver") or {}}
    spec = dict(one.spec)
    crd, policy = spec.pop("nvidiaDriverCRD", {}), spec.get("upgradePolicy")
    spec["useNvidiaDriverCRD"] = isinstance(crd, dict) and crd.get("enabled") is True
    if isinstance(policy, dict):
        spec["upgradePolicy"] = {("podDeletion" if key == "gpuPodDeletion" else key): policy[key] for key in policy}
    return {"driver": spec}


def _name(one: DriverObject) -> str:
    return f"ClusterPolicy {one.name}" if one.kind != VALUES else f"{OUT}/{one.path}"


def _told(found: Sequence[Change]) -> str:
    fields = [f"{change.path} {_cut(change.was)} -> {_cut(change.becomes)}" for change in found]
    return shortened(fields, SHOWN)


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[:WIDEST]}…"
