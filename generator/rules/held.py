"""Pools whose driver is held: what a commit changes of the object, policy or values that carry it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from generator.declared.fleet import Cluster, Pool
from generator.facts.release import DriverApi
from generator.render.rendered import DRIVER_KINDS, RenderedFile
from generator.rules.against import VALUES, driver_objects, is_chart_values, takes_over
from generator.rules.context import Context, DriverObject
from generator.rules.rule import Problem

SHOWN = 4
WIDEST = 60
# What switches the driver of a whole cluster whatever its API (gpu-operator controllers/state_manager.go).
SWITCHES = frozenset({"enabled", "useNvidiaDriverCRD", "nvidiaDriverCRD.enabled"})

Settings = Mapping[str, Any]


class _Both(Struct, frozen=True):
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


def held(context: Context) -> Iterator[Problem]:
    """Until a verdict tells which changes load a driver again, any change of what carries it counts as one."""
    for both in _changed(context):
        for pool in both.cluster.pools:
            told = (_of_object(both, pool) or _of_cluster(both, pool)) if pool.hold else ""
            if told:
                yield Problem(
                    place=context.fleet.at(pool, "hold", "reason"),
                    message=f'pool "{pool.cluster}/{pool.name}" is held ("{pool.hold}"), and {told}',
                    hint="leave the driver of this pool as it is, or remove its hold if the reason is gone",
                    cluster=pool.cluster,
                    pool=pool.name,
                    fact=pool.object_name,
                )


def _changed(context: Context) -> Iterator[_Both]:
    """The clusters that hold a pool and in which something changed; only what changed is read."""
    before: dict[str, list[DriverObject]] = {}
    for old in context.against or ():
        before.setdefault(old.cluster, []).append(old)
    clusters = [one for one in context.fleet.clusters if one.name in before and any(pool.hold for pool in one.pools)]
    files: dict[str, dict[str, bytes]] = {cluster.name: {} for cluster in clusters}
    for file in context.rendered.files if files else ():
        if file.cluster in files and _counts(file, before[file.cluster]):
            files[file.cluster][file.path] = file.text.encode()
    for cluster in clusters:
        yield _Both(cluster, tuple(before[cluster.name]), driver_objects(files[cluster.name]))


def _counts(file: RenderedFile, before: Iterable[DriverObject]) -> bool:
    if file.kind == DriverApi.NVIDIADRIVER:
        return any(old.kind == file.kind and old.name == file.name for old in before)
    return file.kind in DRIVER_KINDS or is_chart_values(file.path)


def _of_object(both: _Both, pool: Pool) -> str:
    """How the pool's own NVIDIADriver changes, in words; "" where it doesn't, or there was none."""
    kind, gone = str(DriverApi.NVIDIADRIVER), list(both.gone())
    old = next((one for one in both.before if (one.kind, one.name) == (kind, pool.object_name)), None)
    new = next((one for one in both.now if (one.kind, one.name) == (kind, pool.object_name)), None)
    if old is None:
        old = next((one for one in gone if one.name == pool.name or takes_over(pool, one)), None)
    if old is None:
        return ""
    if new is None:
        return f"NVIDIADriver {old.name} goes or gets another name, which removes the driver of its nodes"
    changes = _told(_changes(old.spec, new.spec))
    return f"NVIDIADriver {old.name} changes: {changes}" if changes else ""


def _of_cluster(both: _Both, pool: Pool) -> str:
    """How the driver settings of the whole cluster change, as far as they concern the pool."""
    old, new = _carrier(both.before), _carrier(both.now)
    if old is None or not pool.driver.managed:
        return ""
    if new is None:
        return f"{_name(old)} goes, which removes the driver of the cluster's nodes"
    raw = old.kind == new.kind
    changes = _changes(*(one.spec if raw else _as_policy(one) for one in (_driver_of(old), _driver_of(new))))
    if both.cluster.operator.driver_api is DriverApi.NVIDIADRIVER:
        changes = [change for change in changes if change[0] in SWITCHES]
    return f"{_name(new)} changes: {_told(changes)}" if changes else ""


def _carrier(objects: Iterable[DriverObject]) -> DriverObject | None:
    """What carries the driver settings of the cluster: its ClusterPolicy, else chart values that enable a driver."""
    found = list(objects)
    policies = [one for one in found if one.kind == DriverApi.CLUSTERPOLICY]
    values = [one for one in found if one.kind == VALUES and "enabled" in one.spec]
    return next(iter([*policies, *values]), None)


def _driver_of(one: DriverObject) -> DriverObject:
    from msgspec.structs import replace

    if one.kind == VALUES:
        return one
    driver = one.spec.get("driver")
    return replace(one, spec=driver if isinstance(driver, dict) else {})


def _as_policy(one: DriverObject) -> Settings:
    """Chart values in the words of a ClusterPolicy (render/values.py)."""
    if one.kind != VALUES:
        return one.spec
    spec = dict(one.spec)
    crd, policy = spec.pop("nvidiaDriverCRD", {}), spec.get("upgradePolicy")
    spec["useNvidiaDriverCRD"] = isinstance(crd, dict) and crd.get("enabled") is True
    if isinstance(policy, dict):
        spec["upgradePolicy"] = {("podDeletion" if key == "gpuPodDeletion" else key): policy[key] for key in policy}
    return spec


def _name(one: DriverObject) -> str:
    return f"spec.driver of ClusterPolicy {one.name}" if one.kind != VALUES else f"driver in out/{one.path}"


def _changes(old: Settings, new: Settings) -> list[tuple[str, str, str]]:
    """Path, old and new value of every field that differs, in the order of the paths."""
    was, becomes = dict(_flat(old, "")), dict(_flat(new, ""))
    return [
        (path, was.get(path, "absent"), becomes.get(path, "absent"))
        for path in sorted(was.keys() | becomes.keys())
        if was.get(path) != becomes.get(path)
    ]


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and (value or not path):
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}" if path else str(key))
    else:
        from msgspec import json

        yield path, json.encode(value).decode()


def _told(changes: list[tuple[str, str, str]]) -> str:
    shown = [f"{path} {_cut(was)} -> {_cut(becomes)}" for path, was, becomes in changes[:SHOWN]]
    more = f" and {len(changes) - SHOWN} more" if len(changes) > SHOWN else ""
    return ", ".join(shown) + more


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[:WIDEST]}…"
