"""What changed since the revision compared with."""

from typing import Any

import pytest

from generator.revision.driver_objects import DriverObject
from tests.testing.pools import CLUSTER, inventory, pool, told

COMPILED = 'mode: compiled, version: "580.82.07"'


def before(name: str = "a", kind: str = "NVIDIADriver", cluster: str = "c", **spec: Any) -> DriverObject:
    path = f"{cluster}/gpu-operator/{kind.lower()}-{name}.yaml"
    return DriverObject(path=path, cluster=cluster, kind=kind, name=name, spec=spec)


@pytest.mark.parametrize(
    ("was", "selector", "taken"),
    [
        ({"example.com/pool": "x"}, "{example.com/pool: x}", True),
        ({"example.com/pool": "x"}, '{example.com/pool: x, zone: "1"}', True),
        ({"example.com/pool": "x", "zone": "1"}, "{example.com/pool: x}", True),
        ({"example.com/pool": "y"}, "{example.com/pool: x}", False),
        ({"zone": "1"}, "{example.com/pool: x}", False),
    ],
)
def test_an_object_that_goes_while_a_new_one_takes_its_nodes(was: dict[str, str], selector: str, taken: bool) -> None:
    """argoproj/argo-cd issue 14277: a rename is a delete and a create."""
    old = before("gpu-a", nodeSelector=was)
    found = told("operator/renamed", inventory(pool("gpu-alpha", selector=selector)), against=[old])
    assert [one.fact for one in found] == (["gpu-a"] if taken else [])
    kept = inventory(pool("gpu-alpha", "renamedFrom: gpu-a", selector=selector))
    assert told("operator/renamed", kept, against=[old]) == []


def test_a_pool_that_was_there_before_is_no_new_name() -> None:
    both = [before("a", nodeSelector={"x": "1"}), before("gone", nodeSelector={"x": "1", "y": "2"})]
    assert told("operator/renamed", inventory(pool("a", selector='{x: "1"}')), against=both) == []


def test_a_default_is_taken_over_by_a_default() -> None:
    old = before("rest", default=True)
    new = inventory(pool("others", "default: true", selector=""), pool("a"))
    (finding,) = told("operator/renamed", new, against=[old])
    assert 'pool "others"' in finding.message
    assert told("operator/renamed", inventory(pool("a")), against=[old]) == []


def test_a_split_names_the_first_and_counts_the_rest() -> None:
    pools = pool("b", selector='{x: "1", zone: "1"}'), pool("c", selector='{x: "1", zone: "2"}')
    (finding,) = told("operator/renamed", inventory(*pools), against=[before("a", nodeSelector={"x": "1"})])
    assert 'pool "b" (and 1 more)' in finding.message


def test_a_cluster_that_is_gone_is_no_rename() -> None:
    gone = before("a", cluster="other", nodeSelector={"example.com/pool": "a"})
    assert told("operator/renamed", inventory(pool("b", selector="{example.com/pool: a}")), against=[gone]) == []


def test_nothing_is_said_where_nothing_could_be_compared() -> None:
    files = inventory(pool("a"))
    assert told("operator/renamed", files, against=None) == told("operator/immutable-change", files, against=None) == []


def policy(name: str) -> dict[str, str]:
    said = f"version: v26.7.0, install: olm, clusterPolicyBase: bases/p.yaml, clusterPolicyName: {name}"
    base = f"apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {{name: {name}}}\nspec: {{}}\n"
    return {**inventory(pool("a"), operator=said), "bases/p.yaml": base}


def test_a_cluster_policy_under_another_name_would_be_a_second_one() -> None:
    """../shared/facts gpu-operator.md 8, T1: the oldest wins, the other is ignored."""
    old = before("gpu-cluster-policy", "ClusterPolicy")
    (finding,) = told("operator/renamed", policy("cluster-policy"), against=[old])
    assert '"gpu-cluster-policy", and is "cluster-policy" now' in finding.message
    assert finding.hint == "set operator.clusterPolicyName: gpu-cluster-policy"
    assert told("operator/renamed", policy("gpu-cluster-policy"), against=[old]) == []


@pytest.mark.parametrize(
    ("was", "driver", "said"),
    [
        ({"usePrecompiled": False}, 'branch: "580"', ["usePrecompiled of NVIDIADriver a is false"]),
        ({"usePrecompiled": True}, COMPILED, ["usePrecompiled of NVIDIADriver a is true"]),
        ({"usePrecompiled": True}, 'branch: "580"', []),
        ({}, 'branch: "580"', []),
        (
            {"usePrecompiled": False},
            f"{COMPILED}, spec: {{driverType: vgpu}}",
            ['driverType of NVIDIADriver a is "gpu"'],
        ),
        ({"usePrecompiled": False, "driverType": "vgpu"}, f"{COMPILED}, spec: {{driverType: vgpu}}", []),
    ],
)
def test_fields_that_the_api_server_keeps(was: dict[str, Any], driver: str, said: list[str]) -> None:
    """CEL rules of nvidiadriver_types.go; an absent driverType is its default, ../shared/facts kubernetes.md."""
    found = told("operator/immutable-change", inventory(pool("a"), driver=driver), against=[before("a", **was)])
    assert len(found) == len(said)
    assert all(part in one.message and one.pool == "a" for part, one in zip(said, found, strict=True))


def test_the_change_is_told_where_it_was_made() -> None:
    files = inventory(pool("a", f"driver: {{{COMPILED}}}"))
    (finding,) = told("operator/immutable-change", files, against=[before("a", usePrecompiled=True)])
    assert finding.place.file == CLUSTER
    assert finding.hint.startswith(
        "add a second pool of a new name with its own nodeSelector, drain the nodes and move"
    )


def test_the_way_out_of_an_immutable_change_is_no_finding_itself() -> None:
    """Both commits: the second pool beside the old one, then the old one gone with nothing taking its nodes."""
    old = before("a", usePrecompiled=True, nodeSelector={"example.com/pool": "a"})
    new = pool("a-compiled", f"driver: {{{COMPILED}}}")
    second = before("a-compiled", usePrecompiled=False, nodeSelector={"example.com/pool": "a-compiled"})
    for pools, against in (((pool("a"), new), [old]), ((new,), [old, second])):
        for rule in ("operator/immutable-change", "operator/renamed"):
            assert told(rule, inventory(*pools), against=against) == []


def test_a_cluster_policy_may_change_its_mode() -> None:
    """../shared/facts gpu-operator.md 3: usePrecompiled is mutable there."""
    old = before("cluster-policy", "ClusterPolicy", driver={"usePrecompiled": False})
    assert told("operator/immutable-change", policy("cluster-policy"), against=[old]) == []
