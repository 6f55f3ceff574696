"""Which specs of a budget the API refuses (kubernetes pkg/apis/policy/validation/validation_test.go)."""

import pytest

from generator.facts.budgetspec import amount_problem, refused


@pytest.mark.parametrize("amount", [0, 1, "0%", "1%", "05%", "100%"])
def test_taken(amount):
    assert amount_problem(amount) is None
    assert refused({"minAvailable": amount, "selector": {}}) is None


@pytest.mark.parametrize("amount", [-1, "1.1%", "nope", "-1%", "101%", "3", "", "%", True, 1.5])
def test_refused(amount):
    assert amount_problem(amount)
    answer = refused({"maxUnavailable": amount})
    assert answer is not None
    assert (answer.code, answer.reason, answer.field) == (422, "Invalid", "spec.maxUnavailable")


def test_both_amounts_exclude_each_other():
    answer = refused({"minAvailable": 1, "maxUnavailable": 1})
    assert answer is not None
    assert "exclude" in answer.problem


def test_neither_amount_is_taken():
    assert refused({"selector": {"matchLabels": {"app": "a"}}}) is None


# apimachinery pkg/apis/meta/v1/validation: In and NotIn need values, Exists and DoesNotExist forbid them.
@pytest.mark.parametrize(
    ("requirement", "field"),
    [
        ({"key": "app", "operator": "In"}, "values"),
        ({"key": "app", "operator": "Exists", "values": ["a"]}, "values"),
        ({"key": "app", "operator": "Lt", "values": ["1"]}, "operator"),
        ({"key": "a b", "operator": "Exists"}, "key"),
        ({"key": "app", "operator": "In", "values": ["a b"]}, "values[0]"),
    ],
)
def test_a_requirement_that_is_refused(requirement, field):
    answer = refused({"minAvailable": 1, "selector": {"matchExpressions": [requirement]}})
    assert answer is not None
    assert answer.field == f"spec.selector.matchExpressions[0].{field}"
