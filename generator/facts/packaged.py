"""Who builds a precompiled image: NVIDIA's own CI, only whoever needs it, or nobody, as of the table's date."""

from enum import StrEnum
from functools import cache

from msgspec import Struct, convert

from generator.facts import branch as branches
from generator.facts import data
from generator.facts.driver import branch as branch_of
from generator.facts.driver import is_branch
from generator.facts.kernel import flavour


class Builder(StrEnum):
    """Whom an image that is missing can be had from."""

    PUBLISHED = "published"  # the CI of the driver container builds it, the newest kernel only
    OWN = "own"  # the driver container has a recipe, and no CI runs it
    NOBODY = "nobody"  # what it is made of is packaged by nobody


class Verdict(Struct, frozen=True):
    """Who builds it, why that is so, and where that was read."""

    builder: Builder
    reason: str
    source: str


class _System(Struct, frozen=True):
    os: str
    kernels: tuple[str, ...]
    branches: tuple[str, ...]
    flavours: dict[str, tuple[str, ...]]


class _Stopped(Struct, frozen=True):
    branch: str
    on: str
    source: str


class _Names(Struct, frozen=True):
    names: frozenset[str]
    source: str


class _Table(Struct, frozen=True):
    as_of: str
    source: str
    systems: tuple[_System, ...]
    stopped: tuple[_Stopped, ...]
    unpackaged_flavours: _Names
    unpackaged_branches: _Names


def verdict(os_tag: str, kernel: str, driver: str, arch: str) -> Verdict:
    """Who builds an image of a kernel (label form) and a driver, branch or version, for one architecture."""
    table, branch = _table(), branch_of(driver)
    if not os_tag.startswith("ubuntu"):
        red_hat = ".el" in kernel
        reason = "no CI of the driver container builds it" if red_hat else f"the driver container doesn't know {os_tag}"
        return Verdict(Builder.OWN, reason, "NVIDIA/gpu-driver-container rhel9/precompiled/README.md")
    kind = flavour(kernel)
    if kind in table.unpackaged_flavours.names:
        reason = f"nobody packages NVIDIA modules for kernels of the flavour {kind}"
        return Verdict(Builder.NOBODY, reason, table.unpackaged_flavours.source)
    if branch in table.unpackaged_branches.names or _short_lived(branch):
        reason = f"nobody packages branch {branch} for {os_tag}: it is a short-lived branch"
        return Verdict(Builder.NOBODY, reason, table.unpackaged_branches.source)
    found = _by_ci(os_tag, kernel, kind, branch, arch)
    if found.builder is Builder.PUBLISHED and not is_branch(driver):
        reason = f"the CI names its {os_tag} images by branch, never by the exact version"
        return Verdict(Builder.OWN, reason, "NVIDIA/gpu-driver-container Makefile: DRIVER_TAG of the signed targets")
    return found


def _short_lived(branch: str) -> bool:
    """A New Feature Branch (driver-images.md 2.3: none was ever seen precompiled)."""
    life = branches.life(branch)
    return life is not None and life.type.startswith("NFB")


def _by_ci(os_tag: str, kernel: str, kind: str, branch: str, arch: str) -> Verdict:
    table = _table()
    system = next((one for one in table.systems if one.os == os_tag), None)
    if system is None:
        return Verdict(Builder.OWN, f"the driver container's CI does not build for {os_tag}", table.source)
    series = ".".join(kernel.split(".")[:2])
    if series not in system.kernels:
        known = " and ".join(system.kernels)
        reason = f"nobody packages NVIDIA modules for {series} kernels of {os_tag}, whose images are of {known}"
        return Verdict(Builder.NOBODY, reason, table.source)
    stopped = next((one for one in table.stopped if one.branch == branch), None)
    if stopped is not None:
        return Verdict(Builder.OWN, f"the CI stopped building branch {branch} on {stopped.on}", stopped.source)
    if branch not in system.branches:
        built = " and ".join(system.branches)
        return Verdict(Builder.OWN, f"for {os_tag} the CI builds branch {built} only", table.source)
    if arch not in system.flavours.get(kind, ()):
        what = f"for {arch}" if kind in system.flavours else f"of the flavour {kind or 'none'}"
        return Verdict(Builder.OWN, f"the CI builds no {os_tag} images {what}", table.source)
    reason = "the CI builds it for the newest kernel of a flavour, and publishes it some days later"
    return Verdict(Builder.PUBLISHED, reason, table.source)


@cache
def _table() -> _Table:
    return convert(data.read_json("packaged.json"), _Table)
