"""The users' own ClusterPolicy manifests, into which the driver settings are put."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from generator.declared.fleet import Cluster, Fleet, Install
from generator.documents.document import places, read
from generator.documents.places import Places
from generator.documents.scalar import is_null
from generator.finding import Finding, Place, invalid
from generator.layout import OUT, is_plain_path, path_problem

SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
MAPPINGS = (("spec",), ("metadata",), ("metadata", "annotations"))
TEXTS = (("metadata", "name"), ("metadata", "annotations", SYNC_OPTIONS))


class Bases(Struct, frozen=True):
    """The manifests by path, as far as they could be read."""

    values: Mapping[str, Mapping[str, Any]]
    findings: tuple[Finding, ...]


def named(fleet: Fleet) -> tuple[str, ...]:
    """The paths of all bases that can be looked for."""
    named = {one.operator.policy_base for one in fleet.clusters if one.operator.install is not Install.HELM}
    return tuple(sorted(filter(is_plain_path, named)))


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
    if kind != "ClusterPolicy" or api != "nvidia.com/v1":
        message = f"{file} is no ClusterPolicy of nvidia.com/v1 (kind {_shown(kind)}, apiVersion {_shown(api)})"
        hint = "point clusterPolicyBase at a file that holds the cluster's own ClusterPolicy"
        return None, (_problem(Place(file, 1, 1), message, hint, ""),)
    findings = tuple(_misshapen(value, places(data, file)))
    return (None if findings else value), findings


def _misshapen(value: dict[str, Any], where: Places) -> Iterator[Finding]:
    """What drivergate looks into. A null there is absent to an API server, and is taken out."""
    for wanted, what, paths in ((dict, "a mapping", MAPPINGS), (str, "text", TEXTS)):
        for path in paths:
            parent: Any = value
            for step in path[:-1]:
                parent = parent.get(step) if isinstance(parent, dict) else None
            if not isinstance(parent, dict) or path[-1] not in parent:
                continue
            if is_null(parent[path[-1]]):
                del parent[path[-1]]
            elif not isinstance(parent[path[-1]], wanted):
                yield _problem(where.value(path), f"{'.'.join(path)} is not {what}", f"write {what}", "")


def _misused(
    cluster: Cluster, fleet: Fleet, files: Mapping[str, bytes], values: Mapping[str, Mapping[str, Any]]
) -> Iterator[Finding]:
    path, name = cluster.operator.policy_base, cluster.name
    if not path:
        if cluster.operator.install is not Install.HELM:
            message = f"install: {cluster.operator.install} needs the cluster's own ClusterPolicy"
            hint = "set operator.clusterPolicyBase to a file with it: drivergate puts spec.driver in and keeps the rest"
            yield _problem(fleet.said(cluster, "operator", "install"), message, hint, name)
        return
    place = fleet.said(cluster, "operator", "clusterPolicyBase")
    if cluster.operator.install is Install.HELM:
        message = f"clusterPolicyBase {path} has no use with install: helm, whose chart makes the ClusterPolicy"
        yield _problem(place, message, "remove clusterPolicyBase, or set install to manifest or olm", name)
    elif found := path_problem(path, "bases/policy.yaml"):
        yield _problem(place, f"clusterPolicyBase {found[0]}", found[1], name)
    elif path.split("/")[0] == OUT:
        return  # out/contains-input
    elif path not in files:
        yield _problem(place, f"clusterPolicyBase {path} is not there", "add the file, or correct the path", name)
    elif path in values:
        own = values[path].get("metadata", {}).get("name")
        if own is not None and own != cluster.operator.policy_name:
            message = f'{path} is named "{own}", and clusterPolicyName is "{cluster.operator.policy_name}"'
            hint = "make both the name of the ClusterPolicy that the cluster runs"
            yield _problem(fleet.texts.value(path, ("metadata", "name")), message, hint, name)


def _problem(place: Place, message: str, hint: str, cluster: str) -> Finding:
    return invalid("inventory/schema", place, message, hint, cluster=cluster)


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else "missing"
