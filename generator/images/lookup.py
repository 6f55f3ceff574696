"""Whether the catalog lists an image for a platform, how it falls short, and what a mirror changes in that."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from msgspec import Struct

from generator.declared.catalog import Catalog, Entry
from generator.declared.fleet import Cluster, Kernel, Pool
from generator.declared.mirror import catalog_name, upstreams
from generator.facts.kernel import architecture
from generator.operator.combination import Combination

DIGEST = "sha256:"  # how a version that is a digest begins
PLATFORMS = {"amd64": "linux/amd64", "arm64": "linux/arm64"}


class Lack(StrEnum):
    """How an image falls short of a combination."""

    IMAGE = "image"  # no line lists it
    GONE = "gone"
    PLATFORM = "platform"  # the platforms are recorded, and the pool's is not among them
    RECORD = "record"  # they are not recorded, and the pool is one of arm64
    CERTAINTY = "certainty"  # they are not recorded, and the pool is one of amd64


LACKED_BY_A_COPY = frozenset({Lack.IMAGE, Lack.GONE, Lack.PLATFORM})


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


def serves(entry: Entry, arch: str) -> bool:
    """Whether an image is recorded for a platform; variant v8 is what every arm64 is."""
    recorded = entry.platforms or ()
    return f"linux/{arch}" in recorded or (arch == "arm64" and "linux/arm64/v8" in recorded)


def _lacking(combination: Combination, entry: Entry | None) -> Lack | None:
    """How the line that lists an image falls short of what one platform asks for; None where it doesn't."""
    if entry is None:
        return Lack.IMAGE
    if entry.gone:
        return Lack.GONE
    if entry.platforms is not None:
        return None if serves(entry, combination.arch) else Lack.PLATFORM
    # A kernel that names its machine makes an image of that machine (gpu-driver-container rhel9/precompiled).
    if combination.kernel and architecture(combination.kernel.name):
        return None
    return Lack.CERTAINTY if combination.arch == "amd64" else Lack.RECORD


class Availability(Struct, frozen=True):
    """How one image stands in the catalog for one platform: its line, and how that falls short."""

    combination: Combination
    entry: Entry | None
    lack: Lack | None

    @property
    def usable(self) -> bool:
        """Whether nodes can count on it, as far as is known: nearly every image serves amd64."""
        return self.lack is None or self.lack is Lack.CERTAINTY


class Listed:
    """The catalog by tag, and by digest for repositories that are asked for one."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.digests: dict[str, Mapping[str, Entry]] = {}

    def look_up(self, combination: Combination) -> Availability:
        """How the image of a combination stands; its reference must be one."""
        entry = self.entry(combination)
        return Availability(combination, entry, _lacking(combination, entry))

    def entry(self, combination: Combination) -> Entry | None:
        """The line that lists what a combination asks for."""
        reference, repository = combination.reference, combination.repository
        assert isinstance(reference, str)
        # All but a digest is the repository, one character and the tag.
        tag = reference[len(repository) + 1 :]
        entry = self.catalog.find(repository, tag)
        if entry is None and tag.startswith(DIGEST):
            return self._by_digest(repository, tag)
        return entry

    def _by_digest(self, repository: str, digest: str) -> Entry | None:
        known = self.digests.get(repository)
        if known is None:
            rows = (self.catalog.images(repository) or {}).values()
            known = self.digests[repository] = {row.digest: row for row in rows if row.digest}
        return known.get(digest)


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
