"""Two revisions of a fleet, read as cheaply as git knows them apart: what is the same in both is read once."""

import os
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from generator import __version__
from generator.change.comparison import impact
from generator.change.impact import Impact
from generator.cli.begin import BASELINE, INPUTS, OUT, opened
from generator.cli.gather import below
from generator.cli.manifests import read_named, with_budgets
from generator.cli.naming import no_cluster
from generator.declared import policy
from generator.declared.affected import Affected, Changed, affected
from generator.declared.build import build
from generator.declared.catalog import Catalog, CatalogFile
from generator.declared.catalog import collect as collect_catalog
from generator.declared.inventory import FOLDER as INVENTORY
from generator.declared.inventory import Inventory, load
from generator.declared.sources import FOLDER as OF_SOURCES
from generator.declared.sources import LOCK
from generator.edges.errors import CouldNotLookError, printable
from generator.edges.files import find_root
from generator.edges.git.blobs import read_blobs
from generator.edges.git.command import Git, git_at
from generator.edges.git.difference import Difference
from generator.edges.git.listing import Listings
from generator.edges.git.snapshots import CommitTree
from generator.edges.source import Kind, Source
from generator.facts import data
from generator.finding import Finding, Severity
from generator.render.rendered import render
from generator.render.template import FOLDER as TEMPLATES
from generator.render.template import collect as collect_templates
from generator.revision.revision import Revision

# Keys of the Fleet that say something about judging, and nothing about what runs.
SILENT = frozenset({"silenced", "crds", "requires", "name", "sources"})
REQUIRES = "inventory/requires"


class Comparison(Struct, frozen=True, kw_only=True):
    """What came out; with `blocking` findings of the revision `unreadable` there is nothing to compare.

    `sides` are both revisions as they were read, None where nothing of either was needed.
    """

    base: str
    head: str
    commits: tuple[str, str]
    clusters: frozenset[str]
    impact: Impact
    sides: tuple[Revision, Revision] | None = None
    blocking: tuple[Finding, ...] = ()
    unreadable: str = ""


class _Side(Struct, frozen=True, kw_only=True):
    """One revision, as far as it was wanted."""

    context: Revision
    inventory: Inventory
    blocking: tuple[Finding, ...]


def compare(base: str, head: str | None, *, root: str | None, clusters: frozenset[str]) -> Comparison:
    """Reads and renders what differs. OutsideError where the outside says no."""
    for name, rev in (("BASE", base), ("HEAD", head)):
        if rev == "":
            raise CouldNotLookError(f"{name} is empty", "name a revision; `git merge-base` prints none where it fails")
    where = find_root(root)
    git = git_at(where, os.environ)
    difference = Difference(git, base, head, OUT)
    source, listings = opened(where, git, INPUTS, staged=False, rev=head)
    commits = (difference.base.id, difference.head.id if difference.head else "")
    files = source.read([entry.path for entry in source.paths(*INPUTS) if entry.kind is Kind.FILE])
    changes = _changes(git, difference, listings, files)
    changes += _elsewhere(where, git, commits[0], files, moved=any(one.path == LOCK for one in changes))
    # The lock file by itself is about all clusters; what it leads to is known here.
    changes = [one for one in changes if one.path != LOCK]
    reach = affected(changes, below(INVENTORY, files), silent=SILENT)
    if "" not in reach.names:  # a file that can't be read may hold any
        no_cluster(clusters - {*reach.gone}, reach.names)
    only = _only(reach, clusters)
    told = Comparison(
        base=base,
        head=head or source.label,
        commits=commits,
        clusters=clusters,
        impact=Impact(clusters=(), total=reach.total),
    )
    if only is None:
        return told
    now = _side(files, source, only)
    then = _side(_overlaid(files, changes), CommitTree(git, commits[0], *INPUTS), only, reuse=(files, now))
    for label, side in ((source.label, now), (f"commit {difference.base.short}", then)):
        if side.blocking:
            return replace(told, blocking=side.blocking, unreadable=label)
    found = impact(then.context, now.context, total=reach.total, everything=reach.everything)
    return replace(told, impact=found, sides=(then.context, now.context))


def _changes(git: Git, difference: Difference, listings: Listings | None, files: Mapping[str, bytes]) -> list[Changed]:
    """Every file that differs, with its contents where it lies in our folders; of others the path is enough."""
    blobs = {one.path: one.before for one in difference.collect() if one.path != BASELINE}
    known = listings.covering(*INPUTS) if listings is not None else []
    blobs |= {
        path: ""
        for listing in known
        for path in (*listing.others, *listing.intended)
        if path in files and path not in blobs
    }
    inputs = {path: blob for path, blob in blobs.items() if path.startswith(tuple(f"{one}/" for one in INPUTS))}
    contents = read_blobs(git, (blob for blob in inputs.values() if blob))
    for path, blob in inputs.items():
        if blob and blob not in contents:
            raise CouldNotLookError(
                f"the content of `{printable(path)}` in the commit that is compared with isn't on this machine",
                "fetch it first: a partial clone leaves contents at the server",
            )
    changed = [Changed(path, contents.get(blob), files.get(path)) for path, blob in inputs.items()]
    return [
        *(one for one in changed if one.before != one.after),
        *(Changed(path, None, None) for path in blobs if path not in inputs),
    ]


def _elsewhere(root: str, git: Git, base: str, files: Mapping[str, bytes], *, moved: bool) -> list[Changed]:
    """What differs in other repositories, where either revision reads any: its own lock file says at which commit."""
    now = {path: data for path, data in files.items() if path.startswith(OF_SOURCES)}
    if not now and not moved:
        return []
    source, _ = opened(root, git, INPUTS, staged=False, rev=base)
    listed = [one.path for one in source.paths(INVENTORY) if one.kind is Kind.FILE]
    then = source.read([path for path in listed if path.startswith(OF_SOURCES)])
    return [
        Changed(path, then.get(path), now.get(path))
        for path in sorted({*then, *now})
        if then.get(path) != now.get(path)
    ]


def _only(reach: Affected, wanted: frozenset[str]) -> frozenset[str] | None:
    """The clusters to read, all where it is empty; None where there are none."""
    if reach.everything:
        return wanted
    found = frozenset({*reach.clusters, *reach.gone})
    return (found & wanted if wanted else found) or None


def _overlaid(files: Mapping[str, bytes], changes: Sequence[Changed]) -> dict[str, bytes]:
    """The files as they were: what is the same is not read a second time."""
    before = dict(files)
    for change in changes:
        if change.before is None:
            before.pop(change.path, None)
        else:
            before[change.path] = change.before
    return before


def _side(
    files: Mapping[str, bytes],
    source: Source,
    only: frozenset[str],
    *,
    reuse: tuple[Mapping[str, bytes], _Side] | None = None,
) -> _Side:
    """One revision rendered. `reuse` is the other one: its catalogs are taken where their bytes are the same."""
    inventory_files = below(INVENTORY, files)
    taken = _unchanged(inventory_files, *reuse) if reuse else {}
    inventory = load({path: text for path, text in inventory_files.items() if path not in taken}, only_clusters=only)
    built = build(inventory, version=__version__)
    fleet, of_budgets = with_budgets(source, built.fleet)
    own = policy.bases(fleet, read_named(source, policy.named(fleet)))
    catalog: Catalog | None = None
    templates = collect_templates(data.templates(), below(TEMPLATES, files))
    other = reuse[1] if reuse else None
    if other is not None and not inventory.catalogs and len(taken) == len(other.inventory.catalogs):
        catalog = other.context.catalog if fleet.mirrors == other.context.fleet.mirrors else None
    catalog = catalog or collect_catalog(sorted((*inventory.catalogs, *taken.values()), key=_file), fleet.mirrors)
    rendered = render(fleet, templates, own.values, catalog=catalog, whole=False)
    told = (*inventory.findings, *built.findings, *of_budgets, *own.findings, *rendered.findings)
    # Which drivergate the other revision was written for is no hindrance: this one renders both.
    blocking = [one for one in told if one.severity is Severity.INVALID and not (reuse and one.rule == REQUIRES)]
    return _Side(
        context=Revision(fleet=fleet, catalog=catalog, rendered=rendered, bases=own.values, only=only),
        inventory=inventory,
        blocking=tuple(sorted(blocking, key=lambda one: one.place)),
    )


def _unchanged(files: Mapping[str, bytes], others: Mapping[str, bytes], side: _Side) -> dict[str, CatalogFile]:
    """The other revision's catalogs whose bytes are the same here: they needn't be parsed again."""
    return {one.file: one for one in side.inventory.catalogs if files.get(one.file) == others.get(one.file)}


def _file(one: CatalogFile) -> str:
    return one.file
