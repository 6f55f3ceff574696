"""What `sources update` has to say: which commits sources are read at now."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from generator.declared.sources import Pinned
from generator.words import counted, printable

SHORT = 12


class Move(Struct, frozen=True, kw_only=True):
    """A source from its old commit ("" for none) to the one that its ref names.

    `commits` lead from one to the other, None where that can't be said: of a new source, and of a rewritten ref. A
    `refused` one stays where it was.
    """

    name: str
    ref: str
    old: str
    new: str
    commits: int | None
    rewritten: bool
    refused: bool
    pinned: Pinned


def as_text(moves: Iterable[Move], *, done: bool) -> str:
    """One line a source."""
    return "".join(f"{printable(_line(move, done=done))}\n" for move in moves) or "the Fleet document has no sources\n"


def _line(move: Move, *, done: bool) -> str:
    new, old = move.new[:SHORT], move.old[:SHORT]
    if move.refused:
        return f"{move.name}  left at {old}: {move.ref} was rewritten, and names {new}"
    if move.old == move.new:
        return f"{move.name}  {new} as before ({move.ref})"
    pins = "pinned to" if done else "would be pinned to"
    if move.rewritten:
        return f"{move.name}  {pins} {new} ({move.ref}, rewritten); was {old}"
    if move.commits is None:
        return f"{move.name}  {pins} {new} ({move.ref})" + (f"; was {old} of another place" if old else "")
    return f"{move.name}  {pins} {new} ({move.ref}); was {old}, {counted(move.commits, 'commit')} before"


def talk(moves: Iterable[Move]) -> list[str]:
    """What to do about a ref that was rewritten."""
    return [
        f"{move.name}: {move.old[:SHORT]} is no ancestor of what {printable(move.ref)} names now\n"
        f"    hint: look what happened there, then run: drivergate sources update --allow-rewritten {move.name}"
        for move in moves
        if move.refused
    ]


def as_json(moves: Iterable[Move], *, done: bool) -> dict[str, Any]:
    """The same for programs."""
    return {
        "sources": [
            {
                "name": move.name,
                "ref": printable(move.ref),
                "old": move.old or None,
                "new": move.new,
                "commits": move.commits,
                "rewritten": move.rewritten,
                "refused": move.refused,
            }
            for move in moves
        ],
        "done": done,
    }
