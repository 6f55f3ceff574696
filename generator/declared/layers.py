"""Inheritance: pool > cluster > profile > defaults, key by key, the nearer level wins.

`nodeSelector`, labels and selectors replace as a whole, and so do lists. Of alternatives the nearer drops the other.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from generator.documents.places import Path

REPLACED_WHOLE = frozenset({"nodeSelector", "labels", "matchLabels", "destination"})
ALTERNATIVES = (("branch", "version"), ("argocd", "flux"))


class Level(Struct, frozen=True):
    """What one level says: the file and path where it stands, and the plain mapping written there."""

    name: str
    file: str
    path: Path
    value: Mapping[str, Any]


def over(far: Mapping[str, Any], near: Mapping[str, Any]) -> dict[str, Any]:
    """The farther mapping with the nearer one laid over it. Neither is changed."""
    out = dict(far)
    for one, other in ALTERNATIVES:
        if one in near:
            out.pop(other, None)
        elif other in near:
            out.pop(one, None)
    for key, value in near.items():
        old = out.get(key)
        nested = isinstance(value, Mapping) and isinstance(old, Mapping) and key not in REPLACED_WHOLE
        out[key] = over(old, value) if nested else value  # type: ignore[arg-type]
    return out


def merged(levels: Sequence[Level]) -> dict[str, Any]:
    """All levels, nearest first, as one mapping."""
    out: dict[str, Any] = {}
    for level in reversed(levels):
        out = over(out, level.value) if out else dict(level.value)
    return out


def below(levels: Sequence[Level], key: str) -> tuple[Level, ...]:
    """The same levels one key down, without those that don't have it."""
    return tuple(
        Level(level.name, level.file, (*level.path, key), level.value[key])
        for level in levels
        if isinstance(level.value.get(key), Mapping)
    )


def origin(levels: Sequence[Level], path: Path) -> tuple[Level, Path] | None:
    """The nearest level that says something at a path, with the whole path in its file."""
    for level in levels:
        if _has(level.value, path):
            return level, (*level.path, *path)
    return None


def _has(value: Any, path: Path) -> bool:
    for step in path:
        in_list = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if not in_list and not (isinstance(value, Mapping) and step in value):
            return False
        value = value[step]
    return True


def leaves(value: Mapping[str, Any], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every path of a mapping that holds no further mapping, with its value."""
    for key, inner in value.items():
        if isinstance(inner, Mapping) and inner and key not in REPLACED_WHOLE:
            yield from leaves(inner, (*path, key))
        else:
            yield (*path, key), inner
