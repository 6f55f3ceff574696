"""Streams of machine images that several pools plainly boot from."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from generator.adopt.pools import Pool, object_name
from generator.declared.fleet import OsRelease
from generator.facts.kernel import flavour, order_key


class Stream(Struct, frozen=True, kw_only=True):
    """A NodeImage: one kernel for each release, all of them running today."""

    name: str
    os: OsRelease
    arch: tuple[str, ...]
    kernels: Mapping[str, str]


_Key = tuple[str, OsRelease, tuple[str, ...], tuple[tuple[str, str], ...]]


def streams(pools: Iterable[tuple[str, Pool]], taken: Iterable[str]) -> tuple[tuple[Stream, ...], dict[str, str]]:
    """The streams that two pools or more share whole, and per pool (by its id) the name of its stream."""
    sharing: dict[_Key, list[str]] = {}
    for pool_id, pool in pools:
        if key := _key(pool):
            sharing.setdefault(key, []).append(pool_id)
    found: list[Stream] = []
    named: dict[str, str] = {}
    names = set(taken)
    for key, ids in sorted(sharing.items(), key=lambda item: str(item[0])):
        if len(ids) < 2:
            continue
        stream, os, arch, kernels = key
        name = _name(stream, os, arch, kernels[0][1], names)
        names.add(name)
        found.append(Stream(name=name, os=os, arch=arch, kernels=dict(kernels)))
        named |= dict.fromkeys(ids, name)
    return tuple(found), named


def _key(pool: Pool) -> _Key | None:
    """What two pools of one stream have in common; None where a label doesn't name the image of every node."""
    if pool.mode is not None or pool.floating or pool.os is None or not pool.machines:
        return None
    releases: dict[str, str] = {}
    names = set()
    for one in pool.machines:
        if one.image is None or one.os != pool.os or one.mode is not None:
            return None
        if releases.setdefault(one.image.release, one.kernel) != one.kernel:
            return None
        names.add(one.image.stream)
    if len(names) > 1:
        return None
    ordered = tuple(sorted(releases.items(), key=lambda item: (order_key(item[1]), item[0])))
    return names.pop(), pool.os, pool.arch, ordered


def _name(stream: str, os: OsRelease, arch: tuple[str, ...], kernel: str, taken: set[str]) -> str:
    parts = [stream] if stream else [flavour(kernel), str(os).replace(".", "")]
    if arch != ("amd64",):
        parts += arch
    wanted = object_name("-".join(filter(None, parts)))
    if wanted not in taken:
        return wanted
    return next(name for number in range(2, 10_000) if (name := f"{wanted}-{number}") not in taken)
