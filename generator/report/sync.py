"""What a run of sync says, for people and for programs."""

from collections.abc import Iterator
from typing import Any

from msgspec import to_builtins

from generator.catalog.sync import Run, Synced
from generator.report.catalog import change_lines, changes_json, others, summary, written_lines
from generator.words import printable


def as_text(run: Run) -> str:
    """The result: what changes, in which files, and the counts of each repository."""
    lines = [change_lines(run.changes, done=run.done), written_lines(run.written, (), done=run.done)]
    return "".join([*lines, *(f"{printable(_counts(one, done=run.done))}\n" for one in run.repositories if one.tags)])


def _counts(one: Synced, *, done: bool) -> str:
    said = summary(one.changes, done=done, known=one.known)
    skipped = f", {one.skipped} of other branches and systems (--all takes them)" if one.skipped else ""
    return f"{one.repository}: {said}{skipped}"


def talk(run: Run) -> list[str]:
    """What is odd, and what could not be looked at."""
    return [printable(line) for one in run.repositories for line in _talk(one)]


def _talk(one: Synced) -> Iterator[str]:
    for note in one.notes:
        yield f"note: {one.repository}:{note.tag}: {note.text}"
    if one.others:
        yield f"note: {one.repository}: {others(one.others)}"
    for unseen in one.unseen:
        yield f"could not look: {unseen.text}; its line is left as it is"
    if one.absent:
        yield f"error: the registry knows no repository {one.repository}"
    if one.error:
        left = f"; {one.left} images were not looked at, and their lines are left as they are" if one.left else ""
        yield f"could not look: {one.error}{left}"
        yield f"    hint: {one.hint}"


def as_json(run: Run) -> dict[str, Any]:
    """The same."""
    return {
        "repositories": [_json(one) for one in run.repositories],
        "written": list(run.written),
        "done": run.done,
    }


def _json(one: Synced) -> dict[str, Any]:
    return {
        "repository": one.repository,
        "tags": one.tags,
        "changes": changes_json(one.changes),
        "known": one.known,
        "skipped": one.skipped,
        "others": [unfit.raw for unfit in one.others],
        "notes": to_builtins(one.notes),
        "unseen": to_builtins(one.unseen),
        "left": one.left,
        "absent": one.absent,
        "error": {"message": one.error, "hint": one.hint} if one.error else None,
    }
