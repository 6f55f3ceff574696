"""Rules of the family disruption/: whether the declared budgets let a node be emptied.

What they need is loaded where a fleet declares workloads: a check of one that has none shall not wait for it.
"""

from generator.finding import Severity
from generator.rules.rule import FleetRule, of_workloads

E, W = Severity.ERROR, Severity.WARNING
RULES = (
    FleetRule(
        "disruption/no-room",
        E,
        "a budget that lets nothing be evicted",
        of_workloads("disruption.room", "no_room"),
        needs_all=True,
    ),
    FleetRule("disruption/overlap", E, "two budgets cover one pod", of_workloads("disruption.covering", "overlap")),
    FleetRule(
        "disruption/unscalable-owner",
        E,
        "a budget that can't be computed for its owner",
        of_workloads("disruption.covering", "unscalable_owner"),
        needs_all=True,
    ),
    FleetRule(
        "disruption/matches-nothing",
        W,
        "a budget does not cover its workload",
        of_workloads("disruption.covering", "matches_nothing"),
    ),
    FleetRule(
        "disruption/empty-selector",
        E,
        "a budget over a whole namespace",
        of_workloads("disruption.covering", "empty_selector"),
    ),
    FleetRule(
        "disruption/will-time-out",
        W,
        "a budget lets pods go too slowly",
        of_workloads("disruption.interplay", "will_time_out"),
        needs_all=True,
    ),
)
