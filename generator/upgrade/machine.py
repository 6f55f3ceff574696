"""The operator's upgrade controller, one reconcile after the other.

gpu-operator controllers/upgrade_controller.go, k8s-operator-libs pkg/upgrade/upgrade_state.go ApplyState.
"""

from msgspec import Struct
from msgspec.structs import replace

from generator.operator.slots import BadMaxUnavailable, Slots, slots_of
from generator.upgrade import steps
from generator.upgrade.drain import Evict
from generator.upgrade.event import Event, Kind, Stopped, StoppedError
from generator.upgrade.state import State
from generator.upgrade.world import DriverPod, Node, Pod, Scope, World


class Controller(Struct, frozen=True, kw_only=True):
    """The controller of a cluster: its counts of slots in the order of their names, and what its release does.

    `restart_only`: it has that path; `needs_drain`: it crashes without a drain object.
    """

    scopes: tuple[Scope, ...]
    restart_only: bool = True
    needs_drain: bool = False


class Outcome(Struct, frozen=True):
    """What a reconcile did, the driver pods that it deleted, by node, and the pods that it evicted, by name."""

    events: list[Event]
    deleted: dict[str, DriverPod]
    evicted: dict[str, Pod]


def reconcile(world: World, controller: Controller, evict: Evict, now: int, then: int) -> Outcome:
    """One reconcile at `now`, with what its background work does until the next one, `then`; an error ends it."""
    outcome = Outcome([], {}, {})
    snapshots = {scope.name: _snapshot(world, scope) for scope in controller.scopes}
    for scope in controller.scopes:
        try:
            _apply(world, controller, scope, snapshots[scope.name], (now, then), evict, outcome)
        except StoppedError as stopped:
            outcome.events.append(Event(at=now, kind=Kind.ERROR, detail=stopped.reason, why=scope.name))
            break
    return outcome


def _snapshot(world: World, scope: Scope) -> dict[str, list[Node]]:
    return {state: nodes for state in State if (nodes := world.in_state(scope, state))}


def _apply(
    world: World,
    controller: Controller,
    scope: Scope,
    snapshot: dict[str, list[Node]],
    times: tuple[int, int],
    evict: Evict,
    outcome: Outcome,
) -> None:
    policy = scope.policy
    if not policy.automatic:
        _forget(world, scope)
        return
    if controller.needs_drain and policy.drain is None:
        raise StoppedError(Stopped.PANIC)
    counted = slots_now(world, scope)
    if isinstance(counted, BadMaxUnavailable):
        raise StoppedError(Stopped.BAD_MAX_UNAVAILABLE)
    run = steps.Reconcile(
        world=world,
        policy=policy,
        snapshot=snapshot,
        now=times[0],
        next=times[1],
        evict=evict,
        slots=counted.available,
        restart_only=controller.restart_only,
        events=outcome.events,
        deleted=outcome.deleted,
        evicted=outcome.evicted,
    )
    steps.done_or_unknown(run, State.UNKNOWN)
    steps.done_or_unknown(run, State.DONE)
    steps.upgrade_required(run)
    steps.cordon_required(run)
    steps.wait_for_jobs(run)
    steps.pod_deletion(run)
    steps.drain(run)
    steps.pod_restart(run)
    steps.failed(run)
    steps.validation(run)
    steps.uncordon(run)


def slots_now(world: World, scope: Scope) -> Slots | BadMaxUnavailable:
    """The operator's counters for a scope."""
    return slots_of(
        world.counts(scope), world.unavailable(scope), scope.policy.max_parallel, scope.policy.max_unavailable
    )


def _forget(world: World, scope: Scope) -> None:
    """Without automatic upgrades the operator takes the state label off every node."""
    for node in list(world.nodes.values()):
        if node.owner == scope.owner and node.state:
            world.put(replace(node, state=State.UNKNOWN))
