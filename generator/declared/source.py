"""Where a part of the inventory lives, as the Fleet says it: all that a fleet without sources needs of them."""

from collections.abc import Mapping

from msgspec import Struct

from generator.declared.model import Source as Shape


class Source(Struct, frozen=True, kw_only=True):
    """A repository, a branch or tag of it, a folder in it ("" for all of it)."""

    name: str
    url: str
    ref: str
    path: str


def declared(sources: Mapping[str, Shape]) -> tuple[Source, ...]:
    """The sources of a Fleet document by name."""
    return tuple(
        Source(name=name, url=one.url, ref=one.ref, path="/".join(filter(None, one.path.split("/"))))
        for name, one in sorted(sources.items())
    )
