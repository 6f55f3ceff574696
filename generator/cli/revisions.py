"""Opens two revisions for `drivergate diff`, as cheaply as git knows them apart, and compares them."""

import os
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from generator.change.comparison import impact
from generator.change.impact import Impact
from generator.cli.begin import opened
from generator.cli.naming import no_cluster
from generator.cli.repository import door
from generator.declared.affected import Changed, affected
from generator.declared.selection import NOTHING, named
from generator.edges.errors import CouldNotLookError
from generator.edges.files import find_root
from generator.edges.git.blobs import read_blobs
from generator.edges.git.command import Git, git_at
from generator.edges.git.difference import Difference
from generator.edges.git.listing import Listings
from generator.edges.git.snapshots import CommitTree
from generator.edges.source import Kind
from generator.finding import Finding
from generator.layout import BASELINE, INPUTS, INVENTORY, OUT, SOURCES, SOURCES_LOCK
from generator.revision import compare as revisions
from generator.revision.revision import Revision
from generator.words import printable


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
    moved = any(change.path == SOURCES_LOCK for change in changes)
    changes += _elsewhere(where, git, commits[0], files, moved=moved)
    # The lock file by itself is about all clusters; what it leads to is known here.
    changes = [change for change in changes if change.path != SOURCES_LOCK]
    inventory = {path: data for path, data in files.items() if path.startswith(f"{INVENTORY}/")}
    reach = affected(changes, inventory, silent=revisions.SILENT)
    if reach.all_named:  # a file that can't be read may hold any
        no_cluster(clusters - {*reach.gone}, reach.names)
    selection = revisions.compared_clusters(reach, named(clusters))
    comparison = Comparison(
        base=base,
        head=head or source.label,
        commits=commits,
        clusters=clusters,
        impact=Impact(clusters=(), total=reach.total),
    )
    if selection == NOTHING:
        return comparison
    base_tree = CommitTree(git, commits[0], *INPUTS)
    pair = revisions.compare(
        revisions.State(
            label=f"commit {difference.base.short}", files=revisions.before(files, changes), door=door(base_tree)
        ),
        revisions.State(label=source.label, files=files, door=door(source)),
        selection,
    )
    if isinstance(pair, revisions.Unreadable):
        return replace(comparison, blocking=pair.blocking, unreadable=pair.label)
    difference_found = impact(pair.base, pair.head, total=reach.total, everything=reach.everything)
    return replace(comparison, impact=difference_found, sides=(pair.base, pair.head))


def _changes(git: Git, difference: Difference, listings: Listings | None, files: Mapping[str, bytes]) -> list[Changed]:
    """Every file that differs, with its contents where it lies in our folders; of others the path is enough."""
    blobs = {differing.path: differing.before for differing in difference.collect() if differing.path != BASELINE}
    for listing in listings.covering(*INPUTS) if listings is not None else []:
        for path in (*listing.others, *listing.intended):
            if path in files:
                blobs.setdefault(path, "")
    inputs = {path: blob for path, blob in blobs.items() if path.startswith(tuple(f"{folder}/" for folder in INPUTS))}
    contents = read_blobs(git, (blob for blob in inputs.values() if blob))
    changed: list[Changed] = []
    for path, blob in inputs.items():
        if blob and blob not in contents:
            raise CouldNotLookError(
                f"the content of `{printable(path)}` in the commit that is compared with isn't on this machine",
                "fetch it first: a partial clone leaves contents at the server",
            )
        change = Changed(path, contents.get(blob), files.get(path))
        if change.before != change.after:
            changed.append(change)
    return [*changed, *(Changed(path, None, None) for path in blobs if path not in inputs)]


def _elsewhere(root: str, git: Git, base: str, files: Mapping[str, bytes], *, moved: bool) -> list[Changed]:
    """What differs in other repositories, where either revision reads any: its own lock file says at which commit."""
    now = {path: data for path, data in files.items() if path.startswith(SOURCES)}
    if not now and not moved:
        return []
    source, _ = opened(root, git, INPUTS, staged=False, rev=base)
    listed = [entry.path for entry in source.paths(INVENTORY) if entry.kind is Kind.FILE]
    then = source.read([path for path in listed if path.startswith(SOURCES)])
    return [
        Changed(path, then.get(path), now.get(path))
        for path in sorted({*then, *now})
        if then.get(path) != now.get(path)
    ]
