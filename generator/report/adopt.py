"""What init did and has to say, as text and for JSON."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins

from generator.adopt.note import Note
from generator.finding import Finding
from generator.report.formats.json import finding
from generator.words import printable


class Told(Struct, frozen=True, kw_only=True):
    """One run: files written and kept, what kept files lack, notes, and what to do next."""

    wrote: tuple[str, ...]
    kept: tuple[str, ...]
    lacking: Mapping[str, str]
    notes: tuple[Note, ...]
    next: tuple[str, ...]


def files(told: Told) -> str:
    """The result: one line for each file."""
    lines = [f"wrote {path}" for path in told.wrote] + [f"kept {path}: it is there already" for path in told.kept]
    return "".join(f"{line}\n" for line in lines)


def as_json(told: Told) -> dict[str, Any]:
    """The same for programs."""
    found: dict[str, Any] = to_builtins(told)
    return found


def refused(blocking: Iterable[Finding]) -> dict[str, Any]:
    """Nothing was written, and these findings are why."""
    return {"wrote": [], "findings": [finding(one) for one in blocking]}


def talk(told: Told) -> str:
    """Everything beside it, in the order of reading."""
    lines = [line for path, text in told.lacking.items() for line in _to_add(path, text)]
    lines += [line for note in told.notes for line in _note(note)]
    if told.next:
        lines += ["next:", *(f"    {step}" for step in told.next)]
    return "\n".join(lines)


def _to_add(path: str, text: str) -> Iterable[str]:
    return [f"add to {path}:", *(f"    {line}" for line in text.splitlines())]


def _note(note: Note) -> Sequence[str]:
    lines = [printable(f"{note.about}: {note.message}")]
    return [*lines, printable(f"    hint: {note.hint}")] if note.hint else lines
