"""What the operator sees of a cluster while it upgrades drivers: nodes, their driver pods, and what runs beside."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from generator.facts.deletable import Standing
from generator.upgrade.policy import Policy
from generator.upgrade.state import State


class Successor(Struct, frozen=True):
    """What becomes of a driver pod that is deleted: seconds until the new one is ready (None: never), its restarts."""

    ready_after: int | None = 0
    restarts: int = 0


class DriverPod(Struct, frozen=True, kw_only=True):
    """The driver pod of a node. `same_digest`: the driver that it runs has the settings that are wanted now."""

    in_sync: bool
    ready: bool = True
    restarts: int = 0
    orphan: bool = False
    same_digest: bool = False
    successor: Successor | None = Successor()
    ready_at: int | None = None


class Leaving(Struct, frozen=True, kw_only=True):
    """Evictions that go on in the background, since when.

    `asked` are the pods that the API is asked again to evict, `held` those that are evicted and not gone. `failure` is
    the first pod that the API refuses for good, with its answer: then the node fails once the others are through.
    """

    since: int
    asked: tuple[str, ...]
    held: tuple[str, ...] = ()
    failure: tuple[str, str] | None = None


class Node(Struct, frozen=True, kw_only=True):
    """A node as the operator's state machine reads it; `state` may be a value that it doesn't know.

    `driver` is None where there is no driver pod: then the node is not looked at. `validators` says of each of its
    validator pods whether it is ready.
    """

    name: str
    state: str = State.UNKNOWN
    owner: str = ""
    cordoned: bool = False
    ready: bool = True
    skip: bool = False
    requested: bool = False
    safe_load: bool = False
    was_cordoned: bool = False
    waits_since: int | None = None
    validates_since: int | None = None
    driver: DriverPod | None = None
    validators: tuple[bool, ...] = (True,)
    leaving: Leaving | None = None


class Pod(Struct, frozen=True, kw_only=True):
    """A pod beside the driver. `gpu`: the operator's filter matches it while it is unfinished.

    `controller` is the key of its owner, empty for a bare pod; `wants` counts the devices that it requests.
    `finalizers` are those that somebody outside Kubernetes must take off before the pod is gone. `owner_shown` is False
    where it is of a DaemonSet that the input doesn't show and may show only in part.
    """

    name: str
    node: str
    labels: Mapping[str, str] = {}
    standing: Standing = Standing()
    controller: str = ""
    gpu: bool = False
    ready: bool = True
    terminating: bool = False
    wants: Mapping[str, int] = {}
    finalizers: tuple[str, ...] = ()
    owner_shown: bool = True

    @property
    def held(self) -> bool:
        """Whether it is deleted and still there, until somebody takes its finalizers off."""
        return self.terminating and bool(self.finalizers)

    @property
    def unfinished(self) -> bool:
        """Whether the operator counts it as work."""
        return self.standing.phase in {"Running", "Pending"}

    @property
    def namespace(self) -> str:
        """The first half of its name."""
        return self.name.partition("/")[0]


class Scope(Struct, frozen=True, kw_only=True):
    """One count of slots: an NVIDIADriver and its nodes, or, with an empty owner, all nodes under one ClusterPolicy."""

    name: str
    policy: Policy
    owner: str = ""


class World:
    """The nodes and pods during one replay, by state and by node: what a round changes is put back here."""

    def __init__(self, nodes: Iterable[Node], pods: Iterable[Pod] = ()) -> None:
        """Takes every node and pod; names are unique."""
        self.nodes: dict[str, Node] = {}
        self.pods: dict[str, Pod] = {}
        self._states: dict[tuple[str, str], dict[str, None]] = {}
        self._unavailable: dict[str, int] = {}
        self._counts: dict[str, dict[str, int]] = {}
        self._on_node: dict[str, dict[str, None]] = {}
        self._busy: dict[str, None] = {}
        for node in sorted(nodes, key=lambda one: one.name):
            self.put(node)
        for pod in sorted(pods, key=lambda one: one.name):
            self.put_pod(pod)

    def put(self, node: Node) -> None:
        """The node as it is now."""
        before = self.nodes.get(node.name)
        if before is not None:
            self._count(before, -1)
            self._states[_bucket(before)].pop(before.name, None)
        self.nodes[node.name] = node
        self._count(node, 1)
        self._states.setdefault(_bucket(node), {})[node.name] = None
        if _waits(node):
            self._busy[node.name] = None
        else:
            self._busy.pop(node.name, None)

    def put_pod(self, pod: Pod) -> None:
        """The pod as it is now."""
        self.take_pod(pod.name)
        self.pods[pod.name] = pod
        self._on_node.setdefault(pod.node, {})[pod.name] = None

    def take_pod(self, name: str) -> None:
        """The pod is gone."""
        pod = self.pods.pop(name, None)
        if pod is not None:
            self._on_node[pod.node].pop(name, None)

    def pods_on(self, node: str) -> list[Pod]:
        """By name."""
        return [self.pods[name] for name in sorted(self._on_node.get(node, ()))]

    def in_state(self, scope: Scope, state: str) -> list[Node]:
        """The scope's nodes with a driver pod in a state, by name, as they were when it was asked."""
        return [self.nodes[name] for name in sorted(self._states.get((scope.owner, state), ()))]

    def counts(self, scope: Scope) -> Mapping[str, int]:
        """How many nodes of the scope, with a driver pod, are in each state."""
        return self._counts.get(scope.owner, {})

    def unavailable(self, scope: Scope) -> int:
        """Nodes that are cordoned or not Ready."""
        return self._unavailable.get(scope.owner, 0)

    def busy(self) -> Iterator[Node]:
        """Nodes that wait for a time to come: background evictions, a new driver pod, a timeout; by name."""
        return (self.nodes[name] for name in sorted(self._busy))

    def _count(self, node: Node, by: int) -> None:
        if node.driver is None:
            return
        counts = self._counts.setdefault(node.owner, {})
        counts[node.state] = counts.get(node.state, 0) + by
        if node.cordoned or not node.ready:
            self._unavailable[node.owner] = self._unavailable.get(node.owner, 0) + by


def _waits(node: Node) -> bool:
    coming = node.driver is not None and node.driver.ready_at is not None
    return coming or bool(node.leaving) or node.waits_since is not None or node.validates_since is not None


def _bucket(node: Node) -> tuple[str, str]:
    """Nodes that no step looks at lie aside, so that a round costs what it changes."""
    resting = node.driver is None or (node.state == State.DONE and not due(node))
    return node.owner, "resting" if resting else node.state


def due(node: Node) -> bool:
    """Whether a node that is done, or was never seen, must be upgraded (ProcessDoneOrUnknownNodes)."""
    driver = node.driver
    outdated = driver is not None and not driver.in_sync and not driver.orphan
    return outdated or node.safe_load or node.requested
