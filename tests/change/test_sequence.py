"""The steps of a plan against a brute force over the same small fleet, whose images are a plain set."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, combinations

import pytest
from msgspec.structs import replace as replace_pool

from generator.change.passage import stock
from generator.change.sequence import MOST_STEPS, Bounds, Move, Named, NotSearched, Steps, bounds_of, sequence
from generator.declared.catalog import Catalog, collect
from generator.declared.fleet import Cluster, Pool
from generator.declared.inventory import load
from generator.facts.release import DriverApi
from tests.testing.judging import revision_of
from tests.testing.pools import CLUSTER, FLEET, HEAD, cluster, fleet, inventory, pool
from tests.testing.soak import sizes

KERNELS = tuple(f"5.14.0-{number}.el9_4.x86_64" for number in ("427.13.1", "427.20.1", "427.31.1", "427.42.1"))
NEXT_KERNELS = ("5.14.0-570.12.1.el9_6.x86_64", "5.14.0-570.17.1.el9_6.x86_64")
SYSTEMS = {"9.4": KERNELS, "9.6": NEXT_KERNELS}
DRIVERS = ("570", "580", "590", "595")
REPOSITORIES = HOME, AWAY = "nvcr.io/nvidia/driver", "registry.example.com/driver"
RELEASES = ("v26.3.3", "v26.7.0")


@dataclass(frozen=True)
class State:
    """A pool as the brute force sees it. `beside` is the old pool while another one stands beside it.

    `asleep` are kernels whose nodes keep an older driver since autoUpgrade is off.
    """

    kernels: frozenset[str]
    driver: str
    system: str = "9.4"
    repository: str = HOME
    release: str = "v26.7.0"
    automatic: bool = True
    asleep: frozenset[str] = frozenset()
    beside: "State | None" = None


@dataclass(frozen=True)
class World:
    """What stays the same: who declares the driver, whether the size is fixed, and what may be passed through."""

    goal: State
    by_policy: bool = False
    fixed_size: bool = False
    bridges: tuple[str, ...] = ()

    @property
    def elsewhere(self) -> bool:
        return self.goal.repository != HOME

    @property
    def moves_house(self) -> bool:
        return self.elsewhere or self.goal.system != "9.4"


# Repository, driver, kernel, and the OS as the release names it.
Images = set[tuple[str, str, str, str]]


def system_in_tags(system: str, release: str) -> str:
    """facts/gpu-operator.md 9: v26.7 drops the minor of RHEL 8 and 9."""
    return "rhel9" if release == "v26.7.0" else f"rhel{system}"


def asked(state: State) -> Images:
    """The images that nodes ask for in a state, of both pools where there are two."""
    system = system_in_tags(state.system, state.release)
    mine = {(state.repository, state.driver, kernel, system) for kernel in state.kernels - state.asleep}
    return mine | (asked(state.beside) if state.beside else set())


ALL: Images = set().union(
    *(
        asked(State(frozenset(kernels), driver, system, repository, release))
        for system, kernels in SYSTEMS.items()
        for driver in DRIVERS
        for repository in REPOSITORIES
        for release in RELEASES
    )
)


@cache
def pair_of(state: State, *, by_policy: bool, fixed_size: bool) -> tuple[Cluster, Pool]:
    api = DriverApi.CLUSTERPOLICY if by_policy else DriverApi.NVIDIADRIVER
    declared = pool(
        "a",
        f"nodes: {4 if fixed_size else '{min: 1, max: 4}'}",
        f'driver: {{repository: {state.repository}, branch: "{state.driver}", '
        f"upgradePolicy: {{autoUpgrade: {str(state.automatic).lower()}}}}}",
        os=f'{{id: rhel, version: "{state.system}"}}',
        kernels=f"[{', '.join(sorted(state.kernels))}]",
    )
    operator = f"version: {state.release}, driverApi: {api}"
    revision, problems = revision_of({FLEET: fleet(operator), CLUSTER: cluster(declared)})
    assert [str(problem) for problem in problems] == []
    (declaring,) = revision.fleet.clusters
    return declaring, declaring.pools[0]


def catalog_of(images: Images) -> Catalog:
    files = {}
    for number, repository in enumerate(REPOSITORIES):
        tags = sorted(f"{driver}-{kernel}-{system}" for where, driver, kernel, system in images if where == repository)
        rows = "".join(f'  - {{tag: "{tag}", platforms: [linux/amd64]}}\n' for tag in tags)
        listed = f"{HEAD}kind: ImageCatalog\nrepository: {repository}\nimages: {'' if rows else '[]'}\n{rows}"
        files[f"inventory/images-{number}.yaml"] = listed.encode()
    return collect(load(files).catalogs)


def searched(start: State, world: World, images: Images) -> Steps | NotSearched:
    catalog = catalog_of(images)
    drivers = tuple(
        pair_of(State(frozenset(KERNELS[:1]), driver), by_policy=False, fixed_size=False)[1].driver
        for driver in DRIVERS
    )
    bounds = Bounds(kernels=world.bridges, drivers=drivers)
    both = stock(catalog, catalog)
    ends = [pair_of(state, by_policy=world.by_policy, fixed_size=world.fixed_size) for state in (start, world.goal)]
    return sequence(ends[0], ends[1], both, bounds, lambda _cluster, _pool: True)


def parts(values: frozenset[str]) -> Iterator[frozenset[str]]:
    ordered = sorted(values)
    listed = chain.from_iterable(combinations(ordered, size) for size in range(1, len(ordered) + 1))
    return map(frozenset, listed)


def neighbours(state: State, world: World, means: str) -> Iterator[tuple[State, int]]:
    """What one pull request makes of a state, and how often it drains the pool's nodes."""
    goal = world.goal
    if state.beside:
        yield replace(state, beside=None), 0
        return
    at_home = (state.system, state.repository) == ("9.4", HOME)
    if at_home:
        joining = frozenset(world.bridges) | (goal.kernels if goal.system == "9.4" else frozenset())
        for more in parts(joining - state.kernels):
            yield replace(state, kernels=state.kernels | more), 0
        for leaving in parts(state.kernels):
            if leaving != state.kernels:
                left = state.kernels - leaving
                yield replace(state, kernels=left, asleep=state.asleep - leaving), 1
    if at_home or not world.elsewhere:
        for driver in DRIVERS:
            if driver != state.driver:
                asleep = frozenset() if state.automatic else state.kernels
                yield replace(state, driver=driver, asleep=asleep), int(state.automatic)
    if state.release != goal.release and state.automatic:
        yield replace(state, release=goal.release), 1
    if at_home and state.automatic and (world.moves_house or means == "beside"):
        moved = replace(goal, release=state.release, driver=state.driver if world.by_policy else goal.driver)
        yield replace(moved, beside=state), 1
    if at_home and means == "paused" and world.fixed_size:
        drains = int(not state.automatic and bool(state.asleep))
        yield replace(state, automatic=not state.automatic, asleep=frozenset()), drains


def is_goal(state: State, world: World) -> bool:
    return replace(state, asleep=frozenset()) == world.goal


def cheapest(start: State, world: World, images: Images) -> tuple[int, int] | None:
    """The fewest drains, then the fewest steps, by trying layer after layer; None where no way leads there.

    A pool beside the old one comes into question where nothing else leads there, a pause where that doesn't either. A
    state is fit where its driver is built for each kernel. Nodes move between two states one by one, and one thing
    moves at a time: what they ask for on the way is what either state declares.
    """
    if world.elsewhere and world.by_policy:
        return None
    for means in ("in place", "beside", "paused"):
        reached: set[tuple[int, int]] = set()
        layer = {start: {0}}
        for step in range(1, MOST_STEPS + 1):
            following: dict[State, set[int]] = {}
            for state, costs in layer.items():
                for other, drains in neighbours(state, world, means):
                    if asked(other) <= images:
                        following.setdefault(other, set()).add(min(costs) + drains)
            reached |= {(min(costs), step) for state, costs in following.items() if is_goal(state, world)}
            layer = following
        if reached:
            return min(reached)
    return None


def drawn(chance: random.Random) -> tuple[State, World, Images]:
    """A small fleet: a pool, what it shall become, and which images there are."""
    by_policy, release = chance.random() < 0.6, chance.choice((*RELEASES, "v26.7.0"))
    start = State(frozenset(chance.sample(KERNELS, chance.choice((1, 2)))), chance.choice(DRIVERS), release=release)
    system = "9.6" if chance.random() < 0.25 else "9.4"
    goal = State(
        frozenset(chance.sample(SYSTEMS[system], chance.choice((1, 2)))),
        chance.choice(DRIVERS),
        system=system,
        repository=chance.choice((*[HOME] * 4, AWAY)),
        release="v26.7.0",
    )
    bridges = tuple(chance.sample(KERNELS, chance.choice((0, 1))))
    world = World(goal, by_policy=by_policy, fixed_size=chance.random() < 0.7, bridges=bridges)
    share = chance.choice((0.1, 0.6))
    images = {image for image in sorted(ALL) if chance.random() < share} | asked(start)
    if chance.random() < 0.8:  # else there is seldom any way
        images |= asked(goal)
    return start, world, images


@pytest.mark.parametrize("fleets", sizes(500, soak=5_000))
def test_a_brute_force_finds_no_shorter_way_and_no_other_dead_end(fleets: int) -> None:
    chance = random.Random(20261201)
    seen: dict[Move, int] = dict.fromkeys(Move, 0)
    for _ in range(fleets):
        start, world, images = drawn(chance)
        if start == world.goal:
            continue
        expected = cheapest(start, world, images)
        steps = searched(start, world, images)
        if expected is None:
            assert isinstance(steps, NotSearched) or steps.missing, (start, world, sorted(images))
            continue
        assert isinstance(steps, Steps), (start, world, sorted(images))
        assert steps.missing == ()
        assert walked(steps, start, world, images) == expected, (start, world, sorted(images))
        for step in steps.steps:
            seen[step.move] += 1
    assert min(seen.values()) > fleets // 100, seen


def walked(steps: Steps, start: State, world: World, images: Images) -> tuple[int, int]:
    """How often nodes are drained, and the steps. Each is a pull request that the brute force knows, and is fit."""
    at, drained = start, 0
    for step in steps.steps:
        known = [
            (state, drains)
            for means in ("beside", "paused")
            for state, drains in neighbours(at, world, means)
            if is_declared(step.becomes, state) and bool(state.beside) is (step.move is Move.BESIDE)
        ]
        assert known, (step, at)
        at, drains = known[0]
        drained += drains
        assert asked(at) <= images
    assert is_goal(at, world)
    return drained, len(steps.steps)


def is_declared(becomes: tuple[Cluster, Pool], state: State) -> bool:
    cluster, declared = becomes
    assert declared.os is not None
    return (
        frozenset(kernel.name for kernel in declared.kernels),
        declared.driver.version,
        declared.driver.repository,
        declared.driver.upgrade_policy["autoUpgrade"],
        declared.os.version,
        cluster.operator.release.version,
    ) == (state.kernels, state.driver, state.repository, state.automatic, state.system, state.release)


K1, K2 = KERNELS[1], KERNELS[3]
OLD, NEW = State(frozenset({K1}), "580"), State(frozenset({K2}), "595")


def images_of(*listed: tuple[str, str]) -> Images:
    """Images of the first repository, by driver and kernel, as release v26.7.0 asks for them."""
    return {(HOME, driver, kernel, "rhel9") for driver, kernel in listed}


def words(steps: Steps | NotSearched) -> list[tuple[str, tuple[str, ...]]]:
    assert isinstance(steps, Steps)
    return [(str(step.move), step.values) for step in steps.steps]


def test_the_kernel_goes_first_where_both_ways_are_open() -> None:
    steps = searched(OLD, World(NEW), ALL)
    assert words(steps) == [("join", (K2,)), ("leave", (K1,)), ("driver", ("580", "595"))]


def test_the_driver_goes_first_where_the_old_one_is_not_built_for_the_new_kernel() -> None:
    images = images_of(("580", K1), ("595", K1), ("595", K2))
    steps = searched(OLD, World(NEW), images)
    assert words(steps) == [("driver", ("580", "595")), ("join", (K2,)), ("leave", (K1,))]


def test_a_kernel_of_the_pools_own_list_is_a_bridge() -> None:
    middle = KERNELS[2]
    images = images_of(("580", K1), ("580", middle), ("595", middle), ("595", K2))
    moves = [move for move, _ in words(searched(OLD, World(NEW, bridges=(middle,)), images))]
    assert moves == ["join", "leave", "driver", "join", "leave"]


ENDS_ONLY = images_of(("580", K1), ("595", K2))


def test_a_pool_beside_the_old_one_needs_no_image_between() -> None:
    steps = searched(OLD, World(NEW), ENDS_ONLY)
    assert words(steps) == [("beside", ("rhel9.4", K2, "595")), ("remove", ("a",))]


def test_a_cluster_policy_has_one_driver_so_that_autoupgrade_is_paused_while_nodes_are_replaced() -> None:
    steps = searched(OLD, World(NEW, by_policy=True, fixed_size=True), ENDS_ONLY)
    assert words(steps) == [
        ("pause", ()), ("driver", ("580", "595")), ("join", (K2,)), ("leave", (K1,)), ("resume", ()),
    ]  # fmt: skip


def test_where_nodes_may_be_added_a_pause_helps_nobody_and_the_fewest_images_are_named() -> None:
    steps = searched(OLD, World(NEW, by_policy=True), ENDS_ONLY)
    assert isinstance(steps, Steps)
    (missing,) = steps.missing
    assert missing in {
        f"nvcr.io/nvidia/driver:580-{K2}-rhel9 for linux/amd64",
        f"nvcr.io/nvidia/driver:595-{K1}-rhel9 for linux/amd64",
    }


def test_another_os_is_a_pool_beside_the_old_one_under_a_cluster_policy_too() -> None:
    kernel = NEXT_KERNELS[0]
    goal = State(frozenset({kernel}), "595", system="9.6")
    images = images_of(("580", K1), ("580", kernel), ("595", kernel))
    steps = searched(OLD, World(goal, by_policy=True), images)
    assert words(steps) == [
        ("beside", ("rhel9.6", kernel, "580")), ("remove", ("a",)), ("driver", ("580", "595")),
    ]  # fmt: skip


def test_one_cluster_policy_has_one_repository() -> None:
    goal = replace(OLD, repository=AWAY)
    assert words(searched(OLD, World(goal), ALL)) == [("beside", ("rhel9.4", K1, "580")), ("remove", ("a",))]
    steps = searched(OLD, World(goal, by_policy=True), ALL)
    assert isinstance(steps, NotSearched)
    assert steps.why == "one ClusterPolicy gives all nodes their driver's mode and repository: they move at once"


def test_bounds_are_what_the_repository_names() -> None:
    revision, _ = revision_of(
        inventory(
            pool("a", "upcomingKernels: [5.15.0-177-generic]"),
            pool("b", 'driver: {branch: "595"}'),
            pool("c", "driver: {repository: registry.example.com/driver, branch: '590'}"),
        )
    )
    (cluster,) = revision.fleet.clusters
    (first, *_) = cluster.pools
    bounds = bounds_of(first, first, cluster.pools, Named(drivers=("570",)))
    assert bounds.kernels == ("5.15.0-173-generic", "5.15.0-177-generic")
    assert [driver.version for driver in bounds.drivers] == ["580", "595", "570"]


def test_more_values_than_anybody_would_follow_are_not_searched() -> None:
    many = tuple(f"5.14.0-{number}.el9_4.x86_64" for number in range(500, 510))
    assert isinstance(searched(OLD, World(NEW, bridges=many), ALL), NotSearched)


def test_an_empty_catalog_names_what_to_build() -> None:
    catalog = collect([])
    both = stock(catalog, catalog)
    ends = [pair_of(state, by_policy=False, fixed_size=False) for state in (OLD, NEW)]
    steps = sequence(ends[0], ends[1], both, Bounds(), lambda _cluster, _pool: True)
    assert isinstance(steps, Steps)
    assert len(steps.missing) == 2


def test_the_newest_kernels_of_a_node_image_may_be_passed_through_as_many_as_are_searched() -> None:
    revision, _ = revision_of(inventory(pool("a")))
    (cluster,) = revision.fleet.clusters
    declared = replace_pool(cluster.pools[0], node_image="aws")
    listed = tuple(f"6.8.0-{number}-aws+x" for number in range(1, 21))
    bounds = bounds_of(declared, declared, (declared,), Named(kernels={"aws": listed}))
    assert bounds.kernels == ("5.15.0-173-generic", *(f"6.8.0-{number}-aws_x" for number in range(20, 13, -1)))
    assert bounds.written["6.8.0-20-aws_x"] == "6.8.0-20-aws+x"
