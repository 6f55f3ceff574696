"""What somebody asks about, in their own words, as what it means for this fleet."""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

from generator.change.whatif import Asked, Stream, unbooted
from generator.declared import model
from generator.declared.fleet import Fleet, OsRelease
from generator.declared.shape import did_you_mean
from generator.facts import driver as drivers
from generator.facts.release import Unsupported, resolve

OS = re.compile(r"([a-z][a-z0-9_.-]*?)([0-9]+(?:\.[0-9]+)*)")


class Wish(Struct, frozen=True, kw_only=True):
    """Text as it was typed; "" and empty where nothing was."""

    kernels: tuple[str, ...]
    os: str
    driver: str
    node_image: str
    operator: str
    clusters: frozenset[str]
    rings: frozenset[str]
    pools: frozenset[str]


class Unmeant(Struct, frozen=True):
    """What was typed names nothing, or can't be; and what to do."""

    message: str
    hint: str


def meant(wish: Wish, fleet: Fleet, images: Mapping[str, model.NodeImage]) -> Asked | Unmeant:
    """The wish with every name resolved."""
    unknown = _unknown(wish, fleet)
    if unknown is not None:
        return unknown
    os, driver = OS.fullmatch(wish.os) if wish.os else None, wish.driver
    if wish.os and os is None:
        return Unmeant(f'"{wish.os}" is no ID with a VERSION_ID', "write it as NFD labels it: ubuntu24.04, rhel9.6")
    if driver and not drivers.is_driver(driver):
        return Unmeant(f'"{driver}" is no driver', 'write a branch, "580", or an exact version, "580.126.20"')
    operator = resolve(wish.operator) if wish.operator else None
    if isinstance(operator, Unsupported):
        return Unmeant(operator.reason, operator.hint)
    if wish.node_image and (wish.kernels or wish.os):
        return Unmeant("a node image brings its own OS and kernels", "leave --kernel and --os away")
    stream = _stream(wish.node_image, images) if wish.node_image else None
    if isinstance(stream, Unmeant):
        return stream
    asked = Asked(
        kernels=wish.kernels,
        os=OsRelease(os[1], os[2]) if os else None,
        driver=driver,
        is_branch=bool(driver) and drivers.is_branch(driver),
        stream=stream,
        operator=operator,
        clusters=wish.clusters,
        rings=wish.rings,
        pools=wish.pools,
    )
    return _met(asked, fleet) or asked


def _met(asked: Asked, fleet: Fleet) -> Unmeant | None:
    """What is for no pool at all is a slip: "nothing is missing" would be no answer."""
    if not any(asked.chosen(cluster, pool) for cluster in fleet.clusters for pool in cluster.pools):
        narrowed = asked.clusters or asked.rings or asked.pools
        return (
            Unmeant("no pool is of all that was chosen", "choose fewer of --cluster, --ring, --pool")
            if narrowed
            else None
        )
    for kernel in unbooted(fleet, asked):
        return Unmeant(f'no pool boots kernels like "{kernel}"', "write it as `uname -r` prints it, with its flavour")
    return None


def _unknown(wish: Wish, fleet: Fleet) -> Unmeant | None:
    """The first name that nothing has."""
    clusters = {cluster.name for cluster in fleet.clusters}
    pools = {pool.name for cluster in fleet.clusters for pool in cluster.pools}
    pools |= {f"{cluster.name}/{pool.name}" for cluster in fleet.clusters for pool in cluster.pools}
    rings = {cluster.ring for cluster in fleet.clusters if cluster.ring}
    for what, wanted, known in (
        ("cluster", wish.clusters, clusters),
        ("ring", wish.rings, rings),
        ("pool", wish.pools, pools),
    ):
        for name in sorted(wanted - known):
            return Unmeant(f'no {what} is named "{name}"', _near(name, known))
    return None


def _near(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    few = ", ".join(names[:8])
    return did_you_mean(name, names) or (f"use one of {few}" if names else "none is declared")


def _stream(text: str, images: Mapping[str, model.NodeImage]) -> Stream | Unmeant:
    name, _, release = text.partition("=")
    image = images.get(name)
    if image is None:
        return Unmeant(f'no node image is named "{name}"', _near(name, images))
    if release and release not in image.kernels:
        return Unmeant(f'node image "{name}" has no release "{release}"', _near(release, image.kernels))
    releases = [release] if release else list(dict.fromkeys([*image.running, *image.upcoming]))
    kernels = tuple(dict.fromkeys(image.kernels[one] for one in releases if one in image.kernels))
    return Stream(name=name, os=OsRelease(image.os.id, image.os.version), arch=tuple(image.arch), kernels=kernels)
