"""Slots: the worked cases of the facts; every answer of the operator is in test_standing_oracle."""

import pytest

from generator.operator.slots import BadMaxUnavailable, NodeStanding, scaled, slots


@pytest.mark.parametrize(("nodes", "most"), [(1, 1), (4, 1), (5, 2), (8, 2), (10, 3)])
def test_a_quarter_is_rounded_up(nodes, most):
    # Shared facts/gpu-operator.md 6.3.
    assert scaled("25%", nodes) == most


@pytest.mark.parametrize("written", ["abc", "3", "33.3%", "%", ""])
def test_what_the_operator_cannot_scale(written):
    assert scaled(written, 4) == BadMaxUnavailable(written)


def test_one_failed_node_stops_the_rollout_of_one_at_a_time():
    # Shared facts/gpu-operator.md 6.3, consequences.
    found = slots([NodeStanding("upgrade-failed", cordoned=True), NodeStanding("upgrade-required")], 1, "100%")
    assert not isinstance(found, BadMaxUnavailable)
    assert found.available <= 0
