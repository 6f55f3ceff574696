"""Which clusters of a fleet a run is about."""

from collections.abc import Iterable

from msgspec import Struct


class Everything(Struct, frozen=True):
    """All clusters, and what belongs to no cluster."""


class Clusters(Struct, frozen=True):
    """The clusters of these names, of which there is at least one."""

    names: frozenset[str]


class Nothing(Struct, frozen=True):
    """No cluster at all."""


Selection = Everything | Clusters | Nothing

EVERYTHING, NOTHING = Everything(), Nothing()


def exactly(names: Iterable[str]) -> Selection:
    """The clusters of these names; nothing where there is no name."""
    known = frozenset(names)
    return Clusters(known) if known else NOTHING


def named(names: Iterable[str]) -> Selection:
    """The clusters that an option names; everything where it is not given."""
    known = frozenset(names)
    return Clusters(known) if known else EVERYTHING


def selects(selection: Selection, cluster: str) -> bool:
    """Whether the cluster of a name is meant."""
    match selection:
        case Everything():
            return True
        case Clusters(names):
            return cluster in names
        case Nothing():
            return False
