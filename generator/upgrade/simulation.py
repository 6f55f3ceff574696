"""What an upgrade of a cluster will run into: the state machine, replayed on its nodes, pods and budgets."""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from generator.facts.release import Release
from generator.observed.objects import Objects
from generator.observed.pod import Pod as LivePod
from generator.upgrade.assembled import Assembled, Missing, assembled
from generator.upgrade.budgets import Guards, live_guards
from generator.upgrade.diagnosis import diagnose
from generator.upgrade.event import Event, Kind
from generator.upgrade.replacing import START_SECONDS
from generator.upgrade.replay import Replayed, replay
from generator.upgrade.ruling import Ruling, ruling
from generator.upgrade.scene import Scene
from generator.upgrade.slotholder import prepared
from generator.upgrade.state import State
from generator.upgrade.world import Node, Successor, World

RESTING = frozenset({State.UNKNOWN, State.DONE})

ASSUMED = "the operator is {}, the newest that is known: --operator names another"


class Wish(Struct, frozen=True, kw_only=True):
    """What is to be replayed. `driver_seconds`: until a new driver pod is Ready; `restart_only`: same settings."""

    driver_seconds: int = 180
    restart_only: bool = False


class Span(Struct, frozen=True, kw_only=True):
    """A node in one state, in seconds from the start; the last span ends with the replay."""

    state: str
    begins: int
    ends: int


class Lane(Struct, frozen=True, kw_only=True):
    """One node's way through the upgrade. `done` is when it was done, None where it never is."""

    node: str
    scope: str
    spans: tuple[Span, ...]
    evicted: int = 0
    begins: int | None = None
    done: int | None = None


class Stall(Struct, frozen=True, kw_only=True):
    """A node that the upgrade doesn't bring to its end, and on what it stands still."""

    node: str
    state: str
    why: tuple[str, ...]
    command: str = ""
    effect: str = ""


class Simulation(Struct, frozen=True, kw_only=True):
    """The replay. `resumed`: the input was in the middle of an upgrade, which goes on; else every driver is new."""

    release: str
    resumed: bool
    seconds: int
    lanes: tuple[Lane, ...]
    events: tuple[Event, ...]
    stalls: tuple[Stall, ...] = ()
    pending: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    off: str = ""
    missing: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    waited: int = 0
    notes: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether every node comes to its end."""
        return bool(self.lanes) and not self.stalls


def simulate(objects: Objects, release: Release, wish: Wish, *, assumed: bool = False) -> Simulation:
    """The whole upgrade of one cluster, from now until nothing moves any more; `assumed`: none told its release."""
    ruled = ruling(objects, release)
    found = assembled(objects, ruled, release)
    resumed = any(_under_way(node, found) for node in found.nodes.values())
    world = World((_begun(node, wish, resumed=resumed) for node in found.nodes.values()), found.pods)
    guards = Guards(live_guards(objects, found.pods))
    begun = dict(world.nodes)
    devices = {node.name: node.devices for node in objects.nodes.values() if node.devices}
    still = Replayed(events=(), nodes=begun, seconds=0)
    run = still if ruled.off else replay(world, ruled.controller, guards, devices)
    missing = found.missing if resumed else found.missing - {Missing.REVISIONS}  # then every driver is replaced
    told = Scene(world=world, ruled=ruled, guards=guards, missing=missing, drivers=_untouched(found, run))
    scene = prepared(told)
    if _drains_unshown(run, ruled, begun, found):
        missing |= {Missing.DAEMONSETS}
    assumptions = [*_assumed(wish, devices, run), *_assumed_of_finalizers(run)]
    if assumed:
        assumptions.append(ASSUMED.format(release.version))
    return Simulation(
        release=release.version,
        resumed=resumed,
        seconds=run.seconds,
        lanes=tuple(_lanes(scene, begun, run)),
        events=run.events,
        stalls=tuple(_stalls(scene, run)),
        pending=run.pending,
        stops=ruled.stopping,
        off=ruled.off,
        missing=tuple(sorted(missing)),
        assumed=tuple(assumptions),
        notes=ruled.notes,
        waited=sum(_timeout(one) for one in run.events),
    )


def _under_way(node: Node, found: Assembled) -> bool:
    """Whether an upgrade goes on at a node, or is due."""
    return node.state not in RESTING or found.in_sync.get(node.name) is False


def _begun(node: Node, wish: Wish, *, resumed: bool) -> Node:
    """The node at second 0; without a clock a timeout that runs already begins anew."""
    driver, after = node.driver, Successor(wish.driver_seconds)
    if driver is not None:
        new = replace(driver, in_sync=False, same_digest=wish.restart_only, successor=after)
        driver = replace(driver, successor=after) if resumed else new
    return replace(
        node,
        driver=driver,
        waits_since=None if node.waits_since is None else 0,
        validates_since=None if node.validates_since is None else 0,
        validators=node.validators if node.state == State.VALIDATION else (True,) * len(node.validators),
    )


def _untouched(found: Assembled, run: Replayed) -> dict[str, LivePod]:
    deleted = {one.node for one in run.events if one.kind is Kind.DRIVER_POD_DELETED}
    return {name: pod for name, pod in found.drivers.items() if name not in deleted}


def _lanes(scene: Scene, begun: Mapping[str, Node], run: Replayed) -> Iterator[Lane]:
    own: dict[str, list[Event]] = {name: [] for name in begun}
    for event in run.events:
        if event.node in own:
            own[event.node].append(event)
    for name, node in begun.items():
        scope = scene.scope(node)
        moves = [(one.at, one.detail) for one in own[name] if one.kind is Kind.STATE]
        states = [(0, node.state), *moves]
        ends = [*(at for at, _ in moves), run.seconds]
        spans = [Span(state=state, begins=at, ends=end) for (at, state), end in zip(states, ends, strict=True)]
        began = next((at for at, state in moves if state not in {*RESTING, State.UPGRADE_REQUIRED}), None)
        yield Lane(
            node=name,
            scope=scope.name if scope else "",
            spans=tuple(one for one in spans if one.ends > one.begins or one is spans[-1]),
            evicted=sum(one.kind is Kind.EVICTED for one in own[name]),
            begins=began,
            done=moves[-1][0] if moves and moves[-1][1] == State.DONE else None,
        )


def _stalls(scene: Scene, run: Replayed) -> Iterator[Stall]:
    for node in run.unfinished:
        found = diagnose(scene, node)
        yield Stall(node=node.name, state=node.state, why=found.why, command=found.command, effect=found.effect)


def _timeout(event: Event) -> int:
    """Seconds that a node stood still for a timeout before it went on."""
    return event.seconds if event.kind is Kind.TIMED_OUT else 0


def _assumed(wish: Wish, devices: Mapping[str, Mapping[str, int]], run: Replayed) -> Iterator[str]:
    """What no input tells."""
    yield f"a new driver pod is Ready {wish.driver_seconds} s after the old one is deleted"
    if any(one.kind is Kind.EVICTED for one in run.events):
        where = "on a node of the same object with free devices" if devices else "somewhere: no node tells its devices"
        yield f"an evicted pod with a controller starts again {where}, and is Ready {START_SECONDS} s later"
    yield "jobs that are waited for don't end by themselves; nodes begin in the order of their names"


def _assumed_of_finalizers(run: Replayed) -> Iterator[str]:
    """Who takes a finalizer off, and when, is nothing that a cluster shows."""
    held = sorted({event.detail for event in run.events if event.kind is Kind.HELD})
    if held:
        yield f"nobody takes the finalizers off {', '.join(held)} meanwhile"


def _drains_unshown(run: Replayed, ruled: Ruling, begun: Mapping[str, Node], found: Assembled) -> bool:
    """Whether a node was drained past pods of DaemonSets that may be gone, which would have failed it."""
    drained = {node.name for node in begun.values() if node.state == State.DRAIN}
    drained |= {event.node for event in run.events if event.kind is Kind.STATE and event.detail == State.DRAIN}
    forced = {scope.owner for scope in ruled.controller.scopes if scope.policy.drain and scope.policy.drain.force}
    unshown = (pod for pod in found.pods if pod.node in drained and not pod.owner_shown)
    return any(begun[pod.node].owner not in forced for pod in unshown)
