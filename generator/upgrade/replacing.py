"""Evicted pods that come back: their controllers make new ones, which need a node with free devices."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from generator.upgrade.budgets import Guards
from generator.upgrade.event import Event, Kind
from generator.upgrade.world import Node, Pod, World

MAKES_ROOM = frozenset({Kind.EVICTED, Kind.UNCORDONED, Kind.DRIVER_POD_READY})
STATEFUL_SET = "StatefulSet"
START_SECONDS = 30  # from scheduled to Ready: an assumption that the result tells


class Replacements:
    """Pods that wait for room, and pods that start."""

    def __init__(self, world: World, devices: Mapping[str, Mapping[str, int]]) -> None:
        """`devices` is what each node offers; where no node says it, there is room for everything."""
        self._offered = devices
        self._open: dict[str, None] = dict.fromkeys(sorted(devices))
        self._used: dict[str, dict[str, int]] = {}
        self._waiting: list[Pod] = []
        self._starting: list[tuple[int, Pod]] = []
        self._stale = True
        for pod in world.pods.values():
            if pod.unfinished:
                self._use(pod, 1)

    @property
    def next_ready(self) -> int | None:
        """When the next pod is Ready."""
        return min((at for at, _ in self._starting), default=None)

    def settle(
        self, world: World, gone: Iterable[Pod], happened: Iterable[Event], now: int, guards: Guards
    ) -> list[Event]:
        """Takes in the pods that were evicted, places what fits, and counts what is Ready by now."""
        for pod in gone:
            self._evicted(pod)
        self._stale |= any(event.kind in MAKES_ROOM for event in happened)
        events = self._placed(world, now) if self._stale and self._waiting else []
        self._stale = False
        return [*events, *self._ready(world, now, guards)]

    def waiting(self) -> tuple[str, ...]:
        """Pods that find no node."""
        return tuple(pod.name for pod in self._waiting)

    def _evicted(self, pod: Pod) -> None:
        """Its controller makes a new one, which must have another name while finalizers hold the old one.

        A StatefulSet's pods have fixed names: it waits until the old one is gone.
        """
        self._use(pod, -1)
        if not pod.standing.owner or not pod.standing.owner_found:
            return
        if not pod.finalizers:
            self._waiting.append(pod)
        elif pod.standing.owner != STATEFUL_SET:
            self._waiting.append(replace(pod, name=f"{pod.name}-2"))

    def _placed(self, world: World, now: int) -> list[Event]:
        events, left = [], []
        for pod in self._waiting:
            where = self._room(world, pod)
            if where is None:
                left.append(pod)
                continue
            started = replace(pod, node=where, ready=False, terminating=False)
            world.put_pod(started)
            self._use(started, 1)
            self._starting.append((now + START_SECONDS, started))
            events.append(Event(at=now, kind=Kind.POD_STARTED, node=where, detail=pod.name))
        self._waiting = left
        return events

    def _room(self, world: World, pod: Pod) -> str | None:
        """A node of the same scope; an empty name is somewhere that the input doesn't show."""
        if not self._offered or not pod.wants:
            return ""
        owner = world.nodes[pod.node].owner if pod.node in world.nodes else ""
        return next((name for name in self._open if self._fits(world.nodes.get(name), owner, pod)), None)

    def _fits(self, node: Node | None, owner: str, pod: Pod) -> bool:
        if node is None or node.cordoned or not node.ready or node.owner != owner:
            return False
        if node.driver is None or not node.driver.ready:
            return False
        used, offered = self._used.get(node.name, {}), self._offered[node.name]
        return all(offered.get(name, 0) - used.get(name, 0) >= count for name, count in pod.wants.items())

    def _ready(self, world: World, now: int, guards: Guards) -> list[Event]:
        due = [pod for at, pod in self._starting if at <= now]
        self._starting = [(at, pod) for at, pod in self._starting if at > now]
        there = [replace(pod, ready=True) for pod in due if pod.name in world.pods]
        for pod in there:
            world.put_pod(pod)
            guards.changed(pod, 1)
        return [Event(at=now, kind=Kind.POD_READY, node=pod.node, detail=pod.name) for pod in there]

    def _use(self, pod: Pod, by: int) -> None:
        used = self._used.setdefault(pod.node, {})
        for name, count in pod.wants.items():
            used[name] = used.get(name, 0) + by * count
        offered = self._offered.get(pod.node)
        if offered and pod.wants:
            if any(used.get(name, 0) < count for name, count in offered.items()):
                self._open[pod.node] = None
            else:
                self._open.pop(pod.node, None)
