"""Which declared pools claim a node, by the operator's own rules."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from generator.declared.fleet import Cluster, Pool
from generator.facts import label
from generator.facts.release import DriverApi
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
    claiming = [Claim(cluster, pools) for cluster in clusters if (pools := _claiming(cluster, seen))]
    named = [claim for claim in claiming if any(pool.node_selector for pool in claim.pools)]
    return tuple(named or claiming)


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
