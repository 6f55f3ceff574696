"""What a value leads to: every value inside it, however deep, and every type that its fields may have."""

from collections.abc import Iterator, Mapping
from datetime import date
from enum import Enum
from re import Pattern
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from msgspec import Struct

LEAVES = (str, bytes, int, float, NoneType, date, Enum, Pattern, type)
COLLECTIONS = (list, tuple, set, frozenset)


def values(root: object) -> Iterator[object]:
    """The root and all that it leads to, each once. AssertionError for what can't be looked into, as a function."""
    known: dict[int, object] = {}  # kept, so that no number is given to another value
    left = [root]
    while left:
        value = left.pop()
        if id(value) in known:
            continue
        known[id(value)] = value
        yield value
        if not isinstance(value, LEAVES):
            left += _inside(value)


def _inside(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, COLLECTIONS):
        return list(value)
    fields = getattr(value, "__struct_fields__", ())
    slots = [slot for kind in type(value).__mro__ for slot in getattr(kind, "__slots__", ()) if hasattr(value, slot)]
    remembered = getattr(value, "__dict__", {})
    inside = type(value).__module__.startswith("generator.")
    assert inside, f"nobody can look into {value!r}"
    return [*(getattr(value, name) for name in (*fields, *slots)), *remembered.values()]


def texts(root: object) -> frozenset[str]:
    """Every text that a value leads to."""
    found = set()
    for value in values(root):
        if isinstance(value, str):
            found.add(str(value))
        elif isinstance(value, bytes):
            found.add(value.decode())
    return frozenset(found)


def hints(root: type[Struct], **imported_late: type) -> dict[str, Any]:
    """What every field of a type, and of all types in those fields, is declared as, by type and field.

    `imported_late` are types by names that their modules import for type checkers only.
    """
    found: dict[str, Any] = {}
    known: set[type] = set()
    left: list[type] = [root]
    while left:
        kind = left.pop()
        if kind in known or not issubclass(kind, Struct):
            continue
        known.add(kind)
        for name, hint in get_type_hints(kind, localns=imported_late).items():
            found[f"{kind.__qualname__}.{name}"] = hint
            left += parts(hint)
    return found


def parts(hint: object) -> list[type]:
    """The classes that a type hint names."""
    if isinstance(hint, type) and get_origin(hint) is None:
        return [hint]
    return [kind for argument in get_args(hint) for kind in parts(argument)]
