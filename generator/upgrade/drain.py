"""How a node is emptied: the operator's pod deletion and its drain, which both evict through kubectl's drain code.

k8s-operator-libs pkg/upgrade/pod_manager.go SchedulePodEviction, drain_manager.go ScheduleNodesDrain; kubernetes
staging/src/k8s.io/kubectl/pkg/drain/drain.go evictPods.
"""

from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from generator.facts.deletable import Flags, Refusal, kept_by_pod_deletion, verdict
from generator.facts.eviction import Answer
from generator.facts.podselector import selector_problem, selects
from generator.upgrade.policy import Emptying
from generator.upgrade.state import SKIP_DRAIN
from generator.upgrade.world import Leaving, Node, Pod, World

# Asks the API to evict a pod, and counts it where that is granted.
Evict = Callable[[Pod], Answer]


class Kept(Struct, frozen=True):
    """A pod that ends the emptying of a node before it begins, and why."""

    pod: str
    refusal: Refusal


class Attempt(Struct, frozen=True, kw_only=True):
    """One pass over the pods that must go: those evicted, those not gone after it, the answers that refuse.

    `leaving` is what is left to do.
    """

    evicted: tuple[Pod, ...]
    held: tuple[Pod, ...]
    refused: tuple[tuple[Pod, Answer], ...]
    leaving: Leaving


def to_delete(world: World, node: Node) -> list[Pod]:
    """The pods that the operator's pod deletion must remove from a node."""
    return [pod for pod in world.pods_on(node.name) if pod.gpu and pod.unfinished]


def kept_by_deletion(pods: Iterable[Pod], how: Emptying) -> list[Kept]:
    """Why they can't all be removed; it counts them before it evicts any."""
    kept = []
    for pod in pods:
        refusal = kept_by_pod_deletion(pod.standing, _flags(how))
        if refusal:
            kept.append(Kept(pod.name, refusal))
    return kept


def to_drain(world: World, node: Node, how: Emptying) -> list[Pod] | str:
    """The pods that a drain of a node removes; a text says why its selector is refused."""
    if problem := selector_problem(how.pod_selector):
        return problem
    return [pod for pod in selected(world, node, how) if verdict(pod.standing, _flags(how)).removed]


def kept_by_drain(world: World, node: Node, how: Emptying) -> list[Kept]:
    """The pods that a drain refuses to remove: it then removes none."""
    kept = []
    for pod in selected(world, node, how):
        refusal = verdict(pod.standing, _flags(how)).refusal
        if refusal:
            kept.append(Kept(pod.name, refusal))
    return kept


def selected(world: World, node: Node, how: Emptying) -> list[Pod]:
    """The pods of a node that a drain looks at: the operator adds to its selector that pods with its label are left."""
    pods = (pod for pod in world.pods_on(node.name) if pod.labels.get(SKIP_DRAIN) != "true")
    return [pod for pod in pods if selects(how.pod_selector, pod.labels)]


def attempt(world: World, node: Node, leaving: Leaving, evict: Evict) -> Attempt:
    """Asks for each pod once. What is evicted is gone at once, unless finalizers hold it.

    Only 429 is asked again; any other refusal is final, and the other pods are waited for all the same (evictPods).
    """
    there = {pod.name: pod for pod in world.pods_on(node.name)}
    evicted: list[Pod] = []
    held = [there[name] for name in leaving.held if name in there]
    refused: list[tuple[Pod, Answer]] = []
    asked_again: list[str] = []
    failure = leaving.failure
    for name in leaving.asked:
        pod = there.get(name)
        if pod is None:
            continue
        answer = evict(pod)
        if answer.evicted:
            evicted.append(pod)
            if pod.finalizers:
                held.append(_hold(world, pod))
            else:
                world.take_pod(name)
            continue
        refused.append((pod, answer))
        if answer.retried:
            asked_again.append(name)
        else:
            failure = failure or (name, answer.why)
    return Attempt(
        evicted=tuple(evicted),
        held=tuple(held),
        refused=tuple(refused),
        leaving=replace(leaving, asked=tuple(asked_again), held=tuple(pod.name for pod in held), failure=failure),
    )


def _hold(world: World, pod: Pod) -> Pod:
    """The pod, deleted and still there: its kubelet ends it, and its object stays."""
    held = replace(pod, terminating=True, ready=False)
    world.put_pod(held)
    return held


def _flags(how: Emptying) -> Flags:
    return Flags(force=how.force, delete_empty_dir=how.delete_empty_dir)
