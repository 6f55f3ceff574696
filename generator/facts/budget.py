"""What a PodDisruptionBudget allows: the disruption controller's own count, for pods that are there or declared.

kubernetes pkg/controller/disruption/disruption.go: trySync, getExpectedPodCount, countHealthyPods, updatePdbStatus.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from generator.facts.amount import rounded_up
from generator.facts.labelselector import Selector, selects

_RESOURCES = {"Job": "jobs.batch", "DaemonSet": "daemonsets.apps"}


class Scale(StrEnum):
    """What the disruption controller learns when it asks an owner for its scale."""

    SERVED = "served"
    NOT_IMPLEMENTED = "not-implemented"  # a Job, a DaemonSet, a custom resource without the subresource
    NOT_FOUND = "not-found"  # no such object, or one with another uid


class Budget(Struct, frozen=True, kw_only=True):
    """A PodDisruptionBudget: a number, a percentage as text, or None; `selector` None where it is absent."""

    name: str = ""
    min_available: int | str | None = None
    max_unavailable: int | str | None = None
    selector: Selector | None = None
    always_allow: bool = False


class Owner(Struct, frozen=True, kw_only=True):
    """The controller of pods; `replicas` is what its scale subresource asks for, `resource` its `plural.group`."""

    kind: str
    replicas: int = 0
    scale: Scale = Scale.SERVED
    resource: str = ""


class Pod(Struct, frozen=True, kw_only=True):
    """A pod as budgets see it; `owner` is the index of its controller, None for a bare pod."""

    labels: Mapping[str, str] = {}
    owner: int | None = None
    phase: str = "Running"
    ready: bool = True
    terminating: bool = False
    name: str = ""

    @property
    def healthy(self) -> bool:
        """Ready and not on its way out; the phase is not looked at."""
        return self.ready and not self.terminating


class Count(Struct, frozen=True, kw_only=True):
    """The pods that a budget's selector matches; `expected` adds the scales of their owners.

    `failure` says why that sum can't be made.
    """

    pods: int
    healthy: int
    expected: int = 0
    failure: str = ""


class Status(Struct, frozen=True, kw_only=True):
    """A budget's status. One that was never `synced` blocks by that alone; `failure` is the SyncFailed message."""

    expected: int = 0
    desired: int = 0
    healthy: int = 0
    allowed: int = 0
    synced: bool = True
    failure: str = ""


def status(budget: Budget, pods: Sequence[Pod], owners: Sequence[Owner]) -> Status:
    """The status over the pods of one namespace, as the controller's first sync writes it."""
    return settled(budget, counted([pod for pod in pods if selects(budget.selector, pod.labels)], owners))


def counted(pods: Sequence[Pod], owners: Sequence[Owner]) -> Count:
    """The count of pods that a selector matches; a bare pod is counted and expected by nobody."""
    expected, failure, seen = 0, "", set()
    for pod in pods:
        if pod.owner is None or pod.owner in seen:
            continue
        seen.add(pod.owner)
        expected += owners[pod.owner].replicas
        failure = failure or scale_failure(owners[pod.owner], pod.name)
    return Count(pods=len(pods), healthy=sum(pod.healthy for pod in pods), expected=expected, failure=failure)


def scale_failure(owner: Owner, pod: str) -> str:
    """Why an owner has no scale, in the controller's words; empty where it has one."""
    match owner.scale:
        case Scale.NOT_IMPLEMENTED:
            resource = owner.resource or _RESOURCES.get(owner.kind, f"{owner.kind.lower()}s")
            return f"{resource} does not implement the scale subresource"
        case Scale.NOT_FOUND:
            return f'found no controllers for pod "{pod}"'
        case Scale.SERVED:
            return ""


def settled(budget: Budget, count: Count) -> Status:
    """The status that a count settles at. Both fields at once are refused by the API; neither blocks all."""
    if needs_scale(budget) and count.failure:
        return Status(synced=False, failure=count.failure)
    expected = count.expected if needs_scale(budget) else _expected_without(budget, count)
    desired = _desired(budget, expected)
    allowed = max(count.healthy - desired, 0) if expected > 0 else 0
    return Status(expected=expected, desired=desired, healthy=count.healthy, allowed=allowed)


def needs_scale(budget: Budget) -> bool:
    """Whether the controller asks the owners: for maxUnavailable and for every percentage."""
    return budget.max_unavailable is not None or isinstance(budget.min_available, str)


def _expected_without(budget: Budget, count: Count) -> int:
    return 0 if budget.min_available is None else count.pods


def _desired(budget: Budget, expected: int) -> int:
    if budget.max_unavailable is not None:
        return max(expected - rounded_up(budget.max_unavailable, expected), 0)
    return 0 if budget.min_available is None else rounded_up(budget.min_available, expected)
