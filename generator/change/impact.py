"""What a change does to a fleet, as values: pools, their clusters, and the four questions that a gate asks."""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from generator.change.danger import Danger
from generator.change.effect import Outcome
from generator.change.evicted import Eviction, Trouble
from generator.change.images import ImageChange, OnTheWay, Standing
from generator.declared.modelparts import Size
from generator.operator.reload import Change


class Presence(StrEnum):
    """In which of the revisions something is declared."""

    BOTH = "both"
    ADDED = "added"
    REMOVED = "removed"


class PoolImpact(Struct, frozen=True, kw_only=True):
    """One pool. `driver` is its driver before and after, "" where the operator loads none.

    `way` are the images of the states between, `back` those that a revert asks for. `automatic`: whether the operator
    upgrades its nodes by itself. `at_once` is how many, where that is known; `deletes_pods` says that the change itself
    deletes their driver pods, all at once. `renamed_from` is the name that the pool had, "" where it is the same.
    """

    cluster: str
    ring: str
    pool: str
    outcome: Outcome
    driver: tuple[str, str] = ("", "")
    changes: tuple[Change, ...] = ()
    reason: str = ""
    nodes: Size | None = None
    automatic: bool = True
    at_once: int | None = None
    deletes_pods: bool = False
    renamed_from: str = ""
    images: tuple[ImageChange, ...] = ()
    way: tuple[OnTheWay, ...] = ()
    back: tuple[OnTheWay, ...] = ()
    evictions: tuple[Eviction, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    dangers: tuple[Danger, ...] = ()
    undecided: tuple[str, ...] = ()

    @property
    def quiet(self) -> bool:
        """Whether there is nothing to tell but that nothing happens."""
        nothing = not (self.renamed_from or self.images or self.missing_on_the_way or self.dangers or self.undecided)
        return self.outcome is Outcome.NONE and nothing

    @property
    def missing(self) -> tuple[ImageChange, ...]:
        """The images that aren't built."""
        return tuple(one for one in self.images if one.standing is Standing.MISSING)

    @property
    def missing_on_the_way(self) -> tuple[OnTheWay, ...]:
        """The images of the states between that aren't built."""
        return tuple(passed for passed in self.way if passed.standing is Standing.MISSING)

    @property
    def unknown(self) -> bool:
        """Whether something stays undecided."""
        images = any(image.standing is Standing.UNKNOWN for image in self.images)
        images = images or any(passed.standing is Standing.UNKNOWN for passed in self.way)
        return self.outcome is Outcome.UNDECIDED or images or bool(self.undecided)

    @property
    def blocked(self) -> bool:
        """Whether something can't be applied, or stops the upgrade."""
        stopped = self.outcome is Outcome.RELOAD and any(one.blocks for one in self.troubles)
        return stopped or any(one.blocks for one in self.dangers)


class Noted(Struct, frozen=True, kw_only=True):
    """A workload, or a disruption budget by its namespace and name, that only one of the revisions declares."""

    what: str
    name: str
    team: str
    presence: Presence


class ClusterImpact(Struct, frozen=True, kw_only=True):
    """One cluster. `unavailable` of its `nodes` may be down at a time; None where a size isn't declared."""

    cluster: str
    ring: str
    presence: Presence
    pools: tuple[PoolImpact, ...]
    dangers: tuple[Danger, ...] = ()
    workloads: tuple[Noted, ...] = ()
    unavailable: int | None = 0
    nodes: int | None = None

    @property
    def quiet(self) -> bool:
        """Whether nothing happens in the whole cluster."""
        return not (self.dangers or self.workloads) and all(one.quiet for one in self.pools)


class Impact(Struct, frozen=True, kw_only=True):
    """All clusters that the change can affect, in the order of the fleet; `everything` says why these are all."""

    clusters: tuple[ClusterImpact, ...]
    total: int
    everything: str = ""

    def pools(self) -> Iterator[PoolImpact]:
        """Every pool."""
        for cluster in self.clusters:
            yield from cluster.pools

    @property
    def reloads(self) -> bool:
        """Whether a driver is loaded again, or taken away, anywhere."""
        return any(one.outcome in {Outcome.REMOVED, Outcome.MOVED, Outcome.RELOAD} for one in self.pools())

    @property
    def missing(self) -> bool:
        """Whether an image is not built."""
        on_the_way = (passed for pool in self.pools() for passed in pool.missing_on_the_way)
        return any(pool.missing for pool in self.pools()) or any(passed.severe for passed in on_the_way)

    @property
    def blocked(self) -> bool:
        """Whether something can't be applied, or stops an upgrade."""
        dangers = any(one.blocks for cluster in self.clusters for one in cluster.dangers)
        return dangers or any(one.blocked for one in self.pools())

    @property
    def unknown(self) -> bool:
        """Whether something stays undecided."""
        return any(one.unknown for one in self.pools())
