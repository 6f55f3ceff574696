"""Which clusters a run is about where it is not about all of them: those that a change can affect, or one shard's."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from generator import __version__
from generator.cli.begin import OUT, Begun
from generator.declared.affected import PINS, Affected, Changed, affected
from generator.declared.build import Built, build
from generator.declared.fleet import Fleet
from generator.declared.inventory import Inventory, load
from generator.declared.shard import Shard, share
from generator.edges.errors import CouldNotLookError, OutsideError
from generator.edges.git.difference import changed_paths
from generator.edges.git.snapshots import CommitTree
from generator.edges.source import Kind

NOBODY = ""  # no cluster has this name, so that nothing of any cluster is looked at
FOLDERS = ("inventory", "templates")
MOST_NAMED = 20


class Read(NamedTuple):
    """The inventory and the fleet of some clusters, the whole fleet where it was read, and which clusters those are."""

    inventory: Inventory
    built: Built
    whole: Fleet | None
    only: frozenset[str]


class Narrowed(Struct, frozen=True, kw_only=True):
    """`clusters` are never none: NOBODY where no cluster is meant. `left_out` are files that are not even read.

    `elsewhere` are the clusters of other shards, where the rules over all clusters belong to this one. `silent` says
    that another tells what is no cluster's.
    """

    clusters: frozenset[str]
    notes: tuple[str, ...]
    left_out: frozenset[str] = frozenset()
    elsewhere: frozenset[str] | None = None
    silent: bool = False

    def read(self, files: Mapping[str, bytes]) -> Read:
        """The documents that this run is about; all of them where it judges what only all of them show."""
        if self.elsewhere is None:
            kept = {path: data for path, data in files.items() if path not in self.left_out}
            inventory = load(kept, only_clusters=self.clusters)
            return Read(inventory, build(inventory, version=__version__), None, self.clusters)
        everything = load(files)
        whole = build(everything, version=__version__)
        mine = tuple(one for one in everything.clusters if one.shape.name not in self.elsewhere)
        names = frozenset(one.shape.name for one in mine)
        inventory = replace(everything, clusters=mine, others=tuple(sorted(self.elsewhere)))
        built = Built(build(inventory, version=__version__).fleet, whole.findings)
        return Read(inventory, built, whole.fleet, names | self.clusters)


def narrowed(begun: Begun, files: Mapping[str, bytes]) -> Narrowed:
    """The part of the fleet that this run is about. `files` are those of the inventory."""
    wanted = begun.wanted
    shard = Shard(*wanted.shard) if wanted.shard else None
    found = _affected(begun, files) if wanted.changed_since is not None else None
    notes = [_told(found, wanted.changed_since)] if found and wanted.changed_since else []
    among = frozenset({*found.clusters, *found.gone}) if found and not found.everything else None
    if shard is None:
        # Of no name at all, the reader and the rules take all of them.
        clusters = frozenset() if among is None else among or frozenset({NOBODY})
        return Narrowed(clusters=clusters, notes=tuple(notes))
    mine = share(shard, files, among)
    count = len(mine.clusters)
    notes.append(f"shard {shard} judges {count} cluster{'' if count == 1 else 's'}, the others do the rest")
    return Narrowed(
        clusters=mine.clusters or frozenset({NOBODY}),
        notes=tuple(notes),
        left_out=mine.unseen,
        elsewhere=mine.elsewhere if shard.number == 1 and among is None else None,
        silent=shard.number > 1,
    )


def _told(found: Affected, since: str) -> str:
    """What the reader of the result must know of its reach."""
    if found.everything:
        return f"all clusters are judged: of what changed since {since}, {found.everything}"
    if not found.clusters:
        return f"no cluster is judged: nothing that changed since {since} can affect one"
    names = [*found.clusters][:MOST_NAMED]
    more = f" and {len(found.clusters) - MOST_NAMED} more" if len(found.clusters) > MOST_NAMED else ""
    return f"judged are only the clusters that the change since {since} can affect: {', '.join(names)}{more}"


def _affected(begun: Begun, files: Mapping[str, bytes]) -> Affected:
    wanted, since = begun.wanted, begun.wanted.changed_since
    assert since is not None
    try:
        paths = changed_paths(begun.git, since, begun.listings, staged=wanted.staged, rev=wanted.rev)
        return affected(_changes(begun, since, paths, files), files)
    except OutsideError as error:
        raise CouldNotLookError(f"can't tell what changed since {since}: {error.message}", error.hint) from error


def _changes(begun: Begun, since: str, paths: list[str], files: Mapping[str, bytes]) -> list[Changed]:
    """The contents are read of those that are looked into: inventory, and files that name a drivergate."""
    read = [path for path in paths if path.startswith("inventory/") or PINS.fullmatch(path)]
    tree = CommitTree(begun.git, since)
    there = {one.path for one in tree.paths() if one.kind is Kind.FILE} if read else set()
    before = tree.read([path for path in read if path in there])
    pins = [path for path in read if path not in files and not path.startswith((*FOLDERS, OUT))]
    present = [one.path for one in begun.source.paths(*pins) if one.kind is Kind.FILE] if pins else []
    after = {**files, **begun.source.read(present)}
    return [Changed(path, before.get(path), after.get(path)) for path in paths]
