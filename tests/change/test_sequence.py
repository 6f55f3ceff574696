"""The steps of a plan against a brute force over the same small fleet, whose images are a plain set."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import chain, combinations

import pytest

from generator.change.passage import stock
from generator.change.sequence import MOST_STEPS, Bounds, Move, NotSearched, Steps, bounds_of, sequence
from generator.declared.catalog import Catalog, collect
from generator.declared.fleet import Cluster, Pool
from generator.declared.inventory import load
from tests.testing.judging import revision_of
from tests.testing.pools import HEAD, inventory, pool
from tests.testing.soak import sizes

KERNELS = tuple(f"5.15.0-{number}-generic" for number in (171, 173, 177, 185))
DRIVERS = ("570", "580", "590", "595")
ALL = {(driver, kernel) for driver in DRIVERS for kernel in KERNELS}
State = tuple[frozenset[str], str]
Images = set[tuple[str, str]]


@cache
def state_of(kernels: frozenset[str], driver: str) -> tuple[Cluster, Pool]:
    declared = pool("a", "nodes: 4", f'driver: {{branch: "{driver}"}}', kernels=f"[{', '.join(sorted(kernels))}]")
    revision, problems = revision_of(inventory(declared))
    assert [str(problem) for problem in problems] == []
    (cluster,) = revision.fleet.clusters
    return cluster, cluster.pools[0]


def catalog_of(images: Images) -> Catalog:
    rows = "".join(
        f'  - {{tag: "{branch}-{kernel}-ubuntu22.04", platforms: [linux/amd64]}}\n' for branch, kernel in sorted(images)
    )
    listed = f"{HEAD}kind: ImageCatalog\nrepository: nvcr.io/nvidia/driver\nimages: {'' if rows else '[]'}\n{rows}"
    inventory_of_images = load({"inventory/images.yaml": listed.encode()})
    return collect(inventory_of_images.catalogs)


def searched(start: State, goal: State, images: Images, bridges: tuple[str, ...] = ()) -> Steps | NotSearched:
    catalog = catalog_of(images)
    drivers = tuple(state_of(frozenset(KERNELS[:1]), driver)[1].driver for driver in DRIVERS)
    bounds = Bounds(kernels=bridges, drivers=drivers)
    both = stock(catalog, catalog)
    return sequence(state_of(*start), state_of(*goal), both, bounds, lambda _cluster, _pool: True)


def parts(values: frozenset[str]) -> Iterator[frozenset[str]]:
    ordered = sorted(values)
    listed = chain.from_iterable(combinations(ordered, size) for size in range(1, len(ordered) + 1))
    return map(frozenset, listed)


def neighbours(state: State, allowed: frozenset[str]) -> Iterator[tuple[State, int]]:
    """What one pull request makes of a state, and how often it drains the pool's nodes."""
    kernels, driver = state
    for joining in parts(allowed - kernels):
        yield (kernels | joining, driver), 0
    for leaving in parts(kernels):
        if leaving != kernels:
            yield (kernels - leaving, driver), 1
    for other in DRIVERS:
        if other != driver:
            yield (kernels, other), 1


def cheapest(start: State, goal: State, images: Images, bridges: tuple[str, ...]) -> tuple[int, int] | None:
    """The fewest drains, then the fewest steps, by trying layer after layer; None where no way leads there.

    A state is fit where its driver is built for each of its kernels. Nodes move between two states one by one, and one
    thing moves at a time: what they ask for on the way is what either state declares.
    """
    allowed = goal[0] | frozenset(bridges)
    reached: dict[State, set[tuple[int, int]]] = {start: {(0, 0)}}
    layer = {start: {0}}
    for step in range(1, MOST_STEPS + 1):
        following: dict[State, set[int]] = {}
        for state, costs in layer.items():
            for other, drains in neighbours(state, allowed):
                if all((other[1], kernel) in images for kernel in other[0]):
                    following.setdefault(other, set()).update(cost + drains for cost in costs)
        for state, costs in following.items():
            reached.setdefault(state, set()).update((cost, step) for cost in costs)
        layer = following
    return min(reached[goal]) if goal in reached else None


def drains_of(steps: Steps) -> int:
    return sum(step.move is not Move.JOIN for step in steps.steps)


@pytest.mark.parametrize("fleets", sizes(500, soak=5_000))
def test_a_brute_force_finds_no_shorter_way_and_no_other_dead_end(fleets: int) -> None:
    chance = random.Random(20261201)
    found = 0
    for _ in range(fleets):
        images = {image for image in sorted(ALL) if chance.random() < 0.6}
        start_driver, goal_driver = chance.choice(DRIVERS), chance.choice(DRIVERS)
        start = (frozenset(chance.sample(KERNELS, chance.choice((1, 2)))), start_driver)
        goal = (frozenset(chance.sample(KERNELS, chance.choice((1, 2)))), goal_driver)
        images |= {(start_driver, kernel) for kernel in start[0]}
        bridges = tuple(chance.sample(KERNELS, chance.choice((0, 1))))
        expected = cheapest(start, goal, images, bridges)
        steps = searched(start, goal, images, bridges)
        if expected is None:
            assert isinstance(steps, NotSearched) or steps.missing, (start, goal, images)
            continue
        assert isinstance(steps, Steps)
        assert steps.missing == ()
        assert (drains_of(steps), len(steps.steps)) == expected, (start, goal, sorted(images), bridges)
        assert_every_state_has_its_images(steps, start, goal, images)
        found += 1
    assert found > fleets // 4


def assert_every_state_has_its_images(steps: Steps, start: State, goal: State, images: Images) -> None:
    at = start
    for step in steps.steps:
        _, becomes = step.becomes
        following = (frozenset(kernel.name for kernel in becomes.kernels), becomes.driver.version)
        moved = (following[0] != at[0], following[1] != at[1])
        assert sum(moved) == 1
        assert {(following[1], kernel) for kernel in following[0]} <= images
        at = following
    assert at == goal


K1, K2 = KERNELS[1], KERNELS[3]
OLD, NEW = (frozenset({K1}), "580"), (frozenset({K2}), "595")


def words(steps: Steps | NotSearched) -> list[tuple[str, tuple[str, ...]]]:
    assert isinstance(steps, Steps)
    return [(str(step.move), step.values) for step in steps.steps]


def test_the_kernel_goes_first_where_both_ways_are_open() -> None:
    assert words(searched(OLD, NEW, ALL)) == [("join", (K2,)), ("leave", (K1,)), ("driver", ("580", "595"))]


def test_the_driver_goes_first_where_the_old_one_is_not_built_for_the_new_kernel() -> None:
    images = {("580", K1), ("595", K1), ("595", K2)}
    assert words(searched(OLD, NEW, images)) == [("driver", ("580", "595")), ("join", (K2,)), ("leave", (K1,))]


def test_a_kernel_of_the_pools_own_list_is_a_bridge() -> None:
    middle = KERNELS[2]
    images = {("580", K1), ("580", middle), ("595", middle), ("595", K2)}
    assert [move for move, _ in words(searched(OLD, NEW, images, (middle,)))] == [
        "join", "leave", "driver", "join", "leave",
    ]  # fmt: skip


def test_without_a_way_the_smallest_set_of_images_is_named() -> None:
    steps = searched(OLD, NEW, {("580", K1), ("595", K2)})
    assert isinstance(steps, Steps)
    (missing,) = steps.missing
    assert missing in {
        f"nvcr.io/nvidia/driver:580-{K2}-ubuntu22.04 for linux/amd64",
        f"nvcr.io/nvidia/driver:595-{K1}-ubuntu22.04 for linux/amd64",
    }


def test_bounds_are_what_the_repository_names() -> None:
    revision, _ = revision_of(
        inventory(
            pool("a", "upcomingKernels: [5.15.0-177-generic]"),
            pool("b", 'driver: {branch: "595"}'),
            pool("c", "driver: {repository: registry.example.com/driver, branch: '590'}"),
        )
    )
    (cluster,) = revision.fleet.clusters
    bounds = bounds_of(cluster.pools[0], cluster.pools, ("570",))
    assert bounds.kernels == ("5.15.0-173-generic", "5.15.0-177-generic")
    assert [driver.version for driver in bounds.drivers] == ["580", "595", "570"]


def test_more_values_than_anybody_would_follow_are_not_searched() -> None:
    many = tuple(f"5.15.0-{number}-generic" for number in range(200, 210))
    assert isinstance(searched(OLD, NEW, ALL, many), NotSearched)


def test_an_empty_catalog_names_what_to_build() -> None:
    catalog = collect([])
    both = stock(catalog, catalog)
    steps = sequence(state_of(*OLD), state_of(*NEW), both, Bounds(), lambda _cluster, _pool: True)
    assert isinstance(steps, Steps)
    assert len(steps.missing) == 2
