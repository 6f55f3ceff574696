"""What a fleet chooses about CUDA needs: how a toolkit is read, and what nodes are chosen by.

Kept apart from what the needs mean, which only a fleet with workloads loads.
"""

from enum import StrEnum


class Compatibility(StrEnum):
    """Which driver a toolkit needs: any of its CUDA major, or the one that it came with."""

    MINOR_VERSION = "minor-version"
    PAIRED = "paired"


class LabelFamily(StrEnum):
    """The names that a driver's version has as labels. The first ones are older, and every release sets them."""

    DRIVER = "cuda.driver"
    DRIVER_VERSION = "cuda.driver-version"

    @property
    def keys(self) -> tuple[str, str, str]:
        """The labels of the three parts."""
        third = "rev" if self is LabelFamily.DRIVER else "revision"
        return f"nvidia.com/{self}.major", f"nvidia.com/{self}.minor", f"nvidia.com/{self}.{third}"


class By(StrEnum):
    """What a workload is placed by: labels of the driver, or the pools whose driver does."""

    LABELS = "labels"
    POOL = "pool"
