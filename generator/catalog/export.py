"""Every image that a fleet's nodes will pull, with where it can be copied from, and where to."""

from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct

from generator.declared.catalog import Catalog
from generator.declared.fleet import Cluster, Fleet, Pool
from generator.declared.mirror import MirrorKind, catalog_name, node_mirrors, upstreams
from generator.operator.combination import combinations, references


class Wanted(Struct, frozen=True, kw_only=True):
    """One reference as nodes ask for it. `source` is where to copy it from, `target` where to, "" where nowhere.

    A `driver` is what the catalog is about; of what comes with it (the driver manager, GDS, GDRCopy) nothing is listed.
    `mirror` is the repository that nodes are sent to for it.
    """

    reference: str
    source: str
    target: str
    mirror: str
    driver: bool
    upcoming: bool
    missing: bool
    digest: str = ""
    users: tuple[str, ...] = ()

    @property
    def pinned(self) -> bool:
        """Whether it is asked for by digest."""
        return "@" in self.reference


def wanted(fleet: Fleet, catalog: Catalog, *, clusters: Collection[str] = (), to: str = "") -> tuple[Wanted, ...]:
    """All of them in bytewise order. `to` is the registry, or a path in one, that everything is copied to."""
    users: dict[str, set[str]] = {}
    drivers: dict[str, bool] = {}
    for cluster in fleet.clusters:
        if clusters and cluster.name not in clusters:
            continue
        for pool in cluster.managed_pools:
            for reference in references(cluster, pool):
                users.setdefault(reference, set()).add(f"{cluster.name}/{pool.name}")
            for reference, upcoming in _drivers(cluster, pool):
                drivers[reference] = drivers.get(reference, True) and upcoming
    export = _Export(fleet, catalog, to)
    return tuple(export.image(reference, users[reference], drivers.get(reference)) for reference in sorted(users))


def _drivers(cluster: Cluster, pool: Pool) -> Iterator[tuple[str, bool]]:
    for combination in combinations(cluster, pool):
        if isinstance(combination.reference, str):
            yield combination.reference, combination.upcoming


def clashing(images: Iterable[Wanted], *, repositories: bool = False) -> tuple[str, str, str] | None:
    """Two sources that would end up under one name, and that name; of whole repositories, nodes are sent to one."""
    sources: dict[str, str] = {}
    for image in images:
        source, target = (split(image.source)[0], image.mirror) if repositories else (image.source, image.target)
        if target and source != target and sources.setdefault(target, source) != source:
            return sources[target], source, target
    return None


def split(reference: str) -> tuple[str, str]:
    """The repository, and the tag or digest with the mark before it."""
    folder, slash, image = reference.partition("@")[0].rpartition("/")
    repository = f"{folder}{slash}{image.partition(':')[0]}"
    return repository, reference[len(repository) :]


def release_notes(fleet: Fleet, *, clusters: Collection[str] = ()) -> Iterator[str]:
    """Where a driver manager is that of another release, since the declared one isn't known."""
    for cluster in fleet.clusters:
        if (clusters and cluster.name not in clusters) or not cluster.operator.release.unknown:
            continue
        own = [pool.driver.spec.get("manager", {}).get("version") for pool in cluster.managed_pools]
        if own and not all(own):
            release = cluster.operator.release
            yield (
                f"{cluster.name}: the driver manager of operator {release.version} is not known; that of "
                f"{release.basis} is taken: {release.driver_manager}"
            )


class _Export:
    def __init__(self, fleet: Fleet, catalog: Catalog, to: str) -> None:
        self.mirrors, self.catalog, self.to = fleet.mirrors, catalog, to.rstrip("/")

    def image(self, reference: str, users: set[str], upcoming: bool | None) -> Wanted:
        repository, rest = split(reference)
        tag = rest[1:]
        source, known = self._source(repository, tag)
        sent = next(iter(node_mirrors(self.mirrors, repository)), None)
        mirror = f"{self.to}/{repository.partition('/')[2]}" if self.to else (sent.name if sent else "")
        own = self.mirrors.get(repository)
        copied = repository if own is not None and own.kind is MirrorKind.COPY else ""
        target = mirror or copied
        digest = next((entry.digest for entry in (self.catalog.find(known, tag),) if entry and entry.digest), "")
        return Wanted(
            reference=reference,
            source=source + rest,
            target=target + rest if target else "",
            mirror=mirror,
            driver=upcoming is not None,
            upcoming=bool(upcoming),
            missing=upcoming is not None and not known,
            digest=tag if rest.startswith("@") else digest,
            users=tuple(sorted(users)),
        )

    def _source(self, repository: str, tag: str) -> tuple[str, str]:
        """Where to copy from, and which repository is known to have it, "" where none is."""
        chain = [catalog_name(self.mirrors, repository)]
        chain += [
            name
            for upstream in upstreams(self.mirrors, chain[0])
            if (name := catalog_name(self.mirrors, upstream)) not in chain
        ]
        having = [name for name in chain if self._has(name, tag)]
        # What is to be copied comes from further up, even where the copy has it already.
        above = [name for name in having if name != chain[0]] or having or chain[1:] or chain
        return above[0], having[0] if having else ""

    def _has(self, repository: str, tag: str) -> bool:
        entry = self.catalog.find(repository, tag)
        if entry is None and ":" in tag:
            return any(listed.digest == tag for listed in (self.catalog.images(repository) or {}).values())
        return entry is not None and not entry.gone
