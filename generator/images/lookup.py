"""Whether the catalog lists an image for a platform, and how it falls short where it does not."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from generator.declared.catalog import Catalog, Entry
from generator.declared.fleet import Cluster, Kernel, Pool
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
