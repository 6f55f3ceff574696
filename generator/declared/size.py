"""A number that is fixed, or lies between two."""

from msgspec import Struct


class Size(Struct, frozen=True):
    """How many nodes a pool may have, or pods a workload."""

    min: int
    max: int
