"""The kernel string of a node: `uname -r` in the form that the NFD label carries."""

import re
from functools import cache

from generator.facts.release import Release

_FLAVOUR = r"[0-9][^-]*(?:-[0-9][^-]*)?(?:-(.+))?"
# uname's machine inside rpm-like releases; Debian and Garden Linux name their own word at the end.
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


@cache
def label_form(text: str) -> str:
    """NFD's kernel-version.full of a `uname -r` (node-feature-discovery source/kernel/version.go)."""
    return re.sub(r"[^-A-Za-z0-9_.]", "_", text).strip("-_.")


@cache
def architecture(kernel: str) -> str | None:
    """`amd64` or `arm64` where the kernel names it, as rpm-like ones do; None for Ubuntu's and SUSE's."""
    for machine, name in _MACHINES.items():
        if machine in kernel or kernel.endswith(f"-{name}"):
            return name
    return None


def flavour(kernel: str) -> str:
    """`generic`, `azure-fde`, `64k`, `rt`; "" where the kernel names none."""
    for machine in _MACHINES:
        if machine in kernel:
            return kernel.rpartition(machine)[2].strip("-_.+")
    match = re.fullmatch(_FLAVOUR, kernel)
    return (match and match[1]) or ""


def order_key(kernel: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """A total order, right within one flavour: runs of digits compare as numbers and are newer than letters.

    So -100 is newer than -97 and 427.37.1.el9_4 newer than 427.el9, as dpkg and rpmvercmp have it.
    """
    runs = re.findall(r"([0-9]+)|([A-Za-z]+)", kernel)
    return tuple((1, int(digits), "") if digits else (0, 0, letters) for digits, letters in runs), kernel


def sanitised(kernel: str, release: Release) -> str:
    """The kernel in names of objects and pools, never in a tag (`getSanitizedKernelVersion`).

    Kernels that differ by architecture alone become one name. v24.9 left `_64k` in, and with it two dots.
    """
    machine = r"x86_64(?:_64k)?|aarch64(?:_64k)?" if release.sanitises_64k else r"x86_64|aarch64"
    return re.sub(machine, "", kernel).replace("_", ".").removesuffix(".").lower()
