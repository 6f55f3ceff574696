"""Which lines of the catalog nobody needs: neither the fleet as it is, nor as it was in some of its commits."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from generator.catalog.change import Change, Kind
from generator.catalog.need import Wish
from generator.declared.entry import Entry
from generator.facts.tag import Unreadable, parse


class Past(Struct, frozen=True, kw_only=True):
    """An earlier state of the inventory. `unread` is all its text where no whole fleet could be made of it."""

    commit: str
    wishes: Mapping[str, Wish]
    unread: str = ""


def unneeded(
    listed: Mapping[str, Mapping[str, Entry]], wishes: Mapping[str, Wish], past: Iterable[Past]
) -> tuple[Change, ...]:
    """The lines that can go, repository by repository, each in the order of its tags."""
    demands = [wishes, *(state.wishes for state in past)]
    texts = [state.unread for state in past if state.unread]
    return tuple(
        Change(Kind.REMOVED, repository, tag, entries[tag], None)
        for repository, entries in sorted(listed.items())
        for tag in sorted(entries)
        if not any(repository in demand and demand[repository].asks_for(entries[tag]) for demand in demands)
        and not any(word in text for word in _telling(tag) for text in texts)
    )


def _telling(tag: str) -> Iterator[str]:
    """What an inventory that asks for an image must hold in so many words; its kernel may be written with "+"."""
    parsed = parse(tag)
    if isinstance(parsed, Unreadable):
        yield tag
    elif parsed.precompiled:
        yield parsed.kernel
        yield parsed.kernel.replace("_64k", "+64k").replace("_rt", "+rt")
    else:
        yield parsed.driver
