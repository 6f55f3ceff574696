"""Why a node stands where it stands: a function for each state, over the same arithmetic as a replay."""

from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from generator.facts.label import DEPLOY_DRIVER
from generator.facts.podselector import selects
from generator.upgrade import driverpod, obstacle, slotholder
from generator.upgrade.assembled import Missing
from generator.upgrade.scene import AGAIN, Diagnosis, Scene, Verdict, kubectl, relabel, soon
from generator.upgrade.state import SKIP, STATE, VALIDATION_SECONDS, State
from generator.upgrade.world import Node, Scope, due
from generator.words import shortened

Judge = Callable[[Scene, Node, Scope], Diagnosis]
SHOWN = 3


def diagnose(scene: Scene, node: Node) -> Diagnosis:
    """Why, what to try, and what can't be told from the input."""
    found = _judged(scene, node)
    notes = tuple(_notes(scene, node))
    return replace(found, why=(*found.why, *notes)) if notes else found


def _judged(scene: Scene, node: Node) -> Diagnosis:
    scope = scene.scope(node)
    if scope is None and not scene.ruled.off and node.name in scene.wanting:
        return _unruled(scene, node)
    if node.state and (reason := _left_over(scene, node, scope)):
        return Diagnosis(
            verdict=Verdict.STALE,
            why=(f"stale: {reason}, so that no controller moves it",),
            command=kubectl("label", "node", node.name, f"{STATE}-"),
            effect="takes the label away; nothing is done to the node",
        )
    if node.state not in set(State):
        why = f'"{node.state}" is no state that this release knows: shown as it is, no step acts on it'
        return Diagnosis(verdict=Verdict.UNTOLD, why=(why,), command=relabel(node.name), effect=AGAIN)
    if scene.ruled.stops and node.state != State.DONE:
        effect = "no node of the cluster goes on until then"
        return Diagnosis(verdict=Verdict.STUCK, why=scene.ruled.stops, effect=effect)
    if scope is None:
        return _unruled(scene, node)
    return JUDGES[State(node.state)](scene, node, scope)


def _unruled(scene: Scene, node: Node) -> Diagnosis:
    """No NVIDIADriver has the node, or none that was given."""
    if lacking := scene.lacks(Missing.POLICY):
        return Diagnosis(verdict=Verdict.UNTOLD, why=("no NVIDIADriver that was given claims it",), missing=lacking)
    if node.name not in scene.wanting:
        return Diagnosis(verdict=Verdict.DONE, why=())
    none = "no NVIDIADriver claims it: the operator gives it no driver"
    return Diagnosis(
        verdict=Verdict.STUCK,
        why=(scene.ruled.conflict or none,),
        command=kubectl("get", "nvidiadrivers", "-o", "yaml"),
        effect="changes nothing; the nodeSelector of exactly one of them must satisfy the node's labels",
    )


def _notes(scene: Scene, node: Node) -> Iterator[str]:
    if node.was_cordoned and node.state != State.DONE:
        yield (
            "it was cordoned before its upgrade and stays so: uncordon it by hand with "
            + kubectl("uncordon", node.name)
        )
    if paused := scene.paused.get(node.name):
        yield f"{', '.join(paused)} paused by a driver upgrade: neither disabled nor invalid"


def _left_over(scene: Scene, node: Node, scope: Scope | None) -> str:
    if scene.ruled.off:
        return scene.ruled.off
    if node.name in scene.preinstalled:
        return f"its label {DEPLOY_DRIVER} says that its driver is preinstalled"
    if scope is None and not scene.lacks(Missing.POLICY):
        return scene.ruled.conflict or "no NVIDIADriver claims it"
    if scope is not None and not scope.policy.automatic:
        return f"upgradePolicy.autoUpgrade of {scope.name} is off"
    if node.driver is None and Missing.PODS not in scene.missing and node.state not in {State.DONE, State.POD_RESTART}:
        return "no driver pod is on the node"
    return ""


def _unknown(scene: Scene, node: Node, scope: Scope) -> Diagnosis:
    if node.name in scene.preinstalled:
        return Diagnosis(verdict=Verdict.DONE, why=())
    if lacking := scene.lacks(Missing.POLICY):
        why = ("no state: the operator has not looked at it, or doesn't upgrade by itself",)
        return Diagnosis(verdict=Verdict.UNTOLD, why=why, missing=lacking)
    if node.driver is not None and not node.driver.ready:
        return driverpod.not_ready(scene, node)
    if lacking := scene.lacks(Missing.PODS):
        return Diagnosis(verdict=Verdict.UNTOLD, why=("no state, and no word on its driver pod",), missing=lacking)
    if scene.ruled.off or not scope.policy.automatic:
        return Diagnosis(verdict=Verdict.DONE, why=())
    if node.driver is None:
        return driverpod.missing_pod(node)
    return Diagnosis(verdict=Verdict.MOVING, why=("no state yet: " + soon("it gets one"),))


def _required(scene: Scene, node: Node, scope: Scope) -> Diagnosis:
    if node.skip:
        return Diagnosis(
            verdict=Verdict.STUCK,
            why=(f"its label {SKIP}=true parks it here",),
            command=kubectl("label", "node", node.name, f"{SKIP}-"),
            effect="it begins as soon as a slot is free",
        )
    if lacking := scene.lacks(Missing.POLICY):
        return _with_default_policy(slotholder.waiting(scene, node, scope), lacking)
    return slotholder.waiting(scene, node, scope)


def _with_default_policy(found: Diagnosis, lacking: tuple[Missing, ...]) -> Diagnosis:
    """Numbers that rest on a policy that nobody showed prove nothing."""
    return Diagnosis(
        verdict=Verdict.UNTOLD,
        why=tuple(f"by the chart's default policy: {one}" for one in found.why),
        command=found.command,
        effect=found.effect,
        missing=lacking,
    )


def _cordon(_: Scene, node: Node, __: Scope) -> Diagnosis:
    half = "it is cordoned and nothing is evicted yet: " if node.cordoned else ""
    return Diagnosis(verdict=Verdict.MOVING, why=(half + soon("it is cordoned and its jobs are waited for"),))


def _jobs(scene: Scene, node: Node, scope: Scope) -> Diagnosis:
    policy = scope.policy
    if not policy.wait_selector:
        return Diagnosis(verdict=Verdict.MOVING, why=(soon("no job is waited for: it goes on"),))
    if lacking := scene.lacks(Missing.PODS):
        why = f"it waits for pods of {policy.wait_selector}"
        return Diagnosis(verdict=Verdict.UNTOLD, why=(why,), missing=lacking)
    pods = [p for p in scene.world.pods_on(node.name) if p.unfinished and selects(policy.wait_selector, p.labels)]
    if not pods:
        return Diagnosis(verdict=Verdict.MOVING, why=(soon("no job runs any more: it goes on"),))
    limit = f"for {policy.wait_timeout} s at most" if policy.wait_timeout else "for ever: timeoutSeconds is 0"
    names = shortened([pod.name for pod in pods], SHOWN)
    namespace, _, name = pods[0].name.partition("/")
    return Diagnosis(
        verdict=Verdict.WAITING,
        why=(f"it waits for {names} ({policy.wait_selector}), {limit}", *obstacle.half_cordoned(node)),
        command=kubectl("get", "pod", "-n", namespace, name, "-w"),
        effect="changes nothing; when the last such pod ends, the node goes on within 120 s",
    )


def _restart(scene: Scene, node: Node, _: Scope) -> Diagnosis:
    if lacking := scene.lacks(Missing.PODS):
        return Diagnosis(verdict=Verdict.UNTOLD, why=("its driver pod is being replaced",), missing=lacking)
    if node.driver is None:
        return driverpod.missing_pod(node)
    if scene.in_sync.get(node.name, True) is None:
        found = driverpod.not_ready(scene, node) if not node.driver.ready else None
        why = found.why if found else ("whether its driver pod is the new one isn't told",)
        command, effect = (found.command, found.effect) if found else ("", "")
        verdict = found.verdict if found and found.verdict is Verdict.STUCK else Verdict.UNTOLD
        return Diagnosis(verdict=verdict, why=why, command=command, effect=effect, missing=(Missing.REVISIONS,))
    if not node.driver.in_sync or node.driver.orphan:
        return driverpod.outdated(node)
    if node.driver.ready:
        return Diagnosis(verdict=Verdict.MOVING, why=("the new driver pod is Ready: " + soon("it is validated"),))
    return driverpod.not_ready(scene, node)


def _validation(scene: Scene, node: Node, _: Scope) -> Diagnosis:
    if lacking := scene.lacks(Missing.PODS):
        return Diagnosis(verdict=Verdict.UNTOLD, why=("its validator is waited for",), missing=lacking)
    if not node.validators:
        return Diagnosis(
            verdict=Verdict.STUCK,
            why=("no pod of app=nvidia-operator-validator is on the node: it never came and is waited for, for ever",),
            command=kubectl("get", "node", node.name, "--show-labels"),
            effect="changes nothing; nvidia.com/gpu.deploy.operator-validator must be true for the pod to come",
        )
    if all(node.validators):
        return Diagnosis(verdict=Verdict.MOVING, why=("its validator is Ready: " + soon("it is uncordoned"),))
    pods = scene.validators.get(node.name, ())
    pod = next((one for one in pods if not one.ready), None)
    named = f" {pod.key}" if pod else ""
    return Diagnosis(
        verdict=Verdict.WAITING,
        why=(
            f"its validator{named} isn't Ready: after {VALIDATION_SECONDS} s it is upgrade-failed, and then uncordoned",
        ),
        command=kubectl("logs", "-n", pod.namespace, pod.name, "--all-containers") if pod else "",
        effect="changes nothing; shows which check doesn't pass" if pod else "",
    )


def _uncordon(_: Scene, __: Node, ___: Scope) -> Diagnosis:
    return Diagnosis(verdict=Verdict.MOVING, why=(soon("it is uncordoned and done"),))


def _done(scene: Scene, node: Node, _: Scope) -> Diagnosis:
    if scene.paused.get(node.name):
        return Diagnosis(
            verdict=Verdict.WAITING,
            why=(),
            command=kubectl("get", "pods", "-A", "-o", "wide", "--field-selector", f"spec.nodeName={node.name}"),
            effect="changes nothing; the driver manager takes the pause off once its driver pod is up",
        )
    if lacking := scene.lacks(Missing.PODS):
        why = ("upgrade-done is what was once so, and no word on its driver pod",)
        return Diagnosis(verdict=Verdict.UNTOLD, why=why, missing=lacking)
    if node.driver is None:
        return Diagnosis(verdict=Verdict.DONE, why=("no driver pod is on the node any more",))
    if due(node) and scene.in_sync.get(node.name) is not None:
        return Diagnosis(
            verdict=Verdict.MOVING, why=("its driver pod is outdated: " + soon("it becomes upgrade-required"),)
        )
    if not node.driver.ready:
        return driverpod.not_ready(scene, node)
    if node.cordoned:
        return Diagnosis(
            verdict=Verdict.WAITING,
            why=("it is done and still cordoned, before or by somebody, and takes a slot of maxUnavailable",),
            command=kubectl("uncordon", node.name),
            effect="pods can be scheduled on it again, and another node may begin",
        )
    return Diagnosis(verdict=Verdict.DONE, why=())


def _failed(scene: Scene, node: Node, scope: Scope) -> Diagnosis:
    if lacking := scene.lacks(Missing.PODS):
        return Diagnosis(verdict=Verdict.STUCK, why=("its upgrade failed",), missing=lacking)
    driver = node.driver
    if driver is None:
        return driverpod.missing_pod(node)
    if driver.in_sync and driver.ready and not driver.orphan:
        return Diagnosis(verdict=Verdict.MOVING, why=("its driver pod is new and Ready: " + soon("it is uncordoned"),))
    if driver.in_sync and not driver.orphan:
        return driverpod.not_ready(scene, node)
    return obstacle.failed(scene, node, scope)


def _maintenance(_: Scene, node: Node, __: Scope) -> Diagnosis:
    why = f"{node.state} belongs to the Maintenance Operator, which the GPU operator doesn't use: nothing moves it"
    return Diagnosis(verdict=Verdict.STUCK, why=(why,), command=relabel(node.name), effect=AGAIN)


JUDGES: Mapping[State, Judge] = {
    State.UNKNOWN: _unknown,
    State.UPGRADE_REQUIRED: _required,
    State.CORDON_REQUIRED: _cordon,
    State.WAIT_FOR_JOBS: _jobs,
    State.POD_DELETION: obstacle.deletion,
    State.DRAIN: obstacle.drain,
    State.NODE_MAINTENANCE: _maintenance,
    State.POST_MAINTENANCE: _maintenance,
    State.POD_RESTART: _restart,
    State.VALIDATION: _validation,
    State.UNCORDON: _uncordon,
    State.DONE: _done,
    State.FAILED: _failed,
}
