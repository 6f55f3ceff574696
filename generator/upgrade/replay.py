"""An upgrade from its first reconcile to where nothing moves any more: what happens when, by the fixed timeouts.

The operator reconciles when a state label changes, and every 120 s besides (controllers/upgrade_controller.go).
"""

from collections.abc import Mapping

from msgspec import Struct

from generator.upgrade.budgets import Guards
from generator.upgrade.environment import settle
from generator.upgrade.event import Event, Kind
from generator.upgrade.machine import Controller, reconcile
from generator.upgrade.policy import Policy
from generator.upgrade.replacing import Replacements
from generator.upgrade.state import REQUEUE_SECONDS, State
from generator.upgrade.world import Node, World

CHANGE_SECONDS = 1  # a changed label is seen at once; one second keeps the order visible
LONGEST = 400 * 24 * 3600


class Replayed(Struct, frozen=True, kw_only=True):
    """The events in order, the nodes at the end, when that was, and pods that found no node."""

    events: tuple[Event, ...]
    nodes: Mapping[str, Node]
    seconds: int
    pending: tuple[str, ...] = ()

    @property
    def unfinished(self) -> tuple[Node, ...]:
        """Nodes that the upgrade doesn't bring to its end."""
        return tuple(node for node in self.nodes.values() if node.driver and node.state != State.DONE)


def replay(world: World, controller: Controller, guards: Guards, devices: Mapping[str, Mapping[str, int]]) -> Replayed:
    """Runs until nothing changes and nothing is waited for that comes by itself."""
    events: list[Event] = []
    replacements = Replacements(world, devices)
    now, last, told = 0, 0, ""
    while now < LONGEST:
        outcome = reconcile(world, controller, guards.evict, now, now)
        happened = [*outcome.events, *settle(world, outcome.deleted, now)]
        happened += replacements.settle(world, outcome.evicted.values(), happened, now, guards)
        stopped = next((one.detail for one in happened if one.kind is Kind.ERROR), "")
        fresh = [one for one in happened if one.kind is not Kind.ERROR or stopped != told]
        events += fresh
        last, told = (now if fresh else last), stopped
        following = (
            now + CHANGE_SECONDS if fresh else _next(world, controller, replacements, now, stopped=bool(stopped))
        )
        if following is None:
            break
        now = following
    return Replayed(events=tuple(events), nodes=dict(world.nodes), seconds=last, pending=replacements.waiting())


def _next(world: World, controller: Controller, replacements: Replacements, now: int, *, stopped: bool) -> int | None:
    """The next reconcile; None where none will change anything. What a stopped controller times never ends."""
    policies = {scope.owner: scope.policy for scope in controller.scopes}
    times = [replacements.next_ready] if replacements.next_ready is not None else []
    for node in world.busy():
        policy = policies.get(node.owner)
        if node.driver is not None and node.driver.ready_at is not None:
            times.append(now + REQUEUE_SECONDS)
        elif policy is not None and not stopped:
            times += _timers(node, policy, now)
    return max(min(now + REQUEUE_SECONDS, *times), now + CHANGE_SECONDS) if times else None


def _timers(node: Node, policy: Policy, now: int) -> list[int]:
    """When a node's timeout is noticed: a drain's own at once, what an annotation counts at the next reconcile."""
    if node.leaving is not None:
        how = policy.drain if node.state == State.DRAIN else policy.pod_deletion
        return [node.leaving.since + how.timeout + 1] if how is not None and how.timeout else []
    waits = node.state == State.WAIT_FOR_JOBS and node.waits_since is not None and policy.wait_timeout > 0
    validates = node.state == State.VALIDATION and node.validates_since is not None
    return [now + REQUEUE_SECONDS] if waits or validates else []
