"""What a mirror changes: whose catalog is asked, what its upstream has, and who may name it."""

from collections.abc import Iterable, Iterator

from generator.declared.fleet import Cluster, Pool
from generator.declared.mirror import MirrorKind
from generator.finding import Place
from generator.operator.combination import references
from generator.revision.cluster_inputs import ClusterInputs
from generator.revision.revision import Revision
from generator.rules.rule import Problem
from generator.rules.setting import said

# OpenShift's documentation, "Configuring image registry repository mirroring".
BY_THE_NODES = (
    "the nodes' registry configuration send them to the mirror (on OpenShift an ImageTagMirrorSet: an "
    "ImageDigestMirrorSet sends digests only)"
)


def node_mirror(inputs: ClusterInputs) -> Iterator[Problem]:
    """Pools that name what only the nodes' registry configuration should: nothing proves what it holds."""
    for pool in inputs.cluster.managed_pools:
        mirror = inputs.catalog.mirrors.get(pool.driver.repository)
        if mirror is None or mirror.kind is not MirrorKind.NODE:
            continue
        message = f'driver.repository is "{mirror.name}", a mirror that nodes are sent to (kind: node) when they are'
        where = said(inputs, pool, "driver", "repository")
        hint = f"set driver.repository: {mirror.of}, and let {BY_THE_NODES}"
        yield where.problem(f"{message} asked for {mirror.of}", hint, mirror.name)


def proxy_listed(revision: Revision) -> Iterator[Problem]:
    """Catalogs of what passes on its upstream's images: partial, and asked by nobody."""
    for mirror in revision.fleet.mirrors.values():
        listed = revision.catalog.repositories.get(mirror.name)
        if mirror.kind is MirrorKind.COPY or not listed:
            continue
        for file in sorted({entry.file for entry in listed.values()}):
            place = revision.fleet.texts.value(file, ("repository",))
            message = f'"{mirror.name}" is a mirror of {mirror.of} (kind: {mirror.kind}), whose catalog alone is asked'
            hint = f"list what is built in the catalog of {mirror.of} and remove this one, or set kind: copy"
            yield Problem(place=place, message=f"{message}: nothing listed here counts", hint=hint, fact=mirror.name)


def unused(revision: Revision) -> Iterator[Problem]:
    """Mirrors that no pool's images, and no other mirror, have to do with."""
    mirrors, fleet = revision.fleet.mirrors, revision.everyone
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
            yield Problem(place=_place(revision, mirror.name), message=message, hint="remove it", fact=mirror.name)


def _place(revision: Revision, name: str) -> Place:
    return revision.fleet.texts.key(revision.fleet.file, ("mirrors", name))


def _pulled(managed: Iterable[tuple[Cluster, Pool]]) -> Iterator[str]:
    """The repositories of all references: drivers, driver managers, GDS and GDRCopy."""
    for cluster, pool in managed:
        for reference in references(cluster, pool):
            folder, slash, image = reference.partition("@")[0].rpartition("/")
            yield f"{folder}{slash}{image.partition(':')[0]}"
