"""The required nodeAffinity of a workload in a cluster: its need and its own terms as nodeSelectorTerms."""

from generator.declared.fleet import Cluster
from generator.declared.workload import Workload
from generator.facts.affinity import Term
from generator.facts.cuda import Need
from generator.facts.cudachoice import By, Compatibility
from generator.facts.driveraffinity import placement
from generator.operator.carries import selectors


def compatibility_of(workload: Workload, cluster: Cluster) -> Compatibility:
    """The workload's own choice, else the cluster's."""
    return workload.compatibility or cluster.cuda.compatibility


def workload_terms(cluster: Cluster, workload: Workload) -> tuple[Term, ...]:
    """What the workload's pods must require of nodes of the cluster; () where it has no need that labels can say."""
    if workload.cuda is None:
        return ()
    compatibility = compatibility_of(workload, cluster)
    return placement(
        workload.cuda.drivers(compatibility),
        selectors(cluster, cluster.pools_of(workload), workload.cuda, compatibility),
        own=workload.node_selector_terms,
        family=cluster.cuda.labels,
        by=workload.affinity_by,
    )


def need_terms(cluster: Cluster, need: Need, *, by: By = By.LABELS) -> tuple[Term, ...]:
    """What pods with this need must require in the cluster, whichever of its pools that leaves."""
    compatibility = cluster.cuda.compatibility
    return placement(
        need.drivers(compatibility),
        selectors(cluster, cluster.pools, need, compatibility),
        family=cluster.cuda.labels,
        by=by,
    )
