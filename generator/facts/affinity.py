"""Required nodeAffinity as Kubernetes evaluates it: terms are ORed, what stands in one term is ANDed.

component-helpers scheduling/corev1/nodeaffinity and apimachinery labels.NewRequirement, v1.36. A term with an
expression that can't be read matches nothing, and leaves the other terms alone; so does a term that is empty.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.facts.label import label_key_problem, label_value_problem

Term = Mapping[str, Any]
Expression = Mapping[str, Any]

_INTEGER = re.compile(r"[+-]?[0-9]+")
_INT64 = range(-(2**63), 2**63)
_SETS, _PRESENCE, _ORDER = frozenset({"In", "NotIn"}), frozenset({"Exists", "DoesNotExist"}), frozenset({"Gt", "Lt"})
_NAME = "metadata.name"


def matches(terms: Sequence[Term], labels: Mapping[str, str], name: str = "") -> bool:
    """Whether a node with these labels and this name is selected."""
    return any(_term_matches(term, labels, name) for term in terms)


def may_match(terms: Sequence[Term], known: Mapping[str, str]) -> bool:
    """Whether a node may be selected of which only some labels are known, and neither others nor its name."""
    return any(_term_may_match(term, known) for term in terms)


def expression_matches(expression: Expression, labels: Mapping[str, str]) -> bool:
    """Whether a readable expression holds of the labels."""
    value = labels.get(expression["key"])
    values: Sequence[str] = expression.get("values") or ()
    match expression["operator"]:
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "In":
            return value is not None and value in values
        case "NotIn":
            return value is None or value not in values
    number, operand = integer(value), integer(values[0])
    if number is None or operand is None:
        return False
    return number > operand if expression["operator"] == "Gt" else number < operand


def integer(text: str | None) -> int | None:
    """What Go's ParseInt(text, 10, 64) reads; None for what it refuses."""
    if text is None or _INTEGER.fullmatch(text) is None or int(text) not in _INT64:
        return None
    return int(text)


def refusal(terms: Sequence[Term]) -> str | None:
    """Why the API server refuses a pod with these terms; None where it takes them."""
    if not terms:
        return "there is no term in it"
    return next((problem for term in terms for problem in _refusals(term)), None)


def unreadable(terms: Sequence[Term]) -> str | None:
    """The first thing that leaves a term matching nothing, though the API server may take it; None for none."""
    for term in terms:
        if not expressions(term) and not _fields(term):
            return "a term without expressions matches no node"
        for problem in _unreadables(term):
            return problem
    return None


def expressions(term: Term) -> Sequence[Expression]:
    """What a term says of labels."""
    return term.get("matchExpressions") or ()


def _fields(term: Term) -> Sequence[Expression]:
    return term.get("matchFields") or ()


def _term_matches(term: Term, labels: Mapping[str, str], name: str) -> bool:
    about_labels, about_fields = expressions(term), _fields(term)
    if not (about_labels or about_fields) or any(_unreadables(term)):
        return False
    named = {_NAME: name} if name else {}
    return all(expression_matches(one, labels) for one in about_labels) and all(
        _field_matches(one, named) for one in about_fields
    )


def _term_may_match(term: Term, known: Mapping[str, str]) -> bool:
    if not (expressions(term) or _fields(term)) or any(_unreadables(term)):
        return False
    return all(one["key"] not in known or expression_matches(one, known) for one in expressions(term))


def _field_matches(expression: Expression, fields: Mapping[str, str]) -> bool:
    equal = fields.get(expression["key"], "") == expression["values"][0]
    return equal if expression["operator"] == "In" else not equal


def _unreadables(term: Term) -> Iterator[str]:
    for one in expressions(term):
        yield from _refused_expression(one)
        values: Sequence[str] = one.get("values") or ()
        if one.get("operator") in _ORDER and len(values) == 1 and integer(values[0]) is None:
            yield f'"{values[0]}" after {one["operator"]} is no integer'
    yield from _refused_fields(term)


def _refusals(term: Term) -> Iterator[str]:
    for one in expressions(term):
        yield from _refused_expression(one)
    yield from _refused_fields(term)


def _refused_expression(expression: Expression) -> Iterator[str]:
    operator, values = expression.get("operator", ""), expression.get("values") or ()
    if problem := label_key_problem(expression.get("key", "")):
        yield problem
    if operator not in _SETS | _PRESENCE | _ORDER:
        yield f'"{operator}" is no operator, use In, NotIn, Exists, DoesNotExist, Gt or Lt'
    elif operator in _SETS and not values:
        yield f"{operator} needs values"
    elif operator in _PRESENCE and values:
        yield f"{operator} takes no values"
    elif operator in _ORDER and len(values) != 1:
        yield f"{operator} takes one value, and has {len(values)}"
    for value in values:
        if not isinstance(value, str):
            yield f"{value} is no text, put it in quotes"
        elif problem := label_value_problem(value):
            yield problem


def _refused_fields(term: Term) -> Iterator[str]:
    for one in _fields(term):
        values = one.get("values") or ()
        if one.get("key") != _NAME:
            yield f'"{one.get("key", "")}" is no field of a node that can be selected, {_NAME} is the only one'
        if one.get("operator") not in _SETS:
            yield f'"{one.get("operator", "")}" is no operator for a field, use In or NotIn'
        if len(values) != 1:
            yield f"a field takes one value, and has {len(values)}"
