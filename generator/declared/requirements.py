"""What the Kubernetes API refuses in selectors, though their shape is right (pkg/apis/core/validation, meta/v1)."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from msgspec import UNSET, UnsetType

from generator.declared import workloadmodel as model
from generator.documents.places import Path
from generator.facts.label import label_key_problem, label_value_problem

NODE_NAME = "metadata.name"
T = TypeVar("T")


def of_term(term: model.NodeSelectorTerm) -> Iterator[tuple[Path, str]]:
    """What is wrong inside one of the nodeSelectorTerms, with the path to it."""
    for number, one in enumerate(_given(term.match_expressions)):
        if why := _expression(one.key, one.operator, _given(one.values)):
            yield ("matchExpressions", number), f"{one.operator} of {one.key} {why}"
    for number, one in enumerate(_given(term.match_fields)):
        if why := _field(one.key, one.operator, _given(one.values)):
            yield ("matchFields", number), f"{one.operator} of {one.key} {why}"


def of_selector(selector: model.LabelSelector) -> Iterator[tuple[Path, str]]:
    """What is wrong inside a labelSelector, with the path to it."""
    labels = {} if selector.match_labels is UNSET else selector.match_labels
    for key, value in labels.items():
        if why := label_key_problem(key) or label_value_problem(value):
            yield ("matchLabels", key), f"selector asks for {key}={value}: {why}"
    for number, one in enumerate(_given(selector.match_expressions)):
        if why := _expression(one.key, one.operator, _given(one.values)):
            yield ("matchExpressions", number), f"selector: {one.operator} of {one.key} {why}"


def _given(written: Sequence[T] | UnsetType) -> Sequence[T]:
    return () if written is UNSET else written


def _expression(key: str, operator: str, values: Sequence[str]) -> str:
    if why := label_key_problem(key):
        return f"has a key that is none: {why}"
    if operator in {"Exists", "DoesNotExist"}:
        return "takes no values" if values else ""
    if operator in {"Gt", "Lt"} and len(values) != 1:
        return f"takes one value, and has {len(values)}"
    if not values:
        return "takes at least one value, and has none"
    return next((why for why in map(label_value_problem, values) if why), "")


def _field(key: str, operator: str, values: Sequence[str]) -> str:
    if key != NODE_NAME:
        return f"names no field that nodes are selected by: {NODE_NAME} is the only one"
    if operator not in {"In", "NotIn"}:
        return "is no operator for a field: use In or NotIn"
    return "" if len(values) == 1 else f"takes one value, and has {len(values)}"
