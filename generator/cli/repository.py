"""Opens a state of the repository for verbs that show what is declared: nothing is rendered and no rule runs."""

import os
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from generator.cli.begin import Opened, opened
from generator.declared.fleet import Cluster
from generator.declared.selection import named
from generator.edges.files import find_root
from generator.edges.git.command import Git, git_at
from generator.edges.source import Kind, Source
from generator.layout import INVENTORY, SOURCES_LOCK
from generator.revision.declaration import Declaration, Door, declare, with_sources, without_catalogs
from generator.words import printable


class Chosen(Struct, frozen=True, kw_only=True):
    """The state of the repository that the command line names, and the day for it: as its options are written."""

    root: str | None
    staged: bool = False
    rev: str | None = None
    today: str | None = None


def read_declaration(
    chosen: Chosen,
    *,
    clusters: frozenset[str] = frozenset(),
    catalogs: bool,
    notes: bool = True,
    followers: bool = False,
) -> Declaration:
    """Reads inventory/, only the files of some clusters where they are named. OutsideError as find_root and opened.

    Without `notes` nobody is told of errors in the rest of it. With `followers` clusters are named that follow another
    revision than the one that is read.
    """
    where = find_root(chosen.root)
    git = git_at(where, os.environ)
    state = opened(where, git, (INVENTORY,), staged=chosen.staged, rev=chosen.rev, today=chosen.today)
    source = state.source
    files = source.read([entry.path for entry in source.paths(INVENTORY, SOURCES_LOCK) if entry.kind is Kind.FILE])
    lock = files.pop(SOURCES_LOCK, None)
    wanted = files if catalogs else without_catalogs(files)
    declaration = with_sources(declare(wanted, door(source), day=state.day, part=named(clusters)), lock)
    if not notes:
        return declaration
    unread = (*declaration.inventory.unread, *(files.keys() - wanted.keys()))
    found = unread_notes(files, unread, state, rev=chosen.rev, staged=chosen.staged)
    if followers:
        found = (*found, *follower_notes(git, declaration.fleet.clusters))
    return replace(declaration, notes=found)


def follower_notes(git: Git, clusters: Sequence[Cluster]) -> tuple[str, ...]:
    """A note for each cluster that follows another revision than this branch and that of the upstream."""
    followed = {cluster.name: cluster.delivery.follows for cluster in clusters if cluster.delivery.follows}
    if not followed:
        return ()
    from generator.edges.git.history import known_branches

    branches = known_branches(git)
    if not branches:
        return ()
    why = f"not {branches[0]}: what is declared here may not be what it runs"
    return tuple(
        f"cluster {name} follows {printable(revision)}, {why}"
        for name, revision in followed.items()
        if revision not in branches
    )


def unread_notes(
    files: Mapping[str, bytes], unread: Sequence[str], state: Opened, *, rev: str | None = None, staged: bool = False
) -> tuple[str, ...]:
    """What is to be said where unread files below inventory/ have errors: nothing, or one line.

    `rev` and `staged` are the options that name the state.
    """
    if not unread:
        return ()
    from generator.revision.unread import note, with_errors  # whoever reads everything needs none of it

    broken = with_errors(files, unread, day=state.day)
    option = f" --rev {printable(rev)}" if rev is not None else " --staged" if staged else ""
    return (note(broken, f"drivergate check{option}"),) if broken else ()


def door(source: Source) -> Door:
    """The door to the files of a source: what is no file, or is not there, is left out."""

    def files_at(paths: Sequence[str]) -> Mapping[str, bytes]:
        if not paths:
            return {}
        there = [entry.path for entry in source.paths(*paths) if entry.kind is Kind.FILE and entry.path in paths]
        return source.read(there)

    return files_at


def report_unread(declaration: Declaration, *, as_json: bool) -> bool:
    """Whether something could not be read; if so that is said on stderr, unless the result itself reports it.

    Errors in what was not read are said there too, and change nothing else.
    """
    from generator.cli.outcome import say
    from generator.report.formats import text

    if declaration.blocking and not as_json:
        say(text.finding_lines(declaration.blocking, color=False).rstrip("\n"))
    for note in declaration.notes:
        say(f"note: {note}")
    return bool(declaration.blocking)
