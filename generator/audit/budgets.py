"""Disruption budgets as workloads declare them against those that live in the cluster."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from generator.audit.difference import Difference, What, difference
from generator.declared.fleet import Cluster
from generator.declared.workload import Workload, WorkloadBudget
from generator.facts.budget import Budget
from generator.facts.labelselector import selects
from generator.observed.budget import LiveBudget


def differences(
    cluster: Cluster, workloads: Sequence[Workload], live: Mapping[str, LiveBudget]
) -> Iterator[Difference]:
    """Budgets that only one side has, that overlap, or whose numbers differ from what the gate judges by."""
    beside: dict[str, list[LiveBudget]] = {}
    for one in live.values():
        beside.setdefault(one.namespace, []).append(one)
    for workload in workloads:
        over = [one for one in beside.get(workload.namespace, ()) if _covers(one, workload)]
        named = {f"{budget.namespace}/{budget.name}" for budget in workload.budgets if budget.name}
        if len(over) > 1:
            message = f"{_names(over)} cover its pods: evicting one is answered with 500"
            yield _of_workload(cluster, workload, message, "leave one budget for each pod")
        for budget in workload.budgets:
            found = live.get(f"{budget.namespace}/{budget.name}") if budget.name else next(iter(over), None)
            yield from _compared(cluster, workload, budget, found)
        for one in over:
            if not workload.budgets or (one.key not in named and len(named) == len(workload.budgets)):
                message = f"{_told(one)} covers its pods, and it declares no such budget"
                yield _of_workload(cluster, workload, message, "declare it under disruptionBudget.existing")


def _covers(one: LiveBudget, workload: Workload) -> bool:
    return selects(one.budget.selector, workload.pod_labels)


def _compared(
    cluster: Cluster, workload: Workload, declared: WorkloadBudget, found: LiveBudget | None
) -> Iterator[Difference]:
    wanted = _numbers(declared.min_available, declared.max_unavailable)
    if found is None:
        what = f"{declared.namespace}/{declared.name}" if declared.name else "a budget"
        message = f"{what} with {wanted} is declared, and the cluster has none over its pods"
        hint = "sync the folder of its budgets" if declared.rendered else "correct what is declared of it"
        yield _of_workload(cluster, workload, message, hint)
    elif _values(found.budget) != (declared.min_available, declared.max_unavailable):
        message = f"{_told(found)}, and {wanted} is declared"
        hint = "sync the folder of its budgets" if declared.rendered else "declare what its owner set"
        yield _of_workload(cluster, workload, message, hint)
    elif not _covers(found, workload):
        yield _of_workload(cluster, workload, f"{_told(found)} does not cover its pods", "correct its selector")


def _values(budget: Budget) -> tuple[int | str | None, int | str | None]:
    return budget.min_available, budget.max_unavailable


def _numbers(least: int | str | None, most: int | str | None) -> str:
    """As the object has it; with neither it blocks everything."""
    if least is not None:
        return f"minAvailable {least}"
    return f"maxUnavailable {most}" if most is not None else "neither minAvailable nor maxUnavailable"


def _told(one: LiveBudget) -> str:
    return f"budget {one.key} with {_numbers(*_values(one.budget))}"


def _names(found: Iterable[LiveBudget]) -> str:
    return "budgets " + " and ".join(sorted(one.key for one in found))


def _of_workload(cluster: Cluster, workload: Workload, message: str, hint: str) -> Difference:
    return difference(cluster, What.BUDGET, f'workload "{workload.name}": {message}', hint)
