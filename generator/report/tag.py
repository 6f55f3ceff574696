"""What the operator will ask for on a node as a cluster shows it, and whether that is declared and built."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from generator.declared.fleet import Cluster, Mode, OsRelease, Pool
from generator.facts import label
from generator.facts.kernel import label_form
from generator.facts.release import DriverApi
from generator.observed.node import Node
from generator.operator.claim import Claim, absent_labels, asked, claims, combination_at, has_gpu, taken_by
from generator.operator.combination import Combination, combinations
from generator.operator.image import Refused
from generator.report.formats.text import printable
from generator.report.image import BUILT_ON_NODE, Images, Part, Platform, os_part, part_lines, standing

# Set by people where sandbox workloads are on; vm-passthrough and vm-vgpu nodes get no container driver.
WORKLOAD = "nvidia.com/gpu.workload.config"
REGISTERED = f"{label.DEPLOY_DRIVER}={label.PREINSTALLED}"
HOST_DRIVERS = {
    Mode.PREINSTALLED: f"the driver is preinstalled: no image is asked for, and nodes must register with {REGISTERED}",
    Mode.UNMANAGED: "the driver is unmanaged: no image is asked for, and nothing is rendered for the pool",
}
NO_GPU = f"no GPU node: neither {label.GPU_PRESENT} nor a PCI label of node-feature-discovery is true"


class Answer(Struct, frozen=True, kw_only=True):
    """What is known of a node. `problems` make exit 1; `undecided` means that the cluster must be named."""

    node: str
    cluster: str = ""
    pool: str = ""
    mode: str = ""
    reference: str = ""
    declared: str = ""
    platforms: tuple[Platform, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    undecided: bool = False


def about(node: Node, clusters: Sequence[Cluster], images: Images) -> Answer:
    """Which pool of these clusters claims the node, and which image it will ask for."""
    if not has_gpu(node.labels):
        return Answer(node=node.name, problems=(NO_GPU,))
    found = claims(clusters, node.labels)
    if len(found) > 1:
        names = _joined([_names(claim) for claim in found])
        told = f"pools of several clusters claim it ({names}): name its cluster with --cluster"
        return Answer(node=node.name, problems=(told,), undecided=True)
    if not found:
        where = f" of {clusters[0].name}" if len(clusters) == 1 else ""
        return Answer(node=node.name, problems=(f"no pool{where} claims it: its labels satisfy no nodeSelector",))
    if len(found[0].pools) > 1:
        return Answer(node=node.name, cluster=found[0].cluster.name, problems=(_twice(found[0]),))
    return _claimed(node, found[0].cluster, found[0].pools[0], images)


def _names(claim: Claim) -> str:
    return _joined([f"{claim.cluster.name}/{pool.name}" for pool in claim.pools])


def _joined(names: Sequence[str]) -> str:
    return " and ".join(names)


def _twice(claim: Claim) -> str:
    objects = claim.cluster.operator.driver_api is DriverApi.NVIDIADRIVER
    stops = objects and sum(pool.driver.managed for pool in claim.pools) > 1
    return f"{_names(claim)} both claim it" + (": the operator then updates no driver of the cluster" if stops else "")


def _claimed(node: Node, cluster: Cluster, pool: Pool, images: Images) -> Answer:
    driver = pool.driver
    notes = tuple(_notes(node, cluster, pool))
    claimed = Answer(node=node.name, cluster=cluster.name, pool=pool.name, mode=str(driver.mode), notes=notes)
    if not driver.managed:
        return claimed
    absent = absent_labels(cluster, pool, node.labels)
    if absent:
        return _with(claimed, problems=(f"NFD has not labelled the node: it lacks {', '.join(absent)}",))
    reference = asked(cluster, pool, node.labels)
    if isinstance(reference, Refused):
        return _with(claimed, problems=(f"the operator composes no image: {reference.message}",))
    return _asking(claimed, node, cluster, pool, reference, images)


def _asking(answer: Answer, node: Node, cluster: Cluster, pool: Pool, reference: str, images: Images) -> Answer:
    ones = _combinations(node, pool, reference)
    arches = {one.arch for one in ones}
    same = [one for one in combinations(cluster, pool) if one.reference == reference and one.arch in arches]
    problems = list(_undeclared(node, pool, same=bool(same)))
    platforms = images.platforms(ones)
    problems += [f"not built: {one.platform} {one.state}" for one in platforms if not one.usable]
    declared = ("upcoming" if same[0].upcoming else "running") if same else ""
    return _with(
        answer,
        reference=reference,
        declared=declared,
        platforms=platforms,
        problems=tuple(problems),
        parts=tuple(_parts(node, cluster, pool, ones[0], images)),
    )


def _with(answer: Answer, **changed: object) -> Answer:
    from msgspec.structs import replace

    return replace(answer, **changed)


def _combinations(node: Node, pool: Pool, reference: str) -> list[Combination]:
    """The node's image as a combination, for each architecture that it may have where nothing names it."""
    arches = (node.arch,) if node.arch else pool.arch
    return [combination_at(pool, node.labels, arch, reference) for arch in arches]


def _undeclared(node: Node, pool: Pool, *, same: bool) -> Iterator[str]:
    """How the node differs from what its pool declares."""
    arch, labels = node.arch, node.labels
    if arch and arch not in pool.arch:
        yield f"not declared: its architecture is {arch}, the pool's {', '.join(pool.arch)}"
    if same:
        return
    os = OsRelease(labels.get(label.OS_ID, ""), labels.get(label.OS_VERSION, ""))
    if os != pool.os:
        yield f"not declared: its OS is {os}, the pool's {pool.os}"
    kernels = [kernel.name for kernel in pool.kernels]
    if pool.driver.mode is Mode.PRECOMPILED and labels.get(label.KERNEL) not in kernels:
        yield f"not declared: its kernel is {labels.get(label.KERNEL)}, the pool's {', '.join(kernels)}"


def _notes(node: Node, cluster: Cluster, pool: Pool) -> Iterator[str]:
    gate = node.labels.get(label.DEPLOY_DRIVER, "")
    if pool.default:
        yield "no nodeSelector names it, and this is the cluster's default pool"
    if told := HOST_DRIVERS.get(pool.driver.mode):
        yield told
        other = taken_by(cluster)
        if other and gate in label.STARTS_DRIVER and not node.labels.get(WORKLOAD, "").startswith("vm-"):
            yield f"it lacks {REGISTERED}, so the operator loads the driver of pool {other.name} on it"
    elif gate not in label.STARTS_DRIVER:
        yield f"{label.DEPLOY_DRIVER} is {gate}: the operator starts no driver on it"
    yield from _hints(node)


def _hints(node: Node) -> Iterator[str]:
    """What the kubelet says otherwise. The operator never looks there."""
    labelled = node.labels.get(label.KERNEL)
    if node.kernel and label_form(node.kernel) != labelled:
        told = f"the operator goes by NFD's label, {labelled or 'which is absent'}"
        yield f"status.nodeInfo says kernel {node.kernel}; {told}"
    if node.os_image and not node.labels.get(label.OS_ID):
        yield f"status.nodeInfo says {node.os_image}; the operator goes by NFD's labels, which are absent"


def _parts(node: Node, cluster: Cluster, pool: Pool, one: Combination, images: Images) -> Iterator[Part]:
    yield from images.driver_parts(cluster, pool)
    if one.kernel is None:
        yield BUILT_ON_NODE
    else:
        other = f"; uname -r says {node.kernel}" if node.kernel not in {"", one.kernel.name} else ""
        yield Part("kernel", one.kernel.name, f"the node's label {label.KERNEL}{other}")
    os = OsRelease(node.labels.get(label.OS_ID, ""), node.labels.get(label.OS_VERSION, ""))
    yield os_part(cluster.operator.release, os, "the node's labels")
    yield images.catalog_part(one)


def node_lines(answers: Sequence[Answer], *, why: bool) -> str:
    """A block of lines for each node."""
    lines: list[str] = []
    for answer in answers:
        pool = f"{answer.cluster}/{answer.pool}" if answer.pool else answer.cluster
        mode = f" ({answer.mode})" if answer.mode else ""
        lines.append(f"{answer.node}: {pool}{mode}" if pool else f"{answer.node}:")
        if answer.reference:
            how = f"declared ({answer.declared})" if answer.declared else "not declared"
            lines.append(f"    {answer.reference}  {standing(answer.platforms)}  {how}")
        lines += part_lines(answer.parts) if why else []
        lines += [f"    problem: {problem}" for problem in answer.problems]
        lines += [f"    note: {note}" for note in answer.notes]
    return "".join(f"{printable(line)}\n" for line in lines)
