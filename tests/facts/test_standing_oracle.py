"""Every answer of a real control plane and of the operator's code on budgets, drains, GPU pods and slots."""

import pytest

from generator.operator import slots
from tests.facts import standings
from tests.testing.shared import mismatches, oracle, own

# File, our answer, least number of cases in the shared file, and in our excerpt. No case is left out.
FILES = [
    ("pdb", standings.disruption, 276, 30),
    ("drain", standings.drained, 18, 18),
    ("gpu_pod_filter", standings.gpu_pod, 108, 20),
    ("upgrade_slots", standings.upgrade_slots, 514, 25),
]
# What drain.jsonl says beside these is for people: texts with invented names, and seconds.
DRAIN = ("exit", "all_error_classes", "node_cordoned", "pods_left_on_node", "pods_terminating")


def asked(name, cases):
    if name == "drain":
        return [{**case, "output": {key: case["output"][key] for key in DRAIN}} for case in cases]
    return [standings.in_our_words(case) for case in cases] if name == "pdb" else cases


@pytest.mark.parametrize(("name", "answer", "least", "_excerpt"), FILES)
def test_all_answers(name, answer, least, _excerpt):
    cases = oracle(name)
    assert len(cases) >= least
    assert mismatches(asked(name, cases), answer) == []


@pytest.mark.parametrize(("name", "answer", "_least", "excerpt"), FILES)
def test_our_excerpt(name, answer, _least, excerpt):
    cases = own(name)
    assert len(cases) >= excerpt
    assert mismatches(asked(name, cases), answer) == []


@pytest.mark.parametrize("name", [name for name, *_ in FILES])
def test_the_excerpt_is_verbatim(name):
    cases = {case["id"]: case for case in oracle(name)}
    assert all(cases.get(case["id"]) == case for case in own(name))


def test_evictions_one_after_the_other():
    cases = [case for case in oracle("pdb") if "prior_evictions" in case["input"]]
    assert len(cases) == 18
    assert [(case["id"], standings.prior(case)) for case in cases] == [
        (case["id"], [one["code"] for one in case["input"]["prior_evictions"]]) for case in cases
    ]


def test_every_answer_counts():
    assert sum(len(case["output"]["evictions_all"]) for case in oracle("pdb")) >= 1001


def test_nodes_that_all_wait_go_as_many_at_once_as_the_operator_lets():
    asked = [case for case in oracle("upgrade_slots") if "output" in case and _all_wait(case["input"]["nodes"])]
    assert len(asked) >= 20
    assert [case["id"] for case in asked if _at_once(case["input"]) != _going(case["output"])] == []


def _all_wait(nodes):
    return all((node["state"], node["cordoned"]) == ("upgrade-required", False) for node in nodes) and all(
        node["ready_condition"] == "True" for node in nodes
    )


def _going(told):
    return min(max(told["available"], 0), told["total"])


def _at_once(given):
    return slots.at_once(len(given["nodes"]), given["maxParallelUpgrades"], given["maxUnavailable"])
