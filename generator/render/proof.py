"""Proves that a rendered file loads as the values that were printed into it.

Files of one template mostly have one skeleton: the text with each printed scalar taken out. Each distinct skeleton is
parsed once with a token in place of each scalar; every token must come back as one whole scalar. That scalars print
as what they are is the business of scalar.py and its property tests.
"""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from generator.declared.document import read
from generator.render.scalar import END, START

MARKED = re.compile(f"{START}([^{END}]*){END}")
TOKEN = "skeletonValue"  # noqa: S105 - no password, a word that no template holds
ANY_TOKEN = re.compile(rf"{TOKEN}\d+x")


class Identity(Struct, frozen=True):
    """What a manifest is, each part either text or the number of a printed scalar; absent parts are empty."""

    api_version: str | int
    kind: str | int
    name: str | int
    namespace: str | int


class Skeleton(Struct, frozen=True):
    """What is known of a shape: why it is no valid YAML of whole scalars, or whose shape it is."""

    problem: str
    line: int
    identity: Identity
    is_mapping: bool


class Prover:
    """Remembers the skeletons that were proven."""

    def __init__(self) -> None:
        self._known: dict[str, Skeleton] = {}

    def prove(self, marked: str) -> tuple[str, Skeleton]:
        """The final text of a rendered file, with what its skeleton tells."""
        shape = MARKED.sub(START, marked)
        skeleton = self._known.get(shape)
        if skeleton is None:
            skeleton = self._known[shape] = _skeleton(shape)
        return marked.replace(START, "").replace(END, ""), skeleton


def printed(marked: str, index: int) -> str:
    """The index-th printed scalar of a rendered file, as it was printed."""
    for number, found in enumerate(MARKED.finditer(marked)):
        if number == index:
            return found[1]
    raise IndexError(index)


def _skeleton(shape: str) -> Skeleton:
    count = 0

    def token(_: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"{TOKEN}{count - 1}x"

    document = read(re.sub(START, token, shape), "")
    nothing = Identity("", "", "", "")
    if document.findings:
        first = document.findings[0]
        return Skeleton(first.message, first.place.line, nothing, is_mapping=False)
    whole = sorted(found for found in _scalars(document.value) if TOKEN in found)
    if whole != sorted(f"{TOKEN}{number}x" for number in range(count)):
        return Skeleton(_broken(whole), 0, nothing, is_mapping=False)
    is_mapping = isinstance(document.value, dict)
    identity = _identity(document.value) if is_mapping else nothing
    return Skeleton("", 0, identity, is_mapping=is_mapping)


def _broken(whole: list[str]) -> str:
    torn = next((found for found in whole if not ANY_TOKEN.fullmatch(found)), "")
    around = f": it stands inside {ANY_TOKEN.sub('{{ … }}', torn)!r}" if torn else ""
    return f"a printed value is not one whole YAML scalar{around}"


def _scalars(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _scalars(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _scalars(inner)
    elif isinstance(value, str):
        yield value


def _identity(value: dict[str, Any]) -> Identity:
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    parts = (value.get("apiVersion"), value.get("kind"), metadata.get("name"), metadata.get("namespace"))
    return Identity(*(_part(part) for part in parts))


def _part(value: Any) -> str | int:
    if not isinstance(value, str):
        return ""
    found = ANY_TOKEN.fullmatch(value)
    return int(value[len(TOKEN) : -1]) if found else value
