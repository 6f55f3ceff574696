"""The shortest sequence of pull requests from one state of a pool to another in which no node loses its image."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum, StrEnum
from heapq import heappop, heappush
from itertools import combinations as combinations_of
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from generator.change.nodes import one_size
from generator.change.passage import Kind, Stock, Way
from generator.declared.fleet import Cluster, Driver, Kernel, Mode, Pool
from generator.facts.kernel import label_form, order_key
from generator.facts.release import DriverApi
from generator.operator.combination import Combination, combinations
from generator.operator.driver import automatic, carries_upgrade_policy
from generator.operator.image import Refused

# More values of a pool, or more pull requests, than anybody would follow by hand.
MOST_VALUES = 8
MOST_STEPS = 6
MOST_STATES = 5_000
NO_WAY = f"no way of at most {MOST_STEPS} steps leads there"


class Move(StrEnum):
    """What one pull request changes."""

    JOIN = "join"  # kernels that nodes may boot from now on
    LEAVE = "leave"  # kernels that no node runs or boots any more
    DRIVER = "driver"
    RELEASE = "release"
    BESIDE = "beside"  # a pool with all that is wanted beside the old one, for nodes that move there
    REMOVE = "remove"  # the old pool, once it is empty
    PAUSE = "pause"  # autoUpgrade off: nodes keep the driver that they have until they are replaced
    RESUME = "resume"


class Place(Enum):
    """Which pool declares the nodes."""

    OLD = "the pool as it is"
    BOTH = "a pool beside it as well"
    NEW = "that pool alone"


class Means(Enum):
    """What a way may make use of, the next only where those before find none."""

    IN_PLACE = "one pool, all the way"
    BESIDE = "a pool beside it"
    PAUSED = "a pause of autoUpgrade: a node that boots its old kernel meanwhile has no driver"


class Step(Struct, frozen=True, kw_only=True):
    """One pull request. `values` are the kernels, or what the driver or the release was and becomes.

    For a pool beside the old one they are its system, its kernels and its driver; what a pause loads later is none.
    """

    move: Move
    values: tuple[str, ...]
    becomes: tuple[Cluster, Pool]


class Steps(Struct, frozen=True, kw_only=True):
    """Steps in their order; `missing` are the images without which there is no way, each with its platform."""

    steps: tuple[Step, ...]
    missing: tuple[str, ...] = ()


class NotSearched(Struct, frozen=True):
    """Why no sequence was looked for."""

    why: str


class _State(Struct, frozen=True):
    """Where the nodes stand: running kernels, driver, release, and the pool that declares them.

    `asleep` are kernels whose nodes still have the driver loaded that was declared before a pause.
    """

    kernels: frozenset[str]
    driver: str
    release: str
    place: Place = Place.OLD
    paused: bool = False
    asleep: frozenset[str] = frozenset()


class Bounds(Struct, frozen=True, kw_only=True):
    """The values that may be passed through: kernels of the pool's list or node image, and drivers that are named.

    `written` are the kernels as the inventory writes them, by their label form.
    """

    kernels: tuple[str, ...] = ()
    drivers: tuple[Driver, ...] = ()
    written: Mapping[str, str] = {}


def sequence(
    before: tuple[Cluster, Pool],
    after: tuple[Cluster, Pool],
    images: Stock,
    bounds: Bounds,
    may_load: Callable[[Cluster, Pool], bool],
) -> Steps | NotSearched:
    """The way with the fewest images to build, then the fewest nodes drained, then the fewest steps.

    `may_load` says whether a pool's GPUs and workloads bear the driver that it has then.
    """
    if why := _unsearched(before, after, bounds):
        return NotSearched(why)
    return _Search(before, after, images, bounds, may_load).shortest()


def _unsearched(before: tuple[Cluster, Pool], after: tuple[Cluster, Pool], bounds: Bounds) -> str:
    (cluster, was), (_, becomes) = before, after
    if _is_elsewhere(was, becomes) and cluster.operator.driver_api is DriverApi.CLUSTERPOLICY:
        return "one ClusterPolicy gives all nodes their driver's mode and repository: they move at once"
    values = {kernel.name for pool in (was, becomes) for kernel in pool.kernels} | {*bounds.kernels}
    if len(values) > MOST_VALUES or len(bounds.drivers) > MOST_VALUES:
        return f"more than {MOST_VALUES} kernels or drivers could be passed through"
    return ""


def _is_elsewhere(was: Pool, becomes: Pool) -> bool:
    """Whether the driver comes in another way, or from another repository."""
    return was.driver.mode is not becomes.driver.mode or was.driver.repository != becomes.driver.repository


class _Search:
    """Dijkstra over the states of one pool."""

    def __init__(
        self,
        before: tuple[Cluster, Pool],
        after: tuple[Cluster, Pool],
        images: Stock,
        bounds: Bounds,
        may_load: Callable[[Cluster, Pool], bool],
    ) -> None:
        self.images, self.may_load = images, may_load
        (was, old), (becomes, new) = before, after
        self.by_policy = was.operator.driver_api is DriverApi.CLUSTERPOLICY
        self.elsewhere = _is_elsewhere(old, new)
        # An OS, a mode or a repository moves with nodes that move: no image of a state between is asked for then.
        self.needs_beside = self.elsewhere or old.os != new.os
        alone = len(was.managed_pools) == 1 or not carries_upgrade_policy(was)
        self.can_pause = automatic(*before) and one_size(old, old) and alone
        self.clusters = {cluster.operator.release.version: cluster for cluster in (was, becomes)}
        self.drivers = {driver.version: driver for driver in (*bounds.drivers, old.driver)}
        if not self.elsewhere:
            self.drivers[new.driver.version] = new.driver
        self.pool, self.new_pool = old, new
        self.start = _State(_running(old), old.driver.version, was.operator.release.version)
        # A pool that is asked about with upcoming kernels is rolled to those alone.
        wanted = frozenset(kernel.name for kernel in new.kernels)
        self.goal = _State(wanted, new.driver.version, becomes.operator.release.version)
        self.written = dict(bounds.written) | {
            kernel.name: kernel.written for pool in (old, new) for kernel in pool.kernels
        }
        # What several ways lead through is worked out once.
        self.unbuilt: dict[_State, frozenset[str]] = {}
        self.passed: dict[tuple[_State, _State], frozenset[str]] = {}
        self.pools: dict[_State, tuple[Cluster, Pool]] = {}
        # What is not built as things stand is no hindrance that a step brings.
        self.standing = self.declared(self.start)
        self.bridges = frozenset(bounds.kernels) - self.start.kernels - wanted

    def shortest(self) -> Steps | NotSearched:
        """A way of images that are built; where there is none, the one that needs the fewest others."""
        for means in Means:
            found = self.searched(means, building=False)
            if found is not None:
                return found
        means = Means.BESIDE if self.needs_beside else Means.IN_PLACE
        return self.searched(means, building=True) or NotSearched(NO_WAY)

    def searched(self, means: Means, *, building: bool) -> Steps | NotSearched | None:
        """The cheapest way; None where there is none. Only with `building` may images be missing."""
        tie = count()
        frontier: list[tuple[tuple[int, int, int, int], int, _State, frozenset[str], tuple[Step, ...]]] = []
        heappush(frontier, ((0, 0, 0, 0), next(tie), self.start, frozenset(), ()))
        settled: set[tuple[_State, frozenset[str]]] = set()
        while frontier:
            (_, drained, _, early), _, state, missing, steps = heappop(frontier)
            if self.is_goal(state):
                return Steps(steps=steps, missing=tuple(sorted(missing)))
            if (state, missing) in settled or len(steps) == MOST_STEPS:
                continue
            settled.add((state, missing))
            if len(settled) > MOST_STATES:
                return NotSearched(f"more than {MOST_STATES:,} states could be passed through")
            for move, values, following in self.moves(state, means):
                if not building and self.declared(following) - self.standing:
                    continue
                lacks = missing | self.lacking(move, state, following)
                if lacks and not building:
                    continue
                # Of two ways of one length the one that rolls kernels first: its nodes load the old driver once more.
                late = early + (len(steps) if move in {Move.JOIN, Move.LEAVE} else 0)
                cost = (len(lacks), drained + self.drains(move, state), len(steps) + 1, late)
                step = Step(move=move, values=values, becomes=self.at(following))
                heappush(frontier, (cost, next(tie), following, lacks, (*steps, step)))
        return None

    def is_goal(self, state: _State) -> bool:
        """Whether all that is wanted is declared, and loaded by itself."""
        if state.place is Place.BOTH or state.paused or (self.needs_beside and state.place is Place.OLD):
            return False
        return (state.kernels, state.driver, state.release) == (self.goal.kernels, self.goal.driver, self.goal.release)

    def drains(self, move: Move, state: _State) -> bool:
        """Whether nodes are drained for it."""
        match move:
            case Move.DRIVER:
                return not state.paused
            case Move.RESUME:
                return bool(state.asleep)
            case Move.LEAVE | Move.RELEASE | Move.BESIDE:
                return True
            case Move.JOIN | Move.REMOVE | Move.PAUSE:
                return False

    def moves(self, state: _State, means: Means) -> Iterator[tuple[Move, tuple[str, ...], _State]]:
        """The pull requests that may come next, with what they change."""
        if state.place is Place.BOTH:
            yield Move.REMOVE, (self.pool.name,), replace(state, place=Place.NEW)
            return
        if state.place is Place.OLD:
            yield from self.rolls(state)
        # In another mode or repository a version says something else: it comes with the pool.
        if not (self.elsewhere and state.place is Place.NEW):
            yield from self.loads(state)
        if state.release != self.goal.release and not state.paused:
            values = (state.release, self.goal.release)
            yield Move.RELEASE, values, replace(state, release=self.goal.release)
        if state.place is Place.OLD and not state.paused and (self.needs_beside or means is Means.BESIDE):
            yield from self.beside(state)
        if means is Means.PAUSED and self.can_pause and state.place is Place.OLD:
            following = replace(state, paused=not state.paused, asleep=frozenset())
            yield Move.RESUME if state.paused else Move.PAUSE, (), following

    def rolls(self, state: _State) -> Iterator[tuple[Move, tuple[str, ...], _State]]:
        """Kernels that join and leave the pool as it is."""
        wanted = frozenset() if self.pool.os != self.new_pool.os else self.goal.kernels
        for joining in _subsets((wanted | self.bridges) - state.kernels):
            yield Move.JOIN, self.named(joining), replace(state, kernels=state.kernels | joining)
        for leaving in _subsets(state.kernels):
            if leaving != state.kernels:
                following = replace(state, kernels=state.kernels - leaving, asleep=state.asleep - leaving)
                yield Move.LEAVE, self.named(leaving), following

    def loads(self, state: _State) -> Iterator[tuple[Move, tuple[str, ...], _State]]:
        """Other drivers for the pool that declares the nodes."""
        for version in sorted(self.drivers):
            if version == state.driver:
                continue
            asleep = state.kernels if state.paused else frozenset()
            following = replace(state, driver=version, asleep=asleep)
            if self.may_load(*self.at(following)):
                yield Move.DRIVER, (state.driver, version), following

    def beside(self, state: _State) -> Iterator[tuple[Move, tuple[str, ...], _State]]:
        """A pool with all that is wanted; a ClusterPolicy gives it the driver that all pools have."""
        driver = state.driver if self.by_policy else self.goal.driver
        following = replace(state, kernels=self.goal.kernels, driver=driver, place=Place.BOTH)
        if self.may_load(*self.at(following)):
            values = (str(self.new_pool.os or ""), *self.named(self.goal.kernels), driver)
            yield Move.BESIDE, tuple(value for value in values if value), following

    def named(self, kernels: frozenset[str]) -> tuple[str, ...]:
        """Kernels as they are written in the inventory, oldest first."""
        return tuple(self.written.get(kernel, kernel) for kernel in sorted(kernels, key=order_key))

    def at(self, state: _State) -> tuple[Cluster, Pool]:
        """The pool as this state declares it."""
        if state not in self.pools:
            self.pools[state] = self.made(state)
        return self.pools[state]

    def made(self, state: _State) -> tuple[Cluster, Pool]:
        pool = self.pool if state.place is Place.OLD else self.new_pool
        kernels = tuple(
            Kernel(name, self.written.get(name, name), upcoming=False, file=self.pool.file, path=self.pool.path)
            for name in sorted(state.kernels, key=order_key)
        )
        moved = self.elsewhere and state.place is not Place.OLD
        driver = self.new_pool.driver if moved else self.drivers[state.driver]
        if state.paused:
            driver = replace(driver, upgrade_policy={**driver.upgrade_policy, "autoUpgrade": False})
        return self.clusters[state.release], replace(pool, kernels=kernels, driver=driver)

    def lacking(self, move: Move, state: _State, following: _State) -> frozenset[str]:
        """The images that are not built, of the state that follows and of those on the way to it."""
        if move not in {Move.DRIVER, Move.RELEASE}:  # nodes of one pool load the same: there is no state between
            return self.declared(following) - self.standing
        if (state, following) not in self.passed:
            way = Way(self.at(state), self.at(following), self.images, Kind.FOLLOWED)
            asked = (station for station in way.missing() if station.severe or not state.paused)
            self.passed[state, following] = frozenset(_image(station.combination) for station in asked)
        return (self.declared(following) | self.passed[state, following]) - self.standing

    def declared(self, state: _State) -> frozenset[str]:
        """The images of a state that are not built."""
        if state not in self.unbuilt:
            self.unbuilt[state] = self.looked_up(state)
        return self.unbuilt[state]

    def looked_up(self, state: _State) -> frozenset[str]:
        return frozenset(
            _image(combination)
            for combination in combinations(*self.at(state))
            if (combination.kernel is None or combination.kernel.name not in state.asleep)
            and (isinstance(combination.reference, Refused) or not self.images.becomes.look_up(combination).usable)
        )


def _image(combination: Combination) -> str:
    """An image with its platform, or why the operator composes none."""
    if isinstance(combination.reference, Refused):
        return f"{combination.reference.message} for {combination.platform}"
    return f"{combination.repository}:{combination.tag} for {combination.platform}"


def _subsets(kernels: frozenset[str]) -> Iterator[frozenset[str]]:
    """Every part but the empty one, small ones first."""
    ordered = sorted(kernels)
    for size in range(1, len(ordered) + 1):
        yield from map(frozenset, combinations_of(ordered, size))


def _running(pool: Pool) -> frozenset[str]:
    return frozenset(kernel.name for kernel in pool.kernels if not kernel.upcoming)


class Named(Struct, frozen=True, kw_only=True):
    """What the repository names beside its pools: drivers of profiles and of the command line, and node images.

    `kernels` are those of each node image as they are written, in the order of its releases.
    """

    drivers: tuple[str, ...] = ()
    kernels: Mapping[str, tuple[str, ...]] = {}


def bounds_of(pool: Pool, wanted: Pool, pools: Sequence[Pool], named: Named) -> Bounds:
    """What may be passed through between two declarations of a pool.

    That are its own kernels and the newest ones of its node image, as many as are searched; the drivers of pools with
    the same repository and mode, and those that are named.
    """
    if pool.driver.mode is not Mode.PRECOMPILED:
        return Bounds()
    alike = [
        other.driver
        for other in pools
        if (other.driver.repository, other.driver.mode) == (pool.driver.repository, pool.driver.mode)
    ]
    versions = {
        driver.version: replace(pool.driver, version=driver.version, is_branch=driver.is_branch) for driver in alike
    }
    for version in named.drivers:
        versions.setdefault(version, replace(pool.driver, version=version, is_branch=version.isdigit()))
    kernels = {kernel.name: kernel.written for kernel in pool.kernels}
    ends = kernels.keys() | {kernel.name for kernel in wanted.kernels}
    for written in reversed(named.kernels.get(pool.node_image, ())):
        name = label_form(written)
        if name in ends:
            kernels.setdefault(name, written)
        elif len(kernels.keys() | ends) < MOST_VALUES:
            kernels[name] = written
    return Bounds(kernels=tuple(kernels), drivers=tuple(versions.values()), written=kernels)
