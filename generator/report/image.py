"""The images that a pool's nodes ask for: what is built of them, and why they are called so."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from generator.declared.catalog import Entry
from generator.declared.fleet import Cluster, Fleet, Kernel, OsRelease, Pool
from generator.declared.layers import Level
from generator.declared.mirror import Mirror, MirrorKind, node_mirrors
from generator.facts.osname import os_tag
from generator.facts.release import OsTagRule, Release
from generator.images.lookup import Availability, Lack, Listed, source
from generator.images.pool import PoolImage
from generator.operator import effective
from generator.operator.combination import Combination
from generator.operator.effective import Effective, Origin
from generator.report.show import origin_text
from generator.words import printable

BUILT = "built"
STATES = {
    Lack.IMAGE: "missing",
    Lack.GONE: "gone",
    Lack.PLATFORM: "platform missing",
    Lack.RECORD: "platform unknown",
    Lack.CERTAINTY: "platform unknown",
}
# Beside the drivers the operator pulls its driver manager, and GDS and GDRCopy where they are enabled.
OUTSIDE = "not in the catalog's scope"


class Part(Struct, frozen=True):
    """One part of a reference, and why it is that."""

    name: str
    value: str
    why: str


class Platform(Struct, frozen=True):
    """How a platform of an image stands in the catalog; `usable` nodes can count on it, as far as is known."""

    platform: str
    state: str
    usable: bool


class Image(Struct, frozen=True, kw_only=True):
    """One reference. `refused` says why the operator would compose none; an `outside` one is nothing to build."""

    reference: str
    upcoming: bool
    platforms: tuple[Platform, ...]
    parts: tuple[Part, ...] = ()
    refused: str = ""
    outside: bool = False


def platform_of(image: Availability) -> Platform:
    """How an image stands for one platform, in words."""
    state = STATES[image.lack] if image.lack else BUILT
    return Platform(image.combination.platform, state, image.usable)


class Explanations:
    """Why images are called so, for one fleet and catalog. `node_images` are levels by name, as in `show`."""

    def __init__(self, fleet: Fleet, listed: Listed, node_images: Mapping[str, Level]) -> None:
        self.fleet, self.listed, self.node_images = fleet, listed, node_images

    def describe(self, cluster: Cluster, image: PoolImage) -> Image:
        """An image of a pool in words."""
        if not isinstance(image.reference, str):
            refused = image.reference.message
            return Image(reference="", upcoming=image.upcoming, platforms=(), refused=refused)
        if image.first is None:
            return Image(reference=image.reference, upcoming=False, platforms=(), outside=True)
        return Image(
            reference=image.reference,
            upcoming=image.upcoming,
            platforms=tuple(platform_of(platform) for platform in image.platforms),
            parts=tuple(self._parts(cluster, image.first)),
        )

    def _parts(self, cluster: Cluster, one: Combination) -> Iterator[Part]:
        pool = one.pool
        yield from self.driver_parts(cluster, pool)
        if one.kernel is None:
            yield BUILT_ON_NODE
        else:
            yield Part("kernel", one.kernel.name, self._kernel_why(pool, one.kernel))
        assert pool.os is not None
        said = effective.of_pool(self.fleet, cluster, pool, self.node_images)["os"]
        assert isinstance(said, dict)
        yield os_part(cluster.operator.release, pool.os, _origin(said["id"]))
        yield self.catalog_part(one)

    def mirror_parts(self, repository: str) -> Iterator[Part]:
        """Whether the repository stands for another one, or nodes are sent elsewhere for it."""
        mirrors = self.fleet.mirrors
        if repository in mirrors:
            mirror = mirrors[repository]
            yield Part(
                "mirror", str(mirror.kind), f"of {mirror.of}; {ASKED[mirror.kind]}: {self._mirror_origin(mirror)}"
            )
        for mirror in node_mirrors(mirrors, repository):
            why = f"nodes are sent to {mirror.name}: {self._mirror_origin(mirror)}"
            yield Part("mirror", str(mirror.kind), why)

    def _mirror_origin(self, mirror: Mirror) -> str:
        place = self.fleet.texts.key(self.fleet.file, ("mirrors", mirror.name))
        return origin_text(Origin("fleet", place))

    def driver_parts(self, cluster: Cluster, pool: Pool) -> Iterator[Part]:
        """Repository and driver, each from its level."""
        driver = effective.of_pool(self.fleet, cluster, pool, self.node_images)["driver"]
        assert isinstance(driver, dict)
        for name, key in (("repository", "repository"), ("driver", "branch" if pool.driver.is_branch else "version")):
            yield Part(name, driver[key].value, _origin(driver[key]))
            if name == "repository":
                yield from self.mirror_parts(pool.driver.repository)

    def _kernel_why(self, pool: Pool, kernel: Kernel) -> str:
        why = origin_text(effective.kernel_origin(self.fleet, pool, kernel))
        if kernel.written != kernel.name:
            why += f'; the label form of "{kernel.written}"'
        return why

    def catalog_part(self, one: Combination) -> Part:
        """What the catalog says of an image, and where."""
        entry = self.listed.entry(one)
        if entry is None:
            return Part("catalog", "-", f"no catalog of {source(self.listed.catalog, one.repository)} lists the tag")
        return Part("catalog", "gone" if entry.gone else "listed", f"{entry.file}:{entry.line}; {_recorded(entry)}")


ASKED = {
    MirrorKind.COPY: "its own catalog is asked",
    MirrorKind.PROXY: "the upstream's catalog is asked",
    MirrorKind.NODE: "the upstream's catalog is asked, and no pool should name it",
}
BUILT_ON_NODE = Part("kernel", "-", "the module is built on the node, so the tag names no kernel")


def os_part(release: Release, os: OsRelease, where: str) -> Part:
    """The OS tag, and the rule of the release that makes it."""
    tag = os_tag(release, os.id, os.version)
    if not isinstance(tag, str):
        return Part("os", "-", tag.reason)
    said = _os_tag_rule(release, os, kept=tag.endswith(os.version))
    why = f"ID {os.id} and VERSION_ID {os.version}: {where}; operator {release.version} {said}"
    return Part("os", tag, why + (f" ({release.note})" if release.note else ""))


def _os_tag_rule(release: Release, os: OsRelease, *, kept: bool) -> str:
    """What the release does to the version of this OS (gpu-operator internal/state/nodepool.go getOSTag)."""
    by_major = os.id == "rhel" and release.os_tag in {OsTagRule.NUMERIC, OsTagRule.RHEL_FROM_10}
    if kept:
        return "keeps the minor of rhel before 10" if by_major and "." in os.version else "keeps VERSION_ID whole"
    return f"drops the minor of {os.id}{' from 10 on' if by_major else ''}"


def _origin(said: Any) -> str:
    assert isinstance(said, Effective)
    return origin_text(said.origin)


def _recorded(entry: Entry) -> str:
    return "platforms are not recorded" if entry.platforms is None else f"platforms {', '.join(entry.platforms)}"


def lines(images: Iterable[Image], *, why: bool) -> str:
    """One reference a line, then how it stands; its parts below it where asked for."""
    text = []
    for image in images:
        mark = "  upcoming" if image.upcoming else ""
        reference = image.reference or f"(no image: {image.refused})"
        how = OUTSIDE if image.outside else standing(image.platforms)
        text.append(printable(f"{reference}  {how}".rstrip() + mark))
        text += part_lines(image.parts) if why else []
    return "".join(f"{line}\n" for line in text)


def standing(platforms: Iterable[Platform]) -> str:
    """`linux/amd64 built, linux/arm64 missing`."""
    return ", ".join(f"{platform.platform} {platform.state}" for platform in platforms)


def part_lines(parts: tuple[Part, ...]) -> list[str]:
    """The parts as an indented table."""
    width = max((len(part.value) for part in parts), default=0)
    return [printable(f"    {part.name:<10}  {part.value:<{width}}  {part.why}") for part in parts]
