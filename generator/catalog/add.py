"""Images that somebody says are built: what their lines become, without a look at any registry."""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from generator.catalog.change import Change, between
from generator.catalog.taglist import Named
from generator.declared.entry import Entry
from generator.facts.tag import Unreadable, parse


class Said(Struct, frozen=True):
    """What is said of all images at once, None where nothing is."""

    platforms: tuple[str, ...] | None = None
    module_type: str | None = None


class Added(Struct, frozen=True, kw_only=True):
    """What a list comes to. `known` images have that line already; `others` are tags of no driver."""

    changes: tuple[Change, ...]
    known: int
    others: tuple[Unreadable, ...]


def added(named: Iterable[Named], listed: Mapping[str, Mapping[str, Entry]], said: Said) -> Added:
    """What the catalog, repository -> tag -> line, makes of the images, each with its repository."""
    changes: dict[tuple[str, str], Change | None] = {}
    others: dict[str, Unreadable] = {}
    for one in named:
        parsed = parse(one.tag)
        if isinstance(parsed, Unreadable):
            others[one.tag] = parsed
            continue
        whose = one.repository
        old = listed.get(whose, {}).get(one.tag)
        earlier = changes.get((whose, one.tag))
        entry = _entry(one, earlier.new if earlier else old, said)
        changes[whose, one.tag] = between(whose, old, entry)
    found = tuple(one for one in changes.values() if one is not None)
    return Added(changes=found, known=len(changes) - len(found), others=tuple(others.values()))


def _entry(one: Named, old: Entry | None, said: Said) -> Entry:
    """What was recorded of another digest is not what this one stands for."""
    digest = one.digest or (old.digest if old else None) or None
    same = old is not None and old.digest in {None, digest}
    kept = old if old is not None and same else Entry(one.tag)
    return replace(
        kept,
        digest=digest,
        gone=False,
        platforms=said.platforms or kept.platforms,
        module_type=said.module_type or kept.module_type,
    )
