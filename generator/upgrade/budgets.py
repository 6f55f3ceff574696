"""What the API answers to evictions while pods go and come back: budgets as the disruption controller counts them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from generator.facts.budget import Budget, Owner, Scale, Status, status
from generator.facts.budget import Pod as GuardedPod
from generator.facts.eviction import Answer, evict
from generator.facts.labelselector import selects
from generator.observed.budget import LiveBudget
from generator.observed.objects import SCALED, Objects
from generator.observed.pod import Pod as LivePod
from generator.upgrade.world import Pod


class Guard(Struct, frozen=True, kw_only=True):
    """A budget and what is known of it: the status that the cluster shows, else the count of its pods and owners."""

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
        for guard in sorted(guards, key=lambda guard: guard.key):
            self._guards[guard.key] = guard
            self._of.setdefault(guard.key.partition("/")[0], []).append(guard.key)

    def answer(self, pod: Pod) -> Answer:
        """The eviction API's answer for a pod, as things stand."""
        guards = [self._guards[key] for key in self._selecting(pod)]
        return evict(_guarded(pod), [(guard.budget, guard.status) for guard in guards])

    def evict(self, pod: Pod) -> Answer:
        """The same, and where the pod is evicted it is counted."""
        answer = self.answer(pod)
        if answer.evicted:
            self.changed(pod, -1)
        return answer

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
    matching: list[Pod] = []
    for labels, pods in labelled.items():
        if selects(live.budget.selector, dict(labels)):
            matching += pods
    guarded, owners = _owned(matching, objects)
    return Guard(key=live.key, budget=live.budget, status=status(live.budget, guarded, owners))


def _owned(pods: Sequence[Pod], objects: Objects) -> tuple[list[GuardedPod], list[Owner]]:
    """The pods with the index of their owner, and the owners with what they ask for."""
    keys = [_owner_key(objects.pods[pod.name], objects) for pod in pods]
    pods_of = Counter(key for key in keys if key)
    index = {key: number for number, key in enumerate(sorted(pods_of))}
    guarded = []
    for pod, key in zip(pods, keys, strict=True):
        guarded.append(replace(_guarded(pod), owner=index[key] if key else None))
    return guarded, [_owner(key, pods_of, objects) for key in index]


# Namespace, kind, name and uid of the object whose scale counts for a pod.
OwnerKey = tuple[str, str, str, str]


def _owner_key(pod: LivePod, objects: Objects) -> OwnerKey | None:
    """The Deployment of a ReplicaSet counts in its stead (disruption.go getPodReplicaSet, getPodDeployment)."""
    if pod.owner is None:
        return None
    scale = objects.scales.get(f"{pod.namespace}/{pod.owner.kind}/{pod.owner.name}")
    own = (pod.namespace, pod.owner.kind, pod.owner.name, pod.owner.uid)
    if scale is None or not scale.deployment or not _is_same(scale.uid, pod.owner.uid):
        return own
    is_shown = f"{pod.namespace}/Deployment/{scale.deployment}" in objects.scales
    return (pod.namespace, "Deployment", scale.deployment, "") if is_shown else own


def _owner(key: OwnerKey, pods_of: Mapping[OwnerKey, int], objects: Objects) -> Owner:
    """The scale of an owner; one that the input doesn't show is taken to want the pods that it has."""
    namespace, kind, name, uid = key
    scale = objects.scales.get(f"{namespace}/{kind}/{name}")
    if scale is not None:
        same = _is_same(scale.uid, uid)
        return Owner(kind=kind, replicas=scale.replicas, scale=Scale.SERVED if same else Scale.NOT_FOUND)
    if kind not in SCALED:
        return Owner(kind=kind, replicas=pods_of[key], scale=Scale.NOT_IMPLEMENTED)
    return Owner(kind=kind, replicas=pods_of[key], scale=Scale.NOT_FOUND if kind in objects.whole else Scale.SERVED)


def _is_same(uid: str, wanted: str) -> bool:
    """Whether two uids are of one object; what is cut out of an input may lack them."""
    return uid == wanted or not uid or not wanted
