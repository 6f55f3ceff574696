"""How it is told that a place of a custom resource is refused."""

from enum import StrEnum
from typing import Any

from msgspec import Struct

Path = tuple[str | int, ...]


class Flaw(StrEnum):
    """What is wrong with a place. UNKNOWN is HTTP 400 under strict validation, all others are 422."""

    UNKNOWN = "unknown"
    MISSING = "missing"
    TYPE = "type"
    ENUM = "enum"
    RANGE = "range"
    PATTERN = "pattern"
    RULE = "rule"


class Violation(Struct, frozen=True):
    """One place that is refused. `message` is what follows the path in a sentence."""

    path: Path
    kind: Flaw
    message: str


def dotted(path: Path) -> str:
    """The path as people write it: `env[0].name`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def said(value: Any) -> str:
    """A value as the user would know it again."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value}"'
        case int() | float():
            return str(value)
        case dict():
            return "an object"
        case list() | tuple():
            return "a list"
        case _:
            return f"{type(value).__name__} {value}"
