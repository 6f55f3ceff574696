"""Which declared pool a node belongs to, and which image the operator asks for there, by the operator's own rules."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from generator.declared.fleet import Cluster, Kernel, Mode, Pool
from generator.facts import label
from generator.facts.osname import OsTagError, os_tag, pool_by_major
from generator.facts.release import DriverApi
from generator.operator.combination import Combination, reference_on
from generator.operator.image import NodeSystem, Refused
from generator.operator.selector import Driver, effective_selector

# Any of them makes a GPU node, which the operator then labels gpu.present (controllers/state_manager.go, v26.7.0).
PCI_LABELS = (
    "feature.node.kubernetes.io/pci-10de.present",
    "feature.node.kubernetes.io/pci-0302_10de.present",
    "feature.node.kubernetes.io/pci-0300_10de.present",
)


class Claim(Struct, frozen=True):
    """The pools of one cluster that claim a node: one, unless the inventory contradicts itself."""

    cluster: Cluster
    pools: tuple[Pool, ...]


def has_gpu(labels: Mapping[str, str]) -> bool:
    """Whether the operator takes the node for one with GPUs, now or as soon as it sees it."""
    return any(labels.get(key) == "true" for key in (label.GPU_PRESENT, *PCI_LABELS))


def claims(clusters: Iterable[Cluster], labels: Mapping[str, str]) -> tuple[Claim, ...]:
    """Of each cluster that claims a GPU node: where selectors name it, those without one don't count."""
    seen = {**labels, label.GPU_PRESENT: "true"}
    found = [Claim(cluster, pools) for cluster in clusters if (pools := _claiming(cluster, seen))]
    named = [claim for claim in found if any(pool.node_selector for pool in claim.pools)]
    return tuple(named or found)


def _claiming(cluster: Cluster, labels: Mapping[str, str]) -> tuple[Pool, ...]:
    """A default object takes what no other claims (gpu-operator internal/nvidiadriver/nvidiadriver.go)."""
    selecting = [pool for pool in cluster.pools if not pool.default and label.matches(_selector(pool), labels)]
    return tuple(selecting or [pool for pool in cluster.pools if pool.default])


def _selector(pool: Pool) -> Mapping[str, str]:
    return effective_selector(Driver(name=pool.object_name, node_selector=pool.node_selector or None))


def taken_by(cluster: Cluster) -> Pool | None:
    """The pool whose driver the operator loads on GPU nodes that no object selects; None where it leaves them alone."""
    if cluster.operator.driver_api is DriverApi.CLUSTERPOLICY:
        return next(iter(cluster.managed_pools), None)
    return next((pool for pool in cluster.managed_pools if pool.default), None)


def absent_labels(cluster: Cluster, pool: Pool, labels: Mapping[str, str]) -> tuple[str, ...]:
    """The labels without which the operator leaves the node out, or reconciles no driver at all."""
    operator = cluster.operator
    needed = [label.OS_ID, label.OS_VERSION]
    # gpu-operator controllers/object_controls.go: before v26.3 a ClusterPolicy needs the kernel for every driver.
    of_any_driver = operator.driver_api is DriverApi.CLUSTERPOLICY and not operator.release.needs_os_labels
    if pool.driver.mode is Mode.PRECOMPILED or of_any_driver:
        needed.append(label.KERNEL)
    if operator.driver_api is DriverApi.NVIDIADRIVER and _by_major(cluster, labels):
        needed.append(label.OS_MAJOR)
    return tuple(key for key in needed if not labels.get(key))


def _by_major(cluster: Cluster, labels: Mapping[str, str]) -> bool:
    release, version = cluster.operator.release, labels.get(label.OS_VERSION, "")
    tag = os_tag(release, labels.get(label.OS_ID, ""), version)
    return not isinstance(tag, OsTagError) and pool_by_major(release, tag, version)


def combination_at(pool: Pool, labels: Mapping[str, str], arch: str, reference: str) -> Combination:
    """What a node of the pool that has these labels asks for, as what must be built for it."""
    name = labels.get(label.KERNEL, "")
    kernel = Kernel(name, name, upcoming=False, file="", path=()) if pool.driver.mode is Mode.PRECOMPILED else None
    return Combination(
        pool=pool,
        kernel=kernel,
        arch=arch,
        upcoming=False,
        repository=pool.driver.repository,
        reference=reference,
    )


def asked(cluster: Cluster, pool: Pool, labels: Mapping[str, str]) -> str | Refused:
    """The reference that the operator composes for a node of the pool that has these labels."""
    system = NodeSystem(
        os_id=labels.get(label.OS_ID),
        os_version=labels.get(label.OS_VERSION),
        os_major=labels.get(label.OS_MAJOR),
        kernel=labels.get(label.KERNEL) if pool.driver.mode is Mode.PRECOMPILED else "",
    )
    return reference_on(cluster, pool, system)
