"""What was applied, by the status that Argo CD and Flux write: facts/guards.md 8 and facts/gitops.md."""

from typing import Any

import pytest

from generator.observed.applied import Applied, Policy, applied

OLD, NEW = "1" * 40, "2" * 40
GIT = {"repoURL": "https://git.example.com/f.git", "path": "out/east/gpu-operator"}
CHART = {"repoURL": "https://helm.ngc.nvidia.com/nvidia", "chart": "gpu-operator"}
VALUES = {"repoURL": "https://git.example.com/f.git", "ref": "values"}


def application(*history: dict[str, Any], sources: list[dict[str, Any]] | None = None, **labels: str) -> dict[str, Any]:
    return {
        "kind": "Application",
        "metadata": {"name": "gpu-operator-east", "labels": labels},
        "spec": {"sources": sources or [CHART, VALUES, GIT]},
        "status": {"history": list(history), "sync": {"revision": "3" * 40}},
    }


def synced(day: int, *revisions: str) -> dict[str, Any]:
    return {"deployedAt": f"2026-03-{day:02}T10:00:00Z", "revisions": list(revisions)}


def test_of_argo_cd_the_newest_sync_counts_and_not_what_it_is_compared_to() -> None:
    found, _ = applied([application(synced(2, "v26.7.0", NEW, NEW), synced(1, "v26.3.3", OLD, OLD))])
    assert found == (Applied(cluster="east", commit=NEW, release="v26.7.0"),)


def test_the_sources_of_a_sync_are_those_that_it_had() -> None:
    entry = {**synced(1, OLD, "v26.3.3"), "sources": [GIT, CHART]}
    assert applied([application(entry)])[0] == (Applied(cluster="east", commit=OLD, release="v26.3.3"),)


def test_one_source_has_one_revision() -> None:
    one = {
        "kind": "Application",
        "metadata": {"labels": {"drivergate.dev/cluster": "East"}},
        "spec": {"source": GIT},
        "status": {"history": [{"deployedAt": "2026-03-01T00:00:00Z", "revision": OLD}]},
    }
    assert applied([one])[0] == (Applied(cluster="East", commit=OLD),)


@pytest.mark.parametrize("revision", [f"main@sha1:{NEW}", f"main/{NEW}", NEW])
def test_of_flux_what_was_attempted_was_applied(revision: str) -> None:
    item = {
        "kind": "Kustomization",
        "metadata": {"name": "gpu-drivers"},
        "spec": {"path": "./fleet/out/west/gpu-operator"},
        "status": {"lastAttemptedRevision": revision, "lastAppliedRevision": f"main@sha1:{OLD}"},
    }
    assert applied([item])[0] == (Applied(cluster="west", commit=NEW),)


def test_a_cluster_policy_says_the_release_of_its_chart() -> None:
    item = {"kind": "ClusterPolicy", "metadata": {"labels": {"helm.sh/chart": "gpu-operator-v25.3.4"}}}
    assert applied([item]) == ((), (Policy("v25.3.4"),))


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"kind": "Application"},
        application(),
        application(synced(1, "main", "main", "main")),
        {"kind": "Application", "metadata": [], "spec": "x", "status": {"history": [3, None]}},
        {"kind": "Kustomization", "spec": {"path": "./apps"}, "status": {"lastAttemptedRevision": NEW}},
        {"kind": "Kustomization", "spec": {"path": "./out/west/gpu-operator"}, "status": {}},
        {"kind": "ClusterPolicy", "metadata": {"labels": None}},
        {"kind": "Node"},
    ],
)
def test_what_says_nothing_is_passed_over(item: dict[str, Any]) -> None:
    assert applied([item]) == ((), ())
