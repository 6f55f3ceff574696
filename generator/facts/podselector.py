"""A label selector as text: whether it parses, and what it selects (k8s.io/apimachinery pkg/labels/selector.go)."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from msgspec import Struct

from generator.facts.label import label_key_problem, label_value_problem

_WORD = r"[^=!(),<>\s]+"
_ONE = rf"""
    \s*(?:
        !\s*(?P<without>{_WORD})
      | (?P<key>{_WORD})(?:
            \s*(?P<operator>==?|!=|>|<)\s*(?P<value>{_WORD})?
          | \s+(?P<set>in|notin)\s*\((?P<values>\s*(?:{_WORD})?\s*(?:,\s*(?:{_WORD})?\s*)*)\)
        )?
    )\s*
"""


class _Requirement(Struct, frozen=True):
    """One part of a selector; the operator is in, notin, exists, !, > or <."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


def selector_problem(text: str) -> str | None:
    """Why a selector is refused; None where it parses. An empty one selects everything."""
    found = _parsed(text)
    return found if isinstance(found, str) else None


def selects(text: str, labels: Mapping[str, str]) -> bool:
    """Whether labels match a selector that parses."""
    found = _parsed(text)
    return not isinstance(found, str) and all(_HOLDS[one.operator](one, labels.get(one.key)) for one in found)


@cache
def _parsed(text: str) -> tuple[_Requirement, ...] | str:
    try:
        return tuple(_requirements(text))
    except ValueError as problem:
        return str(problem)


def _requirements(text: str) -> Iterator[_Requirement]:
    rest = text
    while rest.strip(" \t\r\n") or rest is not text:
        found = re.match(_ONE, rest, re.VERBOSE)
        if found is None:
            raise ValueError(f'"{rest.strip()}" is no requirement such as key=value')
        yield _requirement(found)
        rest = rest[found.end() :]
        if not rest:
            return
        if rest[0] != ",":
            raise ValueError(f'"{rest}" follows where a comma is wanted')
        rest = rest[1:]


def _requirement(found: re.Match[str]) -> _Requirement:
    key, value = found["without"] or found["key"], found["value"] or ""
    values = [part.strip() for part in found["values"].split(",")] if found["set"] else [value]
    if found["operator"] in {">", "<"}:
        if re.fullmatch(r"[+-]?[0-9]+", value) is None:
            raise ValueError(f'"{value}" after {found["operator"]} is no integer')
        return _Requirement(key, found["operator"], (value,))
    problems = (label_key_problem(key), *map(label_value_problem, values))
    if problem := next((problem for problem in problems if problem), None):
        raise ValueError(problem)
    if found["without"]:
        return _Requirement(key, "!")
    if not found["operator"] and not found["set"]:
        return _Requirement(key, "exists")
    within = found["set"] == "in" or found["operator"] in {"=", "=="}
    return _Requirement(key, "in" if within else "notin", tuple(values))


def _compared(one: _Requirement, value: str | None) -> bool:
    if value is None or re.fullmatch(r"[+-]?[0-9]+", value) is None:
        return False
    return int(value) > int(one.values[0]) if one.operator == ">" else int(value) < int(one.values[0])


# A label that is missing is not in any list of values, so that != and notin hold.
_HOLDS: Mapping[str, Callable[[_Requirement, str | None], bool]] = {
    "in": lambda one, value: value is not None and value in one.values,
    "notin": lambda one, value: value is None or value not in one.values,
    "exists": lambda _, value: value is not None,
    "!": lambda _, value: value is None,
    ">": _compared,
    "<": _compared,
}
