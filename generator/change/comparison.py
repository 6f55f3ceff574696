"""Two revisions of a fleet, pool by pool: pure, from what was read and rendered of both."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from generator.change import danger
from generator.change.danger import Danger
from generator.change.effect import Outcome, Sides, Told, effect
from generator.change.evicted import Evictions
from generator.change.images import ImageChange, image_changes, on_the_way, way_back
from generator.change.impact import ClusterImpact, Impact, Noted, PoolImpact, Presence
from generator.change.leaving import driver_of, gone, pruned, removed, without_ours
from generator.change.objects import Objects, objects
from generator.change.passage import Kind, Stock, Way, stock, ways
from generator.declared.fleet import Cluster, Fleet, Pool
from generator.declared.workload import Workload
from generator.facts.release import DriverApi
from generator.operator.upgraded import nodes_of
from generator.revision.driver_objects import DriverObject
from generator.revision.revision import Before, Revision
from generator.rules.operator.changed_objects import takes_over
from generator.rules.upgrade.held_change import as_policy, carrier

TOUCHING = frozenset({Outcome.REMOVED, Outcome.MOVED, Outcome.RELOAD, Outcome.RESTART})


def impact(base: Revision, head: Revision, *, total: int, everything: str = "", before: Fleet | None = None) -> Impact:
    """From both revisions, of which only the clusters that may be affected were read.

    `before` is the base's fleet with the kernels that its nodes may run, where more is known than it declares.
    """
    before = base.fleet if before is None else before
    found = objects(base, head)
    against = tuple(
        pair.was for each in found.values() for pair in each.pairs.values() if not pair.same and pair.was is not None
    )
    judged = replace(head, against=against, before=Before(before, base.catalog))
    dangers: dict[tuple[str, str], list[Danger]] = {}
    for one in danger.of_rules(judged):
        dangers.setdefault((one.cluster, one.pool), []).append(one)
    for lifted in _lifted(base, head):
        of_pool = dangers.setdefault((lifted.cluster, lifted.pool), [])
        if not any(other.kind is danger.Kind.HELD for other in of_pool):  # which says that it is lifted
            of_pool.append(lifted)
    comparing = _Comparing(base, head, found, dangers, before)
    return Impact(clusters=tuple(comparing.all()), total=total, everything=everything)


def with_cluster(whole: Impact, part: Impact) -> Impact:
    """The impact with the clusters of another one in the place of its own."""
    other = {cluster.cluster: cluster for cluster in part.clusters}
    return replace(whole, clusters=tuple(other.get(cluster.cluster, cluster) for cluster in whole.clusters))


def _lifted(base: Revision, head: Revision) -> Iterator[Danger]:
    """The holds that clusters of both revisions lose."""
    earlier = {cluster.name: cluster for cluster in base.fleet.clusters}
    for cluster in head.fleet.clusters:
        if cluster.name in earlier:
            yield from danger.lifted(earlier[cluster.name], cluster)


def _holds_of(cluster: Cluster) -> Iterator[Danger]:
    """What held the pools of a cluster that is no longer declared."""
    for pool in cluster.pools:
        if pool.hold is not None:
            yield danger.undeclared(pool, pool.hold)


class _Comparing:
    """Both revisions by cluster, and what was found out once for all."""

    def __init__(
        self,
        base: Revision,
        head: Revision,
        found: Mapping[str, Objects],
        dangers: dict[tuple[str, str], list[Danger]],
        before: Fleet,
    ) -> None:
        self.before = {cluster.name: cluster for cluster in before.clusters}
        self.was = {cluster.name: cluster for cluster in base.fleet.clusters}
        self.becomes = {cluster.name: cluster for cluster in head.fleet.clusters}
        self.base, self.head, self.objects, self.dangers = base, head, found, dangers
        self.stock: Stock = stock(base.catalog, head.catalog)
        self.evictions = Evictions(head)

    def all(self) -> Iterator[ClusterImpact]:
        for name in sorted({*self.was, *self.becomes}):
            was, becomes = self.was.get(name), self.becomes.get(name)
            if was is not None and becomes is not None:
                yield self.both(was, becomes)
            elif becomes is not None:
                pools = tuple(self.added(becomes, pool, "its cluster is new") for pool in becomes.pools)
                yield ClusterImpact(cluster=name, ring=becomes.ring, presence=Presence.ADDED, pools=pools)
            elif was is not None:
                pools = tuple(removed(was, pool, "its cluster is no longer declared") for pool in was.pools)
                yield ClusterImpact(
                    cluster=name,
                    ring=was.ring,
                    presence=Presence.REMOVED,
                    pools=tuple(one for one in pools if one.outcome is Outcome.REMOVED),
                    dangers=(gone(was), *_holds_of(was)),
                )

    def both(self, was: Cluster, becomes: Cluster) -> ClusterImpact:
        found = self.objects.get(becomes.name, Objects({}))
        pools = [self.pool(was, becomes, pool, found) for pool in becomes.pools]
        pools += self.gone(was, becomes, found)
        found_ways = list(ways(self.before[was.name], becomes, self.stock))
        pools = [self.on_the_way(pool, found_ways) for pool in pools]
        dangers = [*danger.of_cluster(was, becomes, found), *self.dangers.get((becomes.name, ""), ())]
        here = {pool.object_name: pool.name for pool in becomes.managed_pools}
        of_pools = [one for one in dangers if one.pool]
        named = [
            replace(one, dangers=(*one.dangers, *(each for each in of_pools if here.get(each.pool) == one.pool)))
            for one in pools
        ]
        nodes = nodes_of(becomes.managed_pools)
        at_once = any(one.kind is danger.Kind.API and one.blocks for one in dangers)
        return ClusterImpact(
            cluster=becomes.name,
            ring=becomes.ring,
            presence=Presence.BOTH,
            pools=tuple(named),
            dangers=tuple(one for one in dangers if not one.pool),
            workloads=tuple(_noted(self.base.fleet.workloads_of(was), self.head.fleet.workloads_of(becomes))),
            unavailable=nodes if at_once else self.unavailable(becomes, pools),
            nodes=nodes,
        )

    def on_the_way(self, pool: PoolImpact, found: Iterable[Way]) -> PoolImpact:
        """The pool with the states that its nodes pass through, and those of a way back where its driver moves."""
        here = [way for way in found if way.becomes[1].name == pool.pool]
        followed = [way for way in here if way.kind is Kind.FOLLOWED]
        # With another API the pods are given to other DaemonSets, of which the cluster's danger tells.
        if pool.outcome is Outcome.RELOAD and any(way.deletes_pods and way.old.api is way.new.api for way in followed):
            evictions = tuple(replace(eviction, at_once=None) for eviction in pool.evictions)
            pool = replace(pool, deletes_pods=True, at_once=None, evictions=evictions)
        mine = [way for way in here if [*way.stations()]]
        if not mine:
            return pool
        back = [way for way in mine if way.kind is Kind.FOLLOWED]
        return replace(
            pool,
            way=tuple(passed for way in mine for passed in on_the_way(self.stock, way)),
            back=tuple(passed for way in back for passed in way_back(self.stock, way)),
        )

    def unavailable(self, cluster: Cluster, pools: Iterable[PoolImpact]) -> int | None:
        """The most nodes that go at a time, of those whose pods are replaced."""
        replaced = [pool for pool in pools if pool.outcome in {Outcome.RELOAD, Outcome.RESTART}]
        paced = {pool.pool for pool in replaced if not pool.deletes_pods}
        worst = self.evictions.worst(cluster, [pool for pool in cluster.pools if pool.name in paced])
        at_once = nodes_of([pool for pool in cluster.pools if pool.name in {one.pool for one in replaced} - paced])
        return None if worst is None or at_once is None else worst + at_once

    def pool(self, was: Cluster, becomes: Cluster, pool: Pool, found: Objects) -> PoolImpact:
        earlier = _earlier(was, pool, found)
        if not pool.driver.managed:
            return self.unmanaged(was, becomes, pool, earlier)
        told = self.told(was, becomes, earlier, pool, found)
        if told.outcome is Outcome.ADDED:
            return self.added(becomes, pool, told.reason)
        return self.changed(Sides((was, earlier or pool), (becomes, pool)), told, found, known=earlier is not None)

    def told(self, was: Cluster, becomes: Cluster, earlier: Pool | None, pool: Pool, found: Objects) -> Told:
        """What happens to the nodes of a pool whose driver is managed."""
        api = becomes.operator.driver_api
        if earlier is not None and not earlier.driver.managed:
            return Told(Outcome.ADDED, reason=f"mode {earlier.driver.mode} -> {pool.driver.mode}")
        if was.operator.driver_api is not api:
            return Told(Outcome.RELOAD, reason=f"driverApi {was.operator.driver_api} -> {api}")
        if api is DriverApi.CLUSTERPOLICY:
            return self.by_policy(was, becomes, earlier, pool, found)
        pair = found.of_driver(pool.object_name)
        sides = Sides((was, earlier or pool), (becomes, pool))
        roots = _roots(found)
        if pair is not None and pair.same and roots[0] == roots[1] and not _released(was, becomes):
            return Told(Outcome.NONE)
        if pair is not None and pair.was is not None and pair.becomes is not None:
            return effect(api, sides, pair.was.spec, pair.becomes.spec, roots)
        taken = _taken(pool, found)
        if taken is not None:
            return Told(Outcome.RELOAD, reason=f'NVIDIADriver "{taken.name}" goes, and "{pool.object_name}" comes')
        return Told(Outcome.ADDED, reason="the pool is new")

    def by_policy(self, was: Cluster, becomes: Cluster, earlier: Pool | None, pool: Pool, found: Objects) -> Told:
        """One driver for all pools of the cluster."""
        if earlier is None:
            return Told(Outcome.ADDED, reason="the pool is new")
        pairs = [pair for (kind, _), pair in found.pairs.items() if kind != DriverApi.NVIDIADRIVER]
        if all(pair.same for pair in pairs) and not _released(was, becomes):
            return Told(Outcome.NONE)
        old = carrier([pair.was for pair in pairs if pair.was is not None])
        new = carrier([pair.becomes for pair in pairs if pair.becomes is not None])
        if old is None or new is None:
            return Told(Outcome.UNDECIDED, reason="nothing that is rendered carries its driver in both revisions")
        whole = old.kind == new.kind == DriverApi.CLUSTERPOLICY
        specs = (old.spec, new.spec) if whole else (as_policy(old), as_policy(new))
        return effect(DriverApi.CLUSTERPOLICY, Sides((was, earlier), (becomes, pool)), *specs)

    def changed(self, sides: Sides, told: Told, found: Objects, *, known: bool) -> PoolImpact:
        cluster, pool = sides.becomes
        pair = found.of_driver(pool.object_name)
        upgraded = self.evictions.upgraded(cluster, pool)
        evictions = self.evictions.of(cluster, pool) if told.outcome is Outcome.RELOAD else ()
        begun = danger.begins(cluster.name, pool.name, pair) if pair is not None and not pair.same else ()
        images = image_changes(self.stock, sides.was if known else None, sides.becomes)
        return PoolImpact(
            cluster=cluster.name,
            ring=cluster.ring,
            pool=pool.name,
            outcome=told.outcome,
            driver=(driver_of(sides.was[1]), driver_of(pool)),
            changes=told.changes,
            reason=told.reason,
            nodes=pool.size,
            automatic=upgraded is not None,
            at_once=self.evictions.at_once(upgraded) if upgraded and told.outcome in TOUCHING else None,
            renamed_from=sides.was[1].name if known and sides.was[1].name != pool.name else "",
            images=tuple(images),
            evictions=evictions,
            troubles=self.evictions.in_the_way(evictions),
            dangers=(*self.dangers.get((cluster.name, pool.name), ()), *begun),
            undecided=tuple(_undecided(pool, told, images)),
        )

    def added(self, cluster: Cluster, pool: Pool, reason: str) -> PoolImpact:
        if not pool.driver.managed:
            return without_ours(cluster, pool, reason)
        return PoolImpact(
            cluster=cluster.name,
            ring=cluster.ring,
            pool=pool.name,
            outcome=Outcome.ADDED,
            driver=("", driver_of(pool)),
            reason=reason,
            nodes=pool.size,
            images=tuple(image_changes(self.stock, None, (cluster, pool))),
            dangers=tuple(self.dangers.get((cluster.name, pool.name), ())),
        )

    def unmanaged(self, was: Cluster, becomes: Cluster, pool: Pool, earlier: Pool | None) -> PoolImpact:
        if earlier is not None and earlier.driver.managed:
            reason = f"mode {earlier.driver.mode} -> {pool.driver.mode}"
            return replace(
                removed(was, earlier, reason),
                pool=pool.name,
                dangers=tuple(self.dangers.get((becomes.name, pool.name), ())),
            )
        return without_ours(becomes, pool, "")

    def gone(self, was: Cluster, becomes: Cluster, found: Objects) -> Iterator[PoolImpact]:
        """Pools that are no longer declared, unless another one has their object or takes their nodes."""
        names = {pool.name for pool in becomes.pools}
        kept = {pool.object_name for pool in becomes.managed_pools}
        for pool in was.managed_pools:
            if pool.name in names or pool.object_name in kept:
                continue
            old = (found.of_driver(pool.object_name) or _NOTHING).was
            if old is not None and any(takes_over(each, old) for each in becomes.managed_pools):
                continue
            lifted = self.dangers.get((becomes.name, pool.name), ())
            if was.operator.driver_api is DriverApi.NVIDIADRIVER:
                dangers = (pruned(was, pool), *lifted)
                yield replace(removed(was, pool, "the pool is no longer declared"), dangers=dangers)
            else:
                yield replace(
                    removed(was, pool, "the pool is no longer declared"),
                    outcome=Outcome.NONE,
                    dangers=tuple(lifted),
                    undecided=("nodes of it that stay keep the driver of the cluster, and nothing says their kernels",),
                )


class _Nothing(Struct, frozen=True):
    was: DriverObject | None = None


_NOTHING = _Nothing()


def _earlier(was: Cluster, pool: Pool, found: Objects) -> Pool | None:
    """The pool before: by the object that it has, or that it takes the nodes of; else by its name."""
    if pool.driver.managed:
        here = found.of_driver(pool.object_name)
        taken = None if here is not None and here.becomes is None else _taken(pool, found)
        names = [pool.object_name, *([taken.name] if taken is not None else [])]
        for name in names:
            for each in was.managed_pools:
                if each.object_name == name:
                    return each
    return next((each for each in was.pools if each.name == pool.name), None)


def _taken(pool: Pool, found: Objects) -> DriverObject | None:
    """The object that goes while this pool takes its nodes."""
    return next((old for old in found.gone() if takes_over(pool, old)), None)


def _noted(was: Sequence[Workload], becomes: Sequence[Workload]) -> Iterator[Noted]:
    """The workloads and budgets of a cluster that only one side declares, new ones first, by their names."""
    for presence, mine, others in ((Presence.ADDED, becomes, was), (Presence.REMOVED, was, becomes)):
        names = {(workload.team, workload.name) for workload in others}
        budgets = {(budget.namespace, budget.name) for workload in others for budget in workload.budgets}
        for workload in mine:
            if (workload.team, workload.name) not in names:
                yield Noted(what="workload", name=workload.name, team=workload.team, presence=presence)
            for budget in workload.budgets:
                if (budget.namespace, budget.name) not in budgets:
                    name = f"{budget.namespace}/{budget.name}"
                    yield Noted(what="budget", name=name, team=workload.team, presence=presence)


def _released(was: Cluster, becomes: Cluster) -> bool:
    return was.operator.release != becomes.operator.release


def _roots(found: Objects) -> tuple[str, str]:
    """The host's root is the ClusterPolicy's to say, for NVIDIADrivers too."""
    for (kind, _), pair in found.pairs.items():
        if kind == DriverApi.CLUSTERPOLICY and not pair.same:
            return _root(pair.was), _root(pair.becomes)
    return "", ""


def _root(policy: DriverObject | None) -> str:
    paths = policy.spec.get("hostPaths") if policy is not None else None
    root = paths.get("rootFS") if isinstance(paths, dict) else None
    return root if isinstance(root, str) else ""


def _undecided(pool: Pool, told: Told, images: Iterable[ImageChange]) -> Iterator[str]:
    if told.outcome is Outcome.UNDECIDED:
        yield told.reason
    if told.outcome in TOUCHING and pool.size is None:
        yield "how many nodes it has is not declared"
    if pool.floating and (told.outcome in TOUCHING or list(images)):
        yield "its kernels change without a commit (kernelSource: floating): nodes may ask for other images"
