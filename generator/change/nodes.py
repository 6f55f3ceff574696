"""Which pools the nodes of an earlier pool can belong to after a change: nodes are followed by their labels."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from generator.declared.fleet import Cluster, Mode, Pool
from generator.facts.kernel import architecture
from generator.facts.release import DriverApi
from generator.operator.claim import taken_by


class Machine(Struct, frozen=True, order=True):
    """What a node boots: its kernel in label form ("" where the pool names none), its system and architecture."""

    os_id: str
    os_version: str
    kernel: str
    arch: str

    @property
    def words(self) -> str:
        """The kernel, or the system where none is named."""
        return self.kernel or f"{self.os_id}{self.os_version}"


class Followers(Struct, frozen=True):
    """The pools that may claim the nodes of an earlier pool, in the order of their cluster's file.

    `loads` is the pool whose driver the operator loads on nodes that none of them claims; None where it leaves them
    alone.
    """

    pools: tuple[Pool, ...]
    loads: Pool | None

    @property
    def unclaimed(self) -> bool:
        """Whether the nodes lose their driver: nothing claims them any more."""
        return not self.pools and self.loads is None


def machines(pool: Pool) -> tuple[Machine, ...]:
    """The machines that nodes of the pool run or may boot today, as they are declared, or were declared since."""
    found = dict.fromkeys(_declared(pool))
    for later in pool.later:
        if later.driver.managed:
            found |= dict.fromkeys(_declared(later))
    return tuple(found)


def _declared(pool: Pool) -> Iterator[Machine]:
    if pool.os is None:
        return
    running = [kernel.name for kernel in pool.kernels if not kernel.upcoming]
    for kernel in running or [""]:
        for arch in pool.arch:
            if architecture(kernel) in {None, arch}:
                yield Machine(pool.os.id, pool.os.version, kernel, arch)


def followers(was: Cluster, pool: Pool, becomes: Cluster) -> Followers:
    """Where the nodes of a pool of the cluster as it was can go in the cluster as it becomes.

    A node of the pool bears at least the labels of its selector. It may bear others, but none by which the earlier
    cluster had another pool for it: two objects for one node, and none is reconciled.
    """
    named = [other for other in becomes.pools if not other.default and other.node_selector]
    certain = tuple(other for other in named if _is_certain(pool, other))
    if certain:
        return Followers(certain, None)
    others = [other.node_selector for other in was.pools if other.name != pool.name and other.node_selector]
    possible = [other for other in named if _is_possible(pool, other) and not _belongs(other, others)]
    rest = [other for other in becomes.pools if other.default or not other.node_selector]
    chosen = frozenset(other.name for other in (*possible, *rest))
    found = tuple(other for other in becomes.pools if other.name in chosen)
    return Followers(found, None if rest else _left_over(becomes))


def _is_certain(pool: Pool, other: Pool) -> bool:
    """Whether the other pool's selector matches every node of the pool."""
    if not pool.node_selector:
        return False
    return all(pool.node_selector.get(key) == value for key, value in other.node_selector.items())


def _is_possible(pool: Pool, other: Pool) -> bool:
    """Whether a node can bear the labels of both selectors."""
    return all(pool.node_selector.get(key, value) == value for key, value in other.node_selector.items())


def _belongs(other: Pool, selectors: list[Mapping[str, str]]) -> bool:
    """Whether what the other pool claims was claimed by another pool before: it asks for all labels of that one."""
    asked = other.node_selector.items()
    return any(asked >= selector.items() for selector in selectors)


def _left_over(cluster: Cluster) -> Pool | None:
    """A ClusterPolicy's driver is loaded on every GPU node, declared or not."""
    return taken_by(cluster) if cluster.operator.driver_api is DriverApi.CLUSTERPOLICY else None


def may_have_nodes(pool: Pool) -> bool:
    """Whether any node can be there: a pool that is declared with none has none."""
    return pool.size is None or pool.size.max > 0


def one_size(was: Pool, becomes: Pool) -> bool:
    """Whether the pool has the same fixed number of nodes before and after: none is added while the change arrives.

    Numbers of pools that select otherwise are numbers of other nodes.
    """
    if was.size is None or was.size != becomes.size or was.size.min != was.size.max:
        return False
    return was.node_selector == becomes.node_selector


def is_hosts_own(pool: Pool) -> bool:
    """Whether the operator has no part in the driver of the pool's nodes."""
    return pool.driver.mode in {Mode.PREINSTALLED, Mode.UNMANAGED}
