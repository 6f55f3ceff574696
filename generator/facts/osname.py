"""How an operating system is named in an image tag: ID and VERSION_ID as NFD labels them."""

import re

from msgspec import Struct

from generator.facts.release import OsTagRule, Release

_MAJOR_ONLY = frozenset({"ol", "rocky", "rhel"})
_RHEL_10 = 10


class OsTagError(Struct, frozen=True):
    """The operator refuses the version and reconciles nothing (`os_version_parse`)."""

    reason: str


def os_tag(release: Release, os_id: str, version_id: str) -> str | OsTagError:
    """`rhel9`, `ubuntu24.04` (gpu-operator internal/state/nodepool.go getOSTag, per release)."""
    match release.os_tag:
        case OsTagRule.FULL:
            return os_id + version_id
        case OsTagRule.MAJOR:
            return os_id + (_before_dot(version_id) if os_id in _MAJOR_ONLY else version_id)
        case OsTagRule.NUMERIC | OsTagRule.RHEL_FROM_10:
            return _rhel_from_10(release, os_id, version_id)


def pool_by_major(release: Release, tag: str, version_id: str) -> bool:
    """From v26.7 on nodes whose tag drops the minor are pooled by VERSION_ID.major."""
    return release.major_pools and not tag.endswith(version_id)


def major(version_id: str) -> str | None:
    """NFD's VERSION_ID.major; None where the version is not numeric and the label is absent.

    (node-feature-discovery source/system/system.go)
    """
    match = re.fullmatch(r"([0-9]+)(\.[0-9]+)?(\..*)?", version_id)
    return match[1] if match else None


def _rhel_from_10(release: Release, os_id: str, version_id: str) -> str | OsTagError:
    strict = release.os_tag is OsTagRule.NUMERIC
    number = _major_number(version_id, strict=strict)
    if number is None and (strict or os_id == "rhel"):
        return OsTagError(
            f'operator {release.version} refuses version "{version_id}" of {os_id}: its major is no number'
        )
    if os_id == "rocky" or (os_id == "rhel" and number is not None and number >= _RHEL_10):
        return os_id + _before_dot(version_id)
    return os_id + version_id


def _major_number(version_id: str, *, strict: bool) -> int | None:
    """Go's Atoi takes one sign and ASCII digits; from v26.3.1 on spaces and a leading v are cut before."""
    text = _before_dot(version_id)
    if not strict:
        text = text.strip().removeprefix("v").removeprefix("V")
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,18}", text) else None


def _before_dot(text: str) -> str:
    return text.partition(".")[0]
