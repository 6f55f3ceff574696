"""Rings: what a later one declares has been declared in every earlier one that has such nodes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from msgspec import Struct

from generator.declared.fleet import Cluster, Install, Pool
from generator.facts import driver as drivers
from generator.facts.release import Release, compare_key
from generator.revision.cluster_inputs import ClusterInputs
from generator.revision.fleet_inputs import FleetInputs
from generator.rules.rule import Problem
from generator.rules.setting import Setting, setting

NUMBER = re.compile(r"([0-9]+)")

Key = tuple[int, ...]
Group = tuple[str, str]  # GPU family and OS


class Newest(Struct):
    """The newest driver of a ring. A branch alone names no version, so nothing of that branch is newer."""

    branch: int = 0
    exact: Key = ()
    open_ended: bool = False
    text: str = ""

    def add(self, version: str) -> None:
        key = drivers.order_key(version)
        if key[0] > self.branch:
            self.branch, self.exact, self.open_ended, self.text = key[0], (), False, ""
        if key[0] == self.branch:
            self.open_ended = self.open_ended or drivers.is_branch(version)
            if key >= self.exact:
                self.exact, self.text = key, version

    def older_than(self, version: str) -> bool:
        key = drivers.order_key(version)
        if key[0] != self.branch:
            return key[0] > self.branch
        return not self.open_ended and not drivers.is_branch(version) and key > self.exact


@cache
def order(ring: str) -> tuple[tuple[int, int, str], ...]:
    """As people read ring names: numbers in them are numbers, and come before words."""
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in NUMBER.split(ring) if part)


class RingDriver(Struct, frozen=True):
    """The driver of a pool that is rendered, and where its version is written."""

    group: Group
    version: str
    setting: Setting


class Member(Struct, frozen=True):
    """What a cluster hands up of itself as one of a ring: its operator, and the drivers of its pools."""

    ring: str
    release: Release
    by_olm: bool
    setting: Setting
    drivers: tuple[RingDriver, ...]


class Drivers:
    """The newest driver of each ring, for each kind of GPU node."""

    def __init__(self, members: Iterable[Member]) -> None:
        self.newest: dict[Group, dict[str, Newest]] = {}
        for cluster in members:
            for driver in cluster.drivers:
                self.newest.setdefault(driver.group, {}).setdefault(cluster.ring, Newest()).add(driver.version)

    def late(self, ring: str, group: Group, version: str) -> tuple[str, str] | None:
        """The first ring before this one that has such nodes and no driver as new, and the newest that it has."""
        rings = self.newest.get(group, {})
        for earlier in sorted(rings, key=order):
            if order(earlier) < order(ring) and rings[earlier].older_than(version):
                return earlier, rings[earlier].text
        return None


def member(inputs: ClusterInputs) -> Member | None:
    """None of a cluster without a ring, which takes no part."""
    return member_of(inputs.cluster)


def member_of(cluster: Cluster) -> Member | None:
    """A cluster as one of its ring; None where it is of none."""
    if not cluster.ring:
        return None
    drivers = []
    for pool in cluster.managed_pools:
        if is_known(pool):
            written = setting(pool, "driver", "branch" if pool.driver.is_branch else "version")
            drivers.append(RingDriver(group_of(pool), pool.driver.version, written))
    operator = cluster.operator
    return Member(
        ring=cluster.ring,
        release=operator.release,
        by_olm=operator.install is Install.OLM,
        setting=setting(cluster, "operator", "version"),
        drivers=tuple(drivers),
    )


def ring_order(fleet: FleetInputs, members: Sequence[Member | None]) -> Iterator[Problem]:
    """Something that was not let run in an earlier ring first."""
    rings: dict[str, list[Member]] = {}
    for cluster in members:
        if cluster is not None:
            rings.setdefault(cluster.ring, []).append(cluster)
    if len(rings) < 2:
        return
    names = sorted(rings, key=order)
    yield from _operators(fleet, names, rings)
    yield from _drivers(fleet, names, rings)


def _operators(fleet: FleetInputs, names: list[str], rings: dict[str, list[Member]]) -> Iterator[Problem]:
    """Releases are compared with those that come the same way: OLM brings its own, at its own time."""
    newest: dict[bool, dict[str, tuple[Key, str]]] = {True: {}, False: {}}
    for ring in names:
        for cluster in rings[ring]:
            release, earlier = cluster.release, newest[cluster.by_olm]
            late = next((name for name in earlier if name != ring and earlier[name][0] < compare_key(release)), None)
            if late is not None:
                what = f"operator {release.version}"
                where = cluster.setting.said(fleet)
                yield where.problem(_message(ring, what, late, earlier[late][1]), _hint(late), release.version)
        for cluster in rings[ring]:
            release, mine = cluster.release, newest[cluster.by_olm]
            mine[ring] = max(mine.get(ring, ((), "")), (compare_key(release), release.version))


def _drivers(fleet: FleetInputs, names: list[str], rings: dict[str, list[Member]]) -> Iterator[Problem]:
    newest = Drivers(cluster for ring in names for cluster in rings[ring])
    for ring in names:
        for driver in (driver for cluster in rings[ring] for driver in cluster.drivers):
            late = newest.late(ring, driver.group, driver.version)
            if late is not None:
                where = driver.setting.said(fleet)
                message = late_driver(ring, driver.group, driver.version, late)
                yield where.problem(message, _hint(late[0]), driver.version)


def late_driver(ring: str, group: Group, version: str, late: tuple[str, str]) -> str:
    """That an earlier ring hasn't had a driver, in words."""
    earlier, most = late
    return _message(ring, f"driver {version} for {_gpus(group)}", earlier, most)


def group_of(pool: Pool) -> Group:
    """What is compared with each other: pools of one GPU family and OS."""
    return pool.family, str(pool.os)


def is_known(pool: Pool) -> bool:
    """Whether it is known what its nodes are and which driver they load."""
    return pool.os is not None and drivers.is_driver(pool.driver.version)


def _gpus(group: Group) -> str:
    family, os = group
    return f"{family} GPUs on {os}" if family else f"GPUs of no declared family on {os}"


def _message(ring: str, what: str, late: str, most: str) -> str:
    return f'ring "{ring}" has {what}, and the earlier ring "{late}" has {most} at most'


def _hint(late: str) -> str:
    return f'let ring "{late}" have it first, or silence this with the reason'
