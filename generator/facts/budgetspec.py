"""Whether the API takes a PodDisruptionBudget's spec (kubernetes pkg/apis/policy/validation/validation.go)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from generator.facts.label import label_key_problem, label_value_problem
from generator.facts.labelselector import OPERATORS

POLICIES = ("AlwaysAllow", "IfHealthyBudget")
AMOUNTS = ("minAvailable", "maxUnavailable")
_INT32 = 2**31
_WHOLE = 100


class Refused(Struct, frozen=True):
    """The API's answer: HTTP code and reason, the first field that it names, and why in our words."""

    code: int
    reason: str
    field: str
    problem: str


def refused(spec: Mapping[str, Any]) -> Refused | None:
    """Why the API refuses a spec; None where it creates the budget. A spec with neither amount is taken."""
    for key in AMOUNTS:
        value = spec.get(key)
        if isinstance(value, int) and not -_INT32 <= value < _INT32:
            return Refused(400, "BadRequest", f"spec.{key}", f"{value} is no 32-bit integer")
    return next((Refused(422, "Invalid", f"spec.{field}", problem) for field, problem in _problems(spec)), None)


def _problems(spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    given = [key for key in AMOUNTS if spec.get(key) is not None]
    if len(given) > 1:
        yield given[-1], "minAvailable and maxUnavailable exclude each other"
    for key in given:
        if problem := amount_problem(spec[key]):
            yield key, problem
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy is not None and policy not in POLICIES:
        yield "unhealthyPodEvictionPolicy", f'"{policy}" is neither {" nor ".join(POLICIES)}'
    yield from _selector_problems(spec.get("selector") or {})


def amount_problem(value: object) -> str | None:
    """Why minAvailable or maxUnavailable can't be this; None where it can."""
    if isinstance(value, str):
        if re.fullmatch(r"[0-9]+%", value) is None:
            return f'"{value}" is no percentage such as "50%"'
        return f'"{value}" is more than 100%' if int(value[:-1]) > _WHOLE else None
    if isinstance(value, bool) or not isinstance(value, int):
        return f"{value} is neither a number nor a percentage"
    return f"{value} is negative" if value < 0 else None


def _selector_problems(selector: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in (selector.get("matchLabels") or {}).items():
        if problem := label_key_problem(key) or label_value_problem(value):
            yield "selector.matchLabels", problem
    for index, one in enumerate(selector.get("matchExpressions") or ()):
        for field, problem in _requirement_problems(one):
            yield f"selector.matchExpressions[{index}].{field}", problem


def _requirement_problems(requirement: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    operator, values = requirement.get("operator"), requirement.get("values") or ()
    if operator not in OPERATORS:
        yield "operator", f'"{operator}" is none of {", ".join(sorted(OPERATORS))}'
    elif (operator in {"In", "NotIn"}) != bool(values):
        yield "values", f"{operator} {'takes no values' if values else 'needs values'}"
    if problem := label_key_problem(requirement.get("key", "")):
        yield "key", problem
    for index, value in enumerate(values):
        if problem := label_value_problem(value):
            yield f"values[{index}]", problem
