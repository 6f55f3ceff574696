"""Rules of the family disruption/: whether the declared budgets let a node be emptied.

What they need is loaded where a fleet declares workloads: a check of one that has none shall not wait for it.
"""

from collections.abc import Iterable, Sequence

from generator.finding import Severity
from generator.revision.fleet_inputs import FleetInputs
from generator.rules.rule import JoiningRule, Problem, of_workloads


def by_workload(_: FleetInputs, problems: Sequence[Iterable[Problem]]) -> Iterable[Problem]:
    """The problems of all clusters in the order of the workloads that they are about.

    So a budget that several workloads share, or that is wrong in several clusters, is reported for the first of them.
    """
    return sorted((problem for of_cluster in problems for problem in of_cluster), key=lambda problem: problem.workload)


E, W = Severity.ERROR, Severity.WARNING
RULES = (
    JoiningRule(
        "disruption/no-room",
        E,
        "a budget that lets nothing be evicted",
        of_workloads("disruption.room", "no_room"),
        by_workload,
        needs_all=True,
    ),
    JoiningRule(
        "disruption/overlap",
        E,
        "two budgets cover one pod",
        of_workloads("disruption.covering", "overlap"),
        by_workload,
    ),
    JoiningRule(
        "disruption/unscalable-owner",
        E,
        "a budget that can't be computed for its owner",
        of_workloads("disruption.covering", "unscalable_owner"),
        by_workload,
        needs_all=True,
    ),
    JoiningRule(
        "disruption/matches-nothing",
        W,
        "a budget does not cover its workload",
        of_workloads("disruption.covering", "matches_nothing"),
        by_workload,
    ),
    JoiningRule(
        "disruption/empty-selector",
        E,
        "a budget over a whole namespace",
        of_workloads("disruption.covering", "empty_selector"),
        by_workload,
    ),
    JoiningRule(
        "disruption/will-time-out",
        W,
        "a budget lets pods go too slowly",
        of_workloads("disruption.interplay", "will_time_out"),
        by_workload,
        needs_all=True,
    ),
)
