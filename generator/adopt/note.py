"""What a proposal has to say beside its files."""

from collections.abc import Iterable

from msgspec import Struct

_NAMED = 5


class Note(Struct, frozen=True):
    """Something that a person should know or decide. `about` is a cluster, CLUSTER/POOL or a file."""

    about: str
    message: str
    hint: str = ""


def some(names: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    listed = sorted(names)
    more = len(listed) - _NAMED
    return ", ".join(listed[:_NAMED]) + (f" and {more} more" if more > 0 else "")
