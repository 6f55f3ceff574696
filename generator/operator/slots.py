"""How many nodes the operator may upgrade next.

k8s-operator-libs pkg/upgrade/upgrade_state.go GetUpgradesAvailable, as vendored by gpu-operator v26.3 and v26.7.
"""

import re
from collections.abc import Mapping

from msgspec import Struct

from generator.facts.amount import rounded_up

PENDING, DONE, FAILED, UNKNOWN = "upgrade-required", "upgrade-done", "upgrade-failed", ""
CORDON = "cordon-required"
_IN_PROGRESS = frozenset(
    {
        CORDON,
        "wait-for-jobs-required",
        "pod-deletion-required",
        "drain-required",
        "pod-restart-required",
        "validation-required",
        "uncordon-required",
        FAILED,
    }
)
_COUNTED = _IN_PROGRESS | {PENDING, DONE, UNKNOWN}


class Slots(Struct, frozen=True, kw_only=True):
    """The operator's counters; `available` may be negative, which means none.

    `unavailable` leaves out the nodes that are about to be cordoned: they are added where it is compared.
    """

    total: int
    in_progress: int
    unavailable: int
    max_unavailable: int
    available: int
    done: int
    failed: int
    pending: int


class BadMaxUnavailable(Struct, frozen=True):
    """The text is neither a number nor a whole percentage: the operator's reconcile stops."""

    written: str


def slots_of(
    states: Mapping[str, int], gone: int, parallel: int, unavailable: int | str | None
) -> Slots | BadMaxUnavailable:
    """The counters for the nodes of one policy: how many are in each state, how many are cordoned or not Ready.

    0 `parallel` means all; None `unavailable` means no limit.
    """
    total = sum(states.get(state, 0) for state in _COUNTED)
    most = scaled(unavailable, total)
    if isinstance(most, BadMaxUnavailable):
        return most
    progress, pending = sum(states.get(state, 0) for state in _IN_PROGRESS), states.get(PENDING, 0)
    wanted = pending if parallel == 0 else parallel - progress
    return Slots(
        total=total,
        in_progress=progress,
        unavailable=gone,
        max_unavailable=most,
        available=_within(min(wanted, most), gone + states.get(CORDON, 0), most, total),
        done=states.get(DONE, 0),
        failed=states.get(FAILED, 0),
        pending=pending,
    )


def scaled(unavailable: int | str | None, total: int) -> int | BadMaxUnavailable:
    """How many of all nodes maxUnavailable is; a percentage is rounded up."""
    if unavailable is None:
        return total
    if isinstance(unavailable, str) and re.fullmatch(r"[+-]?[0-9]{1,18}%", unavailable) is None:
        return BadMaxUnavailable(unavailable)
    return rounded_up(unavailable, total)


def at_once(total: int, parallel: int, unavailable: int | str | None) -> int:
    """How many of so many healthy nodes that all wait go first; none where maxUnavailable can't be read."""
    slots = slots_of({PENDING: total}, 0, parallel, unavailable)
    return 0 if isinstance(slots, BadMaxUnavailable) else min(max(slots.available, 0), total)


def _within(wanted: int, unavailable: int, most: int, total: int) -> int:
    """What of the wanted fits beside the nodes that are down already."""
    if unavailable >= most:
        return 0
    return most - unavailable if most < total and unavailable + wanted > most else wanted
