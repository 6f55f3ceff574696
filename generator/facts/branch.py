"""Life and reach of driver branches: when they end, which GPUs they serve, which kernel modules they can use.

Dates move, so they are data with a source; "ended" is said as of the table's own date, never of today.
"""

from enum import StrEnum
from functools import cache

from msgspec import Struct, convert

from generator.facts import data
from generator.facts.driver import branch as branch_of


class Family(StrEnum):
    """GPU architectures, oldest first."""

    KEPLER = "kepler"
    MAXWELL = "maxwell"
    PASCAL = "pascal"
    VOLTA = "volta"
    TURING = "turing"
    AMPERE = "ampere"
    ADA = "ada"
    HOPPER = "hopper"
    GRACE_HOPPER = "grace-hopper"
    BLACKWELL = "blackwell"


class OpenModules(StrEnum):
    """Whether a family can use NVIDIA's open kernel modules."""

    NONE = "none"
    SUPPORTED = "supported"
    REQUIRED = "required"


class ModuleType(StrEnum):
    """What is loaded into the kernel; also two of the values of kernelModuleType."""

    OPEN = "open"
    PROPRIETARY = "proprietary"


class Branch(Struct, frozen=True, kw_only=True):
    """One branch. `eol` is YYYY-MM, "ended" or "unknown"; `confidence` says how the date is known."""

    branch: str
    type: str
    eol: str
    first_release: str
    paired_cuda: str
    in_container_since: str
    dropped_from_container: str
    confidence: str
    source: str
    latest_seen: str = ""
    note: str = ""


class Reach(Struct, frozen=True):
    """The branches of a family, "" where no end is known on that side."""

    family: Family
    first_branch: str
    last_branch: str
    open_modules: OpenModules


class _OpenModules(Struct, frozen=True):
    supported_from: str
    default_from: str
    always_default_on: tuple[str, ...]


class _Table(Struct, frozen=True):
    as_of: str
    branches: tuple[Branch, ...]
    open_modules: _OpenModules
    families: tuple[Reach, ...]


def as_of() -> str:
    """The day on which the table was read, YYYY-MM-DD."""
    return _table().as_of


def life(branch: str) -> Branch | None:
    """What is known of a branch or of a version's branch; None where the table lacks it."""
    return _by_branch().get(branch_of(branch))


def known() -> tuple[str, ...]:
    """Every branch of the table, oldest first."""
    return tuple(sorted(_by_branch()))


def ended(branch: str) -> bool:
    """Whether support had ended on the table's date; a month counts to its end, an unknown end is none."""
    found = life(branch)
    if found is None or found.eol == "unknown":
        return False
    return found.eol == "ended" or found.eol < as_of()[:7]


def reach(family: Family) -> Reach:
    """The first and last branch that drive a family."""
    return next(each for each in _table().families if each.family is family)


def serves(branch: str, family: Family) -> bool:
    """Whether a branch (or a version's) drives the family."""
    found, number = reach(family), int(branch_of(branch))
    return int(found.first_branch or 0) <= number <= int(found.last_branch or number)


def module_types(family: Family, branch: str) -> tuple[ModuleType, ...]:
    """The kernel modules that the family can use in the branch; () where the branch doesn't drive it."""
    found = reach(family)
    if not serves(branch, family):
        return ()
    if found.open_modules is OpenModules.REQUIRED:
        return (ModuleType.OPEN,)
    early = int(branch_of(branch)) < int(_table().open_modules.supported_from)
    if found.open_modules is OpenModules.NONE or early:
        return (ModuleType.PROPRIETARY,)
    return (ModuleType.OPEN, ModuleType.PROPRIETARY)


def auto_module_type(branch: str, os_tag: str = "") -> ModuleType:
    """What `auto` falls back to where the installer names nothing.

    gpu-driver-container ubuntu24.04/precompiled/nvidia-driver; the scripts of ubuntu26.04 always say open.
    """
    rule = _table().open_modules
    if os_tag in rule.always_default_on or int(branch_of(branch)) >= int(rule.default_from):
        return ModuleType.OPEN
    return ModuleType.PROPRIETARY


def cuda(branch: str) -> str:
    """The highest CUDA version that drivers of a branch (or a version's) support; "" where the table lacks it."""
    found = life(branch)
    return found.paired_cuda if found else ""


def newest_cuda() -> Branch:
    """The branch with the highest CUDA version known."""
    return _by_cuda()[-1]


def first_with_cuda(cuda: tuple[int, int]) -> Branch | None:
    """The oldest branch that supports a CUDA version; None where no known one does."""
    return next((each for each in _by_cuda() if _numbers(each.paired_cuda) >= cuda), None)


def _numbers(cuda: str) -> tuple[int, int]:
    major, minor = cuda.split(".")
    return int(major), int(minor)


@cache
def _by_cuda() -> tuple[Branch, ...]:
    return tuple(sorted(_table().branches, key=lambda each: _numbers(each.paired_cuda)))


@cache
def _by_branch() -> dict[str, Branch]:
    return {each.branch: each for each in _table().branches}


@cache
def _table() -> _Table:
    return convert(data.read_json("branches.json"), _Table)
