"""One node between a change that is merged and the next one, and everybody who acts on it, in every order.

Images are composed by hand (gpu-operator v26.3.3 and v26.7.0: internal/state/nodepool.go getOSTag and getNodePools,
api/nvidia/v1alpha1/nvidiadriver_types.go): driver, kernel and system for a precompiled driver, driver and system for a
compiled one. A node has one driver pod. It asks for an image when the pod is made, which happens when the pod's
DaemonSet is another one than before, when the upgrade controller replaces it, when somebody deletes it, and on a node
that is new. A pod that stays asks for nothing, whatever its DaemonSet says by now: the update strategy is OnDelete.

A second node adds nothing: it can only make the first one wait, and waiting is one of the orders.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

HOME, AWAY = "nvcr.io/nvidia/driver", "registry.example.com/driver"
OLD_RELEASE, NEW_RELEASE = RELEASES = "v26.3.3", "v26.7.0"

Labels = frozenset[tuple[str, str]]


class Machine(NamedTuple):
    """What a node boots: the minor version of its RHEL 9, and its kernel."""

    system: str
    kernel: str


class Image(NamedTuple):
    """What a node asks for: the repository that has it, or would have it, and the tag."""

    repository: str
    tag: str


class Size(NamedTuple):
    """How few and how many nodes a pool may have."""

    fewest: int
    most: int


FIXED, RANGED = Size(4, 4), Size(1, 4)


@dataclass(frozen=True)
class Pool:
    """A pool as people declare it; without a selector it takes what no other one selects."""

    name: str
    selector: Labels
    kernels: frozenset[str]
    driver: str
    system: str = "9.4"
    repository: str = HOME
    precompiled: bool = True
    automatic: bool = True
    size: Size = RANGED

    @property
    def machines(self) -> frozenset[Machine]:
        """What its nodes run or boot; nothing where it has none."""
        if self.is_empty:
            return frozenset()
        return frozenset(Machine(self.system, kernel) for kernel in self.kernels)

    @property
    def is_empty(self) -> bool:
        """Whether it has no node."""
        return self.size.most == 0

    @property
    def is_fixed(self) -> bool:
        """Whether no node is ever added."""
        return self.size.fewest == self.size.most


@dataclass(frozen=True)
class Declaration:
    """A cluster as people declare it. Under a ClusterPolicy the first pool's driver is the driver of all nodes.

    AWAY either has images of its own, as a copy has, or passes on those of HOME.
    """

    pools: tuple[Pool, ...]
    release: str = NEW_RELEASE
    by_policy: bool = False
    passes_on: bool = False

    def source_of(self, repository: str) -> str:
        """The repository whose images a node gets that asks for this one's."""
        return HOME if self.passes_on else repository

    def pool_of(self, labels: Labels) -> Pool | None:
        """The pool that declares a node with these labels."""
        selecting = [pool for pool in self.pools if pool.selector and pool.selector <= labels]
        resting = [pool for pool in self.pools if not pool.selector]
        return next(iter(selecting or resting), None)

    def driver_of(self, labels: Labels) -> Pool | None:
        """The pool whose driver such a node loads."""
        return self.pools[0] if self.by_policy else self.pool_of(labels)

    def machines_of(self, labels: Labels) -> frozenset[Machine]:
        """The machines that are declared for such a node."""
        pool = self.pool_of(labels)
        return pool.machines if pool else frozenset()


class Template(NamedTuple):
    """What a node's driver pod is made from: its DaemonSet, what the controller compares, and the image."""

    daemonset: tuple[str, ...]
    stamp: tuple[str, ...]
    image: Image


OLDER = ("an older one",)


def template(settings: Declaration, release: str, labels: Labels, machine: Machine) -> Template | None:
    """None on a node for which no driver is declared."""
    pool = settings.driver_of(labels)
    if pool is None:
        return None
    system = system_in_tags(machine.system, release)
    tag = f"{pool.driver}-{machine.kernel}-{system}" if pool.precompiled else f"{pool.driver}-{system}"
    kernel = machine.kernel if pool.precompiled else ""
    daemonset = ("policy", kernel) if settings.by_policy else (pool.name, kernel, system)
    stamp = (pool.repository, pool.driver, str(pool.precompiled), release)
    return Template(daemonset, stamp, Image(settings.source_of(pool.repository), tag))


def system_in_tags(system: str, release: str) -> str:
    """v26.7.0 drops the minor of RHEL 9, v26.3.3 keeps it."""
    return "rhel9" if release == NEW_RELEASE else f"rhel{system}"


class Pod(NamedTuple):
    """The driver pod of a node."""

    daemonset: tuple[str, ...]
    stamp: tuple[str, ...]


class Node(NamedTuple):
    """A node when a change is merged: what it runs, and its driver pod."""

    machine: Machine
    pod: Pod | None


class Event(Enum):
    """What can happen to the node, or to the cluster around it."""

    SYNC = auto()
    CHART = auto()
    ROLL = auto()
    REPLACEMENT = auto()
    UPGRADE = auto()
    DELETION = auto()


class Needs(NamedTuple):
    """What it takes that a node asks for an image: that it boots before the sync what only the change declares, or that
    a person acts on a node that nothing else touches.
    """

    early: bool
    by_hand: bool


class _State(NamedTuple):
    """The node, none of its kind yet where it has no machine, and how far the change has come."""

    synced: bool
    charted: bool
    machine: Machine | None
    pod: Pod | None
    needs: Needs


class Outcome(NamedTuple):
    """What nodes of these labels can ask for while a change arrives, and how they can end."""

    asked: Mapping[Image, frozenset[Needs]]
    nodes: frozenset[Node]

    def missing(self, built: frozenset[Image]) -> frozenset[Image]:
        """The images that some order asks for and nobody built."""
        return frozenset(self.asked) - built

    def missing_by_itself(self, built: frozenset[Image]) -> frozenset[Image]:
        """Those of an order in which no node boots early, and nobody acts on a node that nothing else touches."""
        return frozenset(
            image for image in self.missing(built) if Needs(early=False, by_hand=False) in self.asked[image]
        )


class Change:
    """A change for the nodes with these labels. `bootable` is what such a node may boot while the change arrives.

    Those that linger run what left, against the people's rule, and nobody rolls them.
    """

    def __init__(self, was: Declaration, becomes: Declaration, labels: Labels) -> None:
        self.was, self.becomes, self.labels = was, becomes, labels
        self.before, self.after = was.machines_of(labels), becomes.machines_of(labels)
        self.bootable = self.before | self.after if self.moves else self.after
        self.asked: dict[Image, set[Needs]] = {}
        self.templates: dict[tuple[bool, bool, Machine], Template | None] = {}

    @property
    def moves(self) -> bool:
        """Whether the change moves anything else of these nodes than which machines they may run."""
        if self.was.release != self.becomes.release or self.was.by_policy != self.becomes.by_policy:
            return True
        old, new = self.was.driver_of(self.labels), self.becomes.driver_of(self.labels)
        if old is None or new is None:
            return old is not new
        claiming = (old.name, old.selector) != (new.name, new.selector) and not self.becomes.by_policy
        sources = self.was.source_of(old.repository) != self.becomes.source_of(new.repository)
        settings = (old.driver, old.repository, old.precompiled) != (new.driver, new.repository, new.precompiled)
        return claiming or sources or settings or self.resumes

    @property
    def resumes(self) -> bool:
        """Whether the upgrade controller begins to act on these nodes."""
        old, new = self.was.driver_of(self.labels), self.becomes.driver_of(self.labels)
        return old is not None and new is not None and new.automatic and not old.automatic

    @property
    def is_closed(self) -> bool:
        """Whether no such node can be there before the sync: their pool is declared with none."""
        pool = self.was.pool_of(self.labels)
        return pool is not None and pool.is_empty

    def _rests(self, state: _State) -> bool:
        """Whether nobody but a person touches a node: no upgrade, and none is added."""
        driver = self._settings(state).driver_of(self.labels)
        old, new = self.was.pool_of(self.labels), self.becomes.pool_of(self.labels)
        if driver is None or old is None or self._is_automatic(state, driver):
            return False
        if not state.synced:
            return old.is_fixed
        # As many nodes of another selector are other nodes.
        return new is not None and new.is_fixed and (new.size, new.selector) == (old.size, old.selector)

    def play(self, nodes: Iterable[Node]) -> Outcome:
        """Every order of events, from nodes that are there when the change is merged and from none."""
        there = [node for node in nodes if node.machine in self.bootable]
        outcome = self._played([*there, None])
        return outcome._replace(nodes=frozenset(node for node in outcome.nodes if node.machine in self.after))

    def linger(self, nodes: Iterable[Node]) -> Outcome:
        """Every order of events in which the nodes stay on the machines that they run."""
        self.bootable = frozenset()
        return self._played([*nodes])

    def _played(self, nodes: list[Node | None]) -> Outcome:
        self.asked = {}
        charted = self.was.release == self.becomes.release
        unused = Needs(early=False, by_hand=False)
        seen = set()
        for node in nodes:
            machine, pod = node or (None, None)
            seen.add(_State(synced=False, charted=charted, machine=machine, pod=pod, needs=unused))
        waiting = list(seen)
        while waiting:
            for state in self._following(waiting.pop()):
                if state not in seen:
                    seen.add(state)
                    waiting.append(state)
        arrived = [state for state in seen if state.synced and state.charted]
        ended = frozenset(Node(state.machine, state.pod) for state in arrived if state.machine)
        return Outcome({image: frozenset(needs) for image, needs in self.asked.items()}, ended)

    def _following(self, state: _State) -> Iterator[_State]:
        for event in Event:
            match event:
                case Event.SYNC if not state.synced:
                    yield self._settled(state._replace(synced=True))
                case Event.CHART if not state.charted:
                    yield self._settled(state._replace(charted=True))
                case Event.ROLL | Event.REPLACEMENT if self.is_closed and not state.synced:
                    pass
                case Event.ROLL if state.machine:
                    for machine in self.bootable:
                        yield self._settled(self._booted(state._replace(machine=machine)))
                case Event.REPLACEMENT:
                    for machine in self.bootable:
                        yield self._settled(self._booted(state._replace(machine=machine, pod=None)))
                case Event.UPGRADE if self._is_upgraded(state):
                    yield self._settled(state._replace(pod=None))
                case Event.DELETION if state.pod:
                    yield self._settled(self._touched(state._replace(pod=None)))

    def _booted(self, state: _State) -> _State:
        """A node that has booted a machine: early, or one that need not have booted."""
        if self._ran_before(state):
            return self._touched(state)
        return state if state.synced else state._replace(needs=state.needs._replace(early=True))

    def _ran_before(self, state: _State) -> bool:
        """Whether such nodes ran the machine before; to a driver that is compiled on the node its kernel is nothing."""
        driver = self._settings(state).driver_of(self.labels)
        if driver is None or driver.precompiled or state.machine is None:
            return state.machine in self.before
        return state.machine.system in {machine.system for machine in self.before}

    def _touched(self, state: _State) -> _State:
        return state._replace(needs=state.needs._replace(by_hand=True)) if self._rests(state) else state

    def _is_upgraded(self, state: _State) -> bool:
        """Whether the controller replaces the pod: it is of another template than its DaemonSet has now."""
        driver = self._settings(state).driver_of(self.labels)
        wanted = self._template(state)
        if driver is None or wanted is None or state.pod is None:
            return False
        return self._is_automatic(state, driver) and state.pod.stamp != wanted.stamp

    def _is_automatic(self, state: _State, driver: Pool) -> bool:
        """Whether the controller upgrades the node: before v26.7 the ClusterPolicy says it for all NVIDIADrivers.

        From then on each has a policy of its own, and one without any is upgraded (upgrade_traces tr-160), which is so
        from the chart's move to the sync.
        """
        between = state.charted and not state.synced and not self.was.by_policy
        return driver.automatic or (between and (self.was.release, self.becomes.release) == ("v26.3.3", "v26.7.0"))

    def _settled(self, state: _State) -> _State:
        """The DaemonSets have done their work: a pod that none wants is gone, and one that is wanted is there."""
        wanted = self._template(state)
        if state.machine is None or wanted is None:
            return state._replace(pod=None)
        if state.pod is not None and state.pod.daemonset == wanted.daemonset:
            return state
        self.asked.setdefault(wanted.image, set()).add(state.needs)
        return state._replace(pod=Pod(wanted.daemonset, wanted.stamp))

    def _settings(self, state: _State) -> Declaration:
        return self.becomes if state.synced else self.was

    def _template(self, state: _State) -> Template | None:
        if state.machine is None:
            return None
        key = (state.synced, state.charted, state.machine)
        if key not in self.templates:
            release = self.becomes.release if state.charted else self.was.release
            self.templates[key] = template(self._settings(state), release, self.labels, state.machine)
        return self.templates[key]


def nodes_of(declaration: Declaration, labels: Labels) -> frozenset[Node]:
    """The nodes that there can be where a declaration has been synced: their pods may be older than their template."""
    found = set()
    for machine in declaration.machines_of(labels):
        wanted = template(declaration, declaration.release, labels, machine)
        if wanted is not None:
            found |= {Node(machine, Pod(wanted.daemonset, stamp)) for stamp in (wanted.stamp, OLDER)}
    return frozenset(found)


def declared_images(declaration: Declaration) -> frozenset[Image]:
    """The images that nodes as declared ask for, those of pools without a node yet too."""
    found = set()
    for pool in declaration.pools:
        for kernel in pool.kernels:
            machine = Machine(pool.system, kernel)
            wanted = template(declaration, declaration.release, pool.selector, machine)
            if wanted is not None:
                found.add(wanted.image)
    return frozenset(found)
