"""Histories of a cluster's declarations, drawn at random: pools that are split, merged, renamed, and all that moves."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from tests.model.adversary import (
    AWAY,
    FIXED,
    HOME,
    RANGED,
    RELEASES,
    Declaration,
    Image,
    Labels,
    Pool,
    Size,
    declared_images,
)

KERNELS = {
    "9.4": tuple(f"5.14.0-427.{number}.1.el9_4.x86_64" for number in (13, 20, 31)),
    "9.6": tuple(f"5.14.0-570.{number}.1.el9_6.x86_64" for number in (12, 17, 22)),
}
DRIVERS = ("570.211.01", "580.126.20", "595.58.03")
POOL, ZONE, FLEET = (f"example.com/{key}" for key in ("pool", "zone", "fleet"))
ALL_LABELS = [
    frozenset({(POOL, name), (ZONE, zone), (FLEET, "f")}) for name in ("a", "b", "c") for zone in ("east", "west")
]
SELECTORS: dict[str, Labels] = {
    "a": frozenset({(POOL, "a")}),
    "b": frozenset({(POOL, "b")}),
    "a-east": frozenset({(POOL, "a"), (ZONE, "east")}),
    "a-west": frozenset({(POOL, "a"), (ZONE, "west")}),
    "east": frozenset({(ZONE, "east")}),
    "west": frozenset({(ZONE, "west")}),
    "fleet": frozenset({(FLEET, "f")}),
    "rest": frozenset(),
}
# Selectors that no node satisfies two of. Only NVIDIADrivers have a default one.
LAYOUTS = (("a",), ("a", "b"), ("a-east", "a-west"), ("a-east", "a-west", "b"), ("east", "west"), ("fleet",))
WITH_DEFAULT = (("a", "rest"), ("b", "rest"), ("a", "b", "rest"), ("rest",))
NONE = Size(0, 0)
SIZES = (FIXED, FIXED, FIXED, Size(5, 5), RANGED, RANGED, NONE)


class History(NamedTuple):
    """Declarations in the order in which they are merged, each with what its catalogs list."""

    declarations: tuple[Declaration, ...]
    listed: tuple[frozenset[Image], ...]


class Draw:
    """One history after the other."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def history(self) -> History:
        """Up to five changes; most of what is declared is built, since little else is ever merged."""
        chance = self.chance
        declarations = [self.first()]
        for _ in range(chance.randint(1, 5)):
            changed = self.changed(declarations[-1])
            if changed != declarations[-1]:
                declarations.append(changed)
        share = chance.choice((0, 0.2, 0.5))
        built = {image for image in sorted(EVERYTHING) if chance.random() < share} | declared_images(declarations[0])
        for declared in declarations[1:]:
            if chance.random() < 0.9:
                built |= declared_images(declared)
        return History(tuple(declarations), tuple(self.catalogs(declarations, frozenset(built))))

    def catalogs(self, declarations: list[Declaration], built: frozenset[Image]) -> Iterator[frozenset[Image]]:
        """What is listed at each declaration: lines of what it doesn't need are pruned now and then."""
        listed = built
        for declared in declarations:
            needed = declared_images(declared) & built
            if self.chance.random() < 0.2:
                listed = frozenset(image for image in sorted(listed) if self.chance.random() < 0.5)
            listed |= needed
            yield listed

    def first(self) -> Declaration:
        by_policy = self.chance.random() < 0.35
        layout = self.chance.choice(LAYOUTS if by_policy else LAYOUTS + WITH_DEFAULT)
        repository = self.chance.choice((HOME, HOME, AWAY))
        model = Pool("", frozenset(), frozenset(), self.chance.choice(DRIVERS), repository=repository)
        pools = tuple(self.pool(key, model) for key in layout)
        passes_on = self.chance.random() < 0.5
        return self.agreed(Declaration(pools, self.chance.choice(RELEASES), by_policy, passes_on))

    def pool(self, key: str, like: Pool) -> Pool:
        """A pool of this selector that is otherwise as another one, mostly."""
        kernels = like.kernels
        if not kernels or self.chance.random() < 0.5:
            kernels = self.kernels(like.system)
        automatic = like.automatic if like.name else self.chance.random() < 0.6
        size = like.size if self.chance.random() < 0.5 else self.chance.choice(SIZES)
        return replace(like, name=key, selector=SELECTORS[key], kernels=kernels, automatic=automatic, size=size)

    def kernels(self, system: str) -> frozenset[str]:
        return frozenset(self.chance.sample(KERNELS[system], self.chance.choice((1, 1, 2, 3))))

    def changed(self, declared: Declaration) -> Declaration:
        """What one merge makes of a declaration: one thing or several."""
        for _ in range(self.chance.choice((1, 1, 2, 2, 2, 3))):
            move = self.chance.choice(MOVES)
            declared = move(self, declared)
        return self.agreed(declared)

    def of_one(self, declared: Declaration, edit: Callable[[Pool], Pool]) -> Declaration:
        """One pool is edited."""
        number = self.chance.randrange(len(declared.pools))
        pools = [edit(pool) if place == number else pool for place, pool in enumerate(declared.pools)]
        return replace(declared, pools=tuple(pools))

    def driver(self, declared: Declaration) -> Declaration:
        driver = self.chance.choice(DRIVERS)
        if self.chance.random() < 0.5:
            return replace(declared, pools=tuple(replace(pool, driver=driver) for pool in declared.pools))
        return self.of_one(declared, lambda pool: replace(pool, driver=driver))

    def join(self, declared: Declaration) -> Declaration:
        return self.of_one(declared, lambda pool: replace(pool, kernels=pool.kernels | self.kernels(pool.system)))

    def leave(self, declared: Declaration) -> Declaration:
        def left(pool: Pool) -> Pool:
            kept = self.chance.sample(sorted(pool.kernels), max(len(pool.kernels) - 1, 1))
            return replace(pool, kernels=frozenset(kept))

        return self.of_one(declared, left)

    def swap(self, declared: Declaration) -> Declaration:
        return self.of_one(declared, lambda pool: replace(pool, kernels=self.kernels(pool.system)))

    def system(self, declared: Declaration) -> Declaration:
        def moved(pool: Pool) -> Pool:
            system = "9.6" if pool.system == "9.4" else "9.4"
            return replace(pool, system=system, kernels=self.kernels(system))

        return self.of_one(declared, moved)

    def upgrades(self, declared: Declaration) -> Declaration:
        return self.of_one(declared, lambda pool: replace(pool, automatic=not pool.automatic))

    def size(self, declared: Declaration) -> Declaration:
        return self.of_one(declared, lambda pool: replace(pool, size=self.chance.choice(SIZES)))

    def repository(self, declared: Declaration) -> Declaration:
        return self.of_one(declared, lambda pool: replace(pool, repository=AWAY if pool.repository == HOME else HOME))

    def mirror(self, declared: Declaration) -> Declaration:
        return replace(declared, passes_on=not declared.passes_on)

    def mode(self, declared: Declaration) -> Declaration:
        """The API server refuses another mode of one NVIDIADriver, so that it is another object."""
        return self.of_one(
            declared, lambda pool: replace(pool, precompiled=not pool.precompiled, name=f"{pool.name}-x")
        )

    def name(self, declared: Declaration) -> Declaration:
        return self.of_one(declared, lambda pool: replace(pool, name=f"{pool.name}-y"))

    def release(self, declared: Declaration) -> Declaration:
        return replace(declared, release=next(other for other in RELEASES if other != declared.release))

    def api(self, declared: Declaration) -> Declaration:
        """A ClusterPolicy has no default pool beside others."""
        if declared.by_policy:
            return replace(declared, by_policy=False)
        selecting = tuple(pool for pool in declared.pools if pool.selector)
        if not selecting:
            return declared
        return replace(declared, pools=selecting, by_policy=True)

    def layout(self, declared: Declaration) -> Declaration:
        """Pools are split, merged, removed, or join."""
        keys = self.chance.choice(LAYOUTS if declared.by_policy else LAYOUTS + WITH_DEFAULT)
        standing = {pool.selector: pool for pool in declared.pools}
        pools = []
        for key in keys:
            selector = SELECTORS[key]
            like = standing.get(selector)
            pools.append(like if like is not None else self.pool(key, self.chance.choice(declared.pools)))
        return replace(declared, pools=tuple(pools))

    def agreed(self, declared: Declaration) -> Declaration:
        """One ClusterPolicy has one driver, and one system where its tags hold one."""
        if not declared.by_policy:
            return declared
        pools = []
        for pool in declared.pools:
            kernels = pool.kernels if pool.system == "9.4" else self.kernels("9.4")
            pools.append(replace(like_driver(pool, declared.pools[0]), system="9.4", kernels=kernels))
        return replace(declared, pools=tuple(pools))


def like_driver(pool: Pool, other: Pool) -> Pool:
    """The pool with the driver of another one."""
    return replace(
        pool,
        driver=other.driver,
        repository=other.repository,
        precompiled=other.precompiled,
        automatic=other.automatic,
    )


MOVES = (
    *[Draw.driver] * 5,
    Draw.join,
    *[Draw.leave] * 2,
    *[Draw.swap] * 2,
    Draw.system,
    Draw.upgrades,
    Draw.size,
    *[Draw.repository] * 2,
    *[Draw.mirror] * 2,
    Draw.mode,
    Draw.api,
    Draw.name,
    *[Draw.release] * 2,
    *[Draw.layout] * 4,
)


def _everything() -> frozenset[Image]:
    found: set[Image] = set()
    for driver in DRIVERS:
        for system, kernels in KERNELS.items():
            for repository in (HOME, AWAY):
                for precompiled in (True, False):
                    whole = Pool("", frozenset(), frozenset(kernels), driver, system, repository, precompiled)
                    for release in RELEASES:
                        found |= declared_images(Declaration((whole,), release))
    return frozenset(found)


EVERYTHING = _everything()
