"""What a diagnosis looks at, and what it comes to."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from generator.observed.pod import Pod as LivePod
from generator.upgrade.assembled import Missing
from generator.upgrade.budgets import Guards
from generator.upgrade.ruling import Ruling
from generator.upgrade.world import Node, Scope, World
from generator.words import shell_quoted


class Verdict(StrEnum):
    """How a node stands."""

    DONE = "done"
    MOVING = "moving"  # its next step comes by itself
    WAITING = "waiting"  # for something that may end by itself
    STUCK = "stuck"  # somebody must do something
    STALE = "stale"  # the state is left over: no controller acts on it
    UNTOLD = "cannot tell"


class Diagnosis(Struct, frozen=True, kw_only=True):
    """Why a node stands where it stands, and the one command to try with what it will do.

    `missing` is what the input would have to hold for the reason to be told.
    """

    verdict: Verdict
    why: tuple[str, ...]
    command: str = ""
    effect: str = ""
    missing: tuple[Missing, ...] = ()


class Scene(Struct, frozen=True, kw_only=True):
    """A cluster at one moment. Live pods are there only where a cluster was looked at."""

    world: World
    ruled: Ruling
    guards: Guards
    missing: frozenset[Missing] = frozenset()
    drivers: Mapping[str, LivePod] = {}
    validators: Mapping[str, tuple[LivePod, ...]] = {}
    in_sync: Mapping[str, bool | None] = {}
    paused: Mapping[str, tuple[str, ...]] = {}
    preinstalled: frozenset[str] = frozenset()
    wanting: frozenset[str] = frozenset()  # nodes whose label asks the operator for a driver
    waits: Mapping[str, Diagnosis] = {}

    def scope(self, node: Node) -> Scope | None:
        """Whose policy rules a node."""
        return next((one for one in self.ruled.controller.scopes if one.owner == node.owner), None)

    def lacks(self, *wanted: Missing) -> tuple[Missing, ...]:
        """Which of these the input doesn't hold."""
        return tuple(one for one in wanted if one in self.missing)


AGAIN = "runs the node through the whole upgrade again"


def kubectl(*words: str) -> str:
    """A command to copy; a name that a shell would act on is quoted."""
    return shell_quoted("kubectl", *words)


def relabel(node: str) -> str:
    """The command that begins a node's upgrade anew (facts 6.7)."""
    return kubectl("label", "node", node, "nvidia.com/gpu-driver-upgrade-state=upgrade-required", "--overwrite")


def soon(what: str) -> str:
    """What the next reconcile does."""
    return f"{what} at the operator's next reconcile, within 120 s"
