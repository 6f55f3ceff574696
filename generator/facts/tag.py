"""The tag of a driver image: precompiled `<driver>-<kernel>-<os>`, compiled `<version>-<os>`.

Read from both ends: the driver is what stands before the first dash, the operating system a known ID and a
version at the end, the kernel what remains. Dashes are never counted: azure-fde, nvidia-64k and sl-micro6.0
hold one.
"""

import re
from enum import StrEnum

from msgspec import Struct

from generator.facts import driver as drivers
from generator.facts import reference

# IDs of os-release(5) under which driver images were seen or are built; more are read by _UNKNOWN_OS.
_IDS = (
    "almalinux|amzn|archlinux|azurelinux|bottlerocket|buildroot|centos|coreos|cos|debian|fedora|flatcar|"
    "gardenlinux|mariner|nixos|ol|opensuse-leap|opensuse-tumbleweed|photon|rhcos|rhel|rocky|scos|sl-micro|sle-micro|"
    "sles|sled|talos|ubuntu"
)
_OS = rf"(?:{_IDS})(?:v?[0-9][0-9A-Za-z._]*(?:-SP[0-9]+)?|rolling)|coreos|gardenlinux|flatcar"
_KERNEL = r"[0-9]+\.[0-9]+(?:[0-9A-Za-z._-]*[0-9A-Za-z])?"
_HEAD = rf"(?:([0-9a-f]{{8}})-)?({drivers.GRAMMAR})-(?:({_KERNEL})-)?"
_TAG = re.compile(rf"{_HEAD}({_OS})")
# An ID that the list lacks: one word and its version, which no machine and no kernel flavour looks like.
_UNKNOWN_OS = r"(?!amd64|arm64|aarch64|x86_64)[A-Za-z]+v?[0-9][0-9A-Za-z._]*"
_OTHER_OS = rf"{_HEAD}({_UNKNOWN_OS})"
# 2018, before there was an operator: the flavour follows the operating system.
_LEGACY = rf"{_HEAD}({_OS})-(aws|hwe)"
_FIRST_MODERN = 418
_MAX_LENGTH = 128


class ImageTag(Struct, frozen=True):
    """A tag and its parts, text as written. `prefix` is the commit of a CI build, `suffix` of 2018 alone."""

    raw: str
    driver: str
    kernel: str
    os: str
    prefix: str = ""
    suffix: str = ""

    @property
    def branch(self) -> str:
        return drivers.branch(self.driver)

    @property
    def is_branch_only(self) -> bool:
        """Named by the branch, as NVIDIA's Ubuntu images are: the exact version is in the image."""
        return drivers.is_branch(self.driver)

    @property
    def precompiled(self) -> bool:
        return self.kernel != ""


class Unfit(StrEnum):
    """What kind of text isn't a driver's tag."""

    ILLEGAL = "illegal"  # no tag at all, in any registry
    NO_OS = "no-os"  # a driver, but of no operating system
    PLACEHOLDER = "placeholder"
    MISSPELT = "misspelt"  # a driver's tag with something in it that no build writes
    OTHER = "other"  # another product, a source image, a probe


class Unreadable(Struct, frozen=True):
    """Why a text is not the tag of a driver image."""

    raw: str
    kind: Unfit
    reason: str
    hint: str


def parse(text: str) -> ImageTag | Unreadable:
    """The parts of a tag; never raises. `str()` of the result gives the text back byte for byte."""
    match = _TAG.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if match is None:
        return _parse_rare(text)
    prefix, driver, kernel, system = match.groups("")
    if ("xx" in kernel or "XX" in kernel) and _is_placeholder(kernel):
        return _unreadable(text)
    return ImageTag(text, driver, kernel, system, prefix)


def compose(driver: str, kernel: str, os_tag: str) -> str:
    """The tag that a build must push: precompiled with a kernel, compiled with ""."""
    return f"{driver}-{kernel}-{os_tag}" if kernel else f"{driver}-{os_tag}"


def _parse_rare(text: str) -> ImageTag | Unreadable:
    if not reference.is_tag(text):
        return _unreadable(text)
    if match := re.fullmatch(_LEGACY, text):
        prefix, driver, kernel, system, suffix = match.groups("")
        if int(drivers.branch(driver)) < _FIRST_MODERN:
            return (
                ImageTag(text, driver, kernel, system, prefix, suffix)
                if kernel
                else ImageTag(text, driver, "", f"{system}-{suffix}", prefix)
            )
    match = re.fullmatch(_OTHER_OS, text)
    if match and not _is_placeholder(match[3] or "") and re.search(rf"-(?:{_OS})-", text) is None:
        prefix, driver, kernel, system = match.groups("")
        return ImageTag(text, driver, kernel, system, prefix)
    return _unreadable(text)


def _is_placeholder(kernel: str) -> bool:
    return re.search(r"(?:^|[-.])[xX]{2,}(?:[-.]|$)", kernel) is not None


def _unreadable(text: str) -> Unreadable:
    kind, reason, hint = _why(text)
    return Unreadable(text, kind, f'"{text}" {reason}', hint)


def _why(text: str) -> tuple[Unfit, str, str]:
    """Kind, reason and hint, the most telling first (driver-images.md 1.8 has the traps)."""
    if not reference.is_tag(text):
        return _why_illegal(text)
    rest = re.sub(r"^[0-9a-f]{8}-", "", text)
    driver, dash, rest = rest.partition("-")
    if text.startswith("base-"):
        return Unfit.OTHER, "is a probe image of a build pipeline, no driver", "leave it out of the catalog"
    if not drivers.is_driver(driver):
        return Unfit.OTHER, "does not begin with a driver version", "leave out tags of other products"
    if text.endswith("-source"):
        return Unfit.OTHER, "is the source image beside a driver image", "leave it out of the catalog"
    if rest.startswith(("server-", "open-")):
        word = rest.partition("-")[0]
        return (
            Unfit.MISSPELT,
            f'has "-{word}" after the driver, which is part of package names and never of a tag',
            f'write it without "-{word}"',
        )
    if machine := re.search(rf"-(?:{_OS})(-(?:amd64|arm64|aarch64|x86_64))$", text):
        return (
            Unfit.MISSPELT,
            f'ends in "{machine[1]}", but a tag never ends in an architecture',
            f'write it without "{machine[1]}" and record the platform beside it',
        )
    if _is_placeholder(rest):
        return (
            Unfit.PLACEHOLDER,
            "holds a placeholder instead of a kernel",
            "write the kernel of a node (uname -r)",
        )
    if not rest:
        return (
            Unfit.NO_OS,
            "ends in a dash where the operating system should follow" if dash else "names no operating system",
            "write <driver>-<kernel>-<os> or <version>-<os>",
        )
    return (
        Unfit.MISSPELT,
        "does not end in an operating system as the operator names it",
        "write <driver>-<kernel>-<os> or <version>-<os>, the kernel as uname -r has it",
    )


def _why_illegal(text: str) -> tuple[Unfit, str, str]:
    if len(text) > _MAX_LENGTH:
        return Unfit.ILLEGAL, f"has {len(text)} characters", f"shorten it: a tag has at most {_MAX_LENGTH}"
    if "+" in text:
        return (
            Unfit.ILLEGAL,
            'holds "+", which no tag may',
            'write "_" for each "+" of a kernel, as node-feature-discovery does',
        )
    return (
        Unfit.ILLEGAL,
        "is no image tag",
        'use letters, digits, "_", "." and "-" only, and begin with a letter, a digit or "_"',
    )
