"""A label selector as an object, matchLabels and matchExpressions (apimachinery meta/v1 LabelSelectorAsSelector)."""

from collections.abc import Mapping
from typing import Any

Selector = Mapping[str, Any]


def selects(selector: Selector | None, labels: Mapping[str, str]) -> bool:
    """Whether the labels match: an absent selector matches nothing, an empty one everything."""
    if selector is None:
        return False
    equal = all(labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items())
    return equal and all(_holds(one, labels) for one in selector.get("matchExpressions") or ())


def is_empty(selector: Selector | None) -> bool:
    """Whether it is there and asks for nothing, so that it covers every pod of its namespace."""
    return selector is not None and not selector.get("matchLabels") and not selector.get("matchExpressions")


def _holds(requirement: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = requirement.get("key", ""), requirement.get("values") or ()
    match requirement.get("operator"):
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
        case _:
            return False
