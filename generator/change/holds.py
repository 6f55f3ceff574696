"""Holds that a change lifts."""

from collections.abc import Iterator

from msgspec import Struct

from generator.change.nodes import followers
from generator.declared.fleet import Cluster, Hold, Pool


class LiftedHold(Struct, frozen=True):
    """A hold that a change takes from the nodes of the pool `was`, and the pools without one that they can be in now.

    There are none where no pool declares these nodes any more.
    """

    hold: Hold
    was: Pool
    becomes: tuple[Pool, ...]


def lifted_holds(was: Cluster, becomes: Cluster) -> Iterator[LiftedHold]:
    """The holds of the cluster as it was that no longer stand, in the order of its file."""
    for pool in was.pools:
        if pool.hold is None:
            continue
        later = _later(was, pool, becomes)
        free = tuple(other for other in later if other.hold is None)
        if free or not later:
            yield LiftedHold(pool.hold, pool, free)


def _later(was: Cluster, pool: Pool, becomes: Cluster) -> tuple[Pool, ...]:
    """The pools that its nodes can be in: the one with its name or its object, else those that match its labels."""
    for other in becomes.pools:
        if other.name == pool.name or other.object_name == pool.object_name:
            return (other,)
    return followers(was, pool, becomes).pools
