"""Which declared workloads a budget covers in a cluster: a budget sees every pod of its namespace, not one team's."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from generator.declared.workload import Workload, WorkloadBudget
from generator.facts.labelselector import is_empty, selects


class Covering(Struct, frozen=True):
    """A budget of a workload, with every workload of one cluster that it covers there."""

    workload: Workload
    budget: WorkloadBudget
    covered: tuple[Workload, ...]

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes two of them one object: its name, or where it is written."""
        budget = self.budget
        return (budget.name,) if budget.name else (budget.file, budget.path)

    @property
    def covers_itself(self) -> bool:
        """Whether it covers the workload that declares it, as far as labels are declared."""
        selector, labels = self.budget.selector, self.workload.pod_labels
        return selects(selector, labels) if labels else selector is not None

    @property
    def is_judged(self) -> bool:
        """Whether what it allows can be told: an empty selector counts pods that nobody declared here."""
        return self.covers_itself and not is_empty(self.budget.selector)


def coverings(workloads: Sequence[Workload]) -> Iterator[Covering]:
    """Every budget of the workloads of one cluster."""
    index = _Index(workloads)
    for workload in workloads:
        for budget in workload.budgets:
            yield Covering(workload, budget, index.covered(workload, budget))


class _Index:
    """The workloads of a cluster by namespace and pod label, so that a budget finds those that it covers."""

    def __init__(self, workloads: Iterable[Workload]) -> None:
        self.listed: dict[str, list[Workload]] = {}
        self.labelled: dict[tuple[str, str, str], list[Workload]] = {}
        for workload in workloads:
            self.listed.setdefault(workload.namespace, []).append(workload)
            for key, value in workload.pod_labels.items():
                self.labelled.setdefault((workload.namespace, key, value), []).append(workload)

    def covered(self, owner: Workload, budget: WorkloadBudget) -> tuple[Workload, ...]:
        """Those that the budget selects. An owner without declared labels is taken to have what its budget asks."""
        selector = budget.selector
        near = self._candidates(budget.namespace, selector or {})
        covered = [workload for workload in near if selects(selector, workload.pod_labels)]
        if not owner.pod_labels and selector is not None and owner not in covered:
            covered.append(owner)
        return tuple(covered)

    def _candidates(self, namespace: str, selector: Mapping[str, Any]) -> Iterable[Workload]:
        """The fewest that one pair of the selector leaves: a namespace may hold thousands."""
        pairs = (selector.get("matchLabels") or {}).items()
        choices = [self.labelled.get((namespace, *pair), []) for pair in pairs]
        for expression in selector.get("matchExpressions") or ():
            if expression["operator"] == "In":
                keys = ((namespace, expression["key"], value) for value in dict.fromkeys(expression["values"]))
                choices.append([workload for key in keys for workload in self.labelled.get(key, ())])
        return min(choices, key=len, default=self.listed.get(namespace, []))
