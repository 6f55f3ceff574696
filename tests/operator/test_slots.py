"""Slots: the worked cases; every answer of the operator is in tests/upgrade/test_slotholder.py."""

import pytest

from generator.operator.slots import BadMaxUnavailable, at_once, scaled, slots_of
from tests.testing.shared import oracle, own


@pytest.mark.parametrize(("nodes", "most"), [(1, 1), (4, 1), (5, 2), (8, 2), (10, 3)])
def test_a_quarter_is_rounded_up(nodes, most):
    # Shared facts/gpu-operator.md 6.3.
    assert scaled("25%", nodes) == most


@pytest.mark.parametrize("written", ["abc", "3", "33.3%", "%", ""])
def test_what_the_operator_cannot_scale(written):
    assert scaled(written, 4) == BadMaxUnavailable(written)


def test_one_failed_node_stops_the_rollout_of_one_at_a_time():
    # Shared facts/gpu-operator.md 6.3, consequences.
    found = slots_of({"upgrade-failed": 1, "upgrade-required": 1}, 1, 1, "100%")
    assert not isinstance(found, BadMaxUnavailable)
    assert found.available <= 0


@pytest.mark.parametrize("cases", [oracle, own])
def test_nodes_that_all_wait_begin_as_many_at_once_as_the_operator_lets(cases):
    waiting = [case for case in cases("upgrade_slots") if "output" in case and all_wait(case["input"]["nodes"])]
    assert waiting
    for case in waiting:
        given, answer = case["input"], case["output"]
        found = at_once(len(given["nodes"]), given["maxParallelUpgrades"], given["maxUnavailable"])
        assert found == min(max(answer["available"], 0), answer["total"]), case["id"]


def all_wait(nodes):
    return all(
        (node["state"], node["cordoned"], node["ready_condition"]) == ("upgrade-required", False, "True")
        for node in nodes
    )
