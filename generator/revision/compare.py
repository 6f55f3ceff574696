"""Two revisions of a fleet, of which what is the same in both is read once."""

from collections.abc import Iterable, Mapping
from datetime import date

from msgspec import Struct

from generator.declared.affected import Affected, Changed
from generator.declared.catalog import Catalog, CatalogFile, collect
from generator.declared.selection import NOTHING, Clusters, Everything, Selection, exactly
from generator.finding import Finding, Severity
from generator.layout import INVENTORY, TEMPLATES
from generator.revision.assemble import Purpose, assemble
from generator.revision.declaration import Declaration, Door, declare, with_sources
from generator.revision.narrow import affected_clusters
from generator.revision.revision import Revision

# Keys of the Fleet that say something about judging, and nothing about what runs.
SILENT = frozenset({"silenced", "crds", "requires", "name", "sources"})
REQUIRES = "inventory/requires"


class State(Struct, frozen=True, kw_only=True):
    """A state of the repository: what it is called, its day, its input files by path, the door to its other files.

    `lock` is the lock file of sources, None where there is none.
    """

    label: str
    day: date
    files: Mapping[str, bytes]
    lock: bytes | None
    door: Door


class Unreadable(Struct, frozen=True):
    """No manifests can be made from the state with this label, so that nothing is compared."""

    label: str
    blocking: tuple[Finding, ...]


class Pair(Struct, frozen=True):
    """Both revisions, rendered as far as they are compared. `unread` are the head's files of other clusters.

    `earlier` is what the base declares.
    """

    base: Revision
    head: Revision
    unread: tuple[str, ...]
    earlier: Declaration


def compared_clusters(affected: Affected, wanted: Selection) -> Selection:
    """The clusters that are wanted, of those that the change can affect."""
    reached = affected_clusters(affected)
    match reached, wanted:
        case Everything(), _:
            return wanted
        case _, Everything():
            return reached
        case Clusters(names), Clusters(chosen):
            return exactly(names & chosen)
        case _:
            return NOTHING


def before(files: Mapping[str, bytes], changes: Iterable[Changed]) -> dict[str, bytes]:
    """The files as they were before the changes: what is the same is not read a second time."""
    earlier = dict(files)
    for change in changes:
        if change.before is None:
            earlier.pop(change.path, None)
        else:
            earlier[change.path] = change.before
    return earlier


def compare(base: State, head: State, selection: Selection) -> Pair | Unreadable:
    """Both revisions, with the selected clusters only. The base may have been written for another drivergate."""
    now = with_sources(declare(_below(INVENTORY, head.files), head.door, day=head.day, part=selection), head.lock)
    head_revision = assemble(now, head.door, _below(TEMPLATES, head.files), purpose=Purpose.COMPARE)
    then, catalog = declared_before(now, head_revision.catalog, head.files, base, selection)
    templates = _below(TEMPLATES, base.files)
    base_revision = assemble(then, base.door, templates, purpose=Purpose.COMPARE, catalog=catalog)
    if blocking := _blocking(head_revision):
        return Unreadable(head.label, blocking)
    # Which drivergate the base was written for is no hindrance: this one renders both.
    if blocking := _blocking(base_revision, but=REQUIRES):
        return Unreadable(base.label, blocking)
    return Pair(base_revision, head_revision, now.inventory.unread, then)


def declared_before(
    now: Declaration, listed: Catalog, files: Mapping[str, bytes], base: State, selection: Selection
) -> tuple[Declaration, Catalog]:
    """What the base declares of the selected clusters, and its catalog.

    `now` is the judged declaration, made of these `files`, and `listed` its catalog: what is the same is not parsed
    again.
    """
    same = _same_catalogs(now.inventory.catalogs, base.files, files)
    base_files = {path: data for path, data in _below(INVENTORY, base.files).items() if path not in same}
    then = with_sources(declare(base_files, base.door, day=base.day, part=selection), base.lock)
    return then, _catalog(then, same, now, listed)


def _same_catalogs(
    catalogs: Iterable[CatalogFile], base: Mapping[str, bytes], head: Mapping[str, bytes]
) -> dict[str, CatalogFile]:
    """The head's catalogs whose bytes are the same in the base: they needn't be parsed again."""
    return {catalog.file: catalog for catalog in catalogs if base.get(catalog.file) == head.get(catalog.file)}


def _catalog(then: Declaration, same: Mapping[str, CatalogFile], now: Declaration, listed: Catalog) -> Catalog:
    """The base's catalog, which is the head's where all files and the mirrors are the same."""
    unchanged = not then.inventory.catalogs and len(same) == len(now.inventory.catalogs)
    if unchanged and then.fleet.mirrors == now.fleet.mirrors:
        return listed
    catalogs = (*then.inventory.catalogs, *same.values())
    return collect(sorted(catalogs, key=lambda catalog: catalog.file), then.fleet.mirrors)


def _blocking(revision: Revision, *, but: str = "") -> tuple[Finding, ...]:
    """The findings of any rule but one that leave a part of the revision unread, in the order of their places."""
    invalid = [
        finding
        for finding in (*revision.findings, *revision.rendered.findings)
        if finding.severity is Severity.INVALID and finding.rule != but
    ]
    return tuple(sorted(invalid, key=lambda finding: finding.place))


def _below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {path: data for path, data in files.items() if path.startswith(f"{folder}/")}
