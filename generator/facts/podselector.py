"""A label selector as text: whether it parses (k8s.io/apimachinery pkg/labels/selector.go Parse)."""

import re

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


def selector_problem(text: str) -> str | None:
    """Why a selector is refused; None where it parses. An empty one selects everything."""
    rest = text
    if not text.strip(" \t\r\n"):
        return None
    while True:
        found = re.match(_ONE, rest, re.VERBOSE)
        if found is None:
            return f'"{rest.strip()}" is no requirement such as key=value'
        if problem := _requirement(found):
            return problem
        rest = rest[found.end() :]
        if not rest:
            return None
        if rest[0] != ",":
            return f'"{rest}" follows where a comma is wanted'
        rest = rest[1:]


def _requirement(found: re.Match[str]) -> str | None:
    key, value = found["without"] or found["key"], found["value"] or ""
    values = [part.strip() for part in found["values"].split(",")] if found["set"] else [value]
    if found["operator"] in {">", "<"}:
        return None if re.fullmatch(r"[+-]?[0-9]+", value) else f'"{value}" after {found["operator"]} is no integer'
    problems = (label_key_problem(key), *map(label_value_problem, values))
    return next((problem for problem in problems if problem), None)
