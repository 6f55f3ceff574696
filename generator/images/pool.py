"""The images that a pool's nodes ask for, and whether they are built."""

from collections.abc import Iterator

from msgspec import Struct

from generator.declared.fleet import Cluster, Pool
from generator.images.lookup import Availability, Listed
from generator.operator.combination import Combination, combinations, references
from generator.operator.image import Refused


class PoolImage(Struct, frozen=True, kw_only=True):
    """One image of a pool, for each platform; `first` is the first combination that asks for it.

    An image that the operator pulls beside drivers has neither: it is not in the catalog's scope.
    """

    reference: str | Refused
    upcoming: bool = False
    first: Combination | None = None
    platforms: tuple[Availability, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether every node that asks for it would get it."""
        return isinstance(self.reference, str) and all(platform.usable for platform in self.platforms)


def pool_images(cluster: Cluster, pool: Pool, listed: Listed) -> Iterator[PoolImage]:
    """Drivers, those of running kernels first, then what comes with them."""
    drivers: dict[str | Refused, list[Combination]] = {}
    for combination in sorted(combinations(cluster, pool), key=lambda combination: combination.upcoming):
        drivers.setdefault(combination.reference, []).append(combination)
    for reference, asking in drivers.items():
        platforms: tuple[Availability, ...] = ()
        if isinstance(reference, str):
            platforms = tuple(listed.look_up(combination) for combination in asking)
        yield PoolImage(reference=reference, upcoming=asking[0].upcoming, first=asking[0], platforms=platforms)
    for reference in references(cluster, pool):
        if reference not in drivers:
            yield PoolImage(reference=reference)
