"""Why a node isn't empty yet, or never was: pods that can't be evicted, budgets that refuse, finalizers that hold."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from generator.facts.deletable import Refusal
from generator.facts.eviction import Answer
from generator.upgrade import drain as draining
from generator.upgrade.assembled import Missing
from generator.upgrade.budgets import Guard
from generator.upgrade.drain import Kept
from generator.upgrade.policy import Emptying
from generator.upgrade.scene import AGAIN, Diagnosis, Scene, Verdict, kubectl, relabel, soon
from generator.upgrade.state import State
from generator.upgrade.world import Node, Pod, Scope

SHOWN = 3
OLD = "its pods could not be evicted and the old driver pod is still there"
WORDS: Mapping[Refusal, str] = {
    Refusal.LOCAL_STORAGE: "has an emptyDir",
    Refusal.UNMANAGED: "has no controller",
    Refusal.DAEMONSET: "is of a DaemonSet, whose pods are never deleted here",
    Refusal.NOT_FOUND: "is of a DaemonSet that is gone",
    Refusal.MIRROR: "is a static pod, which only its node's kubelet ends",
}
# The field of podDeletion or drain that lets such a pod go.
FIELDS: Mapping[Refusal, str] = {
    Refusal.LOCAL_STORAGE: "deleteEmptyDir",
    Refusal.UNMANAGED: "force",
    Refusal.NOT_FOUND: "force",
}


class Way(Struct, frozen=True, kw_only=True):
    """How a node is emptied now: by pod deletion or by a drain, which is the part of the policy that says it."""

    how: Emptying
    drains: bool

    @property
    def setting(self) -> str:
        """The policy's part."""
        return "drain" if self.drains else "podDeletion"


class Obstacles(Struct, frozen=True, kw_only=True):
    """What is in the way of a node's pods as things stand; `held` are those with finalizers, deleted already or not."""

    kept: Sequence[Kept] = ()
    refused: Sequence[tuple[Pod, Answer]] = ()
    held: Sequence[Pod] = ()


def deletion(scene: Scene, node: Node, scope: Scope) -> Diagnosis:
    """GPU pods are evicted."""
    how = scope.policy.pod_deletion
    assert how is not None  # else it is among what stops the controller
    fails = "it is drained instead" if scope.policy.drain_enabled else "it becomes upgrade-failed"
    return _leaving(scene, node, scope, Way(how=how, drains=False), fails)


def drain(scene: Scene, node: Node, scope: Scope) -> Diagnosis:
    """Whatever the drain selects is evicted."""
    how = scope.policy.drain
    if how is None or not scope.policy.drain_enabled:
        return Diagnosis(verdict=Verdict.MOVING, why=(soon("drain.enable is false: it goes on"),))
    return _leaving(scene, node, scope, Way(how=how, drains=True), "it becomes upgrade-failed")


def failed(scene: Scene, node: Node, scope: Scope) -> Diagnosis:
    """The old driver pod is still there: what kept the pods of the node may keep them still."""
    policy = scope.policy
    how = policy.drain if policy.drain_enabled else policy.pod_deletion
    if how is not None:
        way = Way(how=how, drains=policy.drain_enabled)
        obstacles = _obstacles(scene, node, way)
        if obstacles.kept:
            command, effect = _setting_step(obstacles.kept[0], node, scope)
            why = (OLD, *_kept_words(obstacles.kept, way.setting))
            return Diagnosis(verdict=Verdict.STUCK, why=why, command=command, effect=effect)
        if obstacles.refused:
            command, effect = _budget_step(scene, *obstacles.refused[0])
            why = (OLD, *_refused_words(obstacles.refused))
            again = f"{effect}; then label the node upgrade-required again"
            return Diagnosis(verdict=Verdict.STUCK, why=why, command=command, effect=again)
        if obstacles.held:
            command, effect = _finalizer_step(obstacles.held[0])
            why = (OLD, *_held_words(obstacles.held))
            again = f"{effect}; then label the node upgrade-required again"
            return Diagnosis(verdict=Verdict.STUCK, why=why, command=command, effect=again)
    lacking = scene.lacks(Missing.BUDGETS)
    why_failed = OLD if lacking else f"{OLD}, and nothing keeps its pods any more"
    return Diagnosis(
        verdict=Verdict.STUCK, why=(why_failed,), command=relabel(node.name), effect=AGAIN, missing=lacking
    )


def half_cordoned(node: Node) -> tuple[str, ...]:
    """A half state: the state says cordoned, the node isn't."""
    return () if node.cordoned else ("it isn't cordoned although its state says so: new pods may still arrive",)


def _leaving(scene: Scene, node: Node, scope: Scope, way: Way, fails: str) -> Diagnosis:
    if lacking := scene.lacks(Missing.PODS):
        return Diagnosis(verdict=Verdict.UNTOLD, why=("its pods are being evicted",), missing=lacking)
    half = half_cordoned(node)
    obstacles = _obstacles(scene, node, way)
    if obstacles.kept:
        command, effect = _setting_step(obstacles.kept[0], node, scope)
        why = (*_kept_words(obstacles.kept, way.setting), f"so that {fails}", *half)
        return Diagnosis(verdict=Verdict.STUCK, why=why, command=command, effect=effect)
    if obstacles.refused:
        command, effect = _budget_step(scene, *obstacles.refused[0])
        why = (*_refused_words(obstacles.refused), _limit(obstacles, way.how, fails), *half)
        return Diagnosis(verdict=Verdict.STUCK, why=why, command=command, effect=effect)
    if obstacles.held:
        command, effect = _finalizer_step(obstacles.held[0])
        limit = f"after {way.how.timeout} s {fails}" if way.how.timeout else "it is waited for: timeoutSeconds is 0"
        why = (*_held_words(obstacles.held), limit, *half)
        return Diagnosis(verdict=Verdict.WAITING, why=why, command=command, effect=effect)
    if lacking := scene.lacks(Missing.BUDGETS):
        return Diagnosis(verdict=Verdict.UNTOLD, why=("its pods can go, unless a budget refuses",), missing=lacking)
    if way.drains and (unshown := _unshown(scene, node, way.how)):
        why = (f"its pods can go, unless the DaemonSet of {unshown[0].name} is gone",)
        return Diagnosis(verdict=Verdict.UNTOLD, why=why, missing=(Missing.DAEMONSETS,))
    return Diagnosis(verdict=Verdict.MOVING, why=("nothing keeps its pods: " + soon("it is empty"),))


def _limit(obstacles: Obstacles, how: Emptying, fails: str) -> str:
    """When the node fails: a refusal that isn't asked again ends the emptying once the other pods are through."""
    waits = obstacles.held or any(answer.retried for _, answer in obstacles.refused)
    if not waits:
        return f"that is not asked again, so that {fails}"
    return f"after {how.timeout} s {fails}" if how.timeout else "it is tried for ever: timeoutSeconds is 0"


def _unshown(scene: Scene, node: Node, how: Emptying) -> list[Pod]:
    """Pods that a drain passes over if their DaemonSet is there, which the input doesn't show, and else fails on."""
    return [] if how.force else [pod for pod in draining.selected(scene.world, node, how) if not pod.owner_shown]


def _obstacles(scene: Scene, node: Node, way: Way) -> Obstacles:
    pods = draining.to_drain(scene.world, node, way.how) if way.drains else draining.to_delete(scene.world, node)
    if isinstance(pods, str):  # a selector that is refused is among what stops the controller
        return Obstacles()
    if way.drains:
        kept = draining.kept_by_drain(scene.world, node, way.how)
    else:
        kept = draining.kept_by_deletion(pods, way.how)
    answers = [(pod, scene.guards.answer(pod)) for pod in pods]
    return Obstacles(
        kept=kept,
        refused=[(pod, answer) for pod, answer in answers if not answer.evicted],
        held=[pod for pod in pods if pod.finalizers],
    )


def _kept_words(pods: Iterable[Kept], setting: str) -> tuple[str, ...]:
    """Each pod with its reason and the field that would allow it."""
    return tuple(_kept_word(pod, setting) for pod in list(pods)[:SHOWN])


def _kept_word(kept: Kept, setting: str) -> str:
    field = FIELDS.get(kept.refusal)
    needs = f" and {setting}.{field} is false" if field else ""
    return f"pod {kept.pod} {WORDS[kept.refusal]}{needs}"


def _refused_words(refused: Sequence[tuple[Pod, Answer]]) -> tuple[str, ...]:
    """Each pod with the answer that its eviction gets."""
    return tuple(f"pod {pod.name}: {_answer_words(answer)}" for pod, answer in refused[:SHOWN])


def _answer_words(answer: Answer) -> str:
    text = answer.cause or answer.message.rstrip(".")
    named = f": {', '.join(answer.budgets)}" if len(answer.budgets) > 1 else ""
    return f"{text[:1].lower()}{text[1:]}{named} (HTTP {answer.code})"


def _held_words(pods: Sequence[Pod]) -> tuple[str, ...]:
    words = []
    for pod in pods[:SHOWN]:
        when = "is deleted and still" if pod.terminating else "is not gone when it is evicted, but"
        words.append(f"pod {pod.name} {when} held by its finalizers: {', '.join(pod.finalizers)}")
    return tuple(words)


def _finalizer_step(pod: Pod) -> tuple[str, str]:
    """The one command to try for a pod that finalizers hold, and what it will do."""
    name = pod.name.partition("/")[2]
    command = kubectl("get", "pod", "-n", pod.namespace, name, "-o", "jsonpath={.metadata.finalizers}")
    return command, "changes nothing; the pod is gone once whoever set its finalizers takes them off"


def _budget_step(scene: Scene, pod: Pod, answer: Answer) -> tuple[str, str]:
    """The one command to try for a refused eviction, and what it will do."""
    key = f"{pod.namespace}/{next(iter(answer.budgets), '')}"
    guard = next((guard for guard in scene.guards.guards() if guard.key == key), None)
    if len(answer.budgets) > 1 or guard is None:
        effect = "changes nothing; narrow or delete all but one of the budgets that select the pod"
        return kubectl("get", "pdb", "-n", pod.namespace, "-o", "wide"), effect
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


def _setting_step(kept: Kept, node: Node, scope: Scope) -> tuple[str, str]:
    """The one command to try for a pod that can't be evicted."""
    namespace, _, name = kept.pod.partition("/")
    if kept.refusal not in FIELDS:
        kind = "nvidiadriver" if scope.owner else "clusterpolicy"
        passed = "DaemonSets" if kept.refusal is Refusal.DAEMONSET else "static pods"
        effect = f"set upgradePolicy.drain.enable: true, since a drain passes {passed} over"
        return kubectl("edit", kind, scope.name), effect
    again = "" if node.state != State.FAILED else ", and the node must then be labelled upgrade-required again"
    effect = f"ends the pod, with what is in its emptyDir; nothing else keeps it{again}"
    return kubectl("delete", "pod", "-n", namespace, name), effect
