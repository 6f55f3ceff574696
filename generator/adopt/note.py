"""What a proposal has to say beside its files."""

from collections.abc import Iterable

from msgspec import Struct

from generator.words import shortened

_NAMED = 5


class Note(Struct, frozen=True):
    """Something that a person should know or decide. `about` is a cluster, CLUSTER/POOL or a file."""

    about: str
    message: str
    hint: str = ""


def some(names: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    return shortened(sorted(names), _NAMED)
