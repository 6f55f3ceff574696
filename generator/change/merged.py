"""The fleet of a revision with what nodes may run by the revisions that were merged after it."""

from collections.abc import Sequence

from msgspec.structs import replace

from generator.declared.fleet import Cluster, Fleet, Pool


def with_merged(fleet: Fleet, merged: Sequence[Fleet]) -> Fleet:
    """The fleet whose pools know how the later revisions declare them; a pool that only these declare joins it."""
    return replace(fleet, clusters=tuple(with_later(cluster, merged) for cluster in fleet.clusters))


def with_later(cluster: Cluster, merged: Sequence[Fleet], *, keep: bool = False) -> Cluster:
    """One cluster of it; with `keep` its pools know the later revisions beside those that they know already."""
    later: dict[str, list[Pool]] = {}
    for revision in merged:
        for other in revision.clusters:
            if other.name == cluster.name:
                for pool in other.pools:
                    later.setdefault(pool.name, []).append(pool)
    pools = []
    for pool in cluster.pools:
        known = pool.later if keep else ()
        pools.append(replace(pool, later=(*known, *later.pop(pool.name, ()))))
    pools += [replace(declared[0], later=tuple(declared[1:])) for declared in later.values()]
    return replace(cluster, pools=tuple(pools))
