"""What kubectl drain comes to on a node: refused, blocked by a budget, held by a finalizer, or done.

kubernetes staging/src/k8s.io/kubectl/pkg/drain/drain.go RunNodeDrain and evictPods.
"""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from generator.facts.deletable import Flags, Refusal, Standing, refusals, verdict
from generator.facts.eviction import TOO_MANY_REQUESTS, Answer


class Trouble(StrEnum):
    """Why a drain that began doesn't end well."""

    RETRIED = "pdb-429-retry"
    TIMEOUT = "global-timeout"
    EVICTION = "eviction-error"  # anything but 429 ends the drain
    WAIT = "wait-deadline"


class DrainedPod(Struct, frozen=True, kw_only=True):
    """A pod of the node that the drain's pod selector matches; `answer` is its eviction's while all else stands."""

    standing: Standing
    answer: Answer
    held: bool = False  # a finalizer keeps it after its deletion


class Mode(Struct, frozen=True, kw_only=True):
    """How the drain is called: `evicting` False deletes pods instead, `dry_run` client or server changes nothing."""

    evicting: bool = True
    dry_run: str = ""


class Drained(Struct, frozen=True, kw_only=True):
    """The end: kubectl's exit code, why, whether the drain leaves the node cordoned, and what becomes of its pods."""

    exit: int
    troubles: tuple[Refusal | Trouble, ...] = ()
    cordoned: bool
    left: int
    terminating: int = 0


def drained(pods: Sequence[DrainedPod], flags: Flags, mode: Mode) -> Drained:
    """The end of a drain whose timeout is finite and whose budgets don't get better meanwhile."""
    cordoned = not mode.dry_run
    refused = refusals((pod.standing for pod in pods), flags)
    if refused:
        return Drained(exit=1, troubles=tuple(sorted(refused)), cordoned=cordoned, left=len(pods))
    going = [pod for pod in pods if verdict(pod.standing, flags).removed]
    blocked = {pod.answer.code for pod in going if _asks(mode) and not pod.answer.evicted}
    gone = [] if mode.dry_run else [pod for pod in going if pod.answer.evicted or not _asks(mode)]
    held = sum(pod.held for pod in gone)
    troubles = _troubles(blocked, held)
    return Drained(
        exit=1 if troubles else 0,
        troubles=troubles,
        cordoned=cordoned,
        left=len(pods) - len(gone),
        terminating=held,
    )


def _asks(mode: Mode) -> bool:
    """Whether the API is asked to evict: a dry run of the client asks nothing."""
    return mode.evicting and mode.dry_run != "client"


def _troubles(codes: set[int], held: int) -> tuple[Trouble, ...]:
    found = {Trouble.RETRIED, Trouble.TIMEOUT} if TOO_MANY_REQUESTS in codes else set()
    if codes - {TOO_MANY_REQUESTS}:
        found |= {Trouble.EVICTION}
    return tuple(sorted(found | ({Trouble.WAIT} if held else set())))
