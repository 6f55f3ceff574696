"""`drivergate diff`: what a change does to the fleet."""

import os
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache, partial
from typing import Annotated

import typer
from msgspec import Struct
from msgspec.structs import replace

from generator.change.comparison import impact, with_cluster
from generator.change.evidence import without_idle
from generator.change.gate import Verdict, verdict
from generator.change.impact import Impact
from generator.change.places import Places
from generator.cli.begin import opened
from generator.cli.completion import complete_revisions
from generator.cli.options import Clusters, Observed, Outputs, ReportFormat, Root, SyncedFile, Today
from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, Reporting, no_cluster, say
from generator.cli.reporting import Texts, documented, for_reviewers, printed_and_written, written
from generator.cli.reporting import outputs as destinations
from generator.cli.repository import door, follower_notes, unread_notes
from generator.cli.running import delivered, evidence, read_audits, read_synced, with_paused
from generator.cli.state import begins, follow_others
from generator.declared.affected import Changed, affected
from generator.declared.fleet import Fleet
from generator.declared.selection import NOTHING, exactly, named
from generator.edges.errors import CouldNotLookError
from generator.edges.files import find_root
from generator.edges.git.command import Git, below_top, git_at
from generator.edges.git.difference import Difference
from generator.edges.git.history import Base, compared_base, named_base, shown
from generator.edges.git.listing import Listings, read_blobs
from generator.edges.git.snapshots import CommitTree
from generator.edges.source import Kind, Source
from generator.finding import Finding
from generator.layout import BASELINE, INPUTS, INVENTORY, OUT, SOURCES, SOURCES_LOCK
from generator.report import impact as report
from generator.report.comment import comment
from generator.report.entries import entries
from generator.report.formats import json
from generator.report.formats.text import finding_lines
from generator.report.reported import Reported, below
from generator.revision import compare as revisions
from generator.revision.declaration import declare, with_sources, without_catalogs
from generator.revision.revision import Revision
from generator.rules.table import CHANGES
from generator.words import printable


class Comparison(Struct, frozen=True, kw_only=True):
    """What came out; with `blocking` findings of the revision `unreadable` there is nothing to compare.

    `sides` are both revisions as they were read, and `ran` the base's fleet with what its nodes may run; None where
    nothing of either was needed. `notes` say what is not known of the head's other clusters.
    """

    base: str
    head: str
    commits: tuple[str, str]
    clusters: frozenset[str]
    impact: Impact
    sides: tuple[Revision, Revision] | None = None
    ran: Fleet | None = None
    blocking: tuple[Finding, ...] = ()
    unreadable: str = ""
    notes: tuple[str, ...] = ()


class FailOn(StrEnum):
    """What makes exit 1."""

    RELOAD = "reload"
    MISSING = "missing"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"


def diff(
    base: Annotated[
        str | None,
        typer.Argument(
            metavar="[BASE]",
            help="The commit to compare with; default: where the work parts from the upstream's default branch.",
            autocompletion=complete_revisions,
        ),
    ] = None,
    head: Annotated[
        str | None,
        typer.Argument(
            metavar="[HEAD]",
            help="The commit to report on; default: the work tree.",
            autocompletion=complete_revisions,
        ),
    ] = None,
    cluster: Clusters = None,
    fail_on: Annotated[
        list[FailOn] | None, typer.Option("--fail-on", help="Exit 1 if the change has this effect (repeatable).")
    ] = None,
    observed: Observed = None,
    synced: SyncedFile = None,
    root: Root = None,
    today: Today = None,
    printed: ReportFormat = Reporting.TEXT,
    output: Outputs = None,
) -> int:
    """Say what a change does to the fleet: which nodes reload, what is evicted, what blocks, what must be built."""
    return compared(
        base,
        head,
        root=root,
        today=today,
        clusters=frozenset(cluster or ()),
        observed=tuple(observed or ()),
        synced=synced,
        fail_on=frozenset(map(str, fail_on or ())),
        printed=printed,
        outputs=output or (),
    )


def compared(
    base: str | None,
    head: str | None,
    *,
    root: str | None,
    today: str | None,
    clusters: frozenset[str],
    observed: tuple[str, ...],
    synced: str | None,
    fail_on: frozenset[str],
    printed: Reporting,
    outputs: Sequence[str],
) -> int:
    """The exit code: 0 where it could answer, 1 for what `fail_on` names. OutsideError where the outside says no."""
    where = find_root(root)
    files = destinations(outputs, where)
    chosen = named_base(base) if base is not None else compared_base(git_at(where, os.environ))
    found = compare(chosen, head, root=where, today=today, clusters=clusters, observed=observed, synced=synced)
    git = git_at(where, os.environ)
    found = replace(
        found, base=shown(git, found.base) if base is not None else chosen.label, head=shown(git, found.head)
    )
    if found.blocking:
        texts = _unreadable(found, where)
        if printed is Reporting.TEXT:  # nothing is compared, so that there is no result
            say(finding_lines(found.blocking, color=False).rstrip("\n"))
            written(texts, files)
        else:
            printed_and_written(texts, printed, files)
        say(_why(found))
        return UNUSABLE
    printed_and_written(_texts(found, where, fail_on), printed, files)
    for note in found.notes:
        say(f"note: {note}")
    impact = found.impact
    answers = {
        "reload": impact.reloads,
        "missing": impact.missing,
        "blocked": impact.blocked,
        "unknown": impact.unknown,
    }
    return FOUND if any(answers[one] for one in fail_on) else CLEAN


def _why(found: Comparison) -> str:
    return f"no valid manifest can be made from the {found.unreadable}: nothing is compared"


def _texts(found: Comparison, root: str, fail_on: frozenset[str]) -> Texts:
    told = _told(found)
    return {
        **for_reviewers(cache(partial(_reported, found, root, fail_on))),
        Reporting.TEXT: lambda: report.text(told),
        Reporting.JSON: lambda: json.printed(json.with_findings(report.values(told), ())),
        Reporting.MARKDOWN: lambda: comment(told, _gate(found)),
    }


def _gate(found: Comparison) -> Verdict | None:
    """What the gate says of the change; None where nothing of it was read."""
    return verdict(*found.sides, found.ran) if found.sides is not None and found.ran is not None else None


def _unreadable(found: Comparison, root: str) -> Texts:
    """The findings that keep a revision from being read, where the impact would stand."""
    return {
        **for_reviewers(partial(_reported_unreadable, found, root)),
        Reporting.TEXT: lambda: finding_lines(found.blocking, color=False) + _why(found) + "\n",
        Reporting.JSON: lambda: json.printed(json.with_findings(report.values(_told(found)), found.blocking)),
    }


def _reported_unreadable(found: Comparison, root: str) -> Reported:
    findings = below(below_top(git_at(root, os.environ)), found.blocking)
    return Reported(
        verb="diff",
        findings=findings,
        sentence=_why(found),
        rules=documented(findings),
        scope="/".join(sorted(found.clusters)),
    )


def _told(found: Comparison) -> report.Told:
    return report.Told(
        base=found.base,
        head=found.head,
        impact=found.impact,
        commits=found.commits,
        clusters=tuple(sorted(found.clusters)),
    )


def _reported(found: Comparison, root: str, fail_on: frozenset[str]) -> Reported:
    """The impact as findings; an entry that makes exit 1 is an error."""
    made: tuple[Finding, ...] = ()
    if found.sides is not None:
        was, becomes = found.sides
        places = Places(was.fleet, becomes.fleet)
        made = entries(found.impact, places, (f"diff/{one}" for one in fail_on))
    findings = below(below_top(git_at(root, os.environ)), made)
    return Reported(
        verb="diff",
        findings=findings,
        sentence=report.sentence(found.impact),
        rules=documented(findings),
        clusters=tuple(one.cluster for one in found.impact.clusters),
        notes=found.notes,
        judged=tuple(sorted(rule.id for rule in CHANGES)),
        scope="/".join(sorted(found.clusters)),
    )


def compare(
    chosen: Base,
    head: str | None,
    *,
    root: str | None,
    today: str | None,
    clusters: frozenset[str],
    observed: tuple[str, ...] = (),
    synced: str | None = None,
) -> Comparison:
    """Reads and renders what differs. OutsideError where the outside says no."""
    base = chosen.rev
    for name, rev in (("BASE", base), ("HEAD", head)):
        if rev == "":
            raise CouldNotLookError(f"{name} is empty", "name a revision; `git merge-base` prints none where it fails")
    read_audits(observed)  # one that is none is reported whatever the change is
    known = read_synced(synced)
    where = find_root(root)
    git = git_at(where, os.environ)
    difference = Difference(git, base, head, OUT)
    state = opened(where, git, INPUTS, rev=head, today=today)
    source = state.source
    commits = (difference.base.id, difference.head.id if difference.head else "")
    files = source.read([entry.path for entry in source.paths(*INPUTS) if entry.kind is Kind.FILE])
    changes = _changes(git, difference, state.listings, files)
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
    lock = _lock(source)
    if selection == NOTHING:  # what changed is of no cluster, and may be wrong all the same
        changed = {change.path for change in changes}
        read = {path: data for path, data in inventory.items() if path in changed} | without_catalogs(inventory)
        declaration = with_sources(declare(read, door(source), day=state.day, part=NOTHING), lock)
        unread = [*inventory] if clusters else []
        notes = unread_notes(inventory, unread, state, rev=head)
        return replace(comparison, blocking=declaration.blocking, unreadable=source.label, notes=notes)
    base_tree = CommitTree(git, commits[0], *INPUTS, SOURCES_LOCK)
    head_state = revisions.State(label=source.label, day=state.day, files=files, lock=lock, door=door(source))
    pair = revisions.compare(
        revisions.State(
            label=f"commit {difference.base.short}",
            day=difference.base.day,
            files=revisions.before(files, changes),
            lock=_lock(base_tree),
            door=door(base_tree),
        ),
        head_state,
        selection,
    )
    if isinstance(pair, revisions.Unreadable):
        return replace(comparison, blocking=pair.blocking, unreadable=pair.label)
    notes = unread_notes(inventory, pair.unread, state, rev=head)
    before = pair.base.fleet
    goes: Mapping[str, tuple[str, str | None]] = {}
    if known.file or follow_others(chosen, before.clusters, pair.head.fleet.clusters):
        brought = delivered(
            where,
            git,
            chosen,
            before,
            pair.head.fleet,
            head=head or "HEAD",
            own_bases=bool(chosen.branch),
            synced=known,
        )
        before, goes, notes = brought.fleet, brought.moved, (*notes, *brought.notes)
    if begins(before.clusters, pair.head.fleet.clusters):
        before, of_pauses = with_paused(where, git, chosen, before, pair.head.fleet)
        notes = (*notes, *of_pauses)
    if observed:
        found = evidence(observed, before, pair.earlier.inventory, state.day)
        before, notes = without_idle(before, found), (*notes, *found.notes)
    if not chosen.branch:
        notes = (*notes, *follower_notes(git, pair.head.fleet.clusters))
    difference_found = impact(pair.base, pair.head, total=reach.total, everything=reach.everything, before=before)
    for name, (start, end) in goes.items():
        tree = head_state if end is None else _tree(where, git, end)
        trees = revisions.compare(_tree(where, git, start), tree, exactly([name]))
        if isinstance(trees, revisions.Unreadable):
            return replace(comparison, blocking=trees.blocking, unreadable=trees.label)
        difference_found = with_cluster(difference_found, impact(trees.base, trees.head, total=1, before=before))
    if any(pool.way for pool in difference_found.pools()):
        notes = (*notes, f"{chosen.label} is taken as synced, with its operator release running")
    return replace(comparison, impact=difference_found, sides=(pair.base, pair.head), ran=before, notes=notes)


def _tree(root: str, git: Git, rev: str) -> revisions.State:
    """A commit that a cluster follows."""
    opened_commit = opened(root, git, INPUTS, rev=rev)
    source = opened_commit.source
    files = source.read([entry.path for entry in source.paths(*INPUTS) if entry.kind is Kind.FILE])
    return revisions.State(
        label=source.label, day=opened_commit.day, files=files, lock=_lock(source), door=door(source)
    )


def _lock(source: Source) -> bytes | None:
    """The lock file of sources, None where there is none."""
    return door(source)([SOURCES_LOCK]).get(SOURCES_LOCK)


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
    source = opened(root, git, INPUTS, rev=base).source
    listed = [entry.path for entry in source.paths(INVENTORY) if entry.kind is Kind.FILE]
    then = source.read([path for path in listed if path.startswith(SOURCES)])
    return [
        Changed(path, then.get(path), now.get(path))
        for path in sorted({*then, *now})
        if then.get(path) != now.get(path)
    ]
