"""What is wrong with the driver pod of a node, in the words of its containers."""

from generator.observed.pod import Container
from generator.observed.pod import Pod as LivePod
from generator.upgrade.scene import Diagnosis, Scene, Verdict, kubectl, soon
from generator.upgrade.state import MOST_RESTARTS
from generator.upgrade.world import Node

PULLING = frozenset(
    {"ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable"}
)


def not_ready(scene: Scene, node: Node) -> Diagnosis:
    """A driver pod of the newest revision that isn't Ready."""
    pod = scene.drivers.get(node.name)
    if pod is None:
        restarts = node.driver.restarts if node.driver else 0
        why = f"the new driver pod isn't Ready (restarted {restarts} times)"
        return Diagnosis(verdict=Verdict.WAITING if restarts <= MOST_RESTARTS else Verdict.STUCK, why=(why,))
    pulling = next((one for one in pod.containers if one.waiting in PULLING), None)
    if pulling is not None:
        return _pull(pod, pulling)
    if pod.restarts:
        return _restarts(pod)
    if pod.terminating:
        return Diagnosis(verdict=Verdict.MOVING, why=(f"the old driver pod {pod.key} is being deleted",))
    waiting = next((f": {one.name} waits, {one.waiting}" for one in pod.containers if one.waiting), "")
    why = f"driver pod {pod.key} is {pod.phase or 'not started'} and not Ready yet{waiting}"
    return Diagnosis(
        verdict=Verdict.WAITING,
        why=(why,),
        command=kubectl("describe", "pod", "-n", pod.namespace, pod.name),
        effect="changes nothing; its events say what it waits for",
    )


def _pull(pod: LivePod, one: Container) -> Diagnosis:
    told = f": {one.message}" if one.message else ""
    return Diagnosis(
        verdict=Verdict.STUCK,
        why=(
            f"the pull of {one.image or one.name} fails, {one.waiting}{told}",
            "a pull that fails never counts as a failed upgrade: the node waits for ever",
        ),
        command=kubectl("describe", "pod", "-n", pod.namespace, pod.name),
        effect="changes nothing; once the image is built the kubelet pulls it by itself, within 5 min",
    )


def _restarts(pod: LivePod) -> Diagnosis:
    worst = max(pod.containers, key=lambda one: one.restarts)
    over = pod.restarts > MOST_RESTARTS
    fate = "more than 10 is upgrade-failed" if over else f"after more than {MOST_RESTARTS} the node is upgrade-failed"
    return Diagnosis(
        verdict=Verdict.STUCK,
        why=(f"driver pod {pod.key} is in a restart loop: {worst.name} restarted {worst.restarts} times, {fate}",),
        command=kubectl("logs", "-n", pod.namespace, pod.name, "-c", worst.name, "--previous"),
        effect="changes nothing; shows how the last try ended",
    )


def missing_pod(node: Node) -> Diagnosis:
    """The old pod is gone and no new one is there."""
    return Diagnosis(
        verdict=Verdict.STUCK,
        why=(f"no driver pod is on {node.name}: the operator doesn't look at nodes without one",),
        command=kubectl("get", "node", node.name, "--show-labels"),
        effect="changes nothing; nvidia.com/gpu.deploy.driver must be true, and the DaemonSet's selector satisfied",
    )


def outdated(node: Node) -> Diagnosis:
    """The old pod is still there and is deleted next."""
    return Diagnosis(verdict=Verdict.MOVING, why=(soon(f"the old driver pod of {node.name} is deleted"),))
