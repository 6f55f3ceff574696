"""What one state of the repository declares: the first half of `assemble`, and all that many verbs need."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from generator import __version__
from generator.declared.build import Built, build
from generator.declared.catalog import Catalog, collect
from generator.declared.fleet import Cluster, Fleet, Pool
from generator.declared.inventory import Inventory, load, stated_kind
from generator.declared.selection import EVERYTHING, Selection, exactly
from generator.finding import Finding, Severity


class Door(Protocol):
    """The one way to the files of a state, be it the work tree, the index or a commit."""

    def __call__(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        """The content of the files at these paths, without those that are not there."""
        ...


class AllButOtherShards(Struct, frozen=True):
    """Everything is read, for the rules that compare clusters; of those only the clusters that are `mine` are judged.

    The clusters `elsewhere` are of other shards.
    """

    mine: frozenset[str]
    elsewhere: frozenset[str]


class Declaration(Struct, frozen=True, kw_only=True):
    """The inventory and the fleet that is built from it, as far as they were asked for.

    `day` is the day that the state is judged on. `selection` says which clusters the fleet holds, `whole` is the fleet
    with the others where those were read too. `findings` are those of reading and building, and `notes` say what is not
    known of the rest of the inventory.
    """

    day: date
    inventory: Inventory
    fleet: Fleet
    selection: Selection = EVERYTHING
    whole: Fleet | None = None
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def blocking(self) -> tuple[Finding, ...]:
        """The findings that leave a part of the inventory unread, in the order of their places."""
        invalid = [finding for finding in self.findings if finding.severity is Severity.INVALID]
        return tuple(sorted(invalid, key=lambda finding: finding.place))

    def catalog(self) -> Catalog:
        """The images that the catalogs list, with the mirrors of the fleet."""
        return collect(self.inventory.catalogs, self.fleet.mirrors)

    def cluster(self, name: str) -> Cluster | None:
        """The cluster of that name, where it could be read."""
        for cluster in self.fleet.clusters:
            if cluster.name == name:
                return cluster
        return None


def pool_of(cluster: Cluster, name: str) -> Pool | None:
    """The pool of that name, where it could be made."""
    for pool in cluster.pools:
        if pool.name == name:
            return pool
    return None


def declare(
    files: Mapping[str, bytes],
    door: Door | None = None,
    *,
    day: date,
    part: Selection | AllButOtherShards = EVERYTHING,
) -> Declaration:
    """Reads and builds the files below inventory/, by their paths, of a state that is judged on this day.

    Manifests of disruption budgets come through the door; without one they are not looked at.
    """
    inventory, built, selection, whole = _built(files, part)
    fleet = built.fleet
    of_budgets: tuple[Finding, ...] = ()
    if door is not None:
        fleet, of_budgets = _with_budgets(fleet, door)
    return Declaration(
        day=day,
        inventory=inventory,
        fleet=fleet,
        selection=selection,
        whole=whole,
        findings=(*inventory.findings, *built.findings, *of_budgets),
    )


def with_sources(declaration: Declaration, lock: bytes | None) -> Declaration:
    """The same with what is wrong with the fleet's sources. `lock` is the lock file, None where there is none."""
    of_sources = _source_problems(declaration, lock)
    return replace(declaration, findings=(*declaration.findings, *of_sources)) if of_sources else declaration


def _source_problems(declaration: Declaration, lock: bytes | None) -> tuple[Finding, ...]:
    fleet = declaration.fleet
    if not fleet.sources and lock is None:
        return ()
    from generator.declared.sources import problems  # few fleets have sources: it is not loaded for the others

    return tuple(problems(fleet.sources, fleet.file, declaration.inventory.texts, lock))


def without_catalogs(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files but those that say that they are catalogs: thousands of images that tell nothing of a pool."""
    return {path: data for path, data in files.items() if stated_kind(data) != "ImageCatalog"}


def _built(
    files: Mapping[str, bytes], part: Selection | AllButOtherShards
) -> tuple[Inventory, Built, Selection, Fleet | None]:
    """The inventory, what is built from it, the clusters that this is about, and the whole fleet if it was read."""
    if not isinstance(part, AllButOtherShards):
        inventory = load(files, clusters=part)
        return inventory, build(inventory, version=__version__), part, None
    everything = load(files)
    whole = build(everything, version=__version__)
    mine = tuple(cluster for cluster in everything.clusters if cluster.shape.name not in part.elsewhere)
    inventory = replace(everything, clusters=mine, others=tuple(sorted(part.elsewhere)))
    built = Built(build(inventory, version=__version__).fleet, whole.findings)
    names = part.mine.union(cluster.shape.name for cluster in mine)
    return inventory, built, exactly(names), whole.fleet


def _with_budgets(fleet: Fleet, door: Door) -> tuple[Fleet, tuple[Finding, ...]]:
    """The fleet with the budgets of the manifests that its workloads name, and what is wrong with those."""
    if not any(workload.manifests for workload in fleet.workloads):
        return fleet, ()
    from generator.declared.budgetfile import named, with_manifests  # its reader is not loaded for other fleets

    return with_manifests(fleet, door(named(fleet)))
