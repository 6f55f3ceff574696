"""Which rules a release of the GPU operator follows.

The table is data; a behaviour is named by the first release that has it (read from the tagged sources of
NVIDIA/gpu-operator), so a release that the table doesn't know still gets the rules of its time.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache

from msgspec import Struct, convert

from generator.facts import data

_WRITTEN = re.compile(r"v?(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})")
_MANAGER = "nvcr.io/nvidia/cloud-native/k8s-driver-manager"

Number = tuple[int, int, int]


class DriverApi(StrEnum):
    """Which kind carries the driver settings."""

    NVIDIADRIVER = "NVIDIADriver"
    CLUSTERPOLICY = "ClusterPolicy"


class OsTagRule(StrEnum):
    """How VERSION_ID becomes part of an OS tag (`getOSTag`, `getGPUNodeOSInfo`)."""

    FULL = "full"  # nothing drops its minor
    NUMERIC = "numeric"  # v26.3.0 alone: as below, and a major that is no number is refused for every OS
    RHEL_FROM_10 = "rhel-from-10"  # rocky drops its minor, rhel from 10 on
    MAJOR = "major"  # ol, rocky and rhel drop it


class Release(Struct, frozen=True, kw_only=True):
    """One release and its rules. `missing_fields` are paths under `spec` that `fields` has and it hasn't.

    `template` is the release that its driver pods' template was last changed in.
    """

    version: str
    written: str
    basis: str
    unknown: bool
    note: str
    date: str
    driver: str
    driver_manager: str
    fields: str
    missing_fields: Mapping[str, tuple[str, ...]]
    os_tag: OsTagRule
    template: str
    kernel_module_type: bool
    sanitises_64k: bool
    needs_os_labels: bool
    complete_image_check: bool
    major_pools: bool
    owner_label: bool
    default_object: bool
    object_upgrade_policy: bool
    restart_only: bool
    resource_claims: bool
    optional_cluster_policy: bool

    def lacks(self, kind: str) -> frozenset[str]:
        """The same paths as `crd` and `chart` want them."""
        return frozenset(self.missing_fields.get(kind, ()))


class Unsupported(Struct, frozen=True):
    """Why a version can't be worked with; `written` is what the user wrote."""

    written: str
    reason: str
    hint: str


class _Row(Struct, frozen=True):
    version: str
    date: str
    driver: str
    manager: str
    fields: str
    missing: dict[str, tuple[str, ...]] = {}


class _OsTagSince(Struct, frozen=True):
    since: str
    rule: OsTagRule


class _Table(Struct, frozen=True):
    releases: tuple[_Row, ...]
    os_tag: tuple[_OsTagSince, ...]
    template: tuple[str, ...]
    since: dict[str, str]


@cache
def resolve(version: str) -> Release | Unsupported:
    """The rules of a version, `v26.7.0` or `26.7.0`; one newer than the table gets the newest rules."""
    number = _number(version)
    if number is None:
        return Unsupported(
            version,
            f'"{version}" is no operator release',
            "write it with three numbers, as its tag does: v26.7.0",
        )
    rows = [row for row in _table().releases if _key(row.version) <= number]
    if not rows:
        oldest = _table().releases[0].version
        return Unsupported(
            version,
            f"operator {version} is older than {oldest}",
            f"upgrade the operator to {oldest} or newer",
        )
    return _release(version, number, rows[-1])


def known() -> tuple[str, ...]:
    """Every release of the table, oldest first."""
    return tuple(row.version for row in _table().releases)


def compare_key(release: Release) -> Number:
    """Three integers, for ordering releases."""
    return _key(release.version)


def _release(written: str, number: Number, row: _Row) -> Release:
    listed = _key(row.version) == number
    version = "v" + ".".join(map(str, number))
    return Release(
        version=version,
        written=written,
        basis=row.version,
        unknown=number > _key(known()[-1]),
        note=_note(version, row, listed=listed),
        date=row.date if listed else "",
        driver=row.driver,
        driver_manager=f"{_MANAGER}:{row.manager}",
        fields=row.fields,
        missing_fields=row.missing,
        os_tag=[entry.rule for entry in _table().os_tag if _key(entry.since) <= number][-1],
        template=[since for since in _table().template if _key(since) <= number][-1],
        **{name: _key(since) <= number for name, since in _table().since.items()},
    )


def _note(version: str, row: _Row, *, listed: bool) -> str:
    if not listed and row.version == known()[-1]:
        return f"operator {version} is newer than any known: the rules of {row.version} are used"
    if not listed:
        return f"operator {version} is not known: the rules of {row.version} are used"
    if row.version != row.fields:
        return f"the fields of operator {version} are taken from {row.fields}"
    return ""


def _number(text: str) -> Number | None:
    match = _WRITTEN.fullmatch(text)
    return None if match is None else (int(match[1]), int(match[2]), int(match[3]))


def _key(version: str) -> Number:
    major, minor, patch = map(int, version[1:].split("."))
    return major, minor, patch


@cache
def _table() -> _Table:
    return convert(data.read_json("releases.json"), _Table)
