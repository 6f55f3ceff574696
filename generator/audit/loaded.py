"""The driver that a node has loaded, as GPU feature discovery labels it (k8s-device-plugin internal/lm/nvml.go)."""

from collections.abc import Mapping

from generator.facts import driver as drivers

FULL = "nvidia.com/cuda.driver-version.full"
PARTS = (
    tuple(f"nvidia.com/cuda.driver-version.{part}" for part in ("major", "minor", "revision")),
    tuple(f"nvidia.com/cuda.driver.{part}" for part in ("major", "minor", "rev")),
)


def loaded_driver(labels: Mapping[str, str]) -> str:
    """`580.126.20`; "" where no driver has run. A two-part version has an empty revision."""
    if labels.get(FULL):
        return labels[FULL]
    for family in PARTS:
        parts = [labels[key] for key in family if labels.get(key)]
        if len(parts) > 1:
            return ".".join(parts)
    return ""


def is_of(loaded: str, wanted: str) -> bool:
    """Whether a loaded version is the wanted one, or of the wanted branch."""
    if not drivers.is_driver(loaded) or not drivers.is_driver(wanted):
        return loaded == wanted
    if drivers.is_branch(wanted):
        return drivers.branch(loaded) == wanted
    return drivers.order_key(loaded) == drivers.order_key(wanted)
