"""What a change comes to where a driver is ours no longer, or never was."""

from generator.change.danger import Danger, Kind
from generator.change.effect import Outcome
from generator.change.impact import PoolImpact
from generator.declared.fleet import Cluster, Mode, Pool
from generator.layout import OUT


def driver_of(pool: Pool) -> str:
    """The driver as people say it: what it is, and how it comes about unless it is precompiled."""
    driver = pool.driver
    if not driver.managed:
        return f"{driver.mode} {driver.version}".strip()
    return driver.version if driver.mode is Mode.PRECOMPILED else f"{driver.version} {driver.mode}"


def removed(cluster: Cluster, pool: Pool, reason: str) -> PoolImpact:
    if not pool.driver.managed:
        return without_ours(cluster, pool, reason)
    return PoolImpact(
        cluster=cluster.name,
        ring=cluster.ring,
        pool=pool.name,
        outcome=Outcome.REMOVED,
        driver=(driver_of(pool), ""),
        reason=reason,
        nodes=pool.size,
    )


def without_ours(cluster: Cluster, pool: Pool, reason: str) -> PoolImpact:
    return PoolImpact(
        cluster=cluster.name, ring=cluster.ring, pool=pool.name, outcome=Outcome.NONE, reason=reason, nodes=pool.size
    )


def pruned(cluster: Cluster, pool: Pool) -> Danger:
    how = "waits for somebody to confirm its pruning" if pool.protect else "is pruned at once"
    return Danger(
        kind=Kind.REMOVED,
        cluster=cluster.name,
        pool=pool.name,
        message=f'NVIDIADriver "{pool.object_name}" drives nodes of {cluster.name} and {how}',
        way_out="drain its nodes first, or let another pool of a commit before this one take them",
    )


def gone(cluster: Cluster) -> Danger:
    return Danger(
        kind=Kind.REMOVED,
        cluster=cluster.name,
        message=f"cluster {cluster.name} is no longer declared: everything below {OUT}/{cluster.name}/ goes",
        way_out="take the cluster out of the GitOps tool first, so that nothing of it is pruned from a live cluster",
    )
