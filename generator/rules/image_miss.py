"""What the catalog lacks of what the pools' nodes will ask for."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from msgspec import Struct

from generator.declared.catalog import Catalog, Entry
from generator.declared.fleet import Cluster, Kernel, Pool
from generator.facts.kernel import architecture
from generator.render.combination import Combination
from generator.rules.context import Context
from generator.rules.image_reference import DIGEST, fault

PLATFORMS = {"amd64": "linux/amd64", "arm64": "linux/arm64"}


class Lack(StrEnum):
    """How an image falls short of a combination."""

    IMAGE = "image"  # no line lists it
    GONE = "gone"
    PLATFORM = "platform"  # the platforms are recorded, and the pool's is not among them
    RECORD = "record"  # they are not recorded, and the pool is one of arm64
    CERTAINTY = "certainty"  # they are not recorded, and the pool is one of amd64


class Miss(Struct, frozen=True, kw_only=True):
    """A tag (or digest) that a pool asks for and can't count on, for some of its platforms."""

    cluster: Cluster
    pool: Pool
    kernel: Kernel | None
    repository: str
    tag: str
    arches: tuple[str, ...]
    upcoming: bool
    lack: Lack
    entry: Entry | None

    @property
    def platforms(self) -> str:
        """The platforms in words."""
        return " and ".join(PLATFORMS[arch] for arch in self.arches)


def misses(context: Context) -> tuple[Miss, ...]:
    """One for each pool, tag and lack, found once for all the rules that tell of them."""
    return context.remembered("misses", lambda: tuple(_misses(context)))


def _misses(context: Context) -> Iterator[Miss]:
    """A reference that can't be asked for at all is no miss."""
    listed = Listed(context.catalog)
    for cluster, pool in context.managed():
        found: dict[tuple[str, Lack], list[Combination]] = {}
        for one in context.combinations(cluster, pool):
            if not isinstance(one.reference, str):
                continue
            entry = listed.entry(one)
            if entry is None or entry.gone or PLATFORMS[one.arch] not in (entry.platforms or ()):
                lack = lacking(one, entry)
                if lack is not None:
                    found.setdefault((one.tag, lack), []).append(one)
        if found and fault(context, cluster, pool) is None:
            for (text, lack), ones in found.items():
                yield Miss(
                    cluster=cluster,
                    pool=pool,
                    kernel=ones[0].kernel,
                    repository=ones[0].repository,
                    tag=text,
                    arches=tuple(one.arch for one in ones),
                    upcoming=ones[0].upcoming,
                    lack=lack,
                    entry=listed.entry(ones[0]),
                )


def entries(context: Context) -> Iterator[tuple[Cluster, Pool, Combination, Entry]]:
    """Every combination that some line lists."""
    listed = Listed(context.catalog)
    for cluster, pool in context.managed():
        for one in context.combinations(cluster, pool):
            entry = listed.entry(one) if isinstance(one.reference, str) else None
            if entry is not None:
                yield cluster, pool, one, entry


def serves(entry: Entry, arch: str) -> bool:
    """Whether an image is recorded for a platform; variant v8 is what every arm64 is."""
    recorded = entry.platforms or ()
    return f"linux/{arch}" in recorded or (arch == "arm64" and "linux/arm64/v8" in recorded)


def lacking(one: Combination, entry: Entry | None) -> Lack | None:
    """How the line that lists an image falls short of what one platform asks for; None where it doesn't."""
    if entry is None:
        return Lack.IMAGE
    if entry.gone:
        return Lack.GONE
    if entry.platforms is not None:
        return None if serves(entry, one.arch) else Lack.PLATFORM
    # A kernel that names its machine makes an image of that machine (gpu-driver-container rhel9/precompiled).
    if one.kernel and architecture(one.kernel.name):
        return None
    return Lack.CERTAINTY if one.arch == "amd64" else Lack.RECORD


class Listed:
    """The catalog by tag, and by digest for repositories that are asked for one."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.digests: dict[str, Mapping[str, Entry]] = {}

    def entry(self, one: Combination) -> Entry | None:
        """The line that lists what a combination asks for."""
        asked = one.reference
        assert isinstance(asked, str)
        # All but a digest is the repository, one character and the tag.
        tag = asked[len(one.repository) + 1 :]
        entry = self.catalog.find(one.repository, tag)
        return self._by_digest(one.repository, tag) if entry is None and tag.startswith(DIGEST) else entry

    def _by_digest(self, repository: str, digest: str) -> Entry | None:
        known = self.digests.get(repository)
        if known is None:
            rows = self.catalog.repositories.get(repository, {}).values()
            known = self.digests[repository] = {row.digest: row for row in rows if row.digest}
        return known.get(digest)
