"""Clusters that could not be looked at."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from generator.words import printable


class Unasked(Struct, frozen=True):
    """A cluster that could not be looked at, and why: neither clean nor failed."""

    cluster: str
    message: str
    hint: str


def unasked_lines(unasked: Iterable[Unasked]) -> Iterator[str]:
    """Two lines each."""
    for one in unasked:
        yield printable(f"{one.cluster}: could not be looked at: {one.message}")
        yield printable(f"    hint: {one.hint}")
