"""What is known of a node before it exists, against the nodeSelectorTerms of a pod that would run on it.

Terms are ORed, what is in one term is ANDed: component-helpers scheduling/corev1/nodeaffinity, v1.36. Terms are as the
inventory accepts them, and so as the API server does (declared/requirements).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

Term = Mapping[str, Any]
Expression = Mapping[str, Any]

_INTEGER = re.compile(r"[+-]?[0-9]+")
_INT64 = range(-(2**63), 2**63)
_ORDER = frozenset({"Gt", "Lt"})


def may_match(terms: Sequence[Term], known: Mapping[str, str]) -> bool:
    """Whether a node may be selected of which only some labels are known, and neither others nor its name."""
    return any(_term_may_match(term, known) for term in terms)


def unreadable(terms: Sequence[Term]) -> str | None:
    """The first thing that leaves a term matching no node, though the API server takes it; None for none."""
    for term in terms:
        if problem := _unreadable(term):
            return problem
    return None


def expressions(term: Term) -> Sequence[Expression]:
    """What a term says of labels."""
    return term.get("matchExpressions") or ()


def expression_matches(expression: Expression, labels: Mapping[str, str]) -> bool:
    """Whether an expression holds of the labels."""
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
    number, operand = _integer(value), _integer(values[0])
    if number is None or operand is None:
        return False
    return number > operand if expression["operator"] == "Gt" else number < operand


def _term_may_match(term: Term, known: Mapping[str, str]) -> bool:
    if _unreadable(term):
        return False
    of_known = [expression for expression in expressions(term) if expression["key"] in known]
    return all(expression_matches(expression, known) for expression in of_known)


def _unreadable(term: Term) -> str:
    """Why no label is compared with an operand of the term: it is no 64-bit integer; empty for a term that is fine."""
    for expression in expressions(term):
        if expression["operator"] in _ORDER:
            operand = expression["values"][0]
            if _integer(operand) is None:
                return f'"{operand}" after {expression["operator"]} is no integer'
    return ""


def _integer(text: str | None) -> int | None:
    """What Go's ParseInt(text, 10, 64) reads; None for what it refuses."""
    if text is None or _INTEGER.fullmatch(text) is None or int(text) not in _INT64:
        return None
    return int(text)
