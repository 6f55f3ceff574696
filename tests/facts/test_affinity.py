"""nodeAffinity against a real control plane: v1.36 kube-apiserver and kube-scheduler, and the library that both use."""

import pytest

from generator.facts import affinity
from tests.testing.shared import oracle, own

MAJOR = "nvidia.com/cuda.driver.major"


def told(case):
    """An excerpt of a case: its match and its API code."""
    terms, given = case["input"]["terms"], case["input"]
    refused = affinity.refusal(terms)
    if refused and "is no text" in refused:
        return None, 400
    return affinity.matches(terms, given["labels"], given["node_name"]), 422 if refused else 201


def expected(case):
    return case["output"]["match"], case["output"]["api"]["code"]


def wrong(cases):
    return [case["id"] for case in cases if told(case) != expected(case)]


def test_every_answer_of_the_library_and_the_api_server():
    cases = oracle("affinity")
    assert len(cases) == 320
    assert wrong(cases) == []


def test_our_excerpt_of_the_answers():
    cases = own("affinity")
    assert len(cases) >= 50
    assert {expected(case) for case in cases} == {(True, 201), (False, 201), (False, 422), (None, 400)}
    assert wrong(cases) == []


def test_the_excerpts_are_verbatim():
    for name in ("affinity", "affinity_scheduler"):
        cases = {case["id"]: case for case in oracle(name)}
        assert all(cases.get(case["id"]) == case for case in own(name))


@pytest.mark.parametrize(("cases", "least"), [(oracle, 16), (own, 16)])
def test_every_binding_of_the_scheduler(cases, least):
    found = cases("affinity_scheduler")
    assert len(found) >= least
    for case in found:
        labels, terms = case["input"]["labels"], case["input"]["terms"]
        name = next((field["values"][0] for term in terms for field in term.get("matchFields", ())), "n1")
        assert affinity.matches(terms, labels, name) == case["output"]["bound"], case["id"]


def test_every_term_that_the_library_calls_wrong_is_unreadable():
    for case in oracle("affinity"):
        if case["output"]["match_error"]:
            assert affinity.unreadable(case["input"]["terms"]), case["id"]


# nodeaffinity.go NewLazyErrorNodeSelector: an empty term is skipped, an error doesn't spoil the other terms.
def test_a_term_that_matches_nothing_leaves_the_others_alone():
    good = {"matchExpressions": [{"key": MAJOR, "operator": "Gt", "values": ["549"]}]}
    bad = {"matchExpressions": [{"key": MAJOR, "operator": "Gt", "values": ["550.5"]}]}
    labels = {MAJOR: "0550"}
    assert affinity.matches([{}, bad, good], labels)
    assert not affinity.matches([{}, bad], labels)
    assert affinity.unreadable([good]) is None
    assert affinity.unreadable([good, bad]) == '"550.5" after Gt is no integer'
    assert affinity.unreadable([good, {}]) == "a term without expressions matches no node"
    assert affinity.refusal([good, bad]) is None
    assert affinity.refusal([]) == "there is no term in it"


@pytest.mark.parametrize(
    ("field", "name", "match"),
    [
        ({"operator": "In", "values": ["n1"]}, "n1", True),
        ({"operator": "NotIn", "values": ["n1"]}, "n1", False),
        ({"operator": "NotIn", "values": ["n1"]}, "n2", True),
        ({"operator": "In", "values": ["n1"]}, "", False),
    ],
)
def test_fields(field, name, match):
    assert affinity.matches([{"matchFields": [{"key": "metadata.name", **field}]}], {}, name) is match


def test_only_the_name_is_a_field():
    terms = [{"matchFields": [{"key": "metadata.uid", "operator": "In", "values": ["x"]}]}]
    assert (
        affinity.refusal(terms)
        == '"metadata.uid" is no field of a node that can be selected, metadata.name is the only one'
    )
