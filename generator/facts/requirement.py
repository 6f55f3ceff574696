"""NVIDIA_REQUIRE_CUDA and NVIDIA_REQUIRE_DRIVER: space is OR, comma is AND, several variables are AND.

container-toolkit/docker-specialized (driver-images 5.6). `cuda` is compared with the highest CUDA version that the
driver supports, so it is stricter than minor-version compatibility. `brand` and `arch` are facts of a GPU.
"""

import re
from collections.abc import Sequence
from functools import reduce
from itertools import product

from msgspec import Struct

from generator.facts import branch as branches
from generator.facts import driver as drivers
from generator.facts.driverrange import EVERY, LOWEST, Range, Version, after, joined

_ATOM = re.compile(r"(?P<key>[a-z]+)(?P<operator>>=|<=|!=|=|>|<)(?P<value>[^=<>!]+)")
_VARIABLE = re.compile(r"NVIDIA_REQUIRE_[A-Z0-9_]+=")
_CUDA = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}(?:\.[0-9]{1,3})?")
_OF_GPU = ("brand", "arch")


class Refused(Struct, frozen=True):
    """Why a text says no need, and what to write."""

    reason: str
    hint: str


class Alternative(Struct, frozen=True, order=True):
    """Drivers that do; `others` are what must hold of the GPU besides, as written."""

    drivers: Range
    others: tuple[str, ...] = ()


def parse(texts: Sequence[str]) -> tuple[Alternative, ...] | Refused:
    """The alternatives that the texts leave together, each of them enough."""
    read: list[list[Alternative]] = []
    for text in texts:
        groups = _VARIABLE.sub("", text.strip(), count=1).strip("\"'").split()
        if not groups:
            return Refused("the requirement is empty", 'write it as the image has it, such as "cuda>=12.4"')
        found: list[Alternative] = []
        for group in groups:
            made = _group(group)
            if isinstance(made, Refused):
                return made
            found += made
        read.append(found)
    together = simplified(reduce(_and, read, [Alternative(EVERY)]))
    if not together:
        written = " and ".join(f'"{text}"' for text in texts)
        return Refused(f"no driver can satisfy {written}", "write the requirement as the image has it")
    return together


def simplified(alternatives: Sequence[Alternative]) -> tuple[Alternative, ...]:
    """The same need in the fewest alternatives: those that ask for less take in those that ask for more."""
    ranges: dict[tuple[str, ...], list[Range]] = {}
    for one in alternatives:
        ranges.setdefault(one.others, []).append(one.drivers)
    merged = [Alternative(each, others) for others, found in ranges.items() for each in joined(found)]
    return tuple(sorted(one for one in merged if not any(_takes_in(other, one) for other in merged)))


def _takes_in(wide: Alternative, narrow: Alternative) -> bool:
    return wide != narrow and set(wide.others) <= set(narrow.others) and wide.drivers.covers(narrow.drivers)


def _and(left: Sequence[Alternative], right: Sequence[Alternative]) -> list[Alternative]:
    pairs = (
        Alternative(one.drivers.both(other.drivers), tuple(sorted({*one.others, *other.others})))
        for one, other in product(left, right)
    )
    return list(simplified([pair for pair in pairs if not pair.drivers.empty]))


def _group(group: str) -> list[Alternative] | Refused:
    found = [Alternative(EVERY)]
    for atom in group.split(","):
        made = _atom(atom)
        if isinstance(made, Refused):
            return made
        found = _and(found, made)
    return found


def _atom(atom: str) -> list[Alternative] | Refused:
    match = _ATOM.fullmatch(atom)
    if match is None:
        return Refused(f'"{atom}" is no requirement', 'write it as the image has it, such as "cuda>=12.4"')
    key, operator, value = match["key"], match["operator"], match["value"]
    if key in _OF_GPU:
        return [Alternative(EVERY, (atom,))]
    if key == "driver":
        if not drivers.is_driver(value):
            return Refused(f'"{atom}" compares with no driver version', 'write one such as "driver>=525.60.13"')
        return [Alternative(one) for one in _compared(operator, drivers.order_key(value))]
    if key == "cuda":
        return _cuda_atom(atom, operator, value)
    return Refused(f'"{atom}" asks for {key}', "use cuda, driver, brand or arch")


def _cuda_atom(atom: str, operator: str, value: str) -> list[Alternative] | Refused:
    if _CUDA.fullmatch(value) is None:
        return Refused(f'"{atom}" compares with no CUDA version', 'write one such as "cuda>=12.4"')
    major, minor, patch, *_ = (*map(int, value.split(".")), 0)
    ranges = [_on_drivers(one) for one in _compared(operator, (major, minor, patch))]
    newest = branches.newest_cuda()
    if all(one is None for one in ranges):
        return Refused(
            f'"{atom}" is newer than any driver known: branch {newest.branch} has CUDA {newest.paired_cuda}',
            f'use "cuda>={newest.paired_cuda}" or older, or say the driver, as in "driver>={newest.branch}"',
        )
    return [Alternative(one) for one in ranges if one is not None]


def _compared(operator: str, version: Version) -> tuple[Range, ...]:
    """The versions that compare so; missing parts are 0."""
    below, above = Range(LOWEST, version), Range(after(version))
    match operator:
        case ">=":
            return (Range(version),)
        case ">":
            return (above,)
        case "<":
            return (below,)
        case "<=":
            return (Range(LOWEST, after(version)),)
        case "=":
            return (Range(version, after(version)),)
        case _:
            return (below, above)


def _on_drivers(cuda: Range) -> Range | None:
    """The drivers whose CUDA version lies in a range; None where no known branch reaches it."""
    low = _first_with(cuda.low)
    if low is None:
        return None
    return Range(low, None if cuda.high is None else _first_with(cuda.high))


def _first_with(cuda: Version) -> Version | None:
    """Where the branches begin whose CUDA version is at least this; None where none is known."""
    if cuda == LOWEST:
        return LOWEST
    found = branches.first_with_cuda((cuda[0], cuda[1] + (cuda[2] > 0)))
    return None if found is None else (int(found.branch), 0, 0)
