"""Label selectors as objects; each operator with and without the label: pdb.jsonl in test_standing_oracle."""

import pytest

from generator.facts.labelselector import is_empty, selects


@pytest.mark.parametrize("selector", [{}, {"matchLabels": {}}, {"matchExpressions": []}, {"matchLabels": None}])
def test_an_empty_selector_covers_everything(selector):
    assert is_empty(selector)
    assert selects(selector, {"any": "thing"})
    assert selects(selector, {})


def test_an_absent_selector_covers_nothing():
    assert not is_empty(None)
    assert not selects(None, {"any": "thing"})


def test_an_operator_that_the_api_refuses_holds_for_nobody():
    assert not selects({"matchExpressions": [{"key": "app", "operator": "Gt", "values": ["1"]}]}, {"app": "2"})
