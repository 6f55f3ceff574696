"""PodDisruptionBudgets, with the status that the disruption controller gave them."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from generator.facts.budget import Budget, Status

OLD = "policy/v1beta1"


class LiveBudget(Struct, frozen=True, kw_only=True):
    """A budget of a namespace; `status` is None where the object has none, as in a manifest."""

    namespace: str
    budget: Budget
    status: Status | None = None

    @property
    def key(self) -> str:
        """Namespace and name."""
        return f"{self.namespace}/{self.budget.name}"


class _Metadata(Struct, frozen=True):
    name: str = ""
    namespace: str = "default"
    generation: int = 0


class _Spec(Struct, frozen=True, rename="camel"):
    min_available: int | str | None = None
    max_unavailable: int | str | None = None
    selector: dict[str, Any] | None = None
    unhealthy_pod_eviction_policy: str | None = None


class _Condition(Struct, frozen=True):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


class _Status(Struct, frozen=True, rename="camel"):
    observed_generation: int | None = None
    disruptions_allowed: int = 0
    current_healthy: int = 0
    desired_healthy: int = 0
    expected_pods: int = 0
    conditions: list[_Condition] | None = None


class BudgetItem(Struct, frozen=True, rename="camel"):
    """A PodDisruptionBudget as the API writes it."""

    metadata: _Metadata
    api_version: str = "policy/v1"
    spec: _Spec = _Spec()
    status: _Status | None = None


def budget_of(item: BudgetItem) -> LiveBudget:
    """The budget, and its status where the controller wrote one."""
    meta, spec = item.metadata, item.spec
    budget = Budget(
        name=meta.name,
        min_available=spec.min_available,
        max_unavailable=spec.max_unavailable,
        selector=_selector(item),
        always_allow=spec.unhealthy_pod_eviction_policy == "AlwaysAllow",
    )
    return LiveBudget(namespace=meta.namespace, budget=budget, status=_status(meta, item.status))


def _selector(item: BudgetItem) -> Mapping[str, Any] | None:
    """An empty one selects every pod; in v1beta1 it selected none (kubernetes pkg/apis/policy/helper.go)."""
    found = item.spec.selector
    if item.api_version == OLD and not any((found or {}).values()):
        return None
    return found


def _status(meta: _Metadata, told: _Status | None) -> Status | None:
    if told is None or (told.observed_generation is None and not told.conditions and not told.expected_pods):
        return None
    failure = next(
        (one.message for one in told.conditions or () if one.reason == "SyncFailed" and one.status == "False"), ""
    )
    return Status(
        expected=told.expected_pods,
        desired=told.desired_healthy,
        healthy=told.current_healthy,
        allowed=told.disruptions_allowed,
        synced=told.observed_generation is not None and told.observed_generation >= meta.generation,
        failure=failure,
    )
