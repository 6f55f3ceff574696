"""Images that somebody says are built: what their lines become, without a look at any registry."""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from generator.catalog.change import Change, between
from generator.catalog.taglist import Named
from generator.declared.entry import Entry
from generator.facts.tag import Unreadable, parse


class CommonFacts(Struct, frozen=True):
    """What is said of all images at once, None where nothing is."""

    platforms: tuple[str, ...] | None = None
    module_type: str | None = None


class Added(Struct, frozen=True, kw_only=True):
    """What a list comes to. `known` images have that line already; `others` are tags of no driver."""

    changes: tuple[Change, ...]
    known: int
    others: tuple[Unreadable, ...]


def added(named: Iterable[Named], listed: Mapping[str, Mapping[str, Entry]], facts: CommonFacts) -> Added:
    """What the catalog, repository -> tag -> line, makes of the images, each with its repository."""
    changes: dict[tuple[str, str], Change | None] = {}
    others: dict[str, Unreadable] = {}
    for image in named:
        parsed = parse(image.tag)
        if isinstance(parsed, Unreadable):
            others[image.tag] = parsed
            continue
        whose = image.repository
        old = listed.get(whose, {}).get(image.tag)
        earlier = changes.get((whose, image.tag))
        entry = _entry(image, earlier.new if earlier else old, facts)
        changes[whose, image.tag] = between(whose, old, entry)
    differing = tuple(change for change in changes.values() if change is not None)
    return Added(changes=differing, known=len(changes) - len(differing), others=tuple(others.values()))


def _entry(image: Named, old: Entry | None, facts: CommonFacts) -> Entry:
    """What was recorded of another digest is not what this one stands for."""
    digest = image.digest or (old.digest if old else None) or None
    same = old is not None and old.digest in {None, digest}
    kept = old if old is not None and same else Entry(image.tag)
    return replace(
        kept,
        digest=digest,
        gone=False,
        platforms=facts.platforms or kept.platforms,
        module_type=facts.module_type or kept.module_type,
    )
