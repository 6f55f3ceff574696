"""Rules of the family cuda/: whether workloads can run on the drivers of their pools, as of the catalog.

What they need is loaded where a fleet declares workloads: a check of one that has none shall not wait for it.
"""

from collections.abc import Iterable

from generator.finding import Severity
from generator.revision.revision import Revision
from generator.rules.rule import Problem, Rule


def driver_too_old(revision: Revision) -> Iterable[Problem]:
    """Pools whose driver doesn't meet the need of a workload that may run there."""
    if not revision.fleet.workloads:
        return ()
    from generator.rules import cuda_needs as needing

    return needing.driver_too_old(revision)


def unsatisfiable(revision: Revision) -> Iterable[Problem]:
    """Workloads that no change of a driver lets run in a cluster."""
    if not revision.fleet.workloads:
        return ()
    from generator.rules import cuda_needs as needing

    return needing.unsatisfiable(revision)


def cannot_tell(revision: Revision) -> Iterable[Problem]:
    """Pools of which nobody can say whether the driver meets the need."""
    if not revision.fleet.workloads:
        return ()
    from generator.rules import cuda_needs as needing

    return needing.cannot_tell(revision)


def scale_from_zero(revision: Revision) -> Iterable[Problem]:
    """Pools that can be empty, of workloads that wait for a label which only a loaded driver brings."""
    if not revision.fleet.workloads:
        return ()
    from generator.rules import cuda_needs as needing

    return needing.scale_from_zero(revision)


def deprecated_label(revision: Revision) -> Iterable[Problem]:
    """Own terms on old label names where the cluster chose the new ones, or on both in one term."""
    if not revision.fleet.workloads:
        return ()
    from generator.rules import cuda_needs as needing

    return needing.deprecated_label(revision)


RULES = (
    Rule("cuda/driver-too-old", Severity.ERROR, "a pool's driver is too old for a workload", driver_too_old),
    Rule("cuda/unsatisfiable", Severity.ERROR, "no node that a workload may run on can meet its need", unsatisfiable),
    Rule(
        "cuda/cannot-tell",
        Severity.WARNING,
        "which driver a pool loads isn't known well enough for a workload",
        cannot_tell,
        needs_catalog=True,
    ),
    Rule(
        "cuda/scale-from-zero",
        Severity.WARNING,
        "a workload waits for labels that an empty pool can't bring",
        scale_from_zero,
    ),
    Rule(
        "cuda/deprecated-label",
        Severity.WARNING,
        "nodeSelectorTerms on old label names, or on both families at once",
        deprecated_label,
    ),
)
