"""A user's own ClusterPolicy manifest, into which the driver settings are put."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from generator.declared.document import read
from generator.finding import Finding, Place, Severity


class Base(Struct, frozen=True):
    """The parsed manifest, absent where it is none."""

    value: Mapping[str, Any] | None
    findings: tuple[Finding, ...]


def read_base(file: str, data: bytes) -> Base:
    """The ClusterPolicy of a file; every other content is a finding."""
    document = read(data, file)
    if document.findings:
        return Base(None, document.findings)
    value = document.value
    kind = value.get("kind") if isinstance(value, dict) else None
    api = value.get("apiVersion") if isinstance(value, dict) else None
    spec = value.get("spec", {}) if isinstance(value, dict) else None
    metadata = value.get("metadata", {}) if isinstance(value, dict) else None
    if kind == "ClusterPolicy" and api == "nvidia.com/v1" and isinstance(spec, dict) and isinstance(metadata, dict):
        return Base(value, ())
    finding = Finding(
        rule="inventory/schema",
        severity=Severity.INVALID,
        place=Place(file, 1, 1),
        message=f"{file} is no ClusterPolicy of nvidia.com/v1 (kind {_shown(kind)}, apiVersion {_shown(api)})",
        hint="point clusterPolicyBase at a file that holds the cluster's own ClusterPolicy",
    )
    return Base(None, (finding,))


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else "missing"
