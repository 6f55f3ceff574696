"""What a ClusterPolicy holds once for the whole cluster: one OS, one driver, one upgrade policy."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, json

from generator.declared.fleet import Cluster, Driver, Mode, OsRelease, Pool, WithPlaces
from generator.declared.layers import leaves
from generator.documents.places import Path
from generator.facts.osname import os_tag
from generator.facts.release import DriverApi
from generator.operator.driver import carries_upgrade_policy, upgrade_policy
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.rule import Problem
from generator.rules.setting import said
from generator.words import and_more

PER_POOL = "set operator.driverApi: NVIDIADriver, which renders one object per pool"
ABSENT = "absent"


class Difference(Struct, frozen=True):
    """One setting that a pool has otherwise than the first one; values as JSON."""

    path: Path
    mine: str
    first: str

    def __str__(self) -> str:
        return f"driver.{'.'.join(map(str, self.path))} is {self.mine}, not {self.first}"


def mixed_os(inputs: ClusterInputs) -> Iterator[Problem]:
    """A ClusterPolicy reads the OS of one arbitrary GPU node, so every pool's nodes count."""
    cluster = inputs.cluster
    if cluster.operator.driver_api is DriverApi.CLUSTERPOLICY and cluster.managed_pools:
        yield from _os_tags(inputs, cluster)
        yield from _same_kernel(inputs, cluster)


def _known(cluster: Cluster) -> Iterator[tuple[Pool, OsRelease, str]]:
    """Pools with their OS and its tag, those first whose driver is rendered."""
    for pool in sorted(cluster.pools, key=lambda pool: not pool.driver.managed):
        tag = os_tag(cluster.operator.release, pool.os.id, pool.os.version) if pool.os else None
        if pool.os is not None and isinstance(tag, str):
            yield pool, pool.os, tag


def _os_tags(where: WithPlaces, cluster: Cluster) -> Iterator[Problem]:
    found: dict[str, list[Pool]] = {}
    for pool, _, tag in _known(cluster):
        found.setdefault(tag, []).append(pool)
    tags = list(found)
    for tag in tags[1:]:
        pool, *more = found[tag]
        first = found[tags[0]][0]
        message = f'{_named(pool, more)} is {tag} and pool "{first.name}" is {tags[0]}'
        yield _problem(where, pool, f"{message}, and a ClusterPolicy has one OS tag for the cluster", PER_POOL, tag)


def _same_kernel(where: WithPlaces, cluster: Cluster) -> Iterator[Problem]:
    """gpu-operator controllers/object_controls.go getKernelVersionsMap: a hard error for precompiled drivers."""
    if not any(pool.driver.mode is Mode.PRECOMPILED for pool in cluster.managed_pools):
        return
    seen: dict[str, tuple[Pool, OsRelease, str]] = {}
    told: set[tuple[str, OsRelease]] = set()
    for pool, os, tag in _known(cluster):
        for kernel in pool.kernels:
            first, other, its_tag = seen.setdefault(kernel.name, (pool, os, tag))
            if other != os and its_tag == tag and (first.name, os) not in told:
                told.add((first.name, os))
                message = (
                    f'kernel "{kernel.name}" runs on {os} in pool "{pool.name}" and on {other} in pool "{first.name}"'
                )
                message += ", and the operator then refuses the whole ClusterPolicy"
                yield _problem(where, pool, message, PER_POOL, str(os))


def _problem(where: WithPlaces, pool: Pool, message: str, hint: str, fact: str) -> Problem:
    place = where.at(pool, "nodeImage" if pool.node_image else "os")
    return Problem(place=place, message=message, hint=hint, cluster=pool.cluster, pool=pool.name, fact=fact)


def mixed_driver(inputs: ClusterInputs) -> Iterator[Problem]:
    """Managed pools of a ClusterPolicy cluster whose driver settings differ, upgradePolicy apart."""
    cluster = inputs.cluster
    if cluster.operator.driver_api is DriverApi.CLUSTERPOLICY:
        settings = {pool.name: _settings(pool.driver) for pool in _unlike_first(cluster)}
        yield from _mixed(inputs, cluster, settings, "and a ClusterPolicy holds one driver", PER_POOL)


def mixed_upgrade_policy(inputs: ClusterInputs) -> Iterator[Problem]:
    """Pools of different upgradePolicy where the ClusterPolicy's rules all driver pods."""
    cluster = inputs.cluster
    if not carries_upgrade_policy(cluster):
        return
    settings = {
        pool.name: _below("upgradePolicy", upgrade_policy(pool.driver.upgrade_policy, auto_upgrade=True))
        for pool in _unlike_first(cluster)
    }
    why = "and the ClusterPolicy's one upgradePolicy rules the cluster"
    if cluster.operator.driver_api is DriverApi.NVIDIADRIVER:
        why += f" in operator {cluster.operator.release.version}"
    hint = "give all pools of the cluster the same driver.upgradePolicy"
    yield from _mixed(inputs, cluster, settings, why, hint)


def _unlike_first(cluster: Cluster) -> tuple[Pool, ...]:
    """The first managed pool and those that don't share its very settings; none where all do."""
    pools = cluster.managed_pools
    others = tuple(pool for pool in pools if pool.driver is not pools[0].driver)
    return (pools[0], *others) if others else ()


def _settings(driver: Driver) -> dict[Path, Any]:
    plain: dict[Path, Any] = {
        ("mode",): str(driver.mode),
        ("repository",): driver.repository,
        ("branch" if driver.is_branch else "version",): driver.version,
        ("kernelModuleType",): driver.module_type,
    }
    return {**plain, **_below("spec", driver.spec)}


def _below(key: str, value: Mapping[str, Any]) -> dict[Path, Any]:
    return {(key, *path): inner for path, inner in leaves(value)}


def _mixed(
    where: WithPlaces, cluster: Cluster, settings: Mapping[str, Mapping[Path, Any]], why: str, hint: str
) -> Iterator[Problem]:
    """One finding for each distinct way to differ from the first pool."""
    first = next(iter(settings), "")
    groups: dict[tuple[Difference, ...], list[Pool]] = {}
    for pool in cluster.pools:
        if pool.name in settings and (found := tuple(_differences(settings[first], settings[pool.name]))):
            groups.setdefault(found, []).append(pool)
    for found, (pool, *more) in groups.items():
        differing = "; ".join(map(str, found))
        message = f'{_named(pool, more)} differs from pool "{first}" ({differing}), {why}'
        place = said(where, pool, "driver", *found[0].path).place
        yield Problem(place=place, message=message, hint=hint, cluster=cluster.name, pool=pool.name, fact=differing)


def _differences(first: Mapping[Path, Any], mine: Mapping[Path, Any]) -> Iterator[Difference]:
    """A branch against a version of the same text is no difference: both render as it."""
    names: dict[Path, Path] = {("branch",): ("version",), ("version",): ("branch",)}
    for path in dict.fromkeys((*mine, *first)):
        other = names.get(path, path)
        if path not in mine and other in mine:
            continue
        ours, theirs = _json(mine, path), _json(first, path if path in first else other)
        if ours != theirs:
            yield Difference(path, ours, theirs)


def _json(settings: Mapping[Path, Any], path: Path) -> str:
    return json.encode(settings[path], order="deterministic").decode() if path in settings else ABSENT


def _named(pool: Pool, more: list[Pool]) -> str:
    return f'pool "{pool.name}"{and_more(len(more), 0, aside=True)}'
