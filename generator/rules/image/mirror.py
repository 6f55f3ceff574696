"""What a mirror changes: whose catalog is asked, what its upstream has, and who may name it."""

from collections.abc import Iterator, Sequence

from generator.declared.fleet import Cluster, Pool
from generator.declared.mirror import MirrorKind
from generator.operator.combination import references
from generator.revision.cluster_inputs import ClusterInputs
from generator.revision.fleet_inputs import FleetInputs
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


def proxy_listed(fleet: FleetInputs) -> Iterator[Problem]:
    """Catalogs of what passes on its upstream's images: partial, and asked by nobody."""
    for mirror in fleet.mirrors.values():
        listed = fleet.catalog.repositories.get(mirror.name)
        if mirror.kind is MirrorKind.COPY or not listed:
            continue
        for file in sorted({entry.file for entry in listed.values()}):
            place = fleet.texts.value(file, ("repository",))
            message = f'"{mirror.name}" is a mirror of {mirror.of} (kind: {mirror.kind}), whose catalog alone is asked'
            hint = f"list what is built in the catalog of {mirror.of} and remove this one, or set kind: copy"
            yield Problem(place=place, message=f"{message}: nothing listed here counts", hint=hint, fact=mirror.name)


def used_repositories(inputs: ClusterInputs) -> frozenset[str]:
    """The repositories that a cluster's pools have images of: what decides for a mirror whether it has a use."""
    mirrors = inputs.catalog.mirrors
    if not mirrors:
        return frozenset()
    pools = inputs.cluster.managed_pools
    used = frozenset(pool.driver.repository for pool in pools)
    if used.issuperset(mirrors.keys() | {mirror.of for mirror in mirrors.values()}):
        return used
    return used.union(*(_pulled(inputs.cluster, pool) for pool in pools))


def _pulled(cluster: Cluster, pool: Pool) -> Iterator[str]:
    """The repositories of all references: drivers, driver managers, GDS and GDRCopy."""
    for reference in references(cluster, pool):
        folder, slash, image = reference.partition("@")[0].rpartition("/")
        yield f"{folder}{slash}{image.partition(':')[0]}"


def unused(fleet: FleetInputs, repositories: Sequence[frozenset[str]]) -> Iterator[Problem]:
    """Mirrors that no pool's images, and no other mirror, have to do with."""
    used = {mirror.of for mirror in fleet.mirrors.values() if mirror.kind is not MirrorKind.NODE}.union(*repositories)
    for mirror in fleet.mirrors.values():
        needed = mirror.of if mirror.kind is MirrorKind.NODE else mirror.name
        if mirror.name not in used and needed not in used:
            message = f'no pool has an image of {needed}, so the mirror "{mirror.name}" has no use'
            place = fleet.texts.key(fleet.file, ("mirrors", mirror.name))
            yield Problem(place=place, message=message, hint="remove it", fact=mirror.name)
