"""The whole comparison of one cluster."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from generator.audit import budgets, objects, pools
from generator.audit.difference import ERRORS, Difference
from generator.audit.judgement import judge
from generator.audit.live import Live
from generator.audit.node import Standing, Standings
from generator.audit.objects import Adoption
from generator.audit.pools import PoolStanding
from generator.audit.synced import Synced
from generator.declared.catalog import Catalog
from generator.declared.fleet import Cluster
from generator.declared.workload import Workload
from generator.facts.release import DriverApi
from generator.images.lookup import Listed
from generator.observed.operator import operator_release
from generator.operator.ask import NotAGpuNode


class Audit(Struct, frozen=True, kw_only=True):
    """One cluster: its GPU nodes by name, its pools, its driver objects, and every difference, errors first.

    `unseen` are the inputs that were not given, so that what they would tell is not told.
    """

    cluster: str
    nodes: tuple[Standing, ...]
    others: int
    pools: tuple[PoolStanding, ...]
    adoptions: tuple[Adoption, ...]
    operator: str
    differences: tuple[Difference, ...]
    unseen: tuple[str, ...]
    pods_seen: bool = True

    @property
    def failed(self) -> bool:
        """Whether any of it is an error."""
        return any(one.what in ERRORS for one in self.differences)


def audit(cluster: Cluster, catalog: Catalog, live: Live, workloads: Sequence[Workload] = ()) -> Audit:
    """The result doesn't depend on the order in which nodes are given. `workloads` are those of the cluster."""
    listed = Listed(catalog)
    judged = [(node, judge(cluster, node, listed)) for node in sorted(live.nodes, key=lambda node: node.name)]
    looked_at = [(node, judgement) for node, judgement in judged if judgement.answer != NotAGpuNode(None)]
    standings = Standings(cluster, live)
    nodes = tuple(standings.of(node, judgement) for node, judgement in looked_at)
    of_pools = pools.standings(cluster, nodes)
    adopted = objects.adoptions(cluster, live)
    found = [one for node in nodes for one in node.differences]
    synced = Synced(cluster, live, listed)
    found += [one for node, judgement in looked_at for one in synced.differences(node, judgement)]
    found += pools.differences(cluster, of_pools)
    found += pools.name_collisions(cluster, [(node.name, judgement.answer) for node, judgement in looked_at])
    found += pools.rebuilt(cluster, live, nodes, catalog)
    found += objects.differences(cluster, live, adopted)
    found += budgets.differences(cluster, workloads, live.budgets) if live.budgets is not None else ()
    return Audit(
        cluster=cluster.name,
        nodes=nodes,
        others=len(live.nodes) - len(nodes),
        pools=of_pools,
        adoptions=adopted,
        operator=operator_release(live.pods or ()),
        differences=tuple(sorted(found, key=lambda one: one.what not in ERRORS)),
        unseen=tuple(_unseen(cluster, live, workloads)),
        pods_seen=live.pods is not None,
    )


UNSEEN = (
    ("pods", "what driver pods run, whether they wait, and which operator release runs"),
    ("NVIDIADriver objects", "which of them git lacks, and whether a sync would reload drivers"),
    ("ClusterPolicy objects", "which of them counts"),
    ("PodDisruptionBudgets", "whether they are those that workloads declare"),
)


def _unseen(cluster: Cluster, live: Live, workloads: Sequence[Workload]) -> Iterator[str]:
    """An API that the cluster doesn't use is not missed."""
    by_object = cluster.operator.driver_api is DriverApi.NVIDIADRIVER
    unknown_budgets = live.budgets is None and any(workload.budgets for workload in workloads)
    absent = (live.pods is None, live.drivers is None and by_object, live.policies is None, unknown_budgets)
    for missing, (what, why) in zip(absent, UNSEEN, strict=True):
        if missing:
            yield f"{what}: {why}"
