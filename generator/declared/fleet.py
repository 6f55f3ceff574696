"""The fleet as it is declared: effective values, frozen, with where each of them was said."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from functools import cached_property
from typing import Any

from msgspec import Struct

from generator.declared.delivery import NONE, Delivery
from generator.declared.kernel_twice import KernelTwice
from generator.declared.layers import Level, origin
from generator.declared.mirror import Mirror
from generator.declared.modelparts import Size
from generator.declared.workload import Workload, WorkloadBudget
from generator.documents.places import Path
from generator.documents.texts import Texts
from generator.facts.cudachoice import Compatibility, LabelFamily
from generator.facts.release import DriverApi, Release
from generator.finding import Place


class Mode(StrEnum):
    """How a pool's nodes come by their driver."""

    PRECOMPILED = "precompiled"
    COMPILED = "compiled"
    PREINSTALLED = "preinstalled"
    UNMANAGED = "unmanaged"


class Install(StrEnum):
    """What brings a cluster's ClusterPolicy."""

    HELM = "helm"
    MANIFEST = "manifest"
    OLM = "olm"


class OsRelease(Struct, frozen=True):
    """NFD's system-os_release.ID and VERSION_ID."""

    id: str
    version: str

    def __str__(self) -> str:
        return f"{self.id}{self.version}"


class Source(Struct, frozen=True, kw_only=True):
    """Where a part of the inventory lives: a repository, a branch or tag of it, a folder in it ("" for all of it)."""

    name: str
    url: str
    ref: str
    path: str


# How many days old an audit may be to count as evidence, where nothing else is declared.
OBSERVED_MAX_AGE = 1


class CudaSettings(Struct, frozen=True):
    """How a cluster's CUDA needs are read and written."""

    compatibility: Compatibility = Compatibility.MINOR_VERSION
    labels: LabelFamily = LabelFamily.DRIVER


class Taint(Struct, frozen=True):
    """A node's taint; an empty value means that none was given."""

    key: str
    value: str
    effect: str

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


class Kernel(Struct, frozen=True):
    """A kernel that nodes may boot: its label form, and where it was declared."""

    name: str
    written: str
    upcoming: bool
    file: str
    path: Path


class Driver(Struct, frozen=True, kw_only=True):
    """The effective driver settings of a pool. `spec` holds the user's other fields of the driver API."""

    mode: Mode
    repository: str = ""
    version: str = ""
    is_branch: bool = False
    module_type: str = "auto"
    upgrade_policy: Mapping[str, Any] = {}
    spec: Mapping[str, Any] = {}

    @property
    def managed(self) -> bool:
        """Whether the operator loads this driver from an image."""
        return self.mode in {Mode.PRECOMPILED, Mode.COMPILED}


class Hold(Struct, frozen=True):
    """Why the driver of a pool may not change for now, and the last day that this was meant for, if one was named."""

    reason: str
    until: date | None = None

    def __str__(self) -> str:
        return f"{self.reason} (until {self.until})" if self.until else self.reason

    def has_ended(self, day: date) -> bool:
        """Whether its last day is before this one."""
        return self.until is not None and self.until < day


class Pool(Struct, frozen=True, kw_only=True):
    """GPU nodes that share selector, node image or kernels, and driver. A `hold` forbids that the driver changes.

    `later` is how revisions declare the pool that were merged after this one, where that was asked for: its nodes may
    run what any of them declares.
    """

    name: str
    cluster: str
    driver: Driver
    object_name: str
    file: str
    levels: tuple[Level, ...]
    owner: str = ""
    node_selector: Mapping[str, str] = {}
    default: bool = False
    taints: tuple[Taint, ...] = ()
    size: Size | None = None
    family: str = ""
    secure_boot: bool | None = None
    node_image: str = ""
    os: OsRelease | None = None
    arch: tuple[str, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    floating: bool = False
    renamed_from: str = ""
    hold: Hold | None = None
    protect: bool = True
    later: tuple["Pool", ...] = ()

    @property
    def path(self) -> Path:
        """Where the pool stands in its cluster's file."""
        return ("pools", self.name)


class Operator(Struct, frozen=True, kw_only=True):
    """The effective operator settings of a cluster."""

    release: Release
    namespace: str
    install: Install
    policy_name: str
    policy_base: str
    driver_api: DriverApi


class SilenceEntry(Struct, frozen=True, kw_only=True):
    """A rule that is ignored or lowered, `until` the last day that this was meant for, if one was named.

    Empty clusters, pools or workloads mean all of them.
    """

    rule: str
    ignore: bool
    reason: str
    until: date | None
    clusters: tuple[str, ...]
    pools: tuple[str, ...]
    workloads: tuple[str, ...]
    file: str
    path: Path

    def has_ended(self, day: date) -> bool:
        """Whether its last day is before this one."""
        return self.until is not None and self.until < day


class Cluster(Struct, frozen=True, kw_only=True, dict=True):
    """One cluster with its pools in the order of its file."""

    name: str
    file: str
    operator: Operator
    pools: tuple[Pool, ...]
    levels: tuple[Level, ...]
    ring: str = ""
    kube_context: str = ""
    profile: str = ""
    protect: bool = True
    delivery: Delivery = NONE
    cuda: CudaSettings = CudaSettings()
    observed_max_age: int = OBSERVED_MAX_AGE

    @property
    def managed_pools(self) -> tuple[Pool, ...]:
        """The pools whose driver the operator loads from an image."""
        return tuple(pool for pool in self.pools if pool.driver.managed)

    @cached_property
    def _by_name(self) -> dict[str, Pool]:
        return {pool.name: pool for pool in self.pools}

    def pools_of(self, workload: Workload) -> tuple[Pool, ...]:
        """The pools that a workload may run on, sorted by name."""
        return tuple(self._by_name[name] for name in workload.pools if name in self._by_name)


class WithPlaces(Struct, frozen=True, kw_only=True):
    """What knows where its clusters, pools and workloads, and their settings, stand in the files of the repository."""

    texts: Texts

    def said(self, of: Pool | Cluster, *path: str | int) -> Place:
        """Where an effective setting was said; the pool or cluster itself where nothing says it."""
        found = origin(of.levels, path)
        if found:
            level, whole = found
            return self.texts.value(level.file, whole)
        return self.texts.key(of.file, of.path) if isinstance(of, Pool) else self.texts.value(of.file, ())

    def at(self, of: Pool | Cluster, *path: str | int) -> Place:
        """A place in the cluster's own file, by the path inside the pool or the cluster."""
        start = of.path if isinstance(of, Pool) else ()
        return self.texts.value(of.file, (*start, *path)) if path else self.texts.key(of.file, start)

    def kernel_place(self, kernel: Kernel) -> Place:
        """Where a kernel was declared."""
        return self.texts.value(kernel.file, kernel.path)

    def workload_place(self, workload: Workload, *path: str | int) -> Place:
        """A place in the team's own file, by the path inside the workload."""
        whole = (*workload.path, *path)
        return self.texts.value(workload.file, whole) if path else self.texts.key(workload.file, whole)

    def budget_place(self, budget: WorkloadBudget, *path: str | int) -> Place:
        """Where a budget says something: in the team's file, or in its manifest, where the path begins with spec."""
        return self.texts.value(budget.file, (*budget.path, *path))


class Fleet(WithPlaces, frozen=True, kw_only=True, dict=True):
    """All clusters of a repository, and the workloads that run on them, each sorted by name."""

    name: str
    file: str
    clusters: tuple[Cluster, ...]
    crds: tuple[str, ...]
    mirrors: Mapping[str, Mirror]
    silences: tuple[SilenceEntry, ...]
    workloads: tuple[Workload, ...] = ()
    sources: tuple[Source, ...] = ()
    kernels_twice: tuple[KernelTwice, ...] = ()

    @cached_property
    def _running(self) -> dict[tuple[str, str], tuple[Workload, ...]]:
        found: dict[tuple[str, str], list[Workload]] = {}
        pools = {cluster.name: frozenset(pool.name for pool in cluster.pools) for cluster in self.clusters}
        for workload in self.workloads:
            names = frozenset(workload.pools)
            for cluster in workload.clusters:
                for pool in names & pools.get(cluster, frozenset()):
                    found.setdefault((cluster, pool), []).append(workload)
        return {key: tuple(listed) for key, listed in found.items()}

    def running(self, cluster: Cluster | str, pool: Pool | str) -> tuple[Workload, ...]:
        """The workloads that may run on a pool's nodes, sorted by name."""
        names = (cluster if isinstance(cluster, str) else cluster.name, pool if isinstance(pool, str) else pool.name)
        return self._running.get(names, ())

    @cached_property
    def _of_cluster(self) -> dict[str, tuple[Workload, ...]]:
        found: dict[str, list[Workload]] = {}
        for workload in self.workloads:
            for cluster in workload.clusters:
                found.setdefault(cluster, []).append(workload)
        return {name: tuple(listed) for name, listed in found.items()}

    def workloads_of(self, cluster: Cluster | str) -> tuple[Workload, ...]:
        """The workloads that may run on any pool of a cluster, sorted by name."""
        return self._of_cluster.get(cluster if isinstance(cluster, str) else cluster.name, ())
