"""What can be changed in a document that people wrote, and how each change is said to whoever must make it by hand.

The values are apart from `edit`, which makes the changes: it loads ruamel.yaml, and a run that changes nothing needn't.
"""

import re
from typing import Any

from msgspec import Struct

from generator.documents.places import Path
from generator.documents.scalar import resolve

PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+/-]*")
# Digits and dots alone are no text to most people, whatever YAML makes of them.
LOOKS_NUMERIC = re.compile(r"[0-9.+_-]*")


class CantEdit(Struct, frozen=True):
    """Why an edit can't be made in this text; whoever wrote it can."""

    reason: str


class AddItem(Struct, frozen=True):
    """A value more in a list, at the end unless an index is given; a key without a list gets one."""

    path: Path
    value: Any
    index: int | None = None


class RemoveItem(Struct, frozen=True):
    """An item less in a list; the path ends in its index."""

    path: Path


class SetKey(Struct, frozen=True):
    """A key with a value: the old key where there is one, else a new one at the end of its mapping."""

    path: Path
    value: Any


class RemoveKey(Struct, frozen=True):
    """A key less."""

    path: Path


class MoveKey(Struct, frozen=True):
    """A key that gets another name, or another place at the end of another mapping, with the value that it has."""

    path: Path
    to: Path


Change = AddItem | RemoveItem | SetKey | RemoveKey | MoveKey


def scalar(text: str) -> str:
    """A text as it is written: quoted where YAML would take it for something else."""
    if PLAIN.fullmatch(text) and not LOOKS_NUMERIC.fullmatch(text) and isinstance(resolve(text), str):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def by_hand(change: Change, value: Any) -> str:
    """What to write, for somebody who looks at the file; `value` is the document's."""
    match change:
        case AddItem(path, item):
            return f"add {scalar(str(item))} to {dotted(path)}"
        case RemoveItem((*above, int(index))):
            item = value_at(value, tuple(above))[index]
            return f"take {scalar(str(item))} out of {dotted(tuple(above))}"
        case SetKey(path, inner):
            where = f" in {dotted(path[:-1])}" if len(path) > 1 else ""
            return f"write {scalar(str(path[-1]))}: {scalar(str(inner))}{where}"
        case RemoveKey(path):
            return f"remove {dotted(path)}"
        case MoveKey(path, to):
            return f"move {dotted(path)} to {dotted(to)}"
    return f"change {dotted(change.path)}"


def value_at(value: Any, path: Path) -> Any:
    """The value that a path of keys leads to; None where there is none."""
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def dotted(path: Path) -> str:
    """A path as people write it."""
    return ".".join(map(str, path))
