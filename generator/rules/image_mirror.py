"""What a mirror changes: whose catalog is asked, what its upstream has, and who may name it."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from generator.declared.catalog import Catalog, Entry
from generator.declared.fleet import Cluster, Pool
from generator.declared.mirror import MirrorKind, asked, upstreams
from generator.facts.kernel import architecture
from generator.finding import Place
from generator.render.combination import references
from generator.rules.context import Context
from generator.rules.image_miss import Lack, Miss, serves
from generator.rules.image_reference import DIGEST
from generator.rules.rule import Problem
from generator.rules.said import once, said

# OpenShift's documentation, "Configuring image registry repository mirroring".
BY_THE_NODES = (
    "the nodes' registry configuration send them to the mirror (on OpenShift an ImageTagMirrorSet: an "
    "ImageDigestMirrorSet sends digests only)"
)
LACKED_BY_A_COPY = frozenset({Lack.IMAGE, Lack.GONE, Lack.PLATFORM})


class Upstream(Struct, frozen=True):
    """A repository further up a chain of mirrors, and its line of an image."""

    repository: str
    entry: Entry


def source(catalog: Catalog, repository: str) -> str:
    """The name whose catalog is asked, in words."""
    name = asked(catalog.mirrors, repository)
    if name == repository:
        return name
    return f"{name}, the upstream of {repository} (kind: {catalog.mirrors[repository].kind})"


def copied_from(catalog: Catalog, miss: Miss) -> Upstream | None:
    """Where a copy could get what it lacks; None where no upstream is known to have it for the miss's platforms."""
    if miss.lack not in LACKED_BY_A_COPY or miss.tag.startswith(DIGEST):
        return None
    for name in upstreams(catalog.mirrors, asked(catalog.mirrors, miss.repository)):
        entry = catalog.find(name, miss.tag)
        if entry is not None and not entry.gone and _serves(entry, miss):
            return Upstream(asked(catalog.mirrors, name), entry)
    return None


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
    names = list(upstreams(catalog.mirrors, asked(catalog.mirrors, miss.repository)))
    if not names:
        return ""
    found = copied_from(catalog, miss)
    if found is not None:
        at = f"{found.entry.file}:{found.entry.line}"
        return f", but it is built upstream and not copied ({found.repository}, {at})"
    known = [name for name in names if catalog.images(name) is not None]
    if not known:
        return f", and no catalog says what its upstream {names[0]} has"
    return f", nor is it known to be built for that upstream ({', '.join(known)})"


def node_mirror(context: Context) -> Iterator[Problem]:
    """Pools that name what only the nodes' registry configuration should: nothing proves what it holds."""
    yield from once(_named(context))


def _named(context: Context) -> Iterator[Problem]:
    for _, pool in context.managed():
        mirror = context.fleet.mirrors.get(pool.driver.repository)
        if mirror is None or mirror.kind is not MirrorKind.NODE:
            continue
        message = f'driver.repository is "{mirror.name}", a mirror that nodes are sent to (kind: node) when they are'
        where = said(context.fleet, pool, "driver", "repository")
        hint = f"set driver.repository: {mirror.of}, and let {BY_THE_NODES}"
        yield where.problem(f"{message} asked for {mirror.of}", hint, mirror.name)


def proxy_listed(context: Context) -> Iterator[Problem]:
    """Catalogs of what passes on its upstream's images: partial, and asked by nobody."""
    for mirror in context.fleet.mirrors.values():
        listed = context.catalog.repositories.get(mirror.name)
        if mirror.kind is MirrorKind.COPY or not listed:
            continue
        for file in sorted({entry.file for entry in listed.values()}):
            place = context.fleet.texts.value(file, ("repository",))
            message = f'"{mirror.name}" is a mirror of {mirror.of} (kind: {mirror.kind}), whose catalog alone is asked'
            hint = f"list what is built in the catalog of {mirror.of} and remove this one, or set kind: copy"
            yield Problem(place=place, message=f"{message}: nothing listed here counts", hint=hint, fact=mirror.name)


def unused(context: Context) -> Iterator[Problem]:
    """Mirrors that no pool's images, and no other mirror, have to do with."""
    mirrors, fleet = context.fleet.mirrors, context.everyone
    if fleet is None or not mirrors:
        return
    managed = [(cluster, pool) for cluster in fleet.clusters for pool in cluster.managed_pools]
    used = {mirror.of for mirror in mirrors.values() if mirror.kind is not MirrorKind.NODE}
    used |= {pool.driver.repository for _, pool in managed}
    needed = {one.name: one.of if one.kind is MirrorKind.NODE else one.name for one in mirrors.values()}
    if not used.issuperset(needed.values()):
        used |= set(_pulled(managed))
    for mirror in mirrors.values():
        if mirror.name not in used and needed[mirror.name] not in used:
            message = f'no pool has an image of {needed[mirror.name]}, so the mirror "{mirror.name}" has no use'
            yield Problem(place=_place(context, mirror.name), message=message, hint="remove it", fact=mirror.name)


def _place(context: Context, name: str) -> Place:
    return context.fleet.texts.key(context.fleet.file, ("mirrors", name))


def _pulled(managed: Iterable[tuple[Cluster, Pool]]) -> Iterator[str]:
    """The repositories of all references: drivers, driver managers, GDS and GDRCopy."""
    for cluster, pool in managed:
        for reference in references(cluster, pool):
            folder, slash, image = reference.partition("@")[0].rpartition("/")
            yield f"{folder}{slash}{image.partition(':')[0]}"
