"""The gate against an adversary who plays every order of events between one change and the next.

Its people keep the rule: a change is synced, and its release runs, before the next one is merged. What leaves in a
change that moves nothing else of those nodes is run and booted by no node once that is merged. What leaves together
with something else is gone when the next one is merged, since later changes believe it.

A change leaves two things to the next one: the machines that its head declares, and driver pods, which are older than
their template where nodes are not upgraded yet. An older pod asks for nothing until it is replaced, and then for what
its DaemonSet has by then. So the histories of one pool are its pairs of declarations, with pods of either age.

Left out, each for its reason:
- systems that differ under one ClusterPolicy: one node's system is in the tags of all (controllers/object_controls.go),
  so that others add more than delay;
- the driver of a host: the operator has no part in it until a person relabels its nodes;
- kernels that left with a move of the driver while autoUpgrade was off: git's history knows them
  (tests/cli/test_transition.py), a pair of declarations doesn't;
- images that vanish while a change arrives: they hit nodes that no change touches;
- architectures, floating pools and unrecorded platforms: the gate's look-up answers for them before and after alike;
- NVIDIADrivers between a chart of v26.7 and the sync that gives them an upgradePolicy: by default they are upgraded.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations, product

import pytest

from tests.model.adversary import (
    FIXED,
    RANGED,
    RELEASES,
    Change,
    Declaration,
    Image,
    Pool,
    Size,
    declared_images,
    nodes_of,
)
from tests.testing.drawn import ALL_LABELS, Draw
from tests.testing.histories import SWAPPED, TRANSITION, UNCLAIMED, Arrival, arrivals, gate
from tests.testing.soak import sizes

K1, K2, K3 = KERNELS = tuple(f"5.14.0-427.{number}.1.el9_4.x86_64" for number in (13, 20, 31))
DRIVERS = ("570.211.01", "580.126.20", "595.58.03")
A = frozenset({("example.com/pool", "a")})


def declared(
    kernels: Collection[str], driver: str, release: str, *, automatic: bool = True, size: Size = FIXED
) -> Declaration:
    return Declaration((Pool("a", A, frozenset(kernels), driver, automatic=automatic, size=size),), release)


def subsets(kernels: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for count in range(1, len(kernels) + 1):
        yield from combinations(kernels, count)


@cache
def images_of(driver: str) -> frozenset[Image]:
    """All images of a driver that the pool can ask for."""
    return frozenset().union(*(declared_images(declared(KERNELS, driver, release)) for release in RELEASES))


EVERYTHING = frozenset().union(*map(images_of, DRIVERS))


def held(arrived: Arrival, *, warned: bool) -> str:
    """What the gate made of a change, once that is found to be right.

    A node that asks for what is not built needs a finding: an error where it neither boots early nor is touched by
    hand. An error needs a node of that pool that asks for that very image, and does so by itself; where the release
    moves, a node that boots early or is touched by hand is enough for an image that base did not lack, since all
    states between two releases are judged alike. `warned` is a history in which an earlier change had a warning: its
    base may lack an image of its own, which nodes can ask for before the sync.
    """
    assert arrived.verdicts or warned or not arrived.missing, arrived
    assert arrived.errors or not arrived.missing_by_itself, arrived
    one_release = arrived.was.release == arrived.becomes.release
    before = {image.tag for image in declared_images(arrived.was) - arrived.built}
    for error in arrived.errors:
        needed = arrived.missing_of(error.pool, by_itself=one_release or error.fact in before)
        assert error.rule != TRANSITION or error.fact in needed, (error, arrived)
    if arrived.errors:
        return "error"
    if arrived.verdicts:
        return "warning" if arrived.missing else "warning that no order needs"
    return "standing" if arrived.missing else "clean"


def check_lost(arrived: Arrival) -> None:
    """A pool whose nodes all lose their driver is warned of, and none whose nodes all keep one.

    Left out is a pool of which only some nodes are selected any more: nothing declared says whether there are others.
    """
    named = {verdict.fact for verdict in arrived.verdicts if verdict.rule == UNCLAIMED}
    for pool in arrived.was.pools:
        drivers = {arrived.becomes.driver_of(labels) for labels in ALL_LABELS if arrived.was.pool_of(labels) == pool}
        if pool.is_empty or drivers == {None}:
            assert (pool.name in named) is not pool.is_empty, (pool, arrived)
        elif None not in drivers:
            assert pool.name not in named, (pool, arrived)


# One of the pairs that are alike but for which kernel and which driver is called the first.
ALIKE_ONCE = [
    *product([(K1,)], [(K1,), (K2,), (K1, K2), (K2, K3), (K1, K2, K3)]),
    *product([(K1, K2)], [(K1,), (K3,), (K1, K2), (K1, K3), (K1, K2, K3)]),
    *product([(K1, K2, K3)], [(K1,), (K1, K2), (K1, K2, K3)]),
]
KernelPairs = list[tuple[tuple[str, ...], tuple[str, ...]]]


@pytest.mark.parametrize(
    ("kernels", "drivers"),
    [
        pytest.param(ALIKE_ONCE, [*product(DRIVERS[:1], DRIVERS[:2])], id="alike once"),
        pytest.param(
            [*product(subsets(KERNELS), repeat=2)], [*product(DRIVERS, repeat=2)], id="all", marks=pytest.mark.soak
        ),
    ],
)
def test_one_pool_whatever_image_is_missing(kernels: KernelPairs, drivers: list[tuple[str, str]]) -> None:
    """Each change of kernels, driver, autoUpgrade and release, with every image built but one, each in turn.

    A base lacks an image of its own only where its nodes wait: no other change that lacks one is merged.
    """
    seen: Counter[str] = Counter()
    modes = [*product(RELEASES, (True, False))]
    for (before, after), (driver, next_driver), size in product(kernels, drivers, (FIXED, RANGED)):
        for (release, automatic), (next_release, next_automatic) in product(modes, repeat=2):
            was = declared(before, driver, release, automatic=automatic, size=size)
            becomes = declared(after, next_driver, next_release, automatic=next_automatic, size=size)
            if was == becomes:
                continue
            outcomes = {A: Change(was, becomes, A).play(nodes_of(was, A))}
            for image in images_of(driver) | images_of(next_driver):
                standing = image in declared_images(was)
                if standing and (automatic or size != FIXED):
                    continue
                built = EVERYTHING - {image}
                arrived = Arrival(was, becomes, built, built, gate(was, becomes, built), outcomes)
                seen[held(arrived, warned=standing)] += 1
    print(dict(seen))
    assert seen.keys() == {"error", "warning", "warning that no order needs", "standing", "clean"}


def test_a_swap_is_warned_of_where_the_next_driver_would_hit() -> None:
    """Nodes run what was swapped when the driver moves next, in a change of which the gate says nothing."""
    for before, after in ALIKE_ONCE:
        was, becomes = declared(before, DRIVERS[0], RELEASES[1]), declared(after, DRIVERS[0], RELEASES[1])
        following = declared(after, DRIVERS[1], RELEASES[1])
        left = [node for node in nodes_of(was, A) if node.machine not in becomes.machines_of(A)]
        hit = False
        for image in images_of(DRIVERS[1]):
            built = EVERYTHING - {image}
            lingering = Change(becomes, following, A).linger(left)
            hit |= bool(lingering.missing(built)) and not gate(becomes, following, built)
        warned = SWAPPED in {verdict.rule for verdict in gate(was, becomes, EVERYTHING)}
        # Where others stay, leaving is what people say of some machines, and audit shows whether it is true.
        assert warned == (hit and not set(before) & set(after))
        assert hit == bool(set(before) - set(after))


def swapped(arrived: Arrival) -> Iterator[tuple[Pool, list[Pool]]]:
    """The pools whose machines have all left, each with the pools that declare its nodes now.

    Left out are those whose nodes come into pools without any: they are declared to be gone.
    """
    for pool in arrived.was.pools:
        labels = [borne for borne in ALL_LABELS if arrived.was.pool_of(borne) == pool]
        later = {arrived.becomes.pool_of(borne) for borne in labels} - {None}
        after = frozenset().union(*(other.machines for other in later))
        if after and not pool.machines & after:
            yield pool, sorted(later, key=lambda other: other.name)


def is_hidden(arrived: Arrival, pool: Pool, later: list[Pool]) -> bool:
    """Whether nodes that still run what the pool had are hit by a next driver of which the gate says nothing."""
    becomes = arrived.becomes
    for other, driver in product(later, DRIVERS):
        moved = [
            replace(standing, driver=driver) if becomes.by_policy or standing == other else standing
            for standing in becomes.pools
        ]
        following = replace(becomes, pools=tuple(moved))
        if following == becomes or gate(becomes, following, arrived.listed):
            continue
        for borne in ALL_LABELS:
            if arrived.was.pool_of(borne) != pool:
                continue
            left = Change(arrived.was, becomes, borne).linger(nodes_of(arrived.was, borne)).nodes
            if Change(becomes, following, borne).linger(left).missing(arrived.listed):
                return True
    return False


IDLE = {"clean", "warning that no order needs"}


@pytest.mark.parametrize("histories", sizes(500, soak=10_000))
def test_histories_of_pools_that_are_split_merged_and_moved(histories: int) -> None:
    """Up to five changes of one thing or several, each history to its end or to the first error."""
    draw = Draw(20261201)
    seen: Counter[str] = Counter()
    for _ in range(histories):
        history = draw.history()
        warned = False
        of_history = set()
        for arrived in arrivals(history):
            of_history.add(held(arrived, warned=warned))
            check_lost(arrived)
            warned |= bool(arrived.verdicts)
            for pool, later in swapped(arrived):
                names = {verdict.pool for verdict in arrived.verdicts if verdict.rule == SWAPPED}
                told = not names.isdisjoint(other.name for other in later)
                hidden = not arrived.errors and is_hidden(arrived, pool, later)
                assert told or not hidden, (pool, arrived)
                seen["swap that the next driver hits" if hidden else "other swap"] += 1
        seen.update(of_history)
        seen["histories with a warning that no order hits"] += warned and of_history <= IDLE
    print(dict(seen))
    assert (
        min(seen[kind] for kind in ("error", "warning", "clean", "swap that the next driver hits")) > histories // 100
    )
