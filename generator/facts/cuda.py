"""What a CUDA program needs of the driver: a toolkit, a driver floor, or the requirement that an image carries.

Table 3 of the CUDA release notes pairs each toolkit with the driver that it came with. Minor-version compatibility
lets a toolkit run from the first driver of its CUDA major on; the paired driver has all features, and translates PTX
that the toolkit compiled (driver-images 5 and 5.1).
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache

from msgspec import Struct, convert

from generator.facts import data, requirement
from generator.facts import driver as drivers
from generator.facts.cudachoice import Compatibility
from generator.facts.driverrange import Range, Version, joined, relation
from generator.facts.requirement import Alternative, Refused

_TOOLKIT = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})(?:\.([0-9]{1,3})(?:\.[0-9]+)?)?")
_FLOOR = re.compile(r"(?:>= *)?([0-9.]+)")


class Kind(StrEnum):
    """How a need was said."""

    TOOLKIT = "toolkit"
    DRIVER = "driver"
    REQUIRE = "require"


class Need(Struct, frozen=True, kw_only=True):
    """A need as written, and the alternatives that it means under either compatibility."""

    kind: Kind
    written: tuple[str, ...]
    minor_version: tuple[Alternative, ...]
    paired: tuple[Alternative, ...]

    def alternatives(self, compatibility: Compatibility = Compatibility.MINOR_VERSION) -> tuple[Alternative, ...]:
        """What the need means; any one of these is enough."""
        return self.paired if compatibility is Compatibility.PAIRED else self.minor_version

    def drivers(self, compatibility: Compatibility = Compatibility.MINOR_VERSION) -> tuple[Range, ...]:
        """The drivers that satisfy it on every GPU; () where that always takes more than a driver."""
        return joined(one.drivers for one in self.alternatives(compatibility) if not one.others)

    def satisfied(self, may_be: Range, compatibility: Compatibility = Compatibility.MINOR_VERSION) -> bool | None:
        """Whether a driver that lies in `may_be` does; None where its exact version, or the GPU's brand, decides."""
        sure = relation(self.drivers(compatibility), may_be)
        if sure is False and any(not one.drivers.both(may_be).empty for one in self.alternatives(compatibility)):
            return None
        return sure

    def least(self, compatibility: Compatibility = Compatibility.MINOR_VERSION) -> str:
        """The oldest driver that does, as NVIDIA writes it; "" where it is more than a floor."""
        match self.kind:
            case Kind.TOOLKIT if compatibility is Compatibility.PAIRED:
                driver = paired(self.written[0])
                return driver if isinstance(driver, str) else ""
            case Kind.TOOLKIT:
                return floor(self.written[0])
            case Kind.DRIVER:
                return self.written[0].lstrip("> =")
            case _:
                return ""

    def __str__(self) -> str:
        """The need in one line, as in a message."""
        said = " and ".join(f'"{text}"' for text in self.written)
        return f"CUDA {self.written[0]}" if self.kind is Kind.TOOLKIT else said


class Toolkit(Struct, frozen=True, kw_only=True):
    """A toolkit of the table: its driver on Linux, a branch where the notes name no more."""

    cuda: str
    driver: str


class _Row(Struct, frozen=True):
    cuda: str
    toolkit_driver_linux: str


class _Floor(Struct, frozen=True):
    cuda_major: str
    min_driver_linux: str


class _Pair(Struct, frozen=True):
    cuda: str
    branch: str


class _Table(Struct, frozen=True):
    minor_version_compatibility: tuple[_Floor, ...]
    branch_pairs_new_format: tuple[_Pair, ...]
    toolkits: tuple[_Row, ...]


@cache
def _table() -> _Table:
    return convert(data.read_json("cuda.json"), _Table)


@cache
def toolkits() -> tuple[Toolkit, ...]:
    """Every toolkit known, ascending: releases with their driver, then minors of which only the branch is known."""
    exact = [Toolkit(cuda=row.cuda, driver=row.toolkit_driver_linux) for row in _table().toolkits]
    minors = {_minor(one.cuda) for one in exact}
    rest = [Toolkit(cuda=pair.cuda, driver=pair.branch) for pair in _table().branch_pairs_new_format]
    return tuple(sorted([*exact, *(one for one in rest if one.cuda not in minors)], key=lambda one: _key(one.cuda)))


@cache
def paired(toolkit: str) -> str | Refused:
    """The driver that a toolkit came with; "12.4" is its first release, and only branches are known from 13.3 on."""
    match = _TOOLKIT.fullmatch(toolkit)
    if match is None:
        return _no_toolkit(toolkit)
    minor = f"{int(match[1])}.{int(match[2])}"
    of_minor = [one for one in toolkits() if _minor(one.cuda) == minor]
    if len(of_minor) == 1 and of_minor[0].cuda == minor:
        return of_minor[0].driver
    wanted = minor if match[3] is None else f"{minor}.{int(match[3])}"
    found = of_minor[:1] if match[3] is None else [one for one in of_minor if one.cuda == wanted]
    return found[0].driver if found else _unknown_toolkit(wanted)


def floor(toolkit: str) -> str:
    """The oldest driver that runs any toolkit of this one's CUDA major; "" for a major that isn't known."""
    major = toolkit.partition(".")[0]
    return next((one.min_driver_linux for one in _table().minor_version_compatibility if one.cuda_major == major), "")


def parse_toolkit(text: str) -> Need | Refused:
    """The need of a program that was built with a toolkit, such as "12.4" or "12.4.1"."""
    driver = paired(text)
    if isinstance(driver, Refused):
        return driver
    return Need(kind=Kind.TOOLKIT, written=(text,), minor_version=(_from(floor(text)),), paired=(_from(driver),))


def parse_driver(text: str) -> Need | Refused:
    """A driver floor: ">=525.60.13", "525.60.13" or ">=580"."""
    match = _FLOOR.fullmatch(text.strip())
    if match is None or not drivers.is_driver(match[1]):
        hint = 'write the oldest driver that does, such as ">=525.60.13" or ">=580"; ranges go under require'
        return Refused(f'"{text}" is no driver floor', hint)
    least = (_from(match[1]),)
    return Need(kind=Kind.DRIVER, written=(text,), minor_version=least, paired=least)


def parse_require(texts: str | Sequence[str]) -> Need | Refused:
    """The text of NVIDIA_REQUIRE_CUDA or NVIDIA_REQUIRE_DRIVER, or several of them, all of which must hold."""
    written = (texts,) if isinstance(texts, str) else tuple(texts)
    found = requirement.parse(written)
    if isinstance(found, Refused):
        return found
    return Need(kind=Kind.REQUIRE, written=written, minor_version=found, paired=found)


def parse_need(text: str) -> Need | Refused:
    """A need as a command line gives it: a toolkit, a driver or a requirement, told apart by their form."""
    stripped = text.strip()
    if re.search(r"[a-z]", stripped):
        return parse_require(stripped)
    if stripped.startswith(">") or drivers.is_driver(stripped):
        return parse_driver(stripped)
    return parse_toolkit(stripped)


def newest_toolkit(driver: Version) -> str:
    """The newest toolkit that came with this driver or an older one: all its features and its PTX run; "" for none."""
    return next((one.cuda for one in reversed(toolkits()) if drivers.order_key(one.driver) <= driver), "")


def needed(need: Need, compatibility: Compatibility) -> str:
    """`CUDA 12.4, driver 525.60.13 or newer`; a requirement as it is written."""
    least = need.least(compatibility)
    match need.kind:
        case Kind.TOOLKIT:
            which = " with the driver that it came with," if compatibility is Compatibility.PAIRED else ", driver"
            return f"{need}{which} {least} or newer"
        case Kind.DRIVER:
            return f"driver {least} or newer"
        case _:
            return str(need)


def _from(driver: str) -> Alternative:
    return Alternative(Range(drivers.order_key(driver)))


def _no_toolkit(text: str) -> Refused:
    newest = toolkits()[-1].cuda
    if re.fullmatch(r"[0-9]{1,2}", text) and floor(text):
        return Refused(f'"{text}" names no minor version of CUDA', f'write "{text}.0" for a program of any {text}.x')
    return Refused(f'"{text}" is no version of a CUDA toolkit', f'write one such as "12.4" or "{newest}"')


def _unknown_toolkit(wanted: str) -> Refused:
    below = [one.cuda for one in toolkits() if _key(one.cuda) < _key(wanted)]
    above = [one.cuda for one in toolkits() if _key(one.cuda) > _key(wanted)]
    if not below:
        hint = f'say the driver that it needs, as in driver: ">=418.39"; toolkits are known from {above[0]} on'
        return Refused(f"CUDA {wanted} is older than every toolkit known", hint)
    if not above:
        hint = f'use "{below[-1]}" or older, or say the driver that it needs, as in driver: ">=620"'
        return Refused(f"no CUDA toolkit {wanted} is known, {below[-1]} is the newest", hint)
    return Refused(
        f"there is no CUDA toolkit {wanted}: {below[-1]} comes before it and {above[0]} after",
        f'use "{below[-1]}" or "{above[0]}"',
    )


def _minor(cuda: str) -> str:
    return ".".join(cuda.split(".")[:2])


def _key(cuda: str) -> Version:
    major, minor, patch, *_ = (*map(int, cuda.split(".")), 0)
    return major, minor, patch
