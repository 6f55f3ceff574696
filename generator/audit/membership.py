"""Which nodes an audit looks at: those with GPUs, and those that a pool names although nothing shows a GPU there."""

from generator.declared.fleet import Cluster, Mode, Pool
from generator.facts import label
from generator.observed.node import Node
from generator.operator.claim import has_gpu

NFD = "feature.node.kubernetes.io/"


def is_gpu_node(node: Node) -> bool:
    """Whether the operator takes it for one, or it offers GPUs already."""
    return has_gpu(node.labels) or any(name.startswith("nvidia.com/") for name in node.resources)


def is_discovered(node: Node) -> bool:
    """Whether node feature discovery has labelled it with anything."""
    return any(key.startswith(NFD) for key in node.labels)


def naming(cluster: Cluster, node: Node) -> Pool | None:
    """The pool that names a node by labels that the node really has, where the operator has a part in its driver."""
    for pool in cluster.pools:
        told = pool.node_selector and label.matches(pool.node_selector, node.labels)
        if told and pool.driver.mode is not Mode.UNMANAGED:
            return pool
    return None


def is_looked_at(cluster: Cluster, node: Node) -> bool:
    """GPU nodes; and nodes of a pool that nobody has labelled, or that have lost their GPUs."""
    if is_gpu_node(node):
        return True
    lost = node.labels.get(label.GPU_PRESENT) == "false"
    return (lost or not is_discovered(node)) and naming(cluster, node) is not None
