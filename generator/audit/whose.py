"""Which cluster a handful of nodes is of, where nobody says."""

from collections.abc import Sequence

from generator.audit.membership import is_gpu_node
from generator.declared.fleet import Cluster
from generator.observed.node import Node
from generator.operator.claim import claims


def whose(clusters: Sequence[Cluster], nodes: Sequence[Node]) -> Cluster | None:
    """The one cluster whose named selectors claim GPU nodes; None where there is none, or more than one."""
    found: set[str] = set()
    for node in nodes:
        if is_gpu_node(node):
            named = [one for one in claims(clusters, node.labels) if any(pool.node_selector for pool in one.pools)]
            found |= {one.cluster.name for one in named}
    return next((one for one in clusters if found == {one.name}), None)
