"""What is known of a pool's nodes, against nodeSelectorTerms."""

import pytest

from generator.facts.affinity import may_match, unreadable

MAJOR = "nvidia.com/cuda.driver.major"


def term(operator, *values, key=MAJOR):
    return {"matchExpressions": [{"key": key, "operator": operator, **({"values": list(values)} if values else {})}]}


# nodeaffinity.go NewLazyErrorNodeSelector: an error in one term doesn't spoil the others.
def test_a_term_that_matches_nothing_leaves_the_others_alone():
    good, bad = term("Gt", "549"), term("Gt", "550.5")
    known = {MAJOR: "0550"}
    assert may_match([bad, good], known)
    assert not may_match([bad], known)
    assert unreadable([good]) is None
    assert unreadable([good, bad]) == '"550.5" after Gt is no integer'


@pytest.mark.parametrize("operator", ["Exists", "DoesNotExist", "In", "NotIn", "Gt", "Lt"])
def test_a_label_that_nobody_knows_keeps_nobody_away(operator):
    values = () if operator in {"Exists", "DoesNotExist"} else ("1",)
    assert may_match([term(operator, *values)], {})


def test_an_operand_that_is_no_integer_matches_no_node_whatever_its_labels():
    assert not may_match([term("Lt", "x")], {})


@pytest.mark.parametrize("number", [str(2**63), "-9223372036854775809", "1_0", " 1", "0x1", ""])
def test_a_label_that_is_no_64_bit_integer_is_neither_greater_nor_less(number):
    assert not may_match([term("Gt", "-5")], {MAJOR: number})
    assert not may_match([term("Lt", "5")], {MAJOR: number})


def test_the_name_of_a_node_is_not_known():
    field = {"key": "metadata.name", "operator": "In", "values": ["n1"]}
    assert may_match([{"matchFields": [field]}], {MAJOR: "550"})
