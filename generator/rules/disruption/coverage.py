"""Which declared workloads a budget covers in a cluster: a budget sees every pod of its namespace, not one team's."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from generator.declared.fleet import Cluster, Fleet
from generator.declared.workload import Workload, WorkloadBudget
from generator.facts.labelselector import is_empty, selects
from generator.finding import Place, Severity
from generator.revision.revision import Revision
from generator.rules.rule import Problem

Key = tuple[str, str, str, str]


class Declared(Struct, frozen=True):
    """A budget of a workload, in one of its clusters, with every workload there that it covers."""

    cluster: Cluster
    workload: Workload
    budget: WorkloadBudget
    covered: tuple[Workload, ...]

    @property
    def name(self) -> str:
        """How a message begins."""
        named = f', budget "{self.budget.name}"' if self.budget.name else ""
        return f'workload "{self.workload.name}"{named}'

    @property
    def fact(self) -> str:
        """What a baseline remembers: another number is another finding."""
        numbers = {"minAvailable": self.budget.min_available, "maxUnavailable": self.budget.max_unavailable}
        said = [f"{key} {value}" for key, value in numbers.items() if value is not None]
        return " ".join(part for part in (self.budget.name, *said) if part)

    def problem(self, place: Place, message: str, hint: str, severity: Severity | None = None) -> Problem:
        """A problem of this budget.

        One line that is wrong in several clusters, or for several workloads that share a manifest, is one mistake.
        """
        return Problem(
            place=place,
            message=f"{self.name}: {message}",
            hint=hint,
            cluster=alone(self.workload),
            workload=self.workload.name,
            fact=self.fact,
            severity=severity,
            mistake=(place,),
        )

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes two of them one object: its name, or where it is said."""
        budget = self.budget
        return (budget.name,) if budget.name else (budget.file, budget.path)


class Coverage:
    """Workloads by cluster, namespace and pod label, so that a budget finds those that it covers."""

    def __init__(self, fleet: Fleet) -> None:
        self.clusters = {cluster.name: cluster for cluster in fleet.clusters}
        self.listed: dict[tuple[str, str], list[Workload]] = {}
        self.labelled: dict[Key, list[Workload]] = {}
        for workload in fleet.workloads:
            for cluster in workload.clusters:
                self.listed.setdefault((cluster, workload.namespace), []).append(workload)
                for key, value in workload.pod_labels.items():
                    self.labelled.setdefault((cluster, workload.namespace, key, value), []).append(workload)

    def declared(self, workload: Workload) -> Iterator[Declared]:
        """Every budget of a workload in every cluster of it."""
        for name in workload.clusters:
            for budget in workload.budgets:
                if name in self.clusters:
                    covered = self._covered(name, workload, budget)
                    yield Declared(self.clusters[name], workload, budget, covered)

    def _covered(self, cluster: str, of: Workload, budget: WorkloadBudget) -> tuple[Workload, ...]:
        """One whose labels aren't declared is taken to have what its own budget asks."""
        selector = budget.selector
        near = self._candidates((cluster, budget.namespace), selector or {})
        found = [workload for workload in near if selects(selector, workload.pod_labels)]
        if not of.pod_labels and selector is not None and of not in found:
            found.append(of)
        return tuple(found)

    def _candidates(self, where: tuple[str, str], selector: Mapping[str, Any]) -> Iterable[Workload]:
        """The fewest that one pair of the selector leaves: a namespace may hold thousands."""
        found = [self.labelled.get((*where, *pair), []) for pair in (selector.get("matchLabels") or {}).items()]
        for one in selector.get("matchExpressions") or ():
            if one["operator"] == "In":
                keys = ((*where, one["key"], value) for value in dict.fromkeys(one["values"]))
                found.append([workload for key in keys for workload in self.labelled.get(key, ())])
        return min(found, key=len, default=self.listed.get(where, []))


def budgets(revision: Revision) -> tuple[Declared, ...]:
    """Every budget of every workload in every cluster that it runs on, made once for all rules."""
    return revision.remembered("budgets", lambda: tuple(_budgets(revision.fleet)))


def _budgets(fleet: Fleet) -> Iterator[Declared]:
    coverage = Coverage(fleet)
    for workload in fleet.workloads:
        yield from coverage.declared(workload)


def covers_itself(one: Declared) -> bool:
    """Whether it covers the workload that declares it, as far as labels are declared."""
    selector, labels = one.budget.selector, one.workload.pod_labels
    return selects(selector, labels) if labels else selector is not None


def judged(one: Declared) -> bool:
    """Whether what it allows can be said: an empty selector counts pods that nobody declared here."""
    return covers_itself(one) and not is_empty(one.budget.selector)


def number_place(fleet: Fleet, budget: WorkloadBudget) -> Place:
    """Where a budget says its number; the budget itself where it says none."""
    if budget.min_available is None and budget.max_unavailable is None:
        return fleet.budget_place(budget)
    key = "minAvailable" if budget.max_unavailable is None else "maxUnavailable"
    return fleet.budget_place(budget, *_spec(budget), key)


def selector_place(fleet: Fleet, budget: WorkloadBudget) -> Place:
    """Where a budget says its selector."""
    return fleet.budget_place(budget, *_spec(budget), "selector")


def _spec(budget: WorkloadBudget) -> tuple[str, ...]:
    """In a manifest both stand below spec."""
    return () if budget.path == budget.said else ("spec",)


def alone(workload: Workload) -> str:
    """The cluster that a finding about a workload is of, where there is one."""
    return workload.clusters[0] if len(workload.clusters) == 1 else ""
