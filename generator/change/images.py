"""Which images a change makes a pool's nodes ask for, and whether they are built: by the gate's own miss."""

from collections.abc import Iterable, Iterator
from enum import StrEnum

from msgspec import Struct

from generator.change.passage import Key, Moment, Station, Stock, Way
from generator.declared.fleet import Cluster, Pool
from generator.images.lookup import Lack, Listed
from generator.operator.combination import Combination, combinations
from generator.operator.image import Refused


class Standing(StrEnum):
    """How an image stands in the catalog."""

    BUILT = "built"
    MISSING = "missing"
    UNKNOWN = "unknown"


class ImageChange(Struct, frozen=True, kw_only=True):
    """One image on one platform: what the nodes asked for before ("" for nothing), what now, and whether it is built.

    `unblocked`: it was not built before the change, and is now.
    """

    repository: str
    platform: str
    kernel: str
    upcoming: bool
    was: str
    becomes: str
    standing: Standing
    why: str = ""
    unblocked: bool = False


class OnTheWay(Struct, frozen=True, kw_only=True):
    """An image that nodes ask for between the two revisions: when, on which machine, and whether it is built."""

    moment: Moment
    machine: str
    image: str
    platform: str
    standing: Standing
    severe: bool


def image_changes(stock: Stock, was: tuple[Cluster, Pool] | None, becomes: tuple[Cluster, Pool]) -> list[ImageChange]:
    """Images that weren't asked for before, or that stand otherwise now; the others are no change."""
    before = [one for one in combinations(*was) if isinstance(one.reference, str)] if was else []
    asked = {(one.reference, one.arch): one for one in before}
    return list(_changed(stock, before, asked, combinations(*becomes)))


def on_the_way(stock: Stock, way: Way) -> tuple[OnTheWay, ...]:
    """The images of the states between, each once, without those that either revision declares."""
    declared, before = way.declared(), way.declared_before()
    stations = [station for station in way.stations() if station.key not in declared]
    return _once(stock, (station for station in stations if station.key not in before or way.wakes(station)))


def way_back(stock: Stock, way: Way) -> tuple[OnTheWay, ...]:
    """The images that nodes ask for where this change is reverted."""
    return _once(stock, way.back())


def _once(stock: Stock, stations: Iterable[Station]) -> tuple[OnTheWay, ...]:
    found: dict[Key, OnTheWay] = {}
    for station in stations:
        if station.key not in found:
            found[station.key] = OnTheWay(
                moment=station.moment,
                machine=station.machine.words,
                image=station.image,
                platform=station.combination.platform,
                standing=Standing.BUILT if station.built else _of_station(stock, station),
                severe=station.severe,
            )
    return tuple(found.values())


def _of_station(stock: Stock, station: Station) -> Standing:
    return _standing(stock.later(synced=station.synced), station.combination)[0]


def _changed(
    stock: Stock,
    before: list[Combination],
    asked: dict[tuple[str | Refused, str], Combination],
    now: tuple[Combination, ...],
) -> Iterator[ImageChange]:
    for one in now:
        standing, why = _standing(stock.becomes, one)
        old = asked.get((one.reference, one.arch))
        earlier = _standing(stock.was, old)[0] if old is not None else None
        if earlier is standing and old is not None and old.upcoming == one.upcoming:
            continue
        yield ImageChange(
            repository=one.repository,
            platform=one.platform,
            kernel=one.kernel.name if one.kernel else "",
            upcoming=one.upcoming,
            was=_before(one, before),
            becomes=one.tag if isinstance(one.reference, str) else "",
            standing=standing,
            why=why,
            unblocked=earlier not in {None, Standing.BUILT} and standing is Standing.BUILT,
        )


def _standing(listed: Listed, one: Combination) -> tuple[Standing, str]:
    if isinstance(one.reference, Refused):
        return Standing.MISSING, one.reference.message
    match listed.look_up(one).lack:
        case None | Lack.CERTAINTY:
            return Standing.BUILT, ""
        case Lack.RECORD:
            return Standing.UNKNOWN, "its platforms are not recorded"
        case Lack.IMAGE if not listed.catalog.whole:
            return Standing.UNKNOWN, "a line of the catalog can't be read, so nothing proves it absent"
        case Lack.GONE:
            return Standing.MISSING, "it is gone from its registry"
        case Lack.PLATFORM:
            return Standing.MISSING, f"it is not built for {one.platform}"
        case _:
            return Standing.MISSING, f"no catalog lists it for {one.repository}"


def _before(one: Combination, before: list[Combination]) -> str:
    """What nodes of the same kernel asked for, "" where none ran it: a node's driver and kernel never move at once."""
    for earlier in before:
        if earlier.arch == one.arch and _kernel(earlier) == _kernel(one):
            return earlier.tag
    return ""


def _kernel(one: Combination) -> str:
    return one.kernel.name if one.kernel else ""
