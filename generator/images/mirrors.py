"""What a mirror changes in a look-up: whose catalog is asked, and what its upstream has."""

from collections.abc import Iterator

from msgspec import Struct

from generator.declared.catalog import Catalog, Entry
from generator.declared.mirror import catalog_name, upstreams
from generator.facts.kernel import architecture
from generator.images.lookup import DIGEST, Lack, Miss, serves

LACKED_BY_A_COPY = frozenset({Lack.IMAGE, Lack.GONE, Lack.PLATFORM})


class Upstream(Struct, frozen=True):
    """A repository further up a chain of mirrors, and its line of an image."""

    repository: str
    entry: Entry


def source(catalog: Catalog, repository: str) -> str:
    """The name whose catalog is asked, in words."""
    name = catalog_name(catalog.mirrors, repository)
    if name == repository:
        return name
    return f"{name}, the upstream of {repository} (kind: {catalog.mirrors[repository].kind})"


def copied_from(catalog: Catalog, miss: Miss) -> Upstream | None:
    """Where a copy could get what it lacks; None where no upstream is known to have it for the miss's platforms."""
    if miss.lack not in LACKED_BY_A_COPY or miss.tag.startswith(DIGEST):
        return None
    built = built_upstream(catalog, catalog_name(catalog.mirrors, miss.repository), miss.tag)
    return next((upstream for upstream in built if _serves(upstream.entry, miss)), None)


def built_upstream(catalog: Catalog, repository: str, tag: str) -> Iterator[Upstream]:
    """The repositories up the chain of mirrors that list a tag and have it, the nearest first."""
    for name in upstreams(catalog.mirrors, repository):
        entry = catalog.find(name, tag)
        if entry is not None and not entry.gone:
            yield Upstream(catalog_name(catalog.mirrors, name), entry)


def _serves(entry: Entry, miss: Miss) -> bool:
    if miss.kernel and architecture(miss.kernel.name):
        return True
    if entry.platforms is None:
        return miss.arches == ("amd64",)
    return all(serves(entry, arch) for arch in miss.arches)


def upstream_standing(catalog: Catalog, miss: Miss) -> str:
    """What follows the words about a copy that lacks an image; "" where nothing is to be told of an upstream."""
    if miss.lack not in LACKED_BY_A_COPY or miss.tag.startswith(DIGEST):
        return ""
    names = list(upstreams(catalog.mirrors, catalog_name(catalog.mirrors, miss.repository)))
    if not names:
        return ""
    upstream = copied_from(catalog, miss)
    if upstream is not None:
        at = f"{upstream.entry.file}:{upstream.entry.line}"
        return f", but it is built upstream and not copied ({upstream.repository}, {at})"
    known = [name for name in names if catalog.images(name) is not None]
    if not known:
        return f", and no catalog says what its upstream {names[0]} has"
    return f", nor is it known to be built for that upstream ({', '.join(known)})"
