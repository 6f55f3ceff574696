"""Rules of the family disruption/: whether the declared budgets let a node be emptied.

What they need is loaded where a fleet declares workloads: a check of one that has none shall not wait for it.
"""

from collections.abc import Iterable

from generator.finding import Severity
from generator.revision.revision import Revision
from generator.rules.rule import Problem, Rule


def no_room(revision: Revision) -> Iterable[Problem]:
    """Budgets that let nothing go even when all is well."""
    if not revision.fleet.workloads:
        return ()
    from generator.rules.disruption import room

    return room.no_room(revision)


def overlap(revision: Revision) -> Iterable[Problem]:
    """Two budgets on one pod."""
    if not revision.fleet.workloads:
        return ()
    from generator.rules.disruption import covering

    return covering.overlap(revision)


def unscalable_owner(revision: Revision) -> Iterable[Problem]:
    """Budgets that the controller can't compute, or that expect nobody."""
    if not revision.fleet.workloads:
        return ()
    from generator.rules.disruption import covering

    return covering.unscalable_owner(revision)


def matches_nothing(revision: Revision) -> Iterable[Problem]:
    """Budgets that don't cover the workload that declares them."""
    if not revision.fleet.workloads:
        return ()
    from generator.rules.disruption import covering

    return covering.matches_nothing(revision)


def empty_selector(revision: Revision) -> Iterable[Problem]:
    """Budgets over a whole namespace. One that would be rendered is refused."""
    if not revision.fleet.workloads:
        return ()
    from generator.rules.disruption import covering

    return covering.empty_selector(revision)


def will_time_out(revision: Revision) -> Iterable[Problem]:
    """Budgets that let pods go, but not in the time that an upgrade gives them."""
    if not revision.fleet.workloads:
        return ()
    from generator.rules.disruption import interplay

    return interplay.will_time_out(revision)


E, W = Severity.ERROR, Severity.WARNING
RULES = (
    Rule("disruption/no-room", E, "a budget that lets nothing be evicted", no_room, needs_all=True),
    Rule("disruption/overlap", E, "two budgets cover one pod", overlap),
    Rule(
        "disruption/unscalable-owner",
        E,
        "a budget that can't be computed for its owner",
        unscalable_owner,
        needs_all=True,
    ),
    Rule("disruption/matches-nothing", W, "a budget does not cover its workload", matches_nothing),
    Rule("disruption/empty-selector", E, "a budget over a whole namespace", empty_selector),
    Rule("disruption/will-time-out", W, "a budget lets pods go too slowly", will_time_out, needs_all=True),
)
