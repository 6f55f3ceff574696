"""The fleet as it is declared: effective values, frozen, with where each of them was said."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from generator.declared.delivery import NONE, Delivery
from generator.declared.layers import Level, Path, origin
from generator.declared.texts import Texts
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


class Taint(Struct, frozen=True):
    """A node's taint; an empty value means that none was given."""

    key: str
    value: str
    effect: str

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


class Size(Struct, frozen=True):
    """How many nodes a pool may have."""

    min: int
    max: int


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


class Pool(Struct, frozen=True, kw_only=True):
    """GPU nodes that share selector, node image or kernels, and driver."""

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
    protect: bool = True

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
    """A rule that is ignored or lowered. Empty clusters or pools mean all of them."""

    rule: str
    ignore: bool
    reason: str
    clusters: frozenset[str]
    pools: frozenset[str]
    file: str
    path: Path


class Cluster(Struct, frozen=True, kw_only=True):
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

    @property
    def managed_pools(self) -> tuple[Pool, ...]:
        """The pools whose driver the operator loads from an image."""
        return tuple(pool for pool in self.pools if pool.driver.managed)


class Fleet(Struct, frozen=True, kw_only=True):
    """All clusters of a repository, sorted by name."""

    name: str
    file: str
    clusters: tuple[Cluster, ...]
    crds: tuple[str, ...]
    silences: tuple[SilenceEntry, ...]
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
