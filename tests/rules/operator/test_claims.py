"""Which pools claim the same nodes, against the operator's own validator."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import pytest

from generator.facts import label
from generator.facts.label import Node
from generator.facts.release import Release, resolve
from generator.operator.selector import Conflict, Driver, validate
from generator.rules.operator.claims import Claim, Overlap, _Index, overlaps, told_apart
from tests.testing.shared import oracle, own

GPU = {label.GPU_PRESENT: frozenset({"true"})}


def claim(name: str, selector: Mapping[str, str], *, renders: bool = True, **known: frozenset[str]) -> Claim:
    labels = {**GPU, **known, **{key: frozenset({value}) for key, value in selector.items()}}
    return Claim(name=name, selector=selector, labels=labels, renders=renders)


def told(*claims: Claim) -> list[tuple[str, str, int, bool]]:
    return [(one.claim.name, one.other.name, one.more, one.certain) for one in overlaps(claims)]


def test_different_values_of_one_key_keep_pools_apart() -> None:
    assert told(claim("a", {"pool": "a"}), claim("b", {"pool": "b", "zone": "z"})) == []


@pytest.mark.parametrize(
    ("selectors", "apart"),
    [
        ([{"pool": "a"}, {"zone": "z", "pool": "b"}], True),
        ([{"zone": "z", "pool": "a"}, {"pool": "b"}, {"pool": "a"}], False),
        ([{"pool": "a"}, {"pool": "b"}, {}], False),
        ([{}], False),
        ([], True),
    ],
)
def test_one_key_that_tells_all_of_them_apart_is_seen_at_once(selectors: list[dict[str, str]], apart: bool) -> None:
    assert told_apart(selectors) is apart
    if apart:
        assert told(*(claim(f"p{number}", each) for number, each in enumerate(selectors))) == []


def test_the_broader_selector_is_told() -> None:
    narrow, broad = claim("narrow", {"pool": "a", "zone": "z"}), claim("broad", {"zone": "z"})
    assert told(narrow, broad) == [("broad", "narrow", 0, True)]
    assert told(broad, narrow) == [("broad", "narrow", 0, True)]


def test_of_two_alike_the_later_is_told() -> None:
    assert told(claim("a", {"pool": "x"}), claim("b", {"pool": "x"})) == [("b", "a", 0, True)]
    same = [claim(name, {"pool": "x"}) for name in "abc"]
    assert told(*same) == [("b", "a", 0, True), ("c", "a", 1, True)]


def test_a_pool_without_selector_claims_them_all_and_is_told_once() -> None:
    pools = [claim("a", {"pool": "a"}), claim("rest", {}), claim("b", {"pool": "b"}), claim("c", {"pool": "c"})]
    assert told(*pools) == [("rest", "a", 2, True)]


def test_selectors_without_a_common_key_are_only_doubted() -> None:
    found = list(overlaps([claim("a", {"gpu-pool": "a"}), claim("b", {"zone": "z1"})]))
    assert [(one.claim.name, one.other.name, one.certain) for one in found] == [("b", "a", False)]
    assert found[0].witness == "gpu-pool=a, zone=z1"


def test_labels_that_nodes_have_by_themselves_keep_pools_apart() -> None:
    amd, arm = frozenset({"amd64"}), frozenset({"arm64"})
    assert told(claim("a", {"x": "1"}, arch=amd), claim("b", {"y": "1"}, arch=arm)) == []
    assert told(claim("a", {"x": "1"}, arch=amd | arm), claim("b", {"y": "1"}, arch=arm)) == [("b", "a", 0, False)]


def test_a_selector_by_a_derived_label_matches_declared_nodes() -> None:
    both = frozenset({"amd64", "arm64"})
    assert told(claim("a", {"x": "1"}, arch=both), claim("b", {"arch": "arm64"})) == [("b", "a", 0, True)]


def test_pairs_that_render_nothing_are_no_concern() -> None:
    host, guest = claim("host", {"x": "1"}, renders=False), claim("guest", {"x": "1"}, renders=False)
    assert told(host, guest) == []
    assert told(host, guest, claim("a", {"y": "1"})) == [("a", "host", 1, False)]
    assert told(host, claim("a", {"x": "1"})) == [("a", "host", 0, True)]


def release(version: str) -> Release:
    found = resolve(version)
    assert isinstance(found, Release)
    return found


def drivers(case: dict[str, Any], known: Release) -> list[Driver]:
    """Before v26.7 an object has no `default`, so that it counts like any other (oracle README)."""
    return [
        Driver(
            name=one["name"],
            node_selector=one["nodeSelector"],
            default=one["default"] and known.default_object,
            deleting=one["deleting"],
        )
        for one in case["input"]["drivers"]
    ]


def judged(found: list[Driver]) -> list[Overlap]:
    return list(overlaps([claim(one.name, one.node_selector or {}) for one in found if not one.default]))


def check(cases: list[dict[str, Any]]) -> None:
    """Where the validator meets a node of two objects, we tell of one; what we are sure of, it refuses."""
    conflicts = 0
    for case in cases:
        known = release(case["operator"])
        found = drivers(case, known)
        overlapping = judged(found)
        if "conflict" in case["output"]["validator"].values():
            conflicts += 1
            assert overlapping, case["id"]
        for one in overlapping:
            labels = {label.GPU_PRESENT: "true", **one.claim.selector, **one.other.selector}
            pair = [each for each in found if each.name in {one.claim.name, one.other.name}]
            refused = validate(known, pair, [Node("witness", labels)])
            reserved = any(label.OWNER in (each.node_selector or {}) for each in pair)
            assert refused is not None, case["id"]
            assert refused.reason is Conflict.SAME_NODE or reserved, case["id"]
    assert conflicts > 10


def test_our_excerpt_of_the_validator_s_answers() -> None:
    cases = own("selector_conflicts")
    conflicting = [case for case in cases if "conflict" in case["output"]["validator"].values()]
    assert conflicting
    assert [case["id"] for case in conflicting if not judged(drivers(case, release(case["operator"])))] == []


def test_all_of_the_validator_s_answers() -> None:
    check(oracle("selector_conflicts"))


@pytest.mark.parametrize("without", [0, 20])
def test_pools_of_one_key_are_looked_at_once(without: int) -> None:
    """What is left to compare grows with the number of pools, not with that of pairs."""
    claims = [claim(f"p{number}", {"pool": f"v{number}"}) for number in range(500)]
    claims += [claim(f"x{number}", {f"k{number}": "v"}) for number in range(without)]
    index = _Index(claims)
    compared = sum(len(index._compatible(one)) for one in claims[:500])
    assert compared == 500 * (1 + without)
    assert len(list(overlaps(claims))) == without


def test_it_agrees_with_asking_every_pair() -> None:
    """The index against the plain definition, over every mix of small selectors."""
    selectors = [{}, {"a": "1"}, {"a": "2"}, {"b": "1"}, {"a": "1", "b": "1"}, {"a": "1", "b": "2"}, {"c": "1"}]
    for mix in combinations([*selectors, *selectors[:3]], 4):
        claims = [claim(f"p{number}", selector) for number, selector in enumerate(mix)]
        expected = {}
        for later in range(4):
            for other in range(4):
                if pair_is_told(claims, later, other):
                    expected.setdefault(later, []).append(other)
        found = {int(one.claim.name[1:]): one for one in overlaps(claims) if one.certain}
        assert {number: one.more + 1 for number, one in found.items()} == {
            number: len(others) for number, others in expected.items()
        }
        assert {number: one.other.name for number, one in found.items()} == {
            number: f"p{min(others)}" for number, others in expected.items()
        }


def pair_is_told(claims: list[Claim], one: int, other: int) -> bool:
    if one == other or not within(claims[one], claims[other]):
        return False
    return other < one or not within(claims[other], claims[one])


def within(broad: Claim, narrow: Claim) -> bool:
    return set(broad.selector.items()) <= set(narrow.selector.items())
