"""What shows only when all nodes of a pool are looked at together."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from generator.audit.difference import Difference, What, difference
from generator.audit.live import Live
from generator.audit.node import Standing
from generator.declared.catalog import Catalog
from generator.declared.fleet import Cluster, Mode, Pool
from generator.facts.label import KERNEL, OS_VERSION
from generator.facts.reference import parse
from generator.operator.ask import Answer, Asks
from generator.words import counted, shortened

SHOWN = 5


class System(Struct, frozen=True, order=True):
    """One OS and kernel of a pool, and the nodes that run it, sorted."""

    os: str
    kernel: str
    arch: str
    nodes: tuple[str, ...]


class PoolStanding(Struct, frozen=True):
    """A declared pool as its nodes show it."""

    pool: str
    nodes: int
    systems: tuple[System, ...]


def standings(cluster: Cluster, nodes: Sequence[Standing]) -> tuple[PoolStanding, ...]:
    """Every declared pool, in the order of the cluster's file, those without a node too."""
    of: dict[str, dict[tuple[str, str, str], list[str]]] = {pool.name: {} for pool in cluster.pools}
    for one in nodes:
        if one.pool:
            of[one.pool].setdefault((one.os, one.kernel, one.arch), []).append(one.node)
    return tuple(
        PoolStanding(
            name,
            sum(len(nodes) for nodes in systems.values()),
            tuple(System(*key, nodes=tuple(sorted(found))) for key, found in sorted(systems.items())),
        )
        for name, systems in of.items()
    )


def differences(cluster: Cluster, pools: Sequence[PoolStanding]) -> Iterator[Difference]:
    """Pools that are mixed, of another size than declared, or declare what nobody runs."""
    by_name = {pool.name: pool for pool in cluster.pools}
    for standing in pools:
        pool = by_name[standing.pool]
        yield from _mixed(cluster, pool, standing)
        yield from _size(cluster, pool, standing)
        yield from _unused(cluster, pool, standing)


def _mixed(cluster: Cluster, pool: Pool, standing: PoolStanding) -> Iterator[Difference]:
    """Several kernels are what a roll looks like; several releases of an OS are what no roll should be."""
    systems = sorted({system.os for system in standing.systems if system.os})
    if len(systems) > 1:
        told = "; ".join(f"{one.os} with {one.kernel}: {shortened(one.nodes, SHOWN)}" for one in standing.systems)
        hint = "split the pool by OS, or finish the migration: under a ClusterPolicy the first node decides for all"
        yield difference(cluster, What.MIXED, f"its nodes run {' and '.join(systems)} ({told})", hint, pool=pool.name)


def _size(cluster: Cluster, pool: Pool, standing: PoolStanding) -> Iterator[Difference]:
    size = pool.size
    if size is None or size.min <= standing.nodes <= size.max:
        return
    wanted = f"{size.min}" if size.min == size.max else f"{size.min} to {size.max}"
    message = f"it has {counted(standing.nodes, 'GPU node')}, and {wanted} {'is' if wanted == '1' else 'are'} declared"
    yield difference(
        cluster, What.POOL_SIZE, message, "correct `nodes` of the pool, or see where its nodes are", pool=pool.name
    )


def _unused(cluster: Cluster, pool: Pool, standing: PoolStanding) -> Iterator[Difference]:
    """A pool without nodes says nothing of its kernels, and a node without the label may run any."""
    run = {system.kernel for system in standing.systems}
    if pool.driver.mode is not Mode.PRECOMPILED or not run or "" in run:
        return
    idle = sorted({kernel.name for kernel in pool.kernels if not kernel.upcoming} - run)
    if idle:
        message = f"no node runs {', '.join(idle)}, which {'are' if len(idle) > 1 else 'is'} declared as running"
        hint = "leave it for scale-up and rollback, or remove it once nothing can boot it"
        yield difference(cluster, What.RUN_BY_NOBODY, message, hint, pool=pool.name)


def name_collisions(cluster: Cluster, answers: Iterable[tuple[str, Answer]]) -> Iterator[Difference]:
    """Nodes of one NVIDIADriver that the operator divides into pools of one name: only one of them gets a driver."""
    named: dict[tuple[str, str], dict[tuple[tuple[str, str], ...], list[str]]] = {}
    for node, answer in answers:
        if isinstance(answer, Asks) and answer.node_pool is not None:
            selector = tuple(sorted(answer.node_pool.node_selector.items()))
            named.setdefault((answer.pool.name, answer.node_pool.name), {}).setdefault(selector, []).append(node)
    for (pool, name), selectors in sorted(named.items()):
        if len(selectors) < 2:
            continue
        groups = [f"{_system_of(dict(selector))} ({shortened(nodes, SHOWN)})" for selector, nodes in selectors.items()]
        message = (
            f'the operator names its DaemonSets for {" and ".join(groups)} all "{name}", and makes one of them only'
        )
        hint = "split the pool, so that each has one OS version, and kernels of one architecture and page size"
        yield difference(cluster, What.DRIVER_POD, message, hint, pool=pool)


def _system_of(selector: Mapping[str, str]) -> str:
    """What tells the nodes of a node pool apart from those of another."""
    return " with ".join(selector[key] for key in (OS_VERSION, KERNEL) if key in selector)


def rebuilt(cluster: Cluster, live: Live, nodes: Sequence[Standing], catalog: Catalog) -> Iterator[Difference]:
    """One tag that nodes of one architecture have pulled as two images: it was pushed again in between."""
    pulled: dict[tuple[str, str], dict[str, list[str]]] = {}
    for one in nodes:
        pod = live.driver_pods.get(one.node)
        found = (
            next((each for each in pod.containers if each.image == one.runs and each.image_id), None) if pod else None
        )
        if found is not None and one.runs:
            digest = found.image_id.rpartition("@")[2]
            pulled.setdefault((one.runs, one.arch), {}).setdefault(digest, []).append(one.node)
    for (image, _), digests in sorted(pulled.items()):
        if len(digests) > 1:
            recorded = _recorded(catalog, image)
            told = "; ".join(
                f"{digest}{' (as in the catalog)' if digest == recorded else ''} on {shortened(sorted(found), SHOWN)}"
                for digest, found in sorted(digests.items())
            )
            message = f"two builds of one tag run: {image} is {told}"
            hint = "restart the older driver pods where the new build matters: the tag was pushed again"
            yield difference(cluster, What.REBUILT, message, hint)


def _recorded(catalog: Catalog, image: str) -> str:
    found = parse(image)
    if found is None:
        return ""
    entry = catalog.find(f"{found.registry}/{found.repository}", found.tag)
    return (entry.digest or "") if entry else ""
