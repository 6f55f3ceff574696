"""Which kernels of a pool no node runs, as an audit saw it: evidence beats what git declares."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from msgspec import Struct
from msgspec.structs import replace

from generator.declared.fleet import Cluster, Fleet, Pool
from generator.facts.kernel import label_form
from generator.observed.evidence import SeenCluster, SeenFleet, SeenNode
from generator.words import counted


class Seen(Struct, frozen=True):
    """The kernels that nodes run, by cluster and pool, where an audit can tell; and notes of what it was used for."""

    kernels: Mapping[tuple[str, str], frozenset[str]]
    notes: tuple[str, ...]


NOTHING_SEEN = Seen({}, ())


def seen(fleet: Fleet, releases: Mapping[str, Mapping[str, str]], audits: Sequence[SeenFleet], day: date) -> Seen:
    """What the audits prove of the fleet as it was, judged on this day.

    `releases` are the kernels of each node image by its releases, as they are written.
    """
    kernels: dict[tuple[str, str], frozenset[str]] = {}
    notes: list[str] = []
    for audit in audits:
        for observed in audit.clusters:
            cluster = _cluster(fleet, observed.cluster)
            if cluster is None:
                continue
            if not _is_fresh(cluster, audit, day):
                notes.append(_too_old(cluster, audit, day))
                continue
            for pool in cluster.managed_pools:
                run = _run(pool, observed, releases.get(pool.node_image, {}))
                idle = _idle(pool, run) if run is not None else []
                if run is not None and idle:
                    kernels[cluster.name, pool.name] = run
                    notes.append(_used(cluster, pool, audit, observed, idle))
    return Seen(kernels, tuple(notes))


def without_idle(fleet: Fleet, found: Seen) -> Fleet:
    """The fleet as it was, without running kernels that no node runs; a pool keeps all where none of them is run."""
    if not found.kernels:
        return fleet
    clusters = []
    for cluster in fleet.clusters:
        pools = tuple(_without_idle(pool, found.kernels.get((cluster.name, pool.name))) for pool in cluster.pools)
        clusters.append(replace(cluster, pools=pools))
    return replace(fleet, clusters=tuple(clusters))


def _without_idle(pool: Pool, run: frozenset[str] | None) -> Pool:
    if run is None:
        return pool
    kept = tuple(kernel for kernel in pool.kernels if kernel.upcoming or kernel.name in run)
    return replace(pool, kernels=kept) if any(not kernel.upcoming for kernel in kept) else pool


def _cluster(fleet: Fleet, name: str) -> Cluster | None:
    for cluster in fleet.clusters:
        if cluster.name == name:
            return cluster
    return None


def _is_fresh(cluster: Cluster, audit: SeenFleet, day: date) -> bool:
    """Whether it was taken on the judged day, or not longer before it than the cluster allows."""
    return timedelta() <= day - audit.day <= timedelta(days=cluster.observed_max_age)


def _too_old(cluster: Cluster, audit: SeenFleet, day: date) -> str:
    allowed = f"observedMaxAge of cluster {cluster.name} is {cluster.observed_max_age}d"
    return f"{audit.file} is no evidence for {cluster.name}: it is of {audit.time}, judged is {day}, and {allowed}"


def _run(pool: Pool, observed: SeenCluster, releases: Mapping[str, str]) -> frozenset[str] | None:
    """The kernels that the pool's nodes run; None where the audit can't tell.

    A node that no pool claims may be one of its nodes. No other node may come up with what none of these runs: the pool
    has a fixed number of nodes, and all of them were seen, or every node says by its label that it is of a newer
    release of the node image.
    """
    nodes = [node for node in observed.nodes if node.pool in {"", pool.name}]
    if not nodes or not all(node.kernels for node in nodes):
        return None
    run = frozenset(kernel for node in nodes for kernel in node.kernels)
    mine = [node for node in nodes if node.pool == pool.name]
    if pool.size is not None and pool.size.min == pool.size.max == len(mine):
        return run
    return run if _are_of_newer_releases(mine, run, releases) else None


def _are_of_newer_releases(nodes: Sequence[SeenNode], run: frozenset[str], releases: Mapping[str, str]) -> bool:
    """Whether each node is labelled with a release of the node image, and none with one whose kernel nobody runs."""
    old = [release for release, kernel in releases.items() if label_form(kernel) not in run]
    return bool(nodes) and all(node.release in releases and node.release not in old for node in nodes)


def _idle(pool: Pool, run: frozenset[str]) -> list[str]:
    """The running kernels that no node runs; none where that is all of them, so that something else is wrong."""
    running = [kernel for kernel in pool.kernels if not kernel.upcoming]
    idle = [kernel.written for kernel in running if kernel.name not in run]
    return idle if len(idle) < len(running) else []


def _used(cluster: Cluster, pool: Pool, audit: SeenFleet, observed: SeenCluster, idle: Sequence[str]) -> str:
    count = sum(node.pool == pool.name for node in observed.nodes)
    names = ", ".join(idle)
    return (
        f"by {audit.file} of {audit.time}, none of {counted(count, 'node')} of {cluster.name}/{pool.name} runs {names}"
    )
