"""Why a node isn't empty yet, or never was: pods that can't be evicted, and budgets that refuse."""

from generator.upgrade import blocked
from generator.upgrade.assembled import Missing
from generator.upgrade.policy import Emptying
from generator.upgrade.scene import AGAIN, Diagnosis, Scene, Verdict, relabel, soon
from generator.upgrade.state import State
from generator.upgrade.world import Node, Scope

SHOWN = 3
OLD = "its pods could not be evicted and the old driver pod is still there"


def half_cordoned(node: Node) -> tuple[str, ...]:
    """A half state: the state says cordoned, the node isn't."""
    return () if node.cordoned else ("it isn't cordoned although its state says so: new pods may still arrive",)


def deletion(scene: Scene, node: Node, scope: Scope) -> Diagnosis:
    """GPU pods are evicted."""
    how = scope.policy.pod_deletion
    assert how is not None  # else it is among what stops the controller
    fails = "it is drained instead" if scope.policy.drain_enabled else "it becomes upgrade-failed"
    return _leaving(scene, node, scope, how, fails)


def drain(scene: Scene, node: Node, scope: Scope) -> Diagnosis:
    """Whatever the drain selects is evicted."""
    how = scope.policy.drain
    if how is None or not scope.policy.drain_enabled:
        return Diagnosis(verdict=Verdict.MOVING, why=(soon("drain.enable is false: it goes on"),))
    return _leaving(scene, node, scope, how, "it becomes upgrade-failed")


def _leaving(scene: Scene, node: Node, scope: Scope, how: Emptying, fails: str) -> Diagnosis:
    draining = node.state == State.DRAIN
    setting = "drain" if draining else "podDeletion"
    if lacking := scene.lacks(Missing.PODS):
        return Diagnosis(verdict=Verdict.UNTOLD, why=("its pods are being evicted",), missing=lacking)
    if found := blocked.kept(scene, node, how, draining=draining):
        command, effect = blocked.setting_step(found[0], node, scope)
        words = blocked.kept_words(found[:SHOWN], setting)
        return Diagnosis(
            verdict=Verdict.STUCK,
            why=(*words, f"so that {fails}", *half_cordoned(node)),
            command=command,
            effect=effect,
        )
    if refused := blocked.refused(scene, node, how, draining=draining):
        limit = f"after {how.timeout} s {fails}" if how.timeout else "it is tried for ever: timeoutSeconds is 0"
        command, effect = blocked.step(scene, *refused[0])
        words = blocked.refused_words(refused[:SHOWN])
        return Diagnosis(
            verdict=Verdict.STUCK, why=(*words, limit, *half_cordoned(node)), command=command, effect=effect
        )
    if lacking := scene.lacks(Missing.BUDGETS):
        return Diagnosis(verdict=Verdict.UNTOLD, why=("its pods can go, unless a budget refuses",), missing=lacking)
    return Diagnosis(verdict=Verdict.MOVING, why=("nothing keeps its pods: " + soon("it is empty"),))


def failed(scene: Scene, node: Node, scope: Scope) -> Diagnosis:
    """The old driver pod is still there: what kept the pods of the node may keep them still."""
    policy = scope.policy
    steps = [(policy.drain, True, "drain")] if policy.drain_enabled else [(policy.pod_deletion, False, "podDeletion")]
    for how, draining, setting in steps:
        if how is None:
            continue
        if found := blocked.kept(scene, node, how, draining=draining):
            command, effect = blocked.setting_step(found[0], node, scope)
            words = blocked.kept_words(found[:SHOWN], setting)
            return Diagnosis(verdict=Verdict.STUCK, why=(OLD, *words), command=command, effect=effect)
        if refused := blocked.refused(scene, node, how, draining=draining):
            command, effect = blocked.step(scene, *refused[0])
            again = f"{effect}; then label the node upgrade-required again"
            words = blocked.refused_words(refused[:SHOWN])
            return Diagnosis(verdict=Verdict.STUCK, why=(OLD, *words), command=command, effect=again)
    lacking = scene.lacks(Missing.BUDGETS)
    why = OLD if lacking else f"{OLD}, and nothing keeps its pods any more"
    return Diagnosis(verdict=Verdict.STUCK, why=(why,), command=relabel(node.name), effect=AGAIN, missing=lacking)
