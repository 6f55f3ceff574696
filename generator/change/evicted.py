"""Who loses pods when a pool's driver is loaded again, how many at once, and what stands in the way."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from generator.declared.fleet import Cluster, Pool
from generator.declared.modelparts import Size
from generator.declared.workload import Workload
from generator.finding import Place, Severity
from generator.operator.driver import automatic
from generator.operator.upgraded import Upgraded, Upgrades, is_evicted, kept, nodes_of, policy_of
from generator.revision.revision import Revision
from generator.rules.disruption.room import replicas_of
from generator.rules.rule import problems_of
from generator.rules.table import BY_ID

# The gate's own rules about what keeps a node from being emptied. The last two slow an upgrade, the others stop it.
BLOCKING = (
    "disruption/no-room",
    "disruption/overlap",
    "disruption/unscalable-owner",
    "upgrade/emptydir-will-fail",
    "upgrade/unmanaged-pod-will-fail",
    "upgrade/daemonset-pod-will-fail",
)
SLOWING = ("disruption/will-time-out", "upgrade/resource-not-matched")


class Trouble(Struct, frozen=True, kw_only=True):
    """A finding of the gate about a workload that the change evicts."""

    rule: str
    workload: str
    message: str
    way_out: str
    blocks: bool
    place: Place | None = None


class Eviction(Struct, frozen=True, kw_only=True):
    """A workload on the pool's nodes. `pods` are all of its pods in the cluster, None where it doesn't say.

    `at_once` are those on the nodes that go at a time if they are spread evenly; None where that can't be told.
    `stays` says that the operator doesn't evict it, which keeps the old driver in use.
    """

    workload: str
    team: str
    namespace: str
    pods: Size | None
    at_once: int | None
    stays: bool = False


class Evictions:
    """One revision, asked pool by pool."""

    def __init__(self, head: Revision) -> None:
        self.head = head
        self.troubles: dict[str, list[Trouble]] | None = None

    def upgraded(self, cluster: Cluster, pool: Pool) -> Upgraded | None:
        """The pool, if the operator upgrades it by itself."""
        if not pool.driver.managed or not automatic(cluster, pool):
            return None
        return Upgraded(cluster, pool, policy_of(pool.driver.upgrade_policy))

    def of(self, cluster: Cluster, pool: Pool) -> tuple[Eviction, ...]:
        """The workloads of the pool."""
        one = self.upgraded(cluster, pool)
        return tuple(self._eviction(one, each) for each in self.head.fleet.running(cluster, pool)) if one else ()

    def in_the_way(self, evictions: Sequence[Eviction]) -> tuple[Trouble, ...]:
        """What the gate has to say about these workloads; asked for the first of them only."""
        if not evictions:
            return ()
        if self.troubles is None:
            self.troubles = {}
            for trouble in self._all():
                self.troubles.setdefault(trouble.workload, []).append(trouble)
        return tuple(trouble for one in evictions for trouble in self.troubles.get(one.workload, ()))

    def worst(self, cluster: Cluster, touched: Sequence[Pool]) -> int | None:
        """The most nodes of a cluster that go at a time, all policies together; None where a size isn't declared."""
        moving = [one for pool in touched if (one := self.upgraded(cluster, pool)) is not None]
        return Upgrades(cluster).at_once(moving) if moving else 0

    def at_once(self, upgraded: Upgraded) -> int | None:
        """How many nodes of a pool go at a time; None where a size that decides it isn't declared."""
        return Upgrades(upgraded.cluster).at_once([upgraded])

    def _eviction(self, one: Upgraded, workload: Workload) -> Eviction:
        there = one.cluster.pools_of(workload)
        replicas, nodes, going = replicas_of(workload, there), nodes_of(there), self.at_once(one)
        at_once = None
        if replicas is not None and nodes and going is not None:
            at_once = min(-(-going * replicas.max // nodes), replicas.max)
        return Eviction(
            workload=workload.name,
            team=workload.team,
            namespace=workload.namespace,
            pods=replicas,
            at_once=at_once,
            stays=not is_evicted(workload) or kept(workload, one) is not None,
        )

    def _all(self) -> Iterator[Trouble]:
        for name in (*BLOCKING, *SLOWING):
            rule = BY_ID[name]
            for problem in problems_of(rule, self.head):
                severity = problem.severity or rule.severity
                yield Trouble(
                    rule=name,
                    workload=problem.workload,
                    message=problem.message,
                    way_out=problem.hint,
                    blocks=name in BLOCKING and (severity is Severity.ERROR or name.startswith("upgrade/")),
                    place=problem.place,
                )
