"""`drivergate sources`: inventories that live in other repositories."""

import os
from collections.abc import Mapping
from typing import Annotated

import typer

from generator.cli.begin import machine_day
from generator.cli.completion import complete_sources
from generator.cli.options import ResultFormat, Root
from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, Format, colored, out, say, unknown
from generator.declared.fleet import Fleet, Source
from generator.declared.sources import Pinned, faults, lock_text, read_lock
from generator.edges.files import WorkTree, find_root
from generator.edges.git.cache import Copy, copy_of
from generator.edges.git.command import git_at
from generator.edges.git.listing import Listings
from generator.edges.source import Kind
from generator.edges.writer import Write, apply
from generator.finding import Finding, Severity
from generator.layout import INVENTORY, SOURCES_LOCK
from generator.report import sources as report
from generator.report.formats import json, text
from generator.report.sources import Move
from generator.revision.declaration import declare


def update(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="Sources to update; default: all of the Fleet document.",
            autocompletion=complete_sources,
        ),
    ] = None,
    *,
    rewritten: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-rewritten",
            metavar="NAME",
            help="Accept a ref whose history was rewritten (repeatable).",
            autocompletion=complete_sources,
        ),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if something would change.")] = False,
    root: Root = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Pin each source to the commit that its ref names now, and fetch it, so that the gate works offline."""
    return _update(
        frozenset(names or ()),
        rewritten=frozenset(rewritten or ()),
        writes=not check,
        root=root,
        as_json=printed is Format.JSON,
    )


def _update(names: frozenset[str], *, rewritten: frozenset[str], writes: bool, root: str | None, as_json: bool) -> int:
    """The exit code: 1 where a ref was rewritten and is left, or where something would change and is only looked at."""
    where = find_root(root)
    fleet, pinned, blocking = _read(where)
    if blocking:
        return _blocked(blocking, as_json=as_json)
    known = {one.name for one in fleet.sources}
    for name in sorted((names | rewritten) - known):
        return unknown("source", name, known, otherwise="declare it below sources of the Fleet document")
    moves = [
        _move(one, pinned.get(one.name), allowed=one.name in rewritten)
        for one in fleet.sources
        if not names or one.name in names
    ]
    kept = {name: one for name, one in pinned.items() if name in known}
    locked = {**kept, **{move.name: move.pinned for move in moves if move.pinned is not None}}
    changed = locked != pinned
    if writes and (changed or (pinned and not locked)):
        apply(where, [Write(SOURCES_LOCK, lock_text(locked).encode())])
    out(json.printed(report.as_json(moves, done=writes)) if as_json else report.as_text(moves, done=writes))
    for line in [] if as_json else report.talk(moves):
        say(line)
    return FOUND if any(move.refused for move in moves) or (changed and not writes) else CLEAN


def _read(root: str) -> tuple[Fleet, Mapping[str, Pinned], list[Finding]]:
    """The Fleet document, what is pinned, and why neither may be asked of git."""
    tree = WorkTree(root, Listings(git_at(root, os.environ), INVENTORY, SOURCES_LOCK))
    files = tree.read([one.path for one in tree.paths(INVENTORY, SOURCES_LOCK) if one.kind is Kind.FILE])
    lock = read_lock(files.pop(SOURCES_LOCK)) if SOURCES_LOCK in files else None
    declaration = declare(files, day=machine_day())
    fleet, inventory = declaration.fleet, declaration.inventory
    blocking = list(faults(fleet.sources, fleet.file, inventory.texts))
    if not fleet.file:
        blocking += [one for one in inventory.findings if one.severity is Severity.INVALID]
    # A lock file that can't be read is written anew: the commits it held are asked for again.
    return fleet, {} if lock is None or isinstance(lock, str) else lock.sources, blocking


def _move(source: Source, before: Pinned | None, *, allowed: bool) -> Move:
    copy = copy_of(source.url, os.environ)
    commit = copy.follow(source.ref)
    same_place = before is not None and (before.url, before.ref) == (source.url, source.ref)
    old = before.commit if before is not None and same_place else ""
    commits = _between(copy, old, commit)
    refused = bool(old) and commits is None and not allowed
    taken = old if refused else commit
    return Move(
        name=source.name,
        ref=source.ref,
        old=before.commit if before is not None else "",
        new=commit,
        commits=commits,
        rewritten=bool(old) and commits is None,
        refused=refused,
        pinned=Pinned(url=source.url, ref=source.ref, path=source.path, commit=taken),
    )


def _between(copy: Copy, old: str, new: str) -> int | None:
    return copy.between(old, new) if old else None


def _blocked(blocking: list[Finding], *, as_json: bool) -> int:
    if as_json:
        out(json.printed(json.with_findings({"sources": [], "done": False}, blocking)))
    else:
        out(text.finding_lines(blocking, color=colored()))
    say("nothing is written")
    return UNUSABLE
