"""Rings: what a later one declares has been declared in every earlier one that has such nodes."""

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from generator.declared.fleet import Cluster, Fleet, Install, Pool
from generator.facts import driver as drivers
from generator.facts.release import compare_key
from generator.revision.revision import Revision
from generator.rules.rule import Problem
from generator.rules.setting import said

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


def ring_order(revision: Revision) -> Iterator[Problem]:
    """Something that was not let run in an earlier ring first. Clusters without a ring take no part."""
    rings: dict[str, list[Cluster]] = {}
    fleet = revision.everyone
    if fleet is None:  # of some clusters only, nobody can say what an earlier ring has
        return
    for cluster in fleet.clusters:
        if cluster.ring:
            rings.setdefault(cluster.ring, []).append(cluster)
    if len(rings) < 2:
        return
    names = sorted(rings, key=order)
    yield from _operators(fleet, names, rings)
    yield from _drivers(fleet, names, rings)


def _operators(fleet: Fleet, names: list[str], rings: dict[str, list[Cluster]]) -> Iterator[Problem]:
    """Releases are compared with those that come the same way: OLM brings its own, at its own time."""
    newest: dict[bool, dict[str, tuple[Key, str]]] = {True: {}, False: {}}
    for ring in names:
        for cluster in rings[ring]:
            release = cluster.operator.release
            earlier = newest[cluster.operator.install is Install.OLM]
            late = next((name for name in earlier if name != ring and earlier[name][0] < compare_key(release)), None)
            if late is not None:
                what = f"operator {release.version}"
                where = said(fleet, cluster, "operator", "version")
                yield where.problem(_message(ring, what, late, earlier[late][1]), _hint(late), release.version)
        for cluster in rings[ring]:
            release = cluster.operator.release
            mine = newest[cluster.operator.install is Install.OLM]
            mine[ring] = max(mine.get(ring, ((), "")), (compare_key(release), release.version))


def _drivers(fleet: Fleet, names: list[str], rings: dict[str, list[Cluster]]) -> Iterator[Problem]:
    newest: dict[Group, dict[str, Newest]] = {}
    for ring in names:
        pools = [pool for cluster in rings[ring] for pool in cluster.managed_pools if _is_known(pool)]
        for pool in pools:
            earlier, version = newest.get(_group(pool), {}), pool.driver.version
            late = next((name for name in earlier if name != ring and earlier[name].older_than(version)), None)
            if late is not None:
                what = f"driver {version} for {_gpus(pool)}"
                where = said(fleet, pool, "driver", "branch" if pool.driver.is_branch else "version")
                yield where.problem(_message(ring, what, late, earlier[late].text), _hint(late), version)
        for pool in pools:
            newest.setdefault(_group(pool), {}).setdefault(ring, Newest()).add(pool.driver.version)


def _is_known(pool: Pool) -> bool:
    return pool.os is not None and drivers.is_driver(pool.driver.version)


def _group(pool: Pool) -> Group:
    return pool.family, str(pool.os)


def _gpus(pool: Pool) -> str:
    return f"{pool.family} GPUs on {pool.os}" if pool.family else f"GPUs of no declared family on {pool.os}"


def _message(ring: str, what: str, late: str, most: str) -> str:
    return f'ring "{ring}" has {what}, and the earlier ring "{late}" has {most} at most'


def _hint(late: str) -> str:
    return f'let ring "{late}" have it first, or silence this with the reason'
