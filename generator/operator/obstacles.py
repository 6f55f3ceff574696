"""What stands in the way of a newer driver on a pool: its GPUs, its owner, its neighbours, or what runs there."""

from collections.abc import Iterator, Sequence

from generator.declared.fleet import Cluster, Fleet, Mode, Pool
from generator.declared.workload import Workload
from generator.facts import affinity
from generator.facts import branch as branches
from generator.facts.branch import Family
from generator.facts.driveraffinity import labels_of
from generator.facts.driverrange import Range
from generator.facts.release import DriverApi
from generator.operator.carries import FAMILIES, Loaded, compatibility_of, known_labels


def obstacles(fleet: Fleet, cluster: Cluster, pool: Pool, drivers: Sequence[Loaded]) -> tuple[str, ...]:
    """Everything that does, each in a few words."""
    return (
        *_of_gpus(pool),
        *_of_neighbours(cluster, pool),
        *_of_owner(pool),
        *(
            obstacle
            for workload in fleet.running(cluster, pool)
            for obstacle in _of_workload(cluster, pool, workload, drivers)
        ),
    )


def last_branch(pool: Pool) -> str:
    """The last branch that drives the pool's GPUs; "" where there is no end, or the GPUs aren't known."""
    return branches.reach(Family(pool.family)).last_branch if pool.family in FAMILIES else ""


def _of_gpus(pool: Pool) -> Iterator[str]:
    if last_branch(pool):
        yield f"{last_branch(pool)} is the last branch for {pool.family}"


def _of_neighbours(cluster: Cluster, pool: Pool) -> Iterator[str]:
    """A ClusterPolicy holds one driver for all pools."""
    if cluster.operator.driver_api is not DriverApi.CLUSTERPOLICY or not pool.driver.managed:
        return
    for other in cluster.managed_pools:
        if other is not pool and last_branch(other):
            yield f"one driver with {other.name}, and {last_branch(other)} is the last branch for {other.family}"


def _of_owner(pool: Pool) -> Iterator[str]:
    if pool.driver.mode is Mode.PREINSTALLED:
        yield "the host's own driver"
    if pool.driver.mode is Mode.UNMANAGED:
        yield "unmanaged"
    if pool.hold:
        yield f"held: {pool.hold}"


def _of_workload(cluster: Cluster, pool: Pool, workload: Workload, drivers: Sequence[Loaded]) -> Iterator[str]:
    """A need with an upper end, and own terms that hold today and wouldn't with the newest branch."""
    if workload.cuda and drivers:
        wanted = workload.cuda.drivers(compatibility_of(workload, cluster))
        ends = [span.high for span in wanted if span.high and any(_overlap(span, driver.may_be) for driver in drivers)]
        if ends and not any(span.high is None for span in wanted):
            yield f"{workload.name} needs {workload.cuda}"
            return
    own = workload.node_selector_terms
    known = known_labels(pool, drivers)
    newer = known | labels_of(f"{branches.newest_cuda().branch}.0.0")
    if own and affinity.may_match(own, known) and not affinity.may_match(own, newer):
        yield f"{workload.name} has nodeSelectorTerms that end below"


def _overlap(span: Range, other: Range) -> bool:
    return not span.both(other).empty
