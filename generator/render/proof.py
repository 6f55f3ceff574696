"""Proves that a rendered file loads as the values that were printed into it.

Files of one template mostly have one skeleton: the text with each printed scalar taken out. Each distinct skeleton is
parsed with a token in place of each scalar, once plain and once quoted, since scalars print as either; every token must
come back as one whole scalar. That scalars print as what they are is the business of scalar.py and its property tests.
What only the values can tell, two printed keys that are equal or an escaped control character, is asked of users'
templates alone: no value of ours has it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from generator.documents.document import read
from generator.finding import Finding
from generator.render.scalar import BLOCK, END, START

MARKED = re.compile(f"{START}([^{END}]*){END}")
FIRST_OF_BLOCK = re.compile(r"\|\n *")
BODY = "\x04"  # in a skeleton: the body of a block of lines, with the indentation that it has
HOLE = re.compile(f"[{START}{BODY}]")
TOKEN = "skeletonValue"  # noqa: S105 - no password, a word
NOT_WHOLE = "a printed value is not one whole YAML scalar"


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
    prints_keys: bool = False


NOTHING = Identity("", "", "", "")


class Proven(Struct, frozen=True):
    """The final text of a rendered file, what its skeleton tells, and each printed scalar as it was printed."""

    text: str
    skeleton: Skeleton
    scalars: Sequence[str]


class Prover:
    """Remembers the skeletons that were proven."""

    def __init__(self) -> None:
        self._known: dict[str, Skeleton] = {}

    def prove(self, marked: str) -> Proven:
        """A rendered file without its marks, with what its skeleton tells."""
        parts = MARKED.split(marked)  # what stands between the marks has every second place
        shape = MARKED.sub(_hole, marked) if BLOCK in marked else START.join(parts[::2])
        skeleton = self._known.get(shape)
        if skeleton is None:
            skeleton = self._known[shape] = _skeleton(shape)
        if skeleton.line and BLOCK in marked:
            skeleton = replace(skeleton, line=_unfolded(marked, skeleton.line))
        return Proven("".join(parts).replace(START, "").replace(END, ""), skeleton, parts[1::2])

    def prove_in_full(self, marked: str) -> Proven:
        """The same for a template that may print anything anywhere.

        The file is read only where its values could tell more than its skeleton: as keys, or with escapes.
        """
        proven = self.prove(marked)
        if proven.skeleton.problem or not (proven.skeleton.prints_keys or "\\" in marked):
            return proven
        document = read(proven.text, "")
        return replace(proven, skeleton=_unreadable(document.findings[0])) if document.findings else proven


def _hole(found: re.Match[str]) -> str:
    first = FIRST_OF_BLOCK.match(found[1])
    return f"{first[0]}{BODY}" if first else START


def _unfolded(marked: str, line: int) -> int:
    """The line of a rendered file that a line of its skeleton stands for: there a block of lines has but one."""
    for found in MARKED.finditer(marked):
        if found[1].startswith("|") and marked.count("\n", 0, found.start()) + 1 < line:
            line += found[1].count("\n") - 1
    return line


def _skeleton(shape: str) -> Skeleton:
    token = TOKEN
    while token in shape:
        token += "x"
    plain = read(_filled(shape, token, ""), "")
    if plain.findings:
        return _unreadable(plain.findings[0])
    if problem := _torn(plain.value, token, shape):
        return Skeleton(problem, 0, NOTHING, is_mapping=False)
    quoted = read(_filled(shape, token, '"'), "")
    if quoted.findings or _torn(quoted.value, token, shape):
        line = quoted.findings[0].place.line if quoted.findings else 0
        return Skeleton(f"{NOT_WHOLE}: it stands in quotes already", line, NOTHING, is_mapping=False)
    is_mapping = isinstance(plain.value, dict)
    identity = _identity(plain.value, token) if is_mapping else NOTHING
    prints_keys = any(token in key for key in _keys(plain.value))
    return Skeleton("", 0, identity, is_mapping=is_mapping, prints_keys=prints_keys)


def _unreadable(finding: Finding) -> Skeleton:
    return Skeleton(finding.message, finding.place.line, NOTHING, is_mapping=False)


def _filled(shape: str, token: str, quote: str) -> str:
    """The skeleton with a numbered token for each printed scalar."""
    numbers = count()

    def fill(found: re.Match[str]) -> str:
        name = f"{token}{next(numbers)}."
        return name if found[0] == BODY else f"{quote}{name}{quote}"

    return HOLE.sub(fill, shape)


def _torn(value: Any, token: str, shape: str) -> str:
    """Why some token did not come back as it was filled in; nothing where all did."""
    ends = (".\n" if hole == BODY else "." for hole in HOLE.findall(shape))
    wanted = {f"{token}{number}{end}" for number, end in enumerate(ends)}
    found = {scalar for scalar in _scalars(value) if token in scalar}
    if found == wanted:
        return ""
    torn = min(found - wanted, default="")
    around = re.sub(rf"{token}\d+\.", "{{ … }}", torn).strip()
    return f"{NOT_WHOLE}: it stands inside {around!r}" if torn else f"{NOT_WHOLE}: it stands in a comment"


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


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _keys(inner)


def _identity(value: dict[str, Any], token: str) -> Identity:
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    parts = (value.get("apiVersion"), value.get("kind"), metadata.get("name"), metadata.get("namespace"))
    return Identity(*(_part(part, token) for part in parts))


def _part(value: Any, token: str) -> str | int:
    """Text of the template, or the number of the printed scalar."""
    if not isinstance(value, str):
        return ""
    number = value.removeprefix(token)
    return value if number == value else int(number.strip().removesuffix("."))
