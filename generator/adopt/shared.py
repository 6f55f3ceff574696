"""What several levels say alike, so that it can be said once, farther up."""

from collections.abc import Mapping, Sequence
from typing import Any

from generator.declared.layers import REPLACED_WHOLE


def shared(layers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The settings that all layers have with one value; nothing of no layers."""
    if not layers:
        return {}
    first, *others = layers
    made: dict[str, Any] = {}
    for key, value in first.items():
        if not all(key in other for other in others):
            continue
        values = [value, *(other[key] for other in others)]
        if all(one == value for one in values):
            made[key] = value
        elif (
            key not in REPLACED_WHOLE and all(isinstance(one, Mapping) for one in values) and (inner := shared(values))
        ):
            made[key] = inner
    return made


def apart(layer: Mapping[str, Any], common: Mapping[str, Any]) -> dict[str, Any]:
    """The layer without what is said farther up."""
    made: dict[str, Any] = {}
    for key, value in layer.items():
        if key not in common:
            made[key] = value
        elif value != common[key]:
            inner = apart(value, common[key])
            if inner:
                made[key] = inner
    return made
