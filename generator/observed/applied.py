"""What Argo CD and Flux have applied, and the operator's release, as `kubectl get -o json` or `-o yaml` prints them.

facts/guards.md 8: of Argo CD what was applied is status.history with deployedAt, of Flux status.lastAttemptedRevision.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

CLUSTER_LABEL = "drivergate.dev/cluster"
CHART_LABELS = ("helm.sh/chart", "app.kubernetes.io/version")
_COMMIT = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b")
_OUT = re.compile(r"(?:^|/)out/([^/]+)/gpu-operator/?$")
_RELEASE = re.compile(r"v[0-9]+\.[0-9]+\.[0-9]+")


class Applied(Struct, frozen=True, kw_only=True):
    """What a cluster has: the commit that was applied last, and the operator's release, "" where nothing says it."""

    cluster: str
    commit: str
    release: str = ""


class Policy(Struct, frozen=True):
    """A ClusterPolicy of the chart, which its labels name; nothing says of which cluster it is."""

    release: str


def applied(objects: Iterable[Mapping[str, Any]]) -> tuple[tuple[Applied, ...], tuple[Policy, ...]]:
    """The clusters that Applications and Kustomizations are of, and the ClusterPolicies; other objects say nothing."""
    found: list[Applied] = []
    policies: list[Policy] = []
    for item in objects:
        match item.get("kind"):
            case "Application":
                found += _of_argocd(item)
            case "Kustomization":
                found += _of_flux(item)
            case "ClusterPolicy":
                policies += _of_policy(item)
            case _:
                continue
    return tuple(found), tuple(policies)


def _of_argocd(item: Mapping[str, Any]) -> list[Applied]:
    """The newest sync: the commit of the source whose path is ours, and the chart's version beside it."""
    history = [entry for entry in _list(_mapping(item, "status"), "history") if isinstance(entry, dict)]
    if not history:
        return []
    newest = max(history, key=lambda entry: str(entry.get("deployedAt", "")))
    sources = _sources(newest) or _sources(_mapping(item, "spec"))
    revisions = _list(newest, "revisions") or [newest.get("revision")]
    cluster = _mapping(_mapping(item, "metadata"), "labels").get(CLUSTER_LABEL)
    commit, release = "", ""
    for source, revision in zip(sources, revisions, strict=False):
        path = _OUT.search(str(source.get("path", "")))
        if path is not None and isinstance(revision, str) and _COMMIT.fullmatch(revision):
            commit = revision
            cluster = cluster if isinstance(cluster, str) else path[1]
        elif source.get("chart") and isinstance(revision, str) and _RELEASE.fullmatch(revision):
            release = revision
    return [Applied(cluster=cluster, commit=commit, release=release)] if isinstance(cluster, str) and commit else []


def _of_flux(item: Mapping[str, Any]) -> list[Applied]:
    path = _OUT.search(str(_mapping(item, "spec").get("path", "")))
    revision = _COMMIT.search(str(_mapping(item, "status").get("lastAttemptedRevision", "")))
    return [Applied(cluster=path[1], commit=revision[0])] if path is not None and revision is not None else []


def _of_policy(item: Mapping[str, Any]) -> list[Policy]:
    labels = _mapping(_mapping(item, "metadata"), "labels")
    for label in CHART_LABELS:
        release = _RELEASE.search(str(labels.get(label, "")))
        if release is not None:
            return [Policy(release[0])]
    return []


def _sources(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    several = [source for source in _list(value, "sources") if isinstance(source, dict)]
    single = value.get("source")
    if several or not isinstance(single, dict):
        return several
    return [single]


def _mapping(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def _list(value: Mapping[str, Any], key: str) -> list[Any]:
    inner = value.get(key)
    return inner if isinstance(inner, list) else []
