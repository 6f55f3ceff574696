"""The fleet as it would be declared: other kernels, OS, driver or operator for some of its pools."""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from generator.declared.fleet import Cluster, Driver, Fleet, Kernel, Mode, OsRelease, Pool
from generator.facts.kernel import architecture, flavour, label_form
from generator.facts.release import DriverApi, Release


class Stream(Struct, frozen=True, kw_only=True):
    """A node image that pools would be moved to, or one release of it: kernels as they are written."""

    name: str
    os: OsRelease
    arch: tuple[str, ...]
    kernels: tuple[str, ...]


class Asked(Struct, frozen=True, kw_only=True):
    """What is changed, and for which pools; all empty asks for what is declared as upcoming.

    Empty clusters, rings or pools mean all of them. Pools are CLUSTER/POOL, or POOL in every cluster.
    """

    kernels: tuple[str, ...] = ()
    os: OsRelease | None = None
    driver: str = ""
    is_branch: bool = False
    stream: Stream | None = None
    operator: Release | None = None
    clusters: frozenset[str] = frozenset()
    rings: frozenset[str] = frozenset()
    pools: frozenset[str] = frozenset()

    @property
    def changes(self) -> bool:
        """Whether anything but what is declared is asked about."""
        return bool(self.kernels or self.os or self.driver or self.stream or self.operator)

    @property
    def keeps_kernels(self) -> bool:
        """Whether nodes boot the same kernels after the change as before."""
        return self.changes and not self.kernels and self.stream is None

    def chosen(self, cluster: Cluster, pool: Pool) -> bool:
        """Whether a pool is asked about."""
        return (
            (not self.clusters or cluster.name in self.clusters)
            and (not self.rings or cluster.ring in self.rings)
            and (not self.pools or bool(self.pools & {pool.name, f"{cluster.name}/{pool.name}"}))
        )


class Skipped(Struct, frozen=True):
    """A pool that is asked about and that the change is not for."""

    cluster: str
    pool: str
    why: str


class Changed(Struct, frozen=True):
    """A pool before and after, with its cluster before and after."""

    before: tuple[Cluster, Pool]
    after: tuple[Cluster, Pool]


def what_if(fleet: Fleet, asked: Asked) -> Iterator[Changed | Skipped]:
    """Every chosen pool as it would be, in the fleet's order."""
    for cluster in fleet.clusters:
        operator = replace(cluster.operator, release=asked.operator) if asked.operator else cluster.operator
        after = replace(cluster, operator=operator) if asked.operator else cluster
        for pool in cluster.pools:
            if not asked.chosen(cluster, pool):
                yield from _sibling(cluster, pool, asked)
            else:
                why = _unfit(pool, asked)
                if why:
                    yield Skipped(cluster.name, pool.name, why)
                else:
                    yield Changed((cluster, pool), (after, _pool(pool, asked)))


def _sibling(cluster: Cluster, pool: Pool, asked: Asked) -> Iterator[Changed]:
    """A pool that nobody named and that gets the driver along: one ClusterPolicy is for all pools of its cluster."""
    shares = cluster.operator.driver_api is DriverApi.CLUSTERPOLICY and pool.driver.managed
    named = any(asked.chosen(cluster, other) for other in cluster.managed_pools)
    if asked.driver and shares and named and asked.is_branch is pool.driver.is_branch:
        yield Changed((cluster, pool), (cluster, replace(pool, driver=_driver(pool.driver, asked))))


HOST_DRIVERS: Mapping[Mode, str] = {
    Mode.PREINSTALLED: "its driver is preinstalled: no image is asked for",
    Mode.UNMANAGED: "its driver is unmanaged: no image is asked for",
}


def _unfit(pool: Pool, asked: Asked) -> str:
    """Why a change is not for a pool; "" where it is."""
    if not pool.driver.managed:
        return HOST_DRIVERS[pool.driver.mode]
    if asked.kernels and pool.driver.mode is Mode.COMPILED:
        return "its driver is compiled on the node: the tag names no kernel"
    if asked.kernels and not any(_boots(pool, kernel) for kernel in asked.kernels):
        return f"it boots kernels like {_example(pool)}"
    if asked.is_branch and not pool.driver.is_branch:
        return f"its driver is an exact version, {pool.driver.version}: name an exact one of {asked.driver}"
    if not asked.changes and not any(kernel.upcoming for kernel in pool.kernels):
        return "nothing is declared as upcoming"
    return ""


def unbooted(fleet: Fleet, asked: Asked) -> Iterator[str]:
    """The kernels that no chosen pool boots the like of; none where no pool names any."""
    chosen = (pool for cluster in fleet.clusters for pool in cluster.pools if asked.chosen(cluster, pool))
    pools = [pool for pool in chosen if pool.kernels]
    return (kernel for kernel in asked.kernels if pools and not any(_boots(pool, kernel) for pool in pools))


def _example(pool: Pool) -> str:
    kernels = [kernel.name for kernel in pool.kernels]
    return kernels[0] if kernels else "none"


def _boots(pool: Pool, kernel: str) -> bool:
    """Whether a kernel is of the kind that the pool's nodes boot: its machine, flavour and distribution."""
    machine = architecture(kernel)
    if machine and machine not in pool.arch:
        return False
    mine = {_kind(one.name) for one in pool.kernels}
    return not mine or _kind(label_form(kernel)) in mine


def _kind(kernel: str) -> tuple[str, str]:
    """The flavour, and the word that rpm-like releases name their distribution by."""
    release = next((part for part in kernel.split(".") if part.startswith("el")), "")
    return flavour(kernel), release.partition("_")[0]


def _pool(pool: Pool, asked: Asked) -> Pool:
    made = pool
    if asked.stream is not None:
        kernels = tuple(_kernel(pool, text) for text in asked.stream.kernels)
        made = replace(made, node_image=asked.stream.name, os=asked.stream.os, arch=asked.stream.arch, kernels=kernels)
    if asked.kernels:
        kernels = tuple(_kernel(pool, text) for text in asked.kernels if _boots(pool, text))
        made = replace(made, kernels=kernels)
    if asked.os is not None:
        made = replace(made, os=asked.os)
    return replace(made, driver=_driver(made.driver, asked)) if asked.driver else made


def _driver(driver: Driver, asked: Asked) -> Driver:
    return replace(driver, version=asked.driver, is_branch=asked.is_branch)


def _kernel(pool: Pool, text: str) -> Kernel:
    return Kernel(label_form(text), text, upcoming=True, file=pool.file, path=pool.path)
