"""How each GPU node of a live cluster stands: the judgement of the node, and what its driver does."""

from collections.abc import Iterator

from msgspec import Struct

from generator.audit.difference import Difference, What, difference
from generator.audit.judgement import Judgement
from generator.audit.live import Live
from generator.audit.loaded import is_of, loaded_driver
from generator.declared.catalog import Entry
from generator.declared.fleet import Cluster, OsRelease, Pool
from generator.facts import label
from generator.observed.node import Node
from generator.observed.pod import Container, Pod
from generator.operator.ask import Asks, HostDriver

DEPLOY = "nvidia.com/gpu.deploy."
OPERANDS = "nvidia.com/gpu.deploy.operands"
# Reasons of a waiting container that say the image can't be had (kubelet images/types.go).
PULL = frozenset({"ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"})


class Standing(Struct, frozen=True, kw_only=True):
    """A GPU node as it stands. `driver` is what it has loaded, `image` what it needs, `signs` are notes by the way.

    `kernel` is its label's, `uname` its kubelet's, and `release` that of its node image, as its provider labels it.
    `serves` says whether its driver pod runs the image that it needs and is Ready; None where that was not seen, or the
    operator starts none.
    """

    node: str
    pool: str = ""
    os: str = ""
    kernel: str = ""
    arch: str = ""
    uname: str = ""
    release: str = ""
    driver: str = ""
    image: str = ""
    built: bool = False
    runs: str = ""
    serves: bool | None = None
    signs: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()


class Standings:
    """How the nodes of one live cluster stand."""

    def __init__(self, cluster: Cluster, live: Live) -> None:
        self.cluster, self.live = cluster, live

    def of(self, node: Node, judgement: Judgement) -> Standing:
        """How a GPU node stands: its judgement, and what its driver does."""
        labels = node.labels
        differences = list(judgement.differences)
        runs = _image(self.live.driver_pods.get(node.name))
        driver = loaded_driver(labels)
        image = label.machine_image(labels)
        pool = judgement.pool
        serves: bool | None = None
        match judgement.answer:
            case Asks(pool=asking, reference=reference):
                serves = self._serves(node, runs, reference)
                differences += self._pod(node, asking, runs, reference)
                differences += self._loaded(node, asking, driver, judgement.images[0].entry)
            case HostDriver(pool=hosting):
                differences += self._loaded(node, hosting, driver, None)
            case _:
                pass
        return Standing(
            node=node.name,
            pool=pool.name if pool else "",
            os=str(OsRelease(labels.get(label.OS_ID, ""), labels.get(label.OS_VERSION, ""))),
            kernel=labels.get(label.KERNEL, ""),
            arch=node.arch,
            uname=node.kernel,
            release=image.release if image is not None else "",
            driver=driver,
            image=judgement.reference,
            built=judgement.built,
            runs=runs,
            serves=serves,
            signs=tuple(signs(node)),
            differences=tuple(differences),
        )

    def _serves(self, node: Node, runs: str, reference: str) -> bool | None:
        if self.live.pods is None or not self._is_started(node):
            return None
        pod = self.live.driver_pods.get(node.name)
        return pod is not None and pod.runs and not pod.terminating and runs == reference

    def _is_started(self, node: Node) -> bool:
        """Whether the operator starts a driver pod on the node."""
        starts = node.labels.get(label.DEPLOY_DRIVER, "") in label.STARTS_DRIVER
        return starts and node.labels.get(OPERANDS) != "false"

    def _pod(self, node: Node, pool: Pool, runs: str, reference: str) -> Iterator[Difference]:
        """What its driver pod says; nothing where pods are not given."""
        pod = self.live.driver_pods.get(node.name)
        if self.live.pods is None or not self._is_started(node):
            return
        if pod is None:
            hint = "see the events of the driver's DaemonSet in the operator's namespace"
            yield difference(
                self.cluster, What.DRIVER_POD, "no driver pod runs on it", hint, pool=pool.name, node=node.name
            )
            return
        stuck = next((container for container in pod.containers if container.waiting), None)
        if stuck is not None:
            yield difference(
                self.cluster, What.DRIVER_POD, _stuck(pod, stuck), _unstick(pod, stuck), pool=pool.name, node=node.name
            )
        if runs and runs != reference:
            message = f"its driver pod {pod.name} runs {runs}, and it needs {reference}"
            hint = "see what the upgrade waits for: drivergate upgrade status"
            yield difference(self.cluster, What.OTHER_IMAGE, message, hint, pool=pool.name, node=node.name)

    def _loaded(self, node: Node, pool: Pool, driver: str, entry: Entry | None) -> Iterator[Difference]:
        """The driver that is loaded, against the declared one, or the one behind a branch's tag."""
        wanted = (entry.driver_version if entry and entry.driver_version else "") or pool.driver.version
        if driver and wanted and not is_of(driver, wanted):
            message = f"it has driver {driver} loaded, and the pool declares {wanted}"
            hint = "see what the upgrade waits for: drivergate upgrade status"
            yield difference(self.cluster, What.LOADED, message, hint, pool=pool.name, node=node.name)


def signs(node: Node) -> Iterator[str]:
    """What is neither right nor wrong, and explains much."""
    if node.cordoned:
        yield "cordoned"
    if node.not_ready:
        yield "not ready"
    paused = sorted(key.removeprefix(DEPLOY) for key, text in node.labels.items() if text == label.PAUSED)
    if paused:
        yield f"paused by a driver upgrade in progress: {', '.join(paused)}"
    if node.labels.get(OPERANDS) == "false":
        yield f"{OPERANDS} is false: no component of the operator runs on it"


def _image(pod: Pod | None) -> str:
    """The image of the driver container; a pod has several."""
    if pod is None:
        return ""
    named = [one for one in pod.containers if "driver-ctr" in one.name or one.name == "nvidia-driver"]
    return next((one.image for one in named if one.image), "")


def _stuck(pod: Pod, container: Container) -> str:
    image = f" ({container.image})" if container.image else ""
    return f"its driver pod {pod.name} waits: {container.waiting} of container {container.name}{image}"


def _unstick(pod: Pod, container: Container) -> str:
    if container.waiting in PULL:
        return "push the image that it asks for, or change what the pool asks for: drivergate tag says which"
    return f"read its log: kubectl logs -n {pod.namespace} {pod.name} -c {container.name} --previous"
