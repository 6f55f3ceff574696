"""The disruption budgets that a workload declares: numbers, a manifest, or one to render."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from msgspec import UNSET, UnsetType, to_builtins

from generator.declared import workloadmodel as model
from generator.declared.requirements import of_selector
from generator.declared.workload import Manifest, WorkloadBudget
from generator.documents.places import Path

# What Kubernetes does where a budget doesn't say. One that drivergate renders lets pods go that aren't healthy anyway:
# Kubernetes' own advice for nodes that are drained (docs, "Specifying a Disruption Budget for your Application").
UNSAID, RENDERED = "IfHealthyBudget", "AlwaysAllow"
NUMBERS = ("minAvailable", "maxUnavailable")
POLICY = "unhealthyPodEvictionPolicy"


class Tell(Protocol):
    """Tells what is wrong at a path inside the workload."""

    def __call__(self, path: Path, message: str, hint: str, *, key: bool = False) -> None:
        """At the key of the path, or at its value."""


class Budgets:
    """Reads `disruptionBudget` of one workload."""

    def __init__(self, name: str, shape: model.Workload, file: str, path: Path, tell: Tell) -> None:
        self.name, self.shape, self.file, self.path, self.tell = name, shape, file, path, tell
        self.declared: list[WorkloadBudget] = []
        self.manifests: list[Manifest] = []
        for at, one in self._each():
            given = [key for key in ("existing", "render") if getattr(one, key) is not UNSET]
            if len(given) != 1:
                said = "existing and render are alternatives, and both are given" if given else "it is empty"
                tell(at, f"disruptionBudget: {said}", "give one of existing and render", key=True)
            elif one.existing is not UNSET:
                self._existing(one.existing, (*at, "existing"))
            elif one.render is not UNSET:
                self._rendered(one.render, (*at, "render"))

    def _each(self) -> Iterator[tuple[Path, model.DisruptionBudget]]:
        written, start = self.shape.disruption_budget, ("disruptionBudget",)
        if isinstance(written, list):
            yield from (((*start, index), one) for index, one in enumerate(written))
        elif written is not UNSET:
            yield start, written

    def _selector(self, one: model.Budget, at: Path) -> None:
        for path, why in () if one.selector is UNSET else of_selector(one.selector):
            self.tell((*at, "selector", *path), f"disruptionBudget: {why}", "write it as Kubernetes takes it")

    def _existing(self, one: model.ExistingBudget, at: Path) -> None:
        self._selector(one, at)
        if one.file is UNSET:
            self._add(one, at, rendered=False, name="" if one.name is UNSET else one.name)
            return
        own = numbers(one) or ([POLICY] if one.unhealthy_pod_eviction_policy is not UNSET else [])
        if own:
            message = f"disruptionBudget: file and {own[0]} are alternatives, and both are given"
            self.tell((*at, own[0]), message, "remove what the manifest says, or file", key=True)
            return
        self.manifests.append(
            Manifest(
                file=one.file,
                name="" if one.name is UNSET else one.name,
                selector=selector_of(one.selector),
                path=(*self.path, *at, "file"),
            )
        )

    def _rendered(self, one: model.Budget, at: Path) -> None:
        if any(budget.rendered for budget in self.declared):
            message = "disruptionBudget: a second budget to render, and a pod that two budgets cover can't be evicted"
            self.tell(at, message, "render one of them", key=True)
            return
        self._selector(one, at)
        self._add(one, at, rendered=True, name=self.name if one.name is UNSET else one.name)

    def _add(self, one: model.Budget, at: Path, *, rendered: bool, name: str) -> None:
        given = numbers(one)
        selector = selector_of(one.selector)
        if len(given) != 1:
            said = f"{' and '.join(given)} are alternatives, and both are given" if given else "it has no number"
            self.tell(at, f"disruptionBudget: {said}", f"give one of {' and '.join(NUMBERS)}", key=True)
        elif selector is None and not self.shape.pod_labels:
            message = "disruptionBudget: it has no selector, and the workload no podLabels"
            self.tell(at, message, "add podLabels, or a selector to the budget", key=True)
        policy = one.unhealthy_pod_eviction_policy
        self.declared.append(
            WorkloadBudget(
                rendered=rendered,
                name=name,
                namespace=self.shape.namespace,
                min_available=None if one.min_available is UNSET else one.min_available,
                max_unavailable=None if one.max_unavailable is UNSET else one.max_unavailable,
                selector={"matchLabels": self.shape.pod_labels} if selector is None else selector,
                unhealthy_pod_eviction_policy=(RENDERED if rendered else UNSAID) if policy is UNSET else policy,
                file=self.file,
                path=(*self.path, *at),
                said=(*self.path, *at),
            )
        )


def numbers(one: model.Numbers) -> list[str]:
    """Which of the alternatives are given."""
    said = (one.min_available, one.max_unavailable)
    return [key for key, value in zip(NUMBERS, said, strict=True) if value is not UNSET]


def selector_of(one: model.LabelSelector | UnsetType) -> Mapping[str, Any] | None:
    """The labelSelector as Kubernetes writes it, None where there is none."""
    found: Mapping[str, Any] | None = None if one is UNSET else to_builtins(one)
    return found
