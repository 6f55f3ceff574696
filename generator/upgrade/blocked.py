"""Why the pods of a node don't go: what kubectl's drain code won't evict, and what a budget refuses."""

from collections.abc import Iterable

from generator.facts.eviction import Answer
from generator.upgrade import emptying
from generator.upgrade.emptying import Kept
from generator.upgrade.guarding import Guard
from generator.upgrade.policy import Emptying
from generator.upgrade.scene import Scene, kubectl
from generator.upgrade.state import State
from generator.upgrade.world import Node, Pod, Scope

WORDS = {
    "local-storage": "has an emptyDir",
    "unmanaged": "has no controller",
    "daemonset": "is of a DaemonSet, whose pods are never deleted here",
    "not-found": "is of a DaemonSet that is gone",
}
FIELDS = {"local-storage": "deleteEmptyDir", "unmanaged": "force", "not-found": "force"}


def kept(scene: Scene, node: Node, how: Emptying, *, draining: bool) -> list[Kept]:
    """Pods that end the emptying before it begins."""
    if draining:
        return emptying.kept_by_drain(scene.world, node, how)
    return emptying.kept_by_deletion(emptying.to_delete(scene.world, node), how)


def refused(scene: Scene, node: Node, how: Emptying, *, draining: bool) -> list[tuple[Pod, Answer]]:
    """Pods whose eviction the API refuses as things stand, and its answers."""
    pods = emptying.to_drain(scene.world, node, how) if draining else emptying.to_delete(scene.world, node)
    answers = ((pod, scene.guards.answer(pod)) for pod in (pods if isinstance(pods, list) else ()))
    return [(pod, answer) for pod, answer in answers if not answer.evicted]


def kept_words(found: Iterable[Kept], setting: str) -> tuple[str, ...]:
    """Each pod with its reason and the field that would allow it."""
    return tuple(_kept(one, setting) for one in found)


def _kept(one: Kept, setting: str) -> str:
    field = FIELDS.get(one.why)
    needs = f" and {setting}.{field} is false" if field else ""
    return f"pod {one.pod} {WORDS[one.why]}{needs}"


def refused_words(found: Iterable[tuple[Pod, Answer]]) -> tuple[str, ...]:
    """Each pod with the answer that its eviction gets."""
    return tuple(f"pod {pod.name}: {_told(answer)}" for pod, answer in found)


def _told(answer: Answer) -> str:
    text = answer.cause or answer.message.rstrip(".")
    named = f": {', '.join(answer.budgets)}" if len(answer.budgets) > 1 else ""
    return f"{text[:1].lower()}{text[1:]}{named} (HTTP {answer.code})"


def numbers(guard: Guard) -> str:
    """A budget's own figures."""
    status = guard.status
    return (
        f"budget {guard.key} allows {status.allowed} disruptions:"
        f" {status.healthy} healthy of {status.expected} expected, {status.desired} needed"
    )


def step(scene: Scene, pod: Pod, answer: Answer) -> tuple[str, str]:
    """The one command to try for a refused eviction, and what it will do."""
    found = [one for one in scene.guards.guards() if one.key == f"{pod.namespace}/{next(iter(answer.budgets), '')}"]
    if len(answer.budgets) > 1 or not found:
        effect = "changes nothing; narrow or delete all but one of the budgets that select the pod"
        return kubectl("get", "pdb", "-n", pod.namespace, "-o", "wide"), effect
    guard = found[0]
    if not pod.ready and not guard.budget.always_allow:
        spec = '{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}'
        command = kubectl("patch", "pdb", "-n", pod.namespace, guard.budget.name, "--type", "merge", "-p", spec)
        return command, "lets pods that run and aren't Ready be evicted: they serve nothing"
    if guard.status.expected > guard.status.desired and guard.status.healthy < guard.status.expected:
        command = kubectl("get", "pods", "-n", pod.namespace, "-o", "wide")
        return command, "changes nothing; once a pod of the budget that isn't Ready gets Ready, the eviction passes"
    return _patched(guard, pod.namespace), "lets one of its pods at a time be evicted"


def _patched(guard: Guard, namespace: str) -> str:
    name = guard.budget.name
    if guard.budget.min_available is None:
        return kubectl("patch", "pdb", "-n", namespace, name, "--type", "merge", "-p", '{"spec":{"maxUnavailable":1}}')
    patch = '[{"op":"remove","path":"/spec/minAvailable"},{"op":"add","path":"/spec/maxUnavailable","value":1}]'
    return kubectl("patch", "pdb", "-n", namespace, name, "--type", "json", "-p", patch)


def setting_step(one: Kept, node: Node, scope: Scope) -> tuple[str, str]:
    """The one command to try for a pod that can't be evicted."""
    namespace, _, name = one.pod.partition("/")
    field = FIELDS.get(one.why)
    if field is None:
        kind = "nvidiadriver" if scope.owner else "clusterpolicy"
        return kubectl(
            "edit", kind, scope.name
        ), "set upgradePolicy.drain.enable: true, since a drain passes DaemonSets over"
    again = "" if node.state != State.FAILED else ", and the node must then be labelled upgrade-required again"
    return (
        kubectl("delete", "pod", "-n", namespace, name),
        f"ends the pod, with what is in its emptyDir; nothing else keeps it{again}",
    )
