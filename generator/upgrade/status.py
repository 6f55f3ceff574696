"""Where each node of a live cluster stands in its upgrade, and why."""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from generator.facts import label
from generator.facts.label import DEPLOY_DRIVER, PREINSTALLED
from generator.facts.release import Release
from generator.observed.objects import Objects
from generator.operator.slots import BadMaxUnavailable
from generator.upgrade.assembled import DEPLOY, Assembled, Missing, assembled
from generator.upgrade.budgets import Guards, live_guards
from generator.upgrade.diagnosis import diagnose
from generator.upgrade.machine import slots_now
from generator.upgrade.ruling import Ruling, ruling
from generator.upgrade.scene import Scene, Verdict
from generator.upgrade.slotholder import arithmetic, prepared
from generator.upgrade.state import State
from generator.upgrade.world import Node, World


class NodeStatus(Struct, frozen=True, kw_only=True):
    """One node; `driver` is its driver pod in few words, `missing` what the input would have to hold."""

    node: str
    scope: str
    state: str
    cordoned: bool
    ready: bool
    driver: str
    verdict: Verdict
    why: tuple[str, ...] = ()
    command: str = ""
    effect: str = ""
    missing: tuple[str, ...] = ()


class ScopeStatus(Struct, frozen=True, kw_only=True):
    """One count of slots, in words."""

    scope: str
    nodes: int
    slots: str


class StateCount(Struct, frozen=True):
    """How many nodes are in a state."""

    state: str
    nodes: int


class Status(Struct, frozen=True, kw_only=True):
    """The whole cluster. `stops` are settings that crash or stall the operator, `off` is why it moves nothing.

    `notes` say which object counts where there are several, `assumed` that nobody told the operator's release.
    """

    release: str
    nodes: tuple[NodeStatus, ...]
    states: tuple[StateCount, ...]
    scopes: tuple[ScopeStatus, ...]
    stops: tuple[str, ...] = ()
    off: str = ""
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    assumed: bool = False

    @property
    def stuck(self) -> bool:
        """Whether somebody must do something; a label that says done and is left over misleads nobody."""
        stale = any(one.verdict is Verdict.STALE and one.state != State.DONE for one in self.nodes)
        return bool(self.stops) or stale or any(one.verdict is Verdict.STUCK for one in self.nodes)

    @property
    def untold(self) -> bool:
        """Whether the reason of some node can't be told from the input."""
        return any(one.missing for one in self.nodes)


def status(objects: Objects, release: Release, *, assumed: bool = False) -> Status:
    """The status of the objects of one cluster; `assumed` where nothing tells its operator's release."""
    ruled = ruling(objects, release)
    found = assembled(objects, ruled, release)
    scene = scene_of(objects, ruled, found)
    nodes = tuple(_node(scene, node, found) for node in scene.world.nodes.values())
    return Status(
        release=release.version,
        nodes=nodes,
        states=tuple(_states(nodes)),
        scopes=tuple(_scopes(scene)),
        stops=ruled.stopping,
        off=ruled.off,
        missing=tuple(sorted(found.missing)),
        notes=ruled.notes,
        assumed=assumed,
    )


def scene_of(objects: Objects, ruled: Ruling, found: Assembled) -> Scene:
    """What a diagnosis looks at."""
    scene = Scene(
        world=World(found.nodes.values(), found.pods),
        ruled=ruled,
        guards=Guards(live_guards(objects, found.pods)),
        missing=found.missing,
        drivers=found.drivers,
        validators=found.validators,
        in_sync=found.in_sync,
        paused=paused(objects),
        preinstalled=_gated(objects, PREINSTALLED),
        wanting=_gated(objects, "true"),
    )
    return prepared(scene)


def _gated(objects: Objects, value: str) -> frozenset[str]:
    return frozenset(one.name for one in objects.nodes.values() if one.labels.get(DEPLOY_DRIVER) == value)


def paused(objects: Objects) -> dict[str, tuple[str, ...]]:
    """The components of each node that a driver upgrade paused, by the label's own last word."""
    return {
        node.name: found
        for node in objects.nodes.values()
        if (
            found := tuple(
                sorted(key.removeprefix(DEPLOY) for key, value in node.labels.items() if _pauses(key, value))
            )
        )
    }


def _pauses(key: str, value: str) -> bool:
    return key.startswith(DEPLOY) and value == label.PAUSED


def _node(scene: Scene, node: Node, found: Assembled) -> NodeStatus:
    diagnosis, scope = diagnose(scene, node), scene.scope(node)
    return NodeStatus(
        node=node.name,
        scope=scope.name if scope else "",
        state=node.state,
        cordoned=node.cordoned,
        ready=node.ready,
        driver=_driver(node, found),
        verdict=diagnosis.verdict,
        why=diagnosis.why,
        command=diagnosis.command,
        effect=diagnosis.effect,
        missing=tuple(map(str, diagnosis.missing)),
    )


def _driver(node: Node, found: Assembled) -> str:
    if Missing.PODS in found.missing:
        return "not told"
    if node.driver is None:
        return "none"
    told = found.in_sync.get(node.name)
    age = "orphan" if node.driver.orphan else {True: "new", False: "old", None: "running"}[told]
    return age if node.driver.ready else f"{age}, not Ready"


def _states(nodes: tuple[NodeStatus, ...]) -> Iterator[StateCount]:
    """In the order of the upgrade; values that nobody knows come last."""
    counts = Counter(one.state for one in nodes)
    order = [*State, *sorted(set(counts) - set(State))]
    return (StateCount(state, counts[state]) for state in order if counts[state])


def _scopes(scene: Scene) -> Iterator[ScopeStatus]:
    for scope in scene.ruled.controller.scopes:
        counted = slots_now(scene.world, scope)
        if isinstance(counted, BadMaxUnavailable):
            words = f'maxUnavailable "{counted.written}" is no number'
        else:
            words = arithmetic(scope, counted)
        yield ScopeStatus(scope=scope.name, nodes=sum(scene.world.counts(scope).values()), slots=words)
