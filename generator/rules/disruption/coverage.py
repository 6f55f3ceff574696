"""How a budget is reported: its name, its number, and where it stands."""

from generator.declared.coverage import Covering
from generator.declared.fleet import WithPlaces
from generator.declared.workload import Workload, WorkloadBudget
from generator.finding import Place, Severity
from generator.rules.rule import Problem


def problem_of(covering: Covering, place: Place, message: str, hint: str, severity: Severity | None = None) -> Problem:
    """A problem of a budget.

    One line that is wrong in several clusters, or for several workloads that share a manifest, is one mistake.
    """
    workload, budget = covering.workload, covering.budget
    named = f', budget "{budget.name}"' if budget.name else ""
    return Problem(
        place=place,
        message=f'workload "{workload.name}"{named}: {message}',
        hint=hint,
        cluster=alone(workload),
        workload=workload.name,
        fact=_fact(budget),
        severity=severity,
        mistake=(place,),
    )


def _fact(budget: WorkloadBudget) -> str:
    """What a baseline remembers: another number is another finding."""
    numbers = {"minAvailable": budget.min_available, "maxUnavailable": budget.max_unavailable}
    written = [f"{key} {value}" for key, value in numbers.items() if value is not None]
    return " ".join(part for part in (budget.name, *written) if part)


def number_place(where: WithPlaces, budget: WorkloadBudget) -> Place:
    """Where a budget says its number; the budget itself where it says none."""
    if budget.min_available is None and budget.max_unavailable is None:
        return where.budget_place(budget)
    key = "minAvailable" if budget.max_unavailable is None else "maxUnavailable"
    return where.budget_place(budget, *_spec(budget), key)


def selector_place(where: WithPlaces, budget: WorkloadBudget) -> Place:
    """Where a budget says its selector."""
    return where.budget_place(budget, *_spec(budget), "selector")


def _spec(budget: WorkloadBudget) -> tuple[str, ...]:
    """In a manifest both stand below spec."""
    return () if budget.path == budget.said else ("spec",)


def alone(workload: Workload) -> str:
    """The cluster that a finding about a workload is of, where there is one."""
    return workload.clusters[0] if len(workload.clusters) == 1 else ""
