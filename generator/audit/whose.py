"""Which cluster a handful of nodes is of, where nobody says."""

from collections.abc import Sequence

from generator.declared.fleet import Cluster
from generator.observed.node import Node
from generator.operator.ask import offers_gpus
from generator.operator.claim import claims, has_gpu


def whose(clusters: Sequence[Cluster], nodes: Sequence[Node]) -> Cluster | None:
    """The one cluster whose named selectors claim GPU nodes; None where there is none, or more than one."""
    found: set[str] = set()
    for node in nodes:
        if has_gpu(node.labels) or offers_gpus(node):
            named = [one for one in claims(clusters, node.labels) if any(pool.node_selector for pool in one.pools)]
            found |= {one.cluster.name for one in named}
    return next((one for one in clusters if found == {one.name}), None)
