"""The users' own ClusterPolicy manifests, into which the driver settings are put."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from generator.declared.document import read
from generator.declared.fleet import Cluster, Fleet, Install
from generator.finding import Finding, Place, Severity

OURS = ("inventory/", "out/")


class Bases(Struct, frozen=True):
    """The manifests by path, as far as they could be read."""

    values: Mapping[str, Mapping[str, Any]]
    findings: tuple[Finding, ...]


def named(fleet: Fleet) -> tuple[str, ...]:
    """The paths of all bases."""
    return tuple(sorted({one.operator.policy_base for one in fleet.clusters if one.operator.policy_base}))


def bases(fleet: Fleet, files: Mapping[str, bytes]) -> Bases:
    """Each base read once. `files` holds those that are there."""
    fleet.texts.add(files)
    values: dict[str, Mapping[str, Any]] = {}
    findings: list[Finding] = []
    for path in sorted(files):
        value, problems = read_base(path, files[path])
        findings += problems
        if value is not None:
            values[path] = value
    for cluster in fleet.clusters:
        findings += _misused(cluster, fleet, files, values)
    return Bases(values, tuple(findings))


def read_base(file: str, data: bytes) -> tuple[Mapping[str, Any] | None, tuple[Finding, ...]]:
    """The ClusterPolicy of a file; every other content is a finding."""
    document = read(data, file)
    if document.findings:
        return None, document.findings
    value = document.value if isinstance(document.value, dict) else {}
    kind, api = value.get("kind"), value.get("apiVersion")
    parts = (value.get("spec", {}), value.get("metadata", {}))
    if kind == "ClusterPolicy" and api == "nvidia.com/v1" and all(isinstance(part, dict) for part in parts):
        return value, ()
    message = f"{file} is no ClusterPolicy of nvidia.com/v1 (kind {_shown(kind)}, apiVersion {_shown(api)})"
    hint = "point clusterPolicyBase at a file that holds the cluster's own ClusterPolicy"
    return None, (_problem(Place(file, 1, 1), message, hint, ""),)


def _misused(
    cluster: Cluster, fleet: Fleet, files: Mapping[str, bytes], values: Mapping[str, Mapping[str, Any]]
) -> Iterator[Finding]:
    path, name = cluster.operator.policy_base, cluster.name
    if not path:
        if cluster.operator.install is not Install.HELM:
            message = f"install: {cluster.operator.install} of cluster {name} needs the cluster's own ClusterPolicy"
            hint = "set operator.clusterPolicyBase to a file with it: drivergate puts spec.driver in and keeps the rest"
            yield _problem(fleet.said(cluster, "operator", "install"), message, hint, name)
        return
    place = fleet.said(cluster, "operator", "clusterPolicyBase")
    if cluster.operator.install is Install.HELM:
        message = f"clusterPolicyBase {path} has no use with install: helm, whose chart makes the ClusterPolicy"
        yield _problem(place, message, "remove clusterPolicyBase, or set install to manifest or olm", name)
    elif path.startswith(OURS[0]):
        message = f"clusterPolicyBase {path} lies inside {OURS[0]}"
        yield _problem(place, message, "move it out, for example to bases/", name)
    elif path not in files:
        yield _problem(place, f"clusterPolicyBase {path} is not there", "add the file, or correct the path", name)
    elif path in values:
        own = (values[path].get("metadata") or {}).get("name")
        if own is not None and own != cluster.operator.policy_name:
            message = f'{path} is named "{own}", and clusterPolicyName is "{cluster.operator.policy_name}"'
            hint = "make both the name of the ClusterPolicy that the cluster runs"
            yield _problem(fleet.texts.value(path, ("metadata", "name")), message, hint, name)


def _problem(place: Place, message: str, hint: str, cluster: str) -> Finding:
    return Finding(
        rule="inventory/schema",
        severity=Severity.INVALID,
        place=place,
        message=message,
        hint=hint,
        cluster=cluster,
    )


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else "missing"
