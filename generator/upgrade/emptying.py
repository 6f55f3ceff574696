"""How a node is emptied: the operator's pod deletion and its drain, which both evict through kubectl's drain code.

k8s-operator-libs pkg/upgrade/pod_manager.go SchedulePodEviction, drain_manager.go ScheduleNodesDrain.
"""

from collections.abc import Callable, Iterable

from msgspec import Struct

from generator.facts.deletable import Flags, kept_by_pod_deletion, verdict
from generator.facts.podselector import selector_problem, selects
from generator.upgrade.policy import Emptying
from generator.upgrade.state import SKIP_DRAIN
from generator.upgrade.world import Node, Pod, World

# Why the API refuses to evict a pod now; empty where it does it.
Evict = Callable[[World, Pod], str]


class Kept(Struct, frozen=True):
    """A pod that ends the emptying of a node before it begins, and why."""

    pod: str
    why: str


class Attempt(Struct, frozen=True, kw_only=True):
    """One pass over the pods that must go: which went, and which were refused and why."""

    evicted: tuple[Pod, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


def to_delete(world: World, node: Node) -> list[Pod]:
    """The pods that the operator's pod deletion must remove from a node."""
    return [pod for pod in world.pods_on(node.name) if pod.gpu and pod.unfinished]


def kept_by_deletion(pods: list[Pod], how: Emptying) -> list[Kept]:
    """Why they can't all be removed; it counts them before it evicts any."""
    flags = _flags(how)
    found = ((pod, kept_by_pod_deletion(pod.standing, flags)) for pod in pods)
    return [Kept(pod.name, str(refusal)) for pod, refusal in found if refusal]


def to_drain(world: World, node: Node, how: Emptying) -> list[Pod] | str:
    """The pods that a drain of a node removes; a text says why its selector is refused."""
    if problem := selector_problem(how.pod_selector):
        return problem
    return [pod for pod in world.pods_on(node.name) if _drains(pod, how) and verdict(pod.standing, _flags(how)).removed]


def kept_by_drain(world: World, node: Node, how: Emptying) -> list[Kept]:
    """The pods that a drain refuses to remove: it then removes none."""
    pods = (pod for pod in world.pods_on(node.name) if _drains(pod, how))
    found = ((pod, verdict(pod.standing, _flags(how)).refusal) for pod in pods)
    return [Kept(pod.name, str(refusal)) for pod, refusal in found if refusal]


def evicted(world: World, pods: Iterable[Pod], evict: Evict) -> Attempt:
    """Asks for each pod once; what goes is gone at once."""
    gone, refused = [], []
    for pod in pods:
        why = evict(world, pod)
        if why:
            refused.append((pod.name, why))
        else:
            world.take_pod(pod.name)
            gone.append(pod)
    return Attempt(evicted=tuple(gone), refused=tuple(refused))


def _drains(pod: Pod, how: Emptying) -> bool:
    """The operator adds to every drain's selector that it skips pods with its label."""
    return pod.labels.get(SKIP_DRAIN) != "true" and selects(how.pod_selector, pod.labels)


def _flags(how: Emptying) -> Flags:
    return Flags(force=how.force, delete_empty_dir=how.delete_empty_dir, ignore_daemonsets=True)
