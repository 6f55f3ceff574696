"""The shortest sequence of pull requests from one state of a pool to another in which no node loses its image."""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from heapq import heappop, heappush
from itertools import combinations as combinations_of
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from generator.change.passage import Kind, Stock, Way
from generator.declared.fleet import Cluster, Driver, Kernel, Mode, Pool
from generator.facts.kernel import order_key
from generator.operator.combination import Combination, combinations
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


class Step(Struct, frozen=True, kw_only=True):
    """One pull request. `values` are the kernels, or what the driver or the release was and becomes."""

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
    """Where a pool stands: running kernels, driver and release."""

    kernels: frozenset[str]
    driver: str
    release: str


class Bounds(Struct, frozen=True, kw_only=True):
    """The values that may be passed through: kernels of the pool's own list, and drivers that the repository names."""

    kernels: tuple[str, ...] = ()
    drivers: tuple[Driver, ...] = ()


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
    (_, was), (_, becomes) = before, after
    if was.os != becomes.os:
        return "a new system is safest as a pool beside the old one: declare it, move the work, remove the old pool"
    if was.driver.mode is not becomes.driver.mode or was.driver.repository != becomes.driver.repository:
        return "mode and repository move by a pool beside the old one"
    values = {kernel.name for pool in (was, becomes) for kernel in pool.kernels} | {*bounds.kernels}
    if len(values) > MOST_VALUES or len(bounds.drivers) > MOST_VALUES:
        return f"more than {MOST_VALUES} kernels or drivers could be passed through"
    return ""


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
        self.clusters = {cluster.operator.release.version: cluster for cluster in (was, becomes)}
        self.drivers = {driver.version: driver for driver in (*bounds.drivers, old.driver, new.driver)}
        self.pool = old
        self.start = _State(_running(old), old.driver.version, was.operator.release.version)
        # A pool that is asked about with upcoming kernels is rolled to those alone.
        wanted = frozenset(kernel.name for kernel in new.kernels)
        self.goal = _State(wanted, new.driver.version, becomes.operator.release.version)
        self.written = {kernel.name: kernel.written for pool in (old, new) for kernel in pool.kernels}
        # What several ways lead through is worked out once.
        self.unbuilt: dict[_State, frozenset[str]] = {}
        self.passed: dict[tuple[_State, _State], frozenset[str]] = {}
        self.pools: dict[_State, tuple[Cluster, Pool]] = {}
        # What is not built as things stand is no hindrance that a step brings.
        self.standing = self.declared(self.start)
        self.bridges = frozenset(bounds.kernels) - self.start.kernels - wanted

    def shortest(self) -> Steps | NotSearched:
        """A way of images that are built; where there is none, the one that needs the fewest others."""
        return self.searched(building=False) or self.searched(building=True) or NotSearched(NO_WAY)

    def searched(self, *, building: bool) -> Steps | NotSearched | None:
        """The cheapest way; None where there is none. Only with `building` may images be missing."""
        tie = count()
        frontier: list[tuple[tuple[int, int, int, int], int, _State, frozenset[str], tuple[Step, ...]]] = []
        heappush(frontier, ((0, 0, 0, 0), next(tie), self.start, frozenset(), ()))
        settled: set[tuple[_State, frozenset[str]]] = set()
        while frontier:
            (_, drained, _, early), _, state, missing, steps = heappop(frontier)
            if state == self.goal:
                return Steps(steps=steps, missing=tuple(sorted(missing)))
            if (state, missing) in settled or len(steps) == MOST_STEPS:
                continue
            settled.add((state, missing))
            if len(settled) > MOST_STATES:
                return NotSearched(f"more than {MOST_STATES:,} states could be passed through")
            for move, values, following in self.moves(state):
                if not building and self.declared(following) - self.standing:
                    continue
                lacks = missing | self.lacking(move, state, following)
                if lacks and not building:
                    continue
                # Of two ways of one length the one that rolls kernels first: its nodes load the old driver once more.
                late = early + (len(steps) if move in {Move.JOIN, Move.LEAVE} else 0)
                cost = (len(lacks), drained + (move is not Move.JOIN), len(steps) + 1, late)
                step = Step(move=move, values=values, becomes=self.at(following))
                heappush(frontier, (cost, next(tie), following, lacks, (*steps, step)))
        return None

    def moves(self, state: _State) -> Iterator[tuple[Move, tuple[str, ...], _State]]:
        """The pull requests that may come next, with what they change."""
        for joining in _subsets((self.goal.kernels | self.bridges) - state.kernels):
            yield Move.JOIN, self.named(joining), replace(state, kernels=state.kernels | joining)
        for leaving in _subsets(state.kernels):
            if leaving != state.kernels:
                yield Move.LEAVE, self.named(leaving), replace(state, kernels=state.kernels - leaving)
        for version in sorted(self.drivers):
            if version != state.driver and self.may_load(*self.at(replace(state, driver=version))):
                yield Move.DRIVER, (state.driver, version), replace(state, driver=version)
        if state.release != self.goal.release:
            values = (state.release, self.goal.release)
            yield Move.RELEASE, values, replace(state, release=self.goal.release)

    def named(self, kernels: frozenset[str]) -> tuple[str, ...]:
        """Kernels as they are written in the inventory, oldest first."""
        return tuple(self.written.get(kernel, kernel) for kernel in sorted(kernels, key=order_key))

    def at(self, state: _State) -> tuple[Cluster, Pool]:
        """The pool as this state declares it."""
        if state not in self.pools:
            self.pools[state] = self.made(state)
        return self.pools[state]

    def made(self, state: _State) -> tuple[Cluster, Pool]:
        kernels = tuple(
            Kernel(name, self.written.get(name, name), upcoming=False, file=self.pool.file, path=self.pool.path)
            for name in sorted(state.kernels, key=order_key)
        )
        return self.clusters[state.release], replace(self.pool, kernels=kernels, driver=self.drivers[state.driver])

    def lacking(self, move: Move, state: _State, following: _State) -> frozenset[str]:
        """The images that are not built, of the state that follows and of those on the way to it."""
        if move in {Move.JOIN, Move.LEAVE}:  # no driver moves: there is no state between
            return self.declared(following) - self.standing
        if (state, following) not in self.passed:
            way = Way(self.at(state), self.at(following), self.images, Kind.FOLLOWED)
            self.passed[state, following] = frozenset(_image(station.combination) for station in way.missing())
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
            if isinstance(combination.reference, Refused) or not self.images.becomes.look_up(combination).usable
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


def bounds_of(pool: Pool, pools: Sequence[Pool], via: Sequence[str] = ()) -> Bounds:
    """What the repository names: the pool's own kernels, and drivers of pools with the same repository and mode."""
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
    for version in via:
        versions.setdefault(version, replace(pool.driver, version=version, is_branch=version.isdigit()))
    return Bounds(kernels=tuple(kernel.name for kernel in pool.kernels), drivers=tuple(versions.values()))
