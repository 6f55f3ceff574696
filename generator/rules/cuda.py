"""Rules of the family cuda/: whether workloads can run on the drivers of their pools, as of the catalog.

What they need is loaded where a fleet declares workloads: a check of one that has none shall not wait for it.
"""

from generator.finding import Severity
from generator.rules.rule import ClusterRule, of_workloads

RULES = (
    ClusterRule(
        "cuda/driver-too-old",
        Severity.ERROR,
        "a pool's driver is too old for a workload",
        of_workloads("cuda_needs", "driver_too_old"),
    ),
    ClusterRule(
        "cuda/unsatisfiable",
        Severity.ERROR,
        "no node that a workload may run on can meet its need",
        of_workloads("cuda_needs", "unsatisfiable"),
    ),
    ClusterRule(
        "cuda/cannot-tell",
        Severity.WARNING,
        "which driver a pool loads isn't known well enough for a workload",
        of_workloads("cuda_needs", "cannot_tell"),
        needs_catalog=True,
    ),
    ClusterRule(
        "cuda/scale-from-zero",
        Severity.WARNING,
        "a workload waits for labels that an empty pool can't bring",
        of_workloads("cuda_needs", "scale_from_zero"),
    ),
    ClusterRule(
        "cuda/deprecated-label",
        Severity.WARNING,
        "nodeSelectorTerms on old label names, or on both families at once",
        of_workloads("cuda_needs", "deprecated_label"),
    ),
)
