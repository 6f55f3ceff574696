"""Whether a pool's driver meets a CUDA need, as of the catalog: a branch tag says which driver is in it only there.

One answer for the rules, for the verbs, and for what is rendered: the required nodeAffinity of a workload has its need
and its own terms as nodeSelectorTerms.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache

from msgspec import Struct

from generator.declared.catalog import Catalog
from generator.declared.fleet import Cluster, Mode, Pool
from generator.declared.workload import Workload
from generator.facts import branch as branches
from generator.facts import driver as drivers
from generator.facts import label
from generator.facts.affinity import Term
from generator.facts.cuda import Need, newest_toolkit
from generator.facts.cudachoice import By, Compatibility, LabelFamily
from generator.facts.driveraffinity import PoolSelector, labels_of, placement
from generator.facts.driverrange import EVERY, Range, after, of_branch
from generator.operator.combination import combinations

FAMILIES = frozenset(branches.Family)
SYSTEM = "kubernetes.io/os"


class Verdict(StrEnum):
    """What can be said of a need on a pool."""

    RUNS = "runs"
    TOO_OLD = "too old"
    CANNOT_TELL = "cannot tell"


class Loaded(Struct, frozen=True, kw_only=True):
    """A driver that nodes of a pool load: `version` is exact, or "" where only the branch, or nothing, is known.

    `image` is the tag that it comes in, "" for a driver of the host's own.
    """

    version: str
    branch: str
    image: str = ""
    platform: str = ""
    upcoming: bool = False

    @property
    def may_be(self) -> Range:
        """Every version that it can be."""
        if self.version:
            exact = drivers.order_key(self.version)
            return Range(exact, after(exact))
        if not self.branch:
            return EVERY
        life = branches.life(self.branch)
        first = drivers.order_key(life.first_release) if life and life.first_release else (0, 0, 0)
        return of_branch(int(self.branch), first)

    @property
    def name(self) -> str:
        """The version, or the branch, or that neither is known."""
        return self.version or (f"branch {self.branch}" if self.branch else "an unknown driver")

    @property
    def cuda(self) -> str:
        """The highest CUDA version that it supports; "" where that isn't known."""
        return branches.cuda(self.branch) if self.branch else ""

    def toolkit(self, compatibility: Compatibility) -> str:
        """The newest toolkit that runs on it: any of its CUDA major, or the newest that it is paired with; or ""."""
        if compatibility is Compatibility.MINOR_VERSION:
            return f"{self.cuda.partition('.')[0]}.x" if self.cuda else ""
        return newest_toolkit(self.may_be.low) if self.branch else ""


class Answer(Struct, frozen=True):
    """The verdict on a pool, and the drivers that it rests on: those that fall short, or that leave it open."""

    verdict: Verdict
    drivers: tuple[Loaded, ...] = ()


def loaded(cluster: Cluster, pool: Pool, catalog: Catalog | None) -> tuple[Loaded, ...]:
    """The drivers that a pool's nodes load, each once, for running kernels first; () where the pool names none.

    Without a catalog only what the inventory declares counts.
    """
    if pool.driver.mode is Mode.UNMANAGED:
        return ()
    distinct: dict[tuple[str, bool], Loaded] = {}
    for driver in _all_loaded(cluster, pool, catalog):
        distinct.setdefault((driver.version, driver.upcoming), driver)
    running = {version for version, upcoming in distinct if not upcoming}
    return tuple(driver for driver in distinct.values() if not driver.upcoming or driver.version not in running)


def answer(need: Need, compatibility: Compatibility, drivers_of_pool: Sequence[Loaded]) -> Answer:
    """Whether all of a pool's drivers meet a need. One that falls short decides, then one that leaves it open."""
    judged = [(driver, _met(need, compatibility, driver.version, driver.branch)) for driver in drivers_of_pool]
    short = tuple(driver for driver, met in judged if met is False)
    if short:
        return Answer(Verdict.TOO_OLD, short)
    unsure = tuple(driver for driver, met in judged if met is None)
    return Answer(Verdict.CANNOT_TELL, unsure) if unsure or not judged else Answer(Verdict.RUNS, tuple(drivers_of_pool))


@cache
def _met(need: Need, compatibility: Compatibility, version: str, branch: str) -> bool | None:
    """Fleets have many pools and workloads, and few drivers and needs."""
    return need.satisfied(Loaded(version=version, branch=branch).may_be, compatibility)


def selectors(cluster: Cluster, pools: Iterable[Pool], need: Need, compatibility: Compatibility) -> list[PoolSelector]:
    """The pools that a workload's rendered affinity may name: all whose declared driver isn't too old.

    The catalog is left out, so that recording a version changes no manifest: the gate judges with it.
    """
    return [
        PoolSelector(pool.node_selector, from_zero(pool))
        for pool in pools
        if answer(need, compatibility, loaded(cluster, pool, None)).verdict is not Verdict.TOO_OLD
    ]


def from_zero(pool: Pool) -> bool:
    """Whether the pool can be without a node, so that none bears a driver's labels."""
    return pool.size is not None and pool.size.min == 0


def known_labels(pool: Pool, drivers_of_pool: Sequence[Loaded]) -> dict[str, str]:
    """Labels that every node of the pool has, as far as the inventory and the catalog tell."""
    labels = {SYSTEM: "linux", label.GPU_PRESENT: "true", **pool.node_selector}
    if pool.os:
        labels |= {label.OS_ID: pool.os.id, label.OS_VERSION: pool.os.version}
    if len(pool.arch) == 1:
        labels[label.ARCH] = pool.arch[0]
    if len({(driver.version, driver.branch) for driver in drivers_of_pool}) == 1:
        only = drivers_of_pool[0]
        labels |= labels_of(only.version) or {family.keys[0]: only.branch for family in LabelFamily if only.branch}
    return labels


def _all_loaded(cluster: Cluster, pool: Pool, catalog: Catalog | None) -> Iterator[Loaded]:
    written = pool.driver.version.partition("-")[0]
    known = drivers.is_driver(written)
    exact = written if known and not drivers.is_branch(written) else ""
    plain = Loaded(version=exact, branch=drivers.branch(written) if known else "")
    images = combinations(cluster, pool)
    if not images:
        yield plain
    for image in images:
        recorded = exact or _recorded(catalog, image.repository, image.tag)
        yield Loaded(
            version=recorded,
            branch=drivers.branch(recorded) if recorded else plain.branch,
            image=image.tag,
            platform=image.platform,
            upcoming=image.upcoming,
        )


def _recorded(catalog: Catalog | None, repository: str, tag: str) -> str:
    """The exact driver that the catalog records behind a tag; "" where it records none."""
    entry = catalog.find(repository, tag) if catalog else None
    version = (entry.driver_version if entry else None) or ""
    return version if drivers.is_driver(version) and not drivers.is_branch(version) else ""


def reachable(need: Need, compatibility: Compatibility, pool: Pool) -> bool:
    """Whether some driver that drives the pool's GPUs meets the need; True where the GPUs aren't known."""
    return pool.family not in FAMILIES or _reachable(need, compatibility, branches.Family(pool.family))


@cache
def _reachable(need: Need, compatibility: Compatibility, family: branches.Family) -> bool:
    reach = branches.reach(family)
    low = (int(reach.first_branch or 0), 0, 0)
    high = (int(reach.last_branch) + 1, 0, 0) if reach.last_branch else None
    return need.satisfied(Range(low, high), compatibility) is not False


def compatibility_of(workload: Workload, cluster: Cluster) -> Compatibility:
    """The workload's own choice, else the cluster's."""
    return workload.compatibility or cluster.cuda.compatibility


def workload_terms(cluster: Cluster, workload: Workload) -> tuple[Term, ...]:
    """What the workload's pods must require of nodes of the cluster; () where it has no need that labels can say."""
    if workload.cuda is None:
        return ()
    compatibility = compatibility_of(workload, cluster)
    return placement(
        workload.cuda.drivers(compatibility),
        selectors(cluster, cluster.pools_of(workload), workload.cuda, compatibility),
        own=workload.node_selector_terms,
        family=cluster.cuda.labels,
        by=workload.affinity_by,
    )


def need_terms(cluster: Cluster, need: Need, *, by: By = By.LABELS) -> tuple[Term, ...]:
    """What pods with this need must require in the cluster, whichever of its pools that leaves."""
    compatibility = cluster.cuda.compatibility
    return placement(
        need.drivers(compatibility),
        selectors(cluster, cluster.pools, need, compatibility),
        family=cluster.cuda.labels,
        by=by,
    )
