"""What the API server answers when a pod is to be evicted (kubernetes pkg/registry/core/pod/storage/eviction.go)."""

from collections.abc import Sequence

from msgspec import Struct

from generator.facts.budget import Budget, Pod, Status
from generator.facts.labelselector import selects

_TWO = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
_VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget."
_RETRY_UNSYNCED = 10
_UNGUARDED = frozenset({"Pending", "Succeeded", "Failed"})

CREATED, TOO_MANY_REQUESTS, SERVER_ERROR = 201, 429, 500


class Answer(Struct, frozen=True, kw_only=True):
    """HTTP code, reason and message; `cause` names the budget; `retry_after` seconds, 0 where none is said."""

    code: int
    reason: str = ""
    message: str = ""
    cause: str = ""
    retry_after: int = 0
    budgets: tuple[str, ...] = ()

    @property
    def evicted(self) -> bool:
        """Whether the pod goes."""
        return self.code == CREATED

    @property
    def retried(self) -> bool:
        """Whether kubectl's drain asks again, every 5 s; any other refusal ends it (drain.go evictPods)."""
        return self.code == TOO_MANY_REQUESTS

    @property
    def why(self) -> str:
        """Why the pod stays; empty where it goes."""
        return self.cause or self.message


def guarding(pod: Pod, budgets: Sequence[tuple[Budget, Status]]) -> list[tuple[Budget, Status]]:
    """The budgets of the pod's namespace that its eviction asks."""
    return [one for one in budgets if selects(one[0].selector, pod.labels)]


def evict(pod: Pod, budgets: Sequence[tuple[Budget, Status]]) -> Answer:
    """The answer for one pod, with every budget of its namespace and the status it has by then."""
    if pod.terminating or pod.phase in _UNGUARDED:
        return Answer(code=CREATED)
    asked = guarding(pod, budgets)
    if len(asked) > 1:
        return Answer(code=SERVER_ERROR, message=_TWO, budgets=tuple(budget.name for budget, _ in asked))
    return answer(*asked[0], ready=pod.ready) if asked else Answer(code=CREATED)


def answer(budget: Budget, status: Status, *, ready: bool = True) -> Answer:
    """The answer for a pod that runs and that exactly this budget guards."""
    if not ready and (budget.always_allow or status.healthy >= status.desired > 0):
        return Answer(code=CREATED)
    if not status.synced:
        return _refused(budget, "is still being processed by the server.", retry_after=_RETRY_UNSYNCED)
    if status.allowed > 0:
        return Answer(code=CREATED)
    return _refused(budget, _why(status))


def _why(status: Status) -> str:
    if status.failure:
        return f"does not allow evicting pods currently because it failed sync: {status.failure}"
    if status.healthy <= status.desired:
        return f"needs {status.desired} healthy pods and has {status.healthy} currently"
    return "does not allow evicting pods currently"


def _refused(budget: Budget, why: str, *, retry_after: int = 0) -> Answer:
    return Answer(
        code=TOO_MANY_REQUESTS,
        reason="TooManyRequests",
        message=_VIOLATES,
        cause=f"The disruption budget {budget.name} {why}",
        retry_after=retry_after,
        budgets=(budget.name,),
    )
