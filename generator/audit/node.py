"""One node against its pool: what claims it, which image it needs, whether that is built, and what its driver does."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from generator.audit.difference import Difference, What
from generator.audit.live import Live
from generator.audit.loaded import is_of, loaded_driver
from generator.audit.membership import is_discovered, is_gpu_node
from generator.declared.catalog import Entry
from generator.declared.fleet import Cluster, Mode, OsRelease, Pool
from generator.facts import label
from generator.facts.release import DriverApi
from generator.images.lookup import Lack, Listed, lacking
from generator.observed.node import Node
from generator.observed.pod import Container, Pod
from generator.operator.claim import PCI_LABELS, absent_labels, asked, claims, combination_at
from generator.operator.combination import Combination, combinations
from generator.operator.image import Refused

DEPLOY = "nvidia.com/gpu.deploy."
OPERANDS = "nvidia.com/gpu.deploy.operands"
LACKS = {
    Lack.IMAGE: "is not in the catalog",
    Lack.GONE: "has vanished from its registry",
    Lack.PLATFORM: "is not built for {platform}",
    Lack.RECORD: "is listed without platforms, which is not enough for arm64",
}
# Reasons of a waiting container that say the image can't be had (kubelet images/types.go).
PULL = frozenset({"ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"})


class Standing(Struct, frozen=True, kw_only=True):
    """A GPU node as it stands. `driver` is what it has loaded, `image` what it needs, `signs` are notes by the way."""

    node: str
    pool: str = ""
    os: str = ""
    kernel: str = ""
    arch: str = ""
    driver: str = ""
    image: str = ""
    built: bool = False
    runs: str = ""
    signs: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()


class Judge:
    """Judges the nodes of one cluster against one catalog."""

    def __init__(self, cluster: Cluster, listed: Listed, live: Live) -> None:
        self.cluster, self.listed, self.live = cluster, listed, live

    def standing(self, node: Node) -> Standing:
        """How a GPU node stands."""
        labels = node.labels
        plain = Standing(
            node=node.name,
            os=str(OsRelease(labels.get(label.OS_ID, ""), labels.get(label.OS_VERSION, ""))),
            kernel=labels.get(label.KERNEL, ""),
            arch=node.arch,
            driver=loaded_driver(labels),
            runs=_image(self.live.driver_pods.get(node.name)),
            signs=tuple(signs(node)),
        )
        pools = next((claim.pools for claim in claims([self.cluster], labels)), ())
        if len(pools) != 1:
            return _with(plain, differences=(self._unclaimed(node, pools),))
        return self._of_pool(plain, node, pools[0])

    def _unclaimed(self, node: Node, pools: tuple[Pool, ...]) -> Difference:
        names = " and ".join(pool.name for pool in pools)
        if pools:
            stops = self.cluster.operator.driver_api is DriverApi.NVIDIADRIVER
            then = ", and the operator then updates no driver of the cluster" if stops else ""
            return self._difference(
                node,
                What.CLAIMED_TWICE,
                f"pools {names} both claim it{then}",
                "narrow the nodeSelector of one of them",
            )
        message = f"no pool of {self.cluster.name} claims it: its labels satisfy no nodeSelector"
        return self._difference(node, What.UNCLAIMED, message, "declare its pool, or correct the node's labels")

    def _of_pool(self, plain: Standing, node: Node, pool: Pool) -> Standing:
        named = _with(plain, pool=pool.name)
        if not is_gpu_node(node):
            return _with(named, differences=(self._no_gpu(node, pool),))
        if not pool.driver.managed:
            return _with(named, differences=tuple(self._host_driver(named, node, pool)))
        absent = absent_labels(self.cluster, pool, node.labels)
        if absent:
            return _with(named, differences=(self._unlabelled(node, pool, absent),))
        reference = asked(self.cluster, pool, node.labels)
        if isinstance(reference, Refused):
            message = f"the operator composes no image for it: {reference.message}"
            hint = f"see why: drivergate tag {self.cluster.name}/{pool.name} --why"
            told = self._difference(node, What.NO_REFERENCE, message, hint, pool)
            return _with(named, differences=(told,))
        return self._asking(named, node, pool, reference)

    def _asking(self, named: Standing, node: Node, pool: Pool, reference: str) -> Standing:
        one = combination_at(pool, node.labels, node.arch or (pool.arch[0] if pool.arch else "amd64"), reference)
        entry = self.listed.entry(one)
        lack = lacking(one, entry)
        built = lack in {None, Lack.CERTAINTY}
        found = [*self._undeclared(node, pool, one), *self._not_built(node, pool, one, lack)]
        found += [*self._gate(node, pool), *self._pod(named, node, pool, reference), *self._loaded(named, pool, entry)]
        return _with(named, image=reference, built=built, differences=tuple(found))

    def _undeclared(self, node: Node, pool: Pool, one: Combination) -> Iterator[Difference]:
        declared = combinations(self.cluster, pool)
        running = {each.reference for each in declared if not each.upcoming and each.arch == one.arch}
        if one.reference in running:
            return
        if one.reference in {each.reference for each in declared if each.arch == one.arch}:
            message = f"it runs {_system(node)}, which the pool declares as upcoming only"
            yield self._difference(node, What.UNDECLARED, message, _promote(pool), pool)
            return
        kernels = sorted({kernel.name for kernel in pool.kernels})
        wants = f"{pool.os} with {', '.join(kernels)}" if kernels else f"{pool.os}"
        message = f"it runs {_system(node)} on {one.arch}, and the pool declares {wants} on {', '.join(pool.arch)}"
        yield self._difference(node, What.UNDECLARED, message, _declare(pool), pool)

    def _not_built(self, node: Node, pool: Pool, one: Combination, lack: Lack | None) -> Iterator[Difference]:
        if lack is None or lack is Lack.CERTAINTY:
            return
        told = LACKS[lack].format(platform=one.platform)
        hint = f"see what is nearest and how to build it: drivergate plan --kernel {_kernel(node)}"
        if one.kernel is None:
            hint = "add it to the catalog once it is built, or set a driver.version that is"
        yield self._difference(node, What.NOT_BUILT, f"it needs {one.tag} for {one.platform}, which {told}", hint, pool)

    def _no_gpu(self, node: Node, pool: Pool) -> Difference:
        """A node of a pool that the operator doesn't take for one with GPUs."""
        if not is_discovered(node):
            return self._unlabelled(node, pool, (*absent_labels(self.cluster, pool, node.labels), PCI_LABELS[0]))
        message = f"node feature discovery no longer sees an NVIDIA GPU on it: {label.GPU_PRESENT} is false"
        hint = "see on the node whether its GPUs are still there: lspci -d 10de:"
        return self._difference(node, What.NO_GPU, message, hint, pool)

    def _unlabelled(self, node: Node, pool: Pool, absent: Iterable[str]) -> Difference:
        says = [text for text in (node.kernel and f"kernel {node.kernel}", node.os_image) if text]
        hints = f"; status.nodeInfo says {', '.join(says)}, where the operator never looks" if says else ""
        message = f"node feature discovery has not labelled it: it lacks {', '.join(absent)}{hints}"
        hint = "see why its node-feature-discovery worker doesn't run there"
        return self._difference(node, What.UNLABELLED, message, hint, pool)

    def _host_driver(self, named: Standing, node: Node, pool: Pool) -> Iterator[Difference]:
        """What a pool without a driver of the operator's should look like."""
        gate = node.labels.get(label.DEPLOY_DRIVER, "")
        if pool.driver.mode is Mode.PREINSTALLED and gate != label.PREINSTALLED:
            message = f"its driver is declared as preinstalled, and {label.DEPLOY_DRIVER} is {gate or 'absent'}"
            hint = f"let its nodes register with {label.DEPLOY_DRIVER}={label.PREINSTALLED}"
            yield self._difference(node, What.HOST_DRIVER, message, hint, pool)
        yield from self._loaded(named, pool, None)

    def _gate(self, node: Node, pool: Pool) -> Iterator[Difference]:
        gate = node.labels.get(label.DEPLOY_DRIVER, "")
        if gate in label.STARTS_DRIVER:
            return
        host = gate == label.PREINSTALLED
        why = "its host brings a driver" if host else "the operator starts no driver on it"
        hint = (
            "declare the pool as driver.mode: preinstalled, or remove the host's driver and set the label to true"
            if host
            else f"remove the label {label.DEPLOY_DRIVER}, or set it to true"
        )
        message = f"{label.DEPLOY_DRIVER} is {gate}: {why}, and the pool declares a {pool.driver.mode} one"
        yield self._difference(node, What.HOST_DRIVER, message, hint, pool)

    def _pod(self, named: Standing, node: Node, pool: Pool, reference: str) -> Iterator[Difference]:
        """What its driver pod says; nothing where pods are not given."""
        pod = self.live.driver_pods.get(node.name)
        starts = node.labels.get(label.DEPLOY_DRIVER, "") in label.STARTS_DRIVER
        if self.live.pods is None or not starts or node.labels.get(OPERANDS) == "false":
            return
        if pod is None:
            hint = "see the events of the driver's DaemonSet in the operator's namespace"
            yield self._difference(node, What.DRIVER_POD, "no driver pod runs on it", hint, pool)
            return
        stuck = next((one for one in pod.containers if one.waiting), None)
        if stuck is not None:
            yield self._difference(node, What.DRIVER_POD, _stuck(pod, stuck), _unstick(pod, stuck), pool)
        if named.runs and named.runs != reference:
            message = f"its driver pod {pod.name} runs {named.runs}, and it needs {reference}"
            hint = "see what the upgrade waits for: drivergate upgrade status"
            yield self._difference(node, What.OTHER_IMAGE, message, hint, pool)

    def _loaded(self, named: Standing, pool: Pool, entry: Entry | None) -> Iterator[Difference]:
        """The driver that is loaded, against the declared one, or the one behind a branch's tag."""
        wanted = (entry.driver_version if entry and entry.driver_version else "") or pool.driver.version
        if not named.driver or not wanted or is_of(named.driver, wanted):
            return
        yield Difference(
            what=What.LOADED,
            message=f"it has driver {named.driver} loaded, and the pool declares {wanted}",
            hint="see what the upgrade waits for: drivergate upgrade status",
            cluster=self.cluster.name,
            pool=pool.name,
            node=named.node,
        )

    def _difference(self, node: Node, what: What, message: str, hint: str, pool: Pool | None = None) -> Difference:
        return Difference(
            what=what,
            message=message,
            hint=hint,
            cluster=self.cluster.name,
            pool=pool.name if pool else "",
            node=node.name,
        )


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


def _with(standing: Standing, **changed: object) -> Standing:
    from msgspec.structs import replace

    return replace(standing, **changed)


def _kernel(node: Node) -> str:
    return node.kernel or node.labels.get(label.KERNEL, "")


def _system(node: Node) -> str:
    labels = node.labels
    os = OsRelease(labels.get(label.OS_ID, ""), labels.get(label.OS_VERSION, ""))
    return f"{os} with {labels.get(label.KERNEL, 'no kernel label')}"


def _promote(pool: Pool) -> str:
    where = f"NodeImage {pool.node_image}" if pool.node_image else "the pool's kernels"
    return f"move it to what is running in {where}: drivergate audit --propose prints the edit"


def _declare(pool: Pool) -> str:
    if pool.floating:
        return "declare it, since the pool's kernels float: drivergate audit --propose prints the edit"
    return "declare it (drivergate audit --propose prints the edit), or roll the node back"


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
