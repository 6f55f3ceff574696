"""What is rendered of a workload: its budget, its component, and what a user's template is given of it."""

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from generator.finding import Severity
from tests.testing.inventories import POOL, WORKLOADS_FILE, cluster, files, texts, workload, workloads
from tests.testing.judging import findings, revision_of

BUDGET = "one/workloads/poddisruptionbudget-w.yaml"
PATCH = "one/components/w/node-affinity.yaml"
NEED = 'cuda: {driver: ">=550"}'
FROM_550 = [
    {"matchExpressions": [{"key": "nvidia.com/cuda.driver.major", "operator": "Gt", "values": ["549"]}]},
]
HERE = "templates/{cluster}/teams/{workload}.yaml.j2"


def repository(*entries: str, **more: str) -> dict[str, str]:
    return {**files(more=more.pop("top", "")), WORKLOADS_FILE: workloads(*entries), **more}


def of_workloads(made: Mapping[str, str]) -> list[str]:
    return sorted(path for path in made if path.split("/")[1] in {"workloads", "components"})


def loaded(made: Mapping[str, str], path: str) -> Any:
    return yaml.safe_load(made[path])


def test_nothing_unasked() -> None:
    entries = (workload(), workload("disruptionBudget: {existing: {minAvailable: 1}}"))
    assert of_workloads(texts(repository(*entries))) == []


@pytest.mark.parametrize(
    ("number", "spec"),
    [
        ("minAvailable: 0", {"minAvailable": 0}),
        ("minAvailable: 3", {"minAvailable": 3}),
        ('maxUnavailable: "05%"', {"maxUnavailable": "05%"}),
        ('maxUnavailable: "100%"', {"maxUnavailable": "100%"}),
    ],
)
def test_a_budget_has_one_number_and_says_how_unhealthy_pods_go(number: str, spec: dict[str, Any]) -> None:
    made = texts(repository(workload(f"disruptionBudget: {{render: {{{number}}}}}")))
    assert of_workloads(made) == ["one/workloads/kustomization.yaml", BUDGET]
    budget = loaded(made, BUDGET)
    assert budget["metadata"] == {"name": "w", "namespace": "ns"}
    assert budget["spec"] == {
        **spec,
        "selector": {"matchLabels": {"app": "w"}},
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
    }
    assert loaded(made, "one/workloads/kustomization.yaml")["resources"] == ["poddisruptionbudget-w.yaml"]


@pytest.mark.parametrize("selector", ["{}", "{matchLabels: {}}", "{matchLabels: {}, matchExpressions: []}"])
def test_one_with_an_empty_selector_is_never_written(selector: str) -> None:
    made = repository(workload(f"disruptionBudget: {{render: {{minAvailable: 1, selector: {selector}}}}}"))
    revision, _ = revision_of(made)
    assert [file.path for file in revision.rendered.files if "budget" in file.path] == []
    assert "disruption/empty-selector" in [one.rule for one in findings(made) if one.severity is Severity.INVALID]


def test_each_cluster_has_its_own() -> None:
    entry = workload(f"{NEED}, disruptionBudget: {{render: {{minAvailable: 1}}}}")
    made = texts(repository(entry, **{"inventory/two.yaml": cluster(POOL, name="two")}))
    names = ["components/w/kustomization.yaml", "components/w/node-affinity.yaml"]
    names += ["workloads/kustomization.yaml", "workloads/poddisruptionbudget-w.yaml"]
    assert of_workloads(made) == [f"{name}/{path}" for name in ("one", "two") for path in names]


@pytest.mark.parametrize(
    ("kind", "api", "path"),
    [
        ("Deployment", "apps/v1", ["spec", "template", "spec"]),
        ("ReplicaSet", "apps/v1", ["spec", "template", "spec"]),
        ("StatefulSet", "apps/v1", ["spec", "template", "spec"]),
        ("DaemonSet", "apps/v1", ["spec", "template", "spec"]),
        ("ReplicationController", "v1", ["spec", "template", "spec"]),
        ("Job", "batch/v1", ["spec", "template", "spec"]),
        ("CronJob", "batch/v1", ["spec", "jobTemplate", "spec", "template", "spec"]),
        ("none", "v1", ["spec"]),
    ],
)
def test_where_a_kind_describes_its_pods(kind: str, api: str, path: list[str]) -> None:
    patch = loaded(texts(repository(workload(NEED, owner=f"{{kind: {kind}}}"))), PATCH)
    assert patch["apiVersion"] == api
    assert patch["kind"] == kind.replace("none", "Pod")
    inner = patch
    for step in path:
        inner = inner[step]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": FROM_550}}
    assert inner == {"affinity": {"nodeAffinity": required}}


def test_a_custom_kind_says_it() -> None:
    owner = "{kind: Trainer, podTemplates: [spec.a.template, spec.b.template]}"
    patch = loaded(texts(repository(workload(NEED, owner=owner))), PATCH)
    assert "apiVersion" not in patch
    assert {name: list(part["template"]["spec"]) for name, part in patch["spec"].items()} == {
        "a": ["affinity"],
        "b": ["affinity"],
    }
    assert of_workloads(texts(repository(workload(NEED, owner="{kind: Trainer}")))) == []


def test_a_target_is_one_object() -> None:
    """A name is read by kustomize as an anchored regular expression."""
    made = texts(repository(workload(NEED, owner="{kind: Deployment, name: a-b.v2}")))
    (patch,) = loaded(made, "one/components/w/kustomization.yaml")["patches"]
    assert patch == {"path": "node-affinity.yaml", "target": {"kind": "Deployment", "name": "a-b\\.v2"}}


def test_a_users_template_gets_a_workload() -> None:
    data = "kind: {{ owner_kind }}\n  whole: {{ workload.name ~ '/' ~ workload.cluster ~ '/' ~ cluster.name }}\n"
    more = "  terms:\n    {{ node_selector_terms | block(4) }}\n  pools: {{ pools | join(' ') }}\n"
    more += "  most: {{ max_replicas }}\n"
    template = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{{{ name }}}}\ndata:\n  {data}{more}"
    made = texts(repository(workload(f"{NEED}, replicas: 3"), workload(), **{HERE: template}))
    assert sorted(path for path in made if "/teams/" in path) == ["one/teams/w.yaml", "one/teams/x.yaml"]
    assert loaded(made, "one/teams/w.yaml")["data"] == {
        "kind": "Deployment",
        "whole": "w/one/one",
        "terms": FROM_550,
        "pools": "a",
        "most": 3,
    }


def test_a_clusters_template_gets_all_of_them() -> None:
    line = '{{ cluster.workloads | map(attribute="name") | join(" ") }}'
    head = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  all: {line}\n"
    made = texts(repository(workload(), workload(), **{"templates/{cluster}/extra/all.yaml.j2": head}))
    assert loaded(made, "one/extra/all.yaml")["data"] == {"all": "w x"}


def test_what_a_template_of_a_workload_does_wrong_names_it() -> None:
    (finding,) = findings(repository(workload(), **{HERE: "{{ nothing }}\n"}))
    assert (finding.rule, finding.cluster, finding.workload) == ("template/undefined", "one", "w")
    (finding,) = findings(repository(workload(), **{HERE: "a: b\n"}))
    assert (finding.rule, finding.workload) == ("template/not-a-manifest", "w")


def test_a_template_is_a_pools_or_a_workloads() -> None:
    path = "templates/{cluster}/x/{pool}-{workload}.yaml.j2"
    (finding,) = findings(repository(workload(), **{path: "a: b\n"}))
    assert (finding.rule, finding.place.file) == ("template/outside-folder", path)
    assert finding.message.endswith("renders once a pool and once a workload")


def test_ours_can_be_replaced() -> None:
    path = "templates/{cluster}/workloads/poddisruptionbudget-{workload}.yaml.j2"
    mine = (
        "{% if spec %}\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: {{ name }}\n"
        "  namespace: {{ workload.namespace }}\n  labels: {team: {{ team }}}\nspec:\n"
        "  {{ spec | block(2) }}\n{% endif %}\n"
    )
    entries = (workload("disruptionBudget: {render: {minAvailable: 1}}"), workload())
    made = texts(repository(*entries, **{path: mine}))
    assert of_workloads(made) == ["one/workloads/kustomization.yaml", BUDGET]
    assert loaded(made, BUDGET)["metadata"] == {"name": "w", "namespace": "ns", "labels": {"team": "ml"}}
