"""Why a node gets no slot: the operator's arithmetic, and the nodes that hold what there is."""

from collections.abc import Iterator

from msgspec.structs import replace

from generator.operator.slots import BadMaxUnavailable, Slots
from generator.upgrade.machine import slots_now
from generator.upgrade.scene import Diagnosis, Scene, Verdict, kubectl, relabel, soon
from generator.upgrade.state import State
from generator.upgrade.world import Node, Scope
from generator.words import and_more, counted

# States that take a slot of maxParallelUpgrades (GetUpgradesInProgress).
RESTING = frozenset({State.UNKNOWN, State.DONE, State.UPGRADE_REQUIRED})
MAINTENANCE = frozenset({State.NODE_MAINTENANCE, State.POST_MAINTENANCE})
SHOWN = 3


def waiting(scene: Scene, node: Node, scope: Scope) -> Diagnosis:
    """A node in upgrade-required; nothing is done to it there."""
    if node.cordoned:
        why = "it was cordoned already and needs no free slot: " + soon("it begins")
        return Diagnosis(verdict=Verdict.MOVING, why=(why,))
    return scene.waits.get(scope.owner) or for_a_slot(scene, scope)


def for_a_slot(scene: Scene, scope: Scope) -> Diagnosis:
    """The same for every node of a scope that needs a slot, so that it is told once for all of them."""
    slots = slots_now(scene.world, scope)
    if isinstance(slots, BadMaxUnavailable):  # told as what stops the controller
        return Diagnosis(verdict=Verdict.STUCK, why=(f'maxUnavailable "{slots.written}" is no number',))
    if slots.available > 0:
        free = f"{counted(slots.available, 'slot')} {'is' if slots.available == 1 else 'are'} free"
        return Diagnosis(verdict=Verdict.MOVING, why=(f"{free}: {soon('nodes begin')}",))
    holders = list(held_by(scene, scope, slots))
    command, effect = _step(holders, scope, slots)
    why = [arithmetic(scope, slots), *(f"{node.name} {how}" for node, how in holders[:SHOWN])]
    if more := and_more(len(holders), SHOWN, "node"):
        why.append(more.strip())
    stuck = not holders or any(_needs_somebody(node) for node, _ in holders)
    verdict = Verdict.STUCK if stuck else Verdict.WAITING
    return Diagnosis(verdict=verdict, why=tuple(why), command=command, effect=effect)


def arithmetic(scope: Scope, slots: Slots) -> str:
    """The free slots with their numbers."""
    policy, most = scope.policy, slots.max_unavailable
    limit = f"maxUnavailable {policy.max_unavailable}" if policy.max_unavailable is not None else "no maxUnavailable"
    free = max(slots.available, 0)
    return (
        f"{counted(free, 'free slot')} of {scope.name}: {limit} of {counted(slots.total, 'node')} is {most}"
        f" and {slots.unavailable} {'is' if slots.unavailable == 1 else 'are'} unavailable; maxParallelUpgrades"
        f" {policy.max_parallel or 'has no limit'} and {slots.in_progress} in progress"
    )


def prepared(scene: Scene) -> Scene:
    """The scene with what is the same for all nodes of a scope."""
    scopes = scene.ruled.controller.scopes
    return replace(scene, waits={scope.owner: for_a_slot(scene, scope) for scope in scopes})


def held_by(scene: Scene, scope: Scope, slots: Slots) -> Iterator[tuple[Node, str]]:
    """The nodes that use up what keeps others from beginning, those that won't let go by themselves first."""
    full = slots.unavailable >= slots.max_unavailable
    nodes = [node for node in scene.world.nodes.values() if node.owner == scope.owner and node.driver]
    found = [(node, how) for node in nodes if (how := _holds(node, down_counts=full))]
    yield from sorted(found, key=lambda one: (not _needs_somebody(one[0]), one[0].name))


def _holds(node: Node, *, down_counts: bool) -> str:
    if node.state == State.FAILED:
        return "is upgrade-failed, which counts as in progress"
    if node.state not in RESTING and node.state in set(State) - MAINTENANCE:
        return f"is in progress ({node.state})"
    if not down_counts:
        return ""
    if not node.ready:
        return "is NotReady"
    return "is cordoned" if node.cordoned else ""


def _needs_somebody(node: Node) -> bool:
    return node.state == State.FAILED or (node.state in RESTING and (node.cordoned or not node.ready))


def _step(holders: list[tuple[Node, str]], scope: Scope, slots: Slots) -> tuple[str, str]:
    if not holders or slots.max_unavailable == 0:
        kind = "nvidiadriver" if scope.owner else "clusterpolicy"
        field = '{"upgradePolicy":{"maxUnavailable":1}}'
        spec = f'{{"spec":{field}}}' if scope.owner else f'{{"spec":{{"driver":{field}}}}}'
        return kubectl(
            "patch", kind, scope.name, "--type", "merge", "-p", spec
        ), "lets one node at a time be unavailable"
    first = holders[0][0]
    if first.state == State.FAILED:
        return relabel(first.name), f"runs {first.name} through the upgrade again, once its own cause is mended"
    if not first.ready:
        return kubectl(
            "describe", "node", first.name
        ), "changes nothing; its conditions say why the kubelet isn't Ready"
    if first.state in RESTING and first.cordoned:
        return kubectl("uncordon", first.name), "frees its slot: the next node begins within 120 s"
    return "", ""
