"""Required nodeAffinity as the scheduler evaluates it: terms are ORed, what is in one term is ANDed.

component-helpers scheduling/corev1/nodeaffinity and apimachinery labels.NewRequirement, v1.36. An empty term, and one
with an expression that can't be evaluated, matches no node and leaves the other terms alone.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from generator.facts.label import label_key_problem, label_value_problem

INT64 = range(-(2**63), 2**63)


def matches(terms: Sequence[Mapping[str, Any]], labels: Mapping[str, str], name: str = "") -> bool:
    """Whether a node with these labels and this name is selected."""
    for term in terms:
        of_labels = [_label_matches(expression, labels) for expression in term.get("matchExpressions") or ()]
        of_fields = [_field_matches(expression, name) for expression in term.get("matchFields") or ()]
        if (of_labels or of_fields) and all(of_labels) and all(of_fields):
            return True
    return False


def is_valid(expression: Mapping[str, Any]) -> bool:
    """Whether a pod with this expression over labels is taken by the API server."""
    values = expression.get("values") or ()
    if label_key_problem(expression.get("key", "")) or any(label_value_problem(value) for value in values):
        return False
    match expression.get("operator"):
        case "In" | "NotIn":
            return bool(values)
        case "Exists" | "DoesNotExist":
            return not values
        case "Gt" | "Lt":
            return len(values) == 1
    return False


def _label_matches(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    if not is_valid(expression):
        return False
    value, values = labels.get(expression["key"]), expression.get("values") or ()
    match expression["operator"]:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    number, operand = _integer(value), _integer(values[0])
    if number is None or operand is None:
        return False
    return number > operand if expression["operator"] == "Gt" else number < operand


def _field_matches(expression: Mapping[str, Any], name: str) -> bool:
    values, operator = expression.get("values") or (), expression.get("operator")
    if expression.get("key") != "metadata.name" or operator not in {"In", "NotIn"} or len(values) != 1:
        return False
    return (values[0] == name) is (operator == "In")


def _integer(text: str | None) -> int | None:
    """What Go's strconv.ParseInt(text, 10, 64) reads; None for what it refuses."""
    if text is None or re.fullmatch(r"[+-]?[0-9]+", text) is None or int(text) not in INT64:
        return None
    return int(text)
