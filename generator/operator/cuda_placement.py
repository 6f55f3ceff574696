"""On which pools of a cluster each workload may run, and what its CUDA need comes to there."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from generator.declared.catalog import Catalog
from generator.declared.fleet import Cluster, Pool
from generator.declared.workload import Workload
from generator.facts import affinity
from generator.facts.cuda import needed
from generator.facts.cudachoice import Compatibility
from generator.operator.carries import (
    Answer,
    Loaded,
    Verdict,
    answer,
    compatibility_of,
    known_labels,
    loaded,
    reachable,
)


class OnPool(Struct, frozen=True, kw_only=True):
    """A workload on one pool. `selected` is false where its own terms keep it away; `met` is None without a need.

    `possible` is false where no driver that drives the pool's GPUs meets the need.
    """

    pool: Pool
    drivers: tuple[Loaded, ...]
    selected: bool
    met: Answer | None
    possible: bool

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the pool; None without a need."""
        return self.met.verdict if self.met else None


class Placed(Struct, frozen=True, kw_only=True):
    """A workload in one cluster, on those of its pools that the cluster has."""

    workload: Workload
    cluster: Cluster
    compatibility: Compatibility
    pools: tuple[OnPool, ...]

    @property
    def selected(self) -> tuple[OnPool, ...]:
        """The pools that its own terms leave."""
        return tuple(pool for pool in self.pools if pool.selected)

    @property
    def stuck(self) -> bool:
        """Whether nothing that is done to drivers lets it run in the cluster."""
        return bool(self.pools) and not any(pool.possible for pool in self.selected)

    @property
    def need(self) -> str:
        """The need, and the driver that it means, for a message."""
        return needed(self.workload.cuda, self.compatibility) if self.workload.cuda else ""


def placed(cluster: Cluster, workloads: Iterable[Workload], catalog: Catalog) -> Iterator[Placed]:
    """Those of a cluster's workloads that say something of drivers or nodes."""
    drivers: dict[str, tuple[Loaded, ...]] = {}
    for workload in workloads:
        if workload.cuda is None and not workload.node_selector_terms:
            continue
        pools = cluster.pools_of(workload)
        for pool in pools:
            if pool.name not in drivers:
                drivers[pool.name] = loaded(cluster, pool, catalog)
        compatibility = compatibility_of(workload, cluster)
        yield Placed(
            workload=workload,
            cluster=cluster,
            compatibility=compatibility,
            pools=tuple(_on_pool(workload, compatibility, pool, drivers[pool.name]) for pool in pools),
        )


def _on_pool(workload: Workload, compatibility: Compatibility, pool: Pool, drivers: tuple[Loaded, ...]) -> OnPool:
    need, own = workload.cuda, workload.node_selector_terms
    return OnPool(
        pool=pool,
        drivers=drivers,
        selected=not own or affinity.may_match(own, known_labels(pool, drivers)),
        met=answer(need, compatibility, drivers) if need else None,
        possible=need is None or reachable(need, compatibility, pool),
    )
