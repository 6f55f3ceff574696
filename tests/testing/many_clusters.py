"""Fleets of many clusters made from a few words, and what the gate finds in them."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, json

from generator.declared.fleet import Cluster
from generator.declared.modelparts import API_VERSION
from generator.finding import Finding, Severity
from generator.rules.judge import judge
from generator.rules.table import RULES
from tests.testing.judging import revision_of

HEAD = f"apiVersion: {API_VERSION}\nkind: "


class Made(Struct, frozen=True):
    """The clusters by name, and by cluster and pool the rules whose findings keep the pool from being rendered."""

    clusters: Mapping[str, Cluster]
    refused: Mapping[tuple[str, str], frozenset[str]]


def cluster_document(name: str, *, release: str, api: str, pools: Mapping[str, Mapping[str, Any]]) -> str:
    """A Cluster document of these pools, each as the values of its keys."""
    head = f"{HEAD}Cluster\nname: {name}\noperator: {{version: {release}, driverApi: {api}}}\n"
    head += "pools:\n" if pools else "pools: {}\n"
    return head + "".join(f"  {pool}: {json.encode(values).decode()}\n" for pool, values in pools.items())


def pool_values(selector: Mapping[str, str], *, repository: str, version: str, precompiled: bool) -> dict[str, Any]:
    """The keys of a pool of Ubuntu nodes; a version of digits alone is a branch."""
    return {
        **({"nodeSelector": dict(selector)} if selector else {}),
        "os": {"id": "ubuntu", "version": "22.04"},
        "arch": ["amd64"],
        "kernels": ["5.15.0-1-generic"],
        "driver": {
            "mode": "precompiled" if precompiled else "compiled",
            "repository": repository,
            ("branch" if version.isdigit() else "version"): version,
        },
    }


def files_of(documents: Iterable[str]) -> dict[str, str]:
    """The repository of these Cluster documents."""
    files = {"inventory/fleet.yaml": f"{HEAD}Fleet\nname: oracle\n"}
    return files | {f"inventory/c{number}.yaml": document for number, document in enumerate(documents)}


def fleet_of(documents: Iterable[str]) -> Made:
    """The fleet of these Cluster documents, read and judged as `check` does."""
    revision, reading = revision_of(files_of(documents))
    refused: dict[tuple[str, str], set[str]] = {}
    for finding in judge(revision, RULES, told=reading).findings:
        if _refuses(finding):
            refused.setdefault((finding.cluster, finding.pool), set()).add(finding.rule)
    clusters = {cluster.name: cluster for cluster in revision.fleet.clusters}
    return Made(clusters, {key: frozenset(rules) for key, rules in refused.items()})


def _refuses(finding: Finding) -> bool:
    return finding.severity is Severity.INVALID
