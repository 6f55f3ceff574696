"""What is declared of a budget is what the gate judges by, so that audit compares it (workloads: disruptionBudget)."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.testing.audited import KERNEL, node
from tests.testing.audited import audited as audited_files
from tests.testing.inventories import HEAD
from tests.testing.planning import catalog, files, pool, tag

NEITHER = "neither minAvailable nor maxUnavailable"
ONE = files(pool(f"arch: [amd64], kernels: [{KERNEL}]"), **{"inventory/catalog.yaml": catalog(tag(KERNEL))})


def workloads(budget: str) -> str:
    return f"""{HEAD}kind: Workloads
team: ml
workloads:
  api:
    runsOn: {{clusters: [one], pools: [a]}}
    namespace: serving
    owner: {{kind: Deployment}}
    podLabels: {{app: api}}
    replicas: 3
{budget}"""


def existing(numbers: str) -> str:
    return workloads(f"    disruptionBudget: {{existing: {{{numbers}}}}}\n")


def budget(name: str, spec: dict[str, Any], app: str = "api", namespace: str = "serving") -> dict[str, Any]:
    whole = {**spec, "selector": {"matchLabels": {"app": app}}}
    return {"kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": namespace}, "spec": whole}


def audited(declared: str, *budgets: dict[str, Any], looked: bool = True) -> SimpleNamespace:
    kinds = ("PodDisruptionBudget",) if looked else ()
    return audited_files({**ONE, "inventory/ml.yaml": declared}, node("n1"), *budgets, kinds=kinds)


def told(found: SimpleNamespace) -> list[str]:
    return [one.message for one in found.differences if one.what == "budget"]


def test_a_budget_as_declared_makes_no_difference() -> None:
    percent = {"minAvailable": "50%"}
    assert told(audited(existing('minAvailable: "50%"'), budget("any", percent))) == []
    assert told(audited(existing('name: api, minAvailable: "50%"'), budget("api", percent))) == []


@pytest.mark.parametrize(
    ("declared", "spec", "message"),
    [
        (
            'minAvailable: "50%"',
            {"minAvailable": "80%"},
            'workload "api": budget serving/api with minAvailable 80%, and minAvailable 50% is declared',
        ),
        (
            "maxUnavailable: 1",
            {"minAvailable": 2},
            'workload "api": budget serving/api with minAvailable 2, and maxUnavailable 1 is declared',
        ),
        (
            "minAvailable: 2",
            {},
            f'workload "api": budget serving/api with {NEITHER}, and minAvailable 2 is declared',
        ),
    ],
)
def test_other_numbers_are_told(declared: str, spec: dict[str, Any], message: str) -> None:
    assert told(audited(existing(declared), budget("api", spec))) == [message]


def test_a_declared_budget_that_is_not_there() -> None:
    found = told(audited(existing("minAvailable: 2"), budget("api", {"minAvailable": 2}, app="other")))
    assert found == ['workload "api": a budget with minAvailable 2 is declared, and the cluster has none over its pods']
    elsewhere = audited(existing("minAvailable: 2"), budget("api", {"minAvailable": 2}, namespace="other"))
    assert told(elsewhere) == found


def test_a_budget_that_nobody_declares() -> None:
    found = told(audited(workloads(""), budget("api", {"minAvailable": 2})))
    assert found == [
        'workload "api": budget serving/api with minAvailable 2 covers its pods, and it declares no such budget'
    ]


def test_two_budgets_over_one_pod_are_told() -> None:
    """facts/kubernetes.md: two budgets on a Running pod are HTTP 500."""
    pair = (budget("a", {"minAvailable": 2}), budget("b", {"minAvailable": 2}))
    found = told(audited(existing("name: a, minAvailable: 2"), *pair))
    assert (
        found[0] == 'workload "api": budgets serving/a and serving/b cover its pods: evicting one is answered with 500'
    )
    assert "serving/b" in found[1]


def test_a_named_budget_that_covers_other_pods() -> None:
    found = told(audited(existing("name: api, minAvailable: 2"), budget("api", {"minAvailable": 2}, app="other")))
    assert found == ['workload "api": budget serving/api with minAvailable 2 does not cover its pods']


def test_budgets_that_were_not_looked_for_are_not_absent() -> None:
    found = audited(existing("minAvailable: 2"), looked=False)
    assert told(found) == []
    assert any(one.startswith("PodDisruptionBudgets:") for one in found.unseen)
    assert not any(one.startswith("PodDisruptionBudgets:") for one in audited(workloads(""), looked=False).unseen)
