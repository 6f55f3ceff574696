"""How a cluster's CUDA needs are read and written: layered as the operator's settings are."""

from msgspec import Struct

from generator.declared.layers import Level, below, merged
from generator.facts.cudachoice import Compatibility, LabelFamily


class CudaSettings(Struct, frozen=True):
    """The effective settings of a cluster."""

    compatibility: Compatibility = Compatibility.MINOR_VERSION
    labels: LabelFamily = LabelFamily.DRIVER


DEFAULT = CudaSettings()


def cuda_settings(levels: tuple[Level, ...]) -> CudaSettings:
    """What the levels of a cluster say, nearest first."""
    settings = merged(below(levels, "cuda"))
    if not settings:
        return DEFAULT
    return CudaSettings(
        compatibility=Compatibility(settings.get("compatibility", DEFAULT.compatibility)),
        labels=LabelFamily(settings.get("labels", DEFAULT.labels)),
    )
