"""What the API answers to evictions while pods go and come back: budgets as the disruption controller counts them."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from generator.facts.budget import Budget, Owner, Scale, Status, status
from generator.facts.budget import Pod as GuardedPod
from generator.facts.eviction import Answer, evict
from generator.facts.labelselector import selects
from generator.observed.budget import LiveBudget
from generator.observed.objects import SCALED, Objects
from generator.upgrade.world import Pod, World


class Guard(Struct, frozen=True, kw_only=True):
    """A budget and what is known of it: its status, where the cluster told one or its pods and owners do."""

    key: str
    budget: Budget
    status: Status


class Guards:
    """The budgets of a cluster during a replay; their statuses change with the pods."""

    def __init__(self, guards: Iterable[Guard]) -> None:
        """By namespace."""
        self._of: dict[str, list[str]] = {}
        self._guards: dict[str, Guard] = {}
        self._over: dict[tuple[str, tuple[tuple[str, str], ...]], tuple[str, ...]] = {}
        for guard in sorted(guards, key=lambda one: one.key):
            self._guards[guard.key] = guard
            self._of.setdefault(guard.key.partition("/")[0], []).append(guard.key)

    def answer(self, pod: Pod) -> Answer:
        """The eviction API's answer for a pod, as things stand."""
        found = [self._guards[key] for key in self._selecting(pod)]
        return evict(_guarded(pod), [(one.budget, one.status) for one in found])

    def evict(self, _: World, pod: Pod) -> str:
        """Evicts, and counts it; why it is refused, if so."""
        answer = self.answer(pod)
        if not answer.evicted:
            return answer.cause or answer.message
        self.changed(pod, -1)
        return ""

    def changed(self, pod: Pod, by: int) -> None:
        """A healthy pod less, or one more."""
        if not pod.ready or pod.terminating:
            return
        for key in self._selecting(pod):
            guard = self._guards[key]
            self._guards[key] = replace(guard, status=_counted(guard.status, by))

    def _selecting(self, pod: Pod) -> tuple[str, ...]:
        """The budgets over a pod; thousands of pods have the same labels."""
        alike = (pod.namespace, tuple(sorted(pod.labels.items())))
        if alike not in self._over:
            keys = self._of.get(pod.namespace, ())
            self._over[alike] = tuple(key for key in keys if selects(self._guards[key].budget.selector, pod.labels))
        return self._over[alike]

    def guards(self) -> tuple[Guard, ...]:
        """All of them, as they stand."""
        return tuple(self._guards.values())


def _counted(before: Status, by: int) -> Status:
    """What the controller would write: what is desired depends on the owners, who stay."""
    healthy = before.healthy + by
    allowed = max(healthy - before.desired, 0) if before.expected > 0 and not before.failure else 0
    return replace(before, healthy=healthy, allowed=allowed)


def _guarded(pod: Pod) -> GuardedPod:
    return GuardedPod(
        labels=pod.labels,
        phase=pod.standing.phase,
        ready=pod.ready,
        terminating=pod.terminating,
        name=pod.name.partition("/")[2],
    )


# The pods of a namespace by their labels: thousands of pods have the same.
Labelled = dict[tuple[tuple[str, str], ...], list[Pod]]


def live_guards(objects: Objects, pods: Iterable[Pod]) -> tuple[Guard, ...]:
    """The cluster's own counts; a budget without them, as in a manifest, is counted from pods and owners."""
    spaces: dict[str, Labelled] = {}
    uncounted = {one.namespace for one in objects.budgets.values() if one.status is None}
    for pod in pods:
        if pod.namespace in uncounted:
            spaces.setdefault(pod.namespace, {}).setdefault(tuple(sorted(pod.labels.items())), []).append(pod)
    return tuple(_guard(one, spaces.get(one.namespace, {}), objects) for one in objects.budgets.values())


def _guard(live: LiveBudget, labelled: Labelled, objects: Objects) -> Guard:
    if live.status is not None:
        return Guard(key=live.key, budget=live.budget, status=live.status)
    alike = (pods for labels, pods in labelled.items() if selects(live.budget.selector, dict(labels)))
    matching = [pod for pods in alike for pod in pods]
    there = Counter(pod.controller for pod in matching if pod.controller)
    index = {key: number for number, key in enumerate(sorted(there))}
    owners = [_owner(key, there[key], objects) for key in index]
    guarded = [replace(_guarded(pod), owner=index.get(pod.controller)) for pod in matching]
    return Guard(key=live.key, budget=live.budget, status=status(live.budget, guarded, owners))


def _owner(key: str, there: int, objects: Objects) -> Owner:
    """The scale of an owner; one that the input doesn't show is taken to want the pods that it has."""
    kind = key.split("/")[1]
    scale = objects.scales.get(key)
    served = Scale.SERVED if scale or kind in SCALED else Scale.NOT_IMPLEMENTED
    replicas = scale.replicas if scale and scale.replicas is not None else there
    return Owner(kind=kind, replicas=replicas, scale=served)
