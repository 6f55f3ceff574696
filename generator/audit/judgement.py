"""One node against what is declared and built: what claims it, which image it needs, and whether that is built."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from generator.audit.difference import ERRORS, Difference, What, difference
from generator.declared.fleet import Cluster, Mode, OsRelease, Pool
from generator.facts import label
from generator.images.lookup import Availability, Lack, Listed
from generator.observed.node import Node
from generator.operator.ask import (
    Answer,
    Asks,
    ClaimedTwice,
    HostDriver,
    NoReference,
    NotAGpuNode,
    Unclaimed,
    Unlabelled,
    ask,
    offers_gpus,
)
from generator.operator.claim import Claim, claims, has_gpu
from generator.operator.combination import combination_on, combinations

LACKS = {
    Lack.IMAGE: "is not in the catalog",
    Lack.GONE: "has vanished from its registry",
    Lack.PLATFORM: "is not built for {platform}",
    Lack.RECORD: "is listed without platforms, which is not enough for arm64",
}
NO_GPU = f"no GPU node: neither {label.GPU_PRESENT} nor a PCI label of node-feature-discovery is true"


# A node that lost its GPUs is no error of an audit, and still has no image to ask for.
WITHOUT_IMAGE = ERRORS | {What.NO_GPU}


class Declared(StrEnum):
    """Whether the pool declares what the node asks for; the words are part of the JSON output."""

    RUNNING = "running"
    UPCOMING = "upcoming"
    NO = ""


class Judgement(Struct, frozen=True, kw_only=True):
    """What the operator does with a node, and how that agrees with git.

    `images` has the node's image once for each machine that the node may be, where nothing says which it is.
    """

    cluster: Cluster
    answer: Answer
    pool: Pool | None = None
    reference: str = ""
    declared: Declared = Declared.NO
    images: tuple[Availability, ...] = ()
    differences: tuple[Difference, ...] = ()

    @property
    def built(self) -> bool:
        """Whether the node will get its image; False where it asks for none."""
        return bool(self.images) and all(image.usable for image in self.images)

    @property
    def problems(self) -> tuple[Difference, ...]:
        """What leaves the node without the image that it should have."""
        return tuple(difference for difference in self.differences if difference.what in WITHOUT_IMAGE)

    @property
    def notes(self) -> tuple[Difference, ...]:
        """What else there is to know of the node."""
        return tuple(difference for difference in self.differences if difference.what not in WITHOUT_IMAGE)


class Undecided(Struct, frozen=True):
    """A node that pools of several clusters claim: its cluster must be named."""

    claims: tuple[Claim, ...]


class Nowhere(Struct, frozen=True):
    """A node that no pool of several clusters claims; `gpu` says whether it is one with GPUs."""

    gpu: bool


def judge_in(clusters: Sequence[Cluster], node: Node, listed: Listed) -> Judgement | Undecided | Nowhere:
    """A node of one of these clusters, in the one whose selectors claim it; the only one where there is but one."""
    if len(clusters) == 1:
        return judge(clusters[0], node, listed)
    claiming = tuple(claim for claim in claims(clusters, node.labels) if ask(claim.cluster, node) != NotAGpuNode(None))
    if len(claiming) > 1:
        return Undecided(claiming)
    if claiming:
        return judge(claiming[0].cluster, node, listed)
    return Nowhere(gpu=has_gpu(node.labels) or offers_gpus(node))


def judge(cluster: Cluster, node: Node, listed: Listed) -> Judgement:
    """A node of this cluster against its pools and the catalog."""
    answer = ask(cluster, node)
    judging = _Judging(cluster, node, listed)
    match answer:
        case Unclaimed():
            return Judgement(cluster=cluster, answer=answer, differences=(judging.unclaimed(),))
        case ClaimedTwice():
            return Judgement(cluster=cluster, answer=answer, differences=(judging.claimed_twice(answer),))
        case NotAGpuNode():
            return _of_pool(cluster, answer, answer.pool, judging.no_gpu(answer.pool))
        case HostDriver():
            return _of_pool(cluster, answer, answer.pool, *judging.host_driver(answer))
        case Unlabelled():
            return _of_pool(cluster, answer, answer.pool, judging.unlabelled(answer))
        case NoReference():
            return _of_pool(cluster, answer, answer.pool, judging.no_reference(answer))
        case Asks():
            return judging.asks(answer)


def _of_pool(cluster: Cluster, answer: Answer, pool: Pool | None, *differences: Difference) -> Judgement:
    return Judgement(cluster=cluster, answer=answer, pool=pool, differences=differences)


class _Judging:
    """The node, its cluster and the catalog that an answer is judged by."""

    def __init__(self, cluster: Cluster, node: Node, listed: Listed) -> None:
        self.cluster, self.node, self.listed = cluster, node, listed

    def unclaimed(self) -> Difference:
        message = f"no pool of {self.cluster.name} claims it: its labels satisfy no nodeSelector"
        return self._of_node(What.UNCLAIMED, message, "declare its pool, or correct the node's labels")

    def claimed_twice(self, answer: ClaimedTwice) -> Difference:
        names = " and ".join(pool.name for pool in answer.pools)
        then = ", and the operator then updates no driver of the cluster" if answer.stops else ""
        hint = "narrow the nodeSelector of one of them"
        return self._of_node(What.CLAIMED_TWICE, f"pools {names} both claim it{then}", hint)

    def no_gpu(self, pool: Pool | None) -> Difference:
        hint = "see on the node whether its GPUs are still there: lspci -d 10de:"
        message = NO_GPU
        if self.node.labels.get(label.GPU_PRESENT) == "false" and pool is not None:
            message = f"node feature discovery no longer sees an NVIDIA GPU on it: {label.GPU_PRESENT} is false"
        return self._of_node(What.NO_GPU, message, hint, pool)

    def host_driver(self, answer: HostDriver) -> Iterator[Difference]:
        """What a node of a pool without a driver of the operator's should look like."""
        pool = answer.pool
        gate = self.node.labels.get(label.DEPLOY_DRIVER, "")
        if answer.loads is None and (pool.driver.mode is Mode.UNMANAGED or gate == label.PREINSTALLED):
            return
        message = f"its driver is declared as {pool.driver.mode}, and {label.DEPLOY_DRIVER} is {gate or 'absent'}"
        if answer.loads is not None:
            message += f", so the operator loads the driver of pool {answer.loads.name} on it"
        hint = f"let its nodes register with {label.DEPLOY_DRIVER}={label.PREINSTALLED}"
        yield self._of_node(What.HOST_DRIVER, message, hint, pool)

    def unlabelled(self, answer: Unlabelled) -> Difference:
        node = self.node
        reported = [text for text in (node.kernel and f"kernel {node.kernel}", node.os_image) if text]
        elsewhere = f"; status.nodeInfo says {', '.join(reported)}, where the operator never looks" if reported else ""
        message = f"node feature discovery has not labelled it: it lacks {', '.join(answer.missing)}{elsewhere}"
        hint = "see why its node-feature-discovery worker doesn't run there"
        if answer.missing == (label.OSTREE_VERSION,):
            hint = "let the Node Feature Discovery Operator label the nodes: OpenShift's has this label, others may not"
        return self._of_node(What.UNLABELLED, message, hint, answer.pool)

    def no_reference(self, answer: NoReference) -> Difference:
        message = f"the operator composes no image for it: {answer.refused.message}"
        hint = f"see why: drivergate tag {self.cluster.name}/{answer.pool.name} --why"
        return self._of_node(What.NO_REFERENCE, message, hint, answer.pool)

    def asks(self, answer: Asks) -> Judgement:
        pool, kernel = answer.pool, self.node.labels.get(label.KERNEL, "")
        machines = (self.node.arch,) if self.node.arch else pool.arch or ("amd64",)
        wanted = [combination_on(pool, kernel, machine, answer.reference) for machine in machines]
        images = tuple(self.listed.look_up(combination) for combination in wanted)
        declared = self._declared(pool, answer.reference, machines)
        differences = list(self._undeclared(pool, declared, machines))
        for image in images:
            differences += self._not_built(pool, image)
        differences += self._gate(pool)
        return Judgement(
            cluster=self.cluster,
            answer=answer,
            pool=pool,
            reference=answer.reference,
            declared=declared,
            images=images,
            differences=tuple(differences),
        )

    def _declared(self, pool: Pool, reference: str, machines: Sequence[str]) -> Declared:
        same = [
            combination
            for combination in combinations(self.cluster, pool)
            if combination.reference == reference and combination.arch in machines
        ]
        if not same or not self._runs_system_of(pool):
            return Declared.NO
        return Declared.UPCOMING if all(combination.upcoming for combination in same) else Declared.RUNNING

    def _runs_system_of(self, pool: Pool) -> bool:
        """Whether the node's OS is the pool's; one tag may stand for several, such as rhel9 for every minor of it."""
        labels = self.node.labels
        if pool.os is None or labels.get(label.OS_ID, pool.os.id) != pool.os.id:
            return False
        return f"{labels.get(label.OS_VERSION, pool.os.version)}.".startswith(f"{pool.os.version}.")

    def _undeclared(self, pool: Pool, declared: Declared, machines: Sequence[str]) -> Iterator[Difference]:
        match declared:
            case Declared.RUNNING:
                return
            case Declared.UPCOMING:
                message = f"it runs {_system(self.node)}, which the pool declares as upcoming only"
                yield self._of_node(What.UNDECLARED, message, _promote(pool), pool)
            case Declared.NO:
                kernels = sorted({kernel.name for kernel in pool.kernels})
                wants = f"{pool.os} with {', '.join(kernels)}" if kernels else f"{pool.os}"
                runs = f"it runs {_system(self.node)} on {' or '.join(machines)}"
                message = f"{runs}, and the pool declares {wants} on {', '.join(pool.arch)}"
                yield self._of_node(What.UNDECLARED, message, _declare(pool), pool)

    def _not_built(self, pool: Pool, image: Availability) -> Iterator[Difference]:
        if image.lack is None or image.usable:
            return
        wanted = image.combination
        lack = LACKS[image.lack].format(platform=wanted.platform)
        message = f"it needs {wanted.tag} for {wanted.platform}, which {lack}"
        hint = "add it to the catalog once it is built, or set a driver.version that is"
        if wanted.kernel is not None:
            kernel = self.node.kernel or wanted.kernel.name
            hint = f"see what is nearest and how to build it: drivergate plan --kernel {kernel}"
        yield self._of_node(What.NOT_BUILT, message, hint, pool)

    def _gate(self, pool: Pool) -> Iterator[Difference]:
        """A label that keeps the operator's driver away from a node of a pool that declares one."""
        gate = self.node.labels.get(label.DEPLOY_DRIVER, "")
        if gate in label.STARTS_DRIVER:
            return
        why = "the operator starts no driver on it"
        hint = f"remove the label {label.DEPLOY_DRIVER}, or set it to true"
        if gate == label.PREINSTALLED:
            why = "its host brings a driver"
            hint = (
                "declare the pool as driver.mode: preinstalled, or remove the host's driver and set the label to true"
            )
        message = f"{label.DEPLOY_DRIVER} is {gate}: {why}, and the pool declares a {pool.driver.mode} one"
        yield self._of_node(What.HOST_DRIVER, message, hint, pool)

    def _of_node(self, what: What, message: str, hint: str, pool: Pool | None = None) -> Difference:
        return difference(self.cluster, what, message, hint, pool=pool.name if pool else "", node=self.node.name)


def _system(node: Node) -> str:
    os = OsRelease(node.labels.get(label.OS_ID, ""), node.labels.get(label.OS_VERSION, ""))
    return f"{os} with {node.labels.get(label.KERNEL, 'no kernel label')}"


def _promote(pool: Pool) -> str:
    where = f"NodeImage {pool.node_image}" if pool.node_image else "the pool's kernels"
    return f"move it to what is running in {where}: drivergate audit --propose prints the edit"


def _declare(pool: Pool) -> str:
    if pool.floating:
        return "declare it, since the pool's kernels float: drivergate audit --propose prints the edit"
    return "declare it (drivergate audit --propose prints the edit), or roll the node back"
