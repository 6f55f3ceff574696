"""What the operator will do with a node of a cluster: the one answer that every command goes by."""

from collections.abc import Mapping

from msgspec import Struct

from generator.declared.fleet import Cluster, Mode, Pool
from generator.facts import label
from generator.facts.osname import OsTagError
from generator.facts.release import DriverApi
from generator.observed.node import Node
from generator.operator.claim import PCI_LABELS, claims, has_gpu, taken_by
from generator.operator.combination import reference_on
from generator.operator.image import NodeSystem, Refused
from generator.operator.nodepool import (
    OPENSHIFT_SYSTEMS,
    MissingLabels,
    NodePool,
    candidate_selector,
    is_discovered,
    is_openshift_node,
    node_pool,
)

# Set by people where sandbox workloads are on; nodes of these kinds get no container driver.
WORKLOAD = "nvidia.com/gpu.workload.config"
VIRTUAL_MACHINES = "vm-"


class Unclaimed(Struct, frozen=True):
    """A GPU node that no pool of the cluster selects."""


class ClaimedTwice(Struct, frozen=True):
    """Several pools select the node. `stops`: two of them are NVIDIADrivers, and the operator then reconciles none."""

    pools: tuple[Pool, ...]
    stops: bool


class NotAGpuNode(Struct, frozen=True):
    """The operator sees no GPU on it. `pool` is the one that expects GPUs there; None where none does."""

    pool: Pool | None


class HostDriver(Struct, frozen=True):
    """A node of a pool whose driver is not the operator's. `loads` is the pool whose driver it loads there anyway."""

    pool: Pool
    loads: Pool | None


class Unlabelled(Struct, frozen=True):
    """A node of the pool that lacks labels of node feature discovery: it gets no driver until it has them."""

    pool: Pool
    missing: tuple[str, ...]


class NoReference(Struct, frozen=True):
    """The operator can't compose an image for the node."""

    pool: Pool
    refused: Refused


class Asks(Struct, frozen=True):
    """The image that the node will ask for. `node_pool` is the operator's own pool; a ClusterPolicy has none."""

    pool: Pool
    reference: str
    node_pool: NodePool | None


Answer = Unclaimed | ClaimedTwice | NotAGpuNode | HostDriver | Unlabelled | NoReference | Asks


def ask(cluster: Cluster, node: Node) -> Answer:
    """What the operator of this cluster will do with the node as its labels are now."""
    gpu = has_gpu(node.labels)
    if not gpu and not offers_gpus(node) and not _expects_gpus(cluster, node):
        return NotAGpuNode(None)
    pools = next((claim.pools for claim in claims([cluster], node.labels)), ())
    if not pools:
        return Unclaimed()
    if len(pools) > 1:
        return _claimed_twice(cluster, pools)
    (pool,) = pools
    discovered = is_discovered(node.labels)
    if not pool.driver.managed and (gpu or offers_gpus(node)):
        return _host_driver(cluster, pool, node.labels)
    if not gpu and discovered:
        return NotAGpuNode(pool)
    missing = missing_labels(cluster, pool, node.labels)
    if not gpu and not offers_gpus(node):
        return Unlabelled(pool, (*missing, PCI_LABELS[0]))
    if missing:
        return Unlabelled(pool, missing)
    return _asks(cluster, pool, node.labels)


def offers_gpus(node: Node) -> bool:
    """Whether its kubelet offers GPUs, which it may before anything has labelled the node."""
    return any(name.startswith("nvidia.com/") for name in node.resources)


def _expects_gpus(cluster: Cluster, node: Node) -> bool:
    """Whether a pool names the node, and nothing has looked for GPUs there yet or they are gone."""
    lost = node.labels.get(label.GPU_PRESENT) == "false"
    return (lost or not is_discovered(node.labels)) and _names(cluster, node.labels)


def _names(cluster: Cluster, labels: Mapping[str, str]) -> bool:
    """Whether a pool names the node by labels that it really has, and the operator has a part in its driver."""
    for pool in cluster.pools:
        if pool.driver.mode is Mode.UNMANAGED or not pool.node_selector:
            continue
        if label.matches(pool.node_selector, labels):
            return True
    return False


def _claimed_twice(cluster: Cluster, pools: tuple[Pool, ...]) -> ClaimedTwice:
    objects = cluster.operator.driver_api is DriverApi.NVIDIADRIVER
    managed = [pool for pool in pools if pool.driver.managed]
    return ClaimedTwice(pools, stops=objects and len(managed) > 1)


def _host_driver(cluster: Cluster, pool: Pool, labels: Mapping[str, str]) -> HostDriver:
    starts = labels.get(label.DEPLOY_DRIVER, "") in label.STARTS_DRIVER
    virtual = labels.get(WORKLOAD, "").startswith(VIRTUAL_MACHINES)
    return HostDriver(pool, loads=taken_by(cluster) if starts and not virtual else None)


def missing_labels(cluster: Cluster, pool: Pool, labels: Mapping[str, str]) -> tuple[str, ...]:
    """The labels without which the operator leaves the node out, or reconciles no driver at all."""
    if cluster.operator.driver_api is DriverApi.CLUSTERPOLICY:
        return _missing_of_policy(cluster, pool, labels)
    node_pool = _node_pool(cluster, pool, labels)
    return node_pool.keys if isinstance(node_pool, MissingLabels) else ()


def _missing_of_policy(cluster: Cluster, pool: Pool, labels: Mapping[str, str]) -> tuple[str, ...]:
    needed = [label.OS_ID, label.OS_VERSION]
    precompiled = pool.driver.mode is Mode.PRECOMPILED
    # gpu-operator controllers/object_controls.go: before v26.3 the kernel was needed for every driver.
    if precompiled or not cluster.operator.release.needs_os_labels:
        needed.append(label.KERNEL)
    # The driver toolkit, which is the default on OpenShift, has a DaemonSet for each OSTREE_VERSION.
    if not precompiled and _on_openshift(cluster, labels):
        needed.append(label.OSTREE_VERSION)
    return tuple(key for key in needed if key not in labels)


def _on_openshift(cluster: Cluster, labels: Mapping[str, str]) -> bool:
    """Whether the cluster is OpenShift, as far as a pool's OS or the node's labels show it."""
    if is_openshift_node(labels):
        return True
    # OpenShift's nodes run its own systems or RHEL (its documentation, "Adding RHEL compute machines").
    if labels.get(label.OS_ID, "rhel") != "rhel":
        return False
    systems = {pool.os.id for pool in cluster.pools if pool.os is not None}
    return bool(systems & OPENSHIFT_SYSTEMS)


def _node_pool(cluster: Cluster, pool: Pool, labels: Mapping[str, str]) -> NodePool | MissingLabels | OsTagError:
    release = cluster.operator.release
    return node_pool(
        release,
        candidate_selector(release, pool.object_name, pool.node_selector),
        labels,
        precompiled=pool.driver.mode is Mode.PRECOMPILED,
        openshift=_on_openshift(cluster, labels),
    )


def _asks(cluster: Cluster, pool: Pool, labels: Mapping[str, str]) -> NoReference | Asks:
    system = NodeSystem(
        os_id=labels.get(label.OS_ID),
        os_version=labels.get(label.OS_VERSION),
        os_major=labels.get(label.OS_MAJOR),
        kernel=labels.get(label.KERNEL) if pool.driver.mode is Mode.PRECOMPILED else "",
    )
    reference = reference_on(cluster, pool, system)
    if isinstance(reference, Refused):
        return NoReference(pool, reference)
    node_pool = None
    if cluster.operator.driver_api is DriverApi.NVIDIADRIVER:
        node_pool = _node_pool(cluster, pool, labels)
    return Asks(pool, reference, node_pool=node_pool if isinstance(node_pool, NodePool) else None)
