"""Budget, slots, pool size, pods on a node and timeout together."""

import pytest

from tests.testing.pools import WORKLOADS, inventory, messages, pool, told, workload, workloads

RULE = "disruption/will-time-out"


def fleet(
    *listed: str, nodes: str = "2", policy: str = "", operator: str = "version: v26.7.0", more: tuple[str, ...] = ()
) -> dict[str, str]:
    one = pool("a", f"nodes: {nodes}", f"driver: {{upgradePolicy: {{{policy}}}}}")
    return {**inventory(one, *more, operator=operator), WORKLOADS: workloads(*listed)}


def api(budget: str = "maxUnavailable: 1", replicas: str = "12", **more: str) -> str:
    return workload("api", budget=budget, replicas=replicas, **more)


def test_numbers_of_pods_nodes_rounds_and_seconds() -> None:
    (message,) = messages(RULE, fleet(api()))
    assert "at least 6 of its 12 pods stand on the 1 node that is upgraded at once, of 2" in message
    assert "1 may go at a time: 6 rounds in 300 s leave 60 s for a replacement" in message


# 12 pods on 2 nodes are 6 on one: rounds of 1, 3 and 6 pods are 6, 2 and 1.
@pytest.mark.parametrize(
    ("budget", "policy", "count"),
    [
        ("maxUnavailable: 1", "", 1),
        ("maxUnavailable: 1", "podDeletion: {timeoutSeconds: 600}", 0),
        ("maxUnavailable: 1", "podDeletion: {timeoutSeconds: 599}", 1),
        ("maxUnavailable: 1", "podDeletion: {timeoutSeconds: 0}", 0),
        ("maxUnavailable: 1", "autoUpgrade: false", 0),
        ("maxUnavailable: 3", "podDeletion: {timeoutSeconds: 119}", 1),
        ("maxUnavailable: 3", "podDeletion: {timeoutSeconds: 120}", 0),
        ("maxUnavailable: 6", "podDeletion: {timeoutSeconds: 1}", 0),
        ("maxUnavailable: 0", "", 0),
    ],
)
def test_time_for_a_replacement(budget: str, policy: str, count: int) -> None:
    assert len(told(RULE, fleet(api(budget), policy=policy))) == count


@pytest.mark.parametrize(
    ("nodes", "policy", "count"),
    [
        ("1", "", 1),
        ("1", "podDeletion: {timeoutSeconds: 0}", 1),
        ("4", 'maxParallelUpgrades: 0, maxUnavailable: "100%"', 1),
        ("4", 'maxParallelUpgrades: 3, maxUnavailable: "100%"', 0),
        ("4", "maxParallelUpgrades: 0, maxUnavailable: 3", 0),
    ],
)
def test_no_node_is_left_for_a_replacement(nodes: str, policy: str, count: int) -> None:
    found = messages(RULE, fleet(api(replicas="4", budget="maxUnavailable: 3"), nodes=nodes, policy=policy))
    assert ["no node is left" in one for one in found] == [True] * count


def test_a_timeout_of_nought_waits_for_ever() -> None:
    (message,) = messages(RULE, fleet(api(), nodes="1", policy="podDeletion: {timeoutSeconds: 0}"))
    assert "waits for ever (podDeletion.timeoutSeconds is 0)" in message


@pytest.mark.parametrize(
    ("drain", "said"),
    [
        ('podSelector: "app=api"', "blocked as well and ends in upgrade-failed after 300 s more"),
        ('podSelector: "app=api", timeoutSeconds: 0', "blocked as well and waits for ever"),
        ('podSelector: "app=other"', 'whose podSelector "app=other" leaves these pods: they keep the driver in use'),
        ("timeoutSeconds: 60", "blocked as well and ends in upgrade-failed after 60 s more"),
    ],
)
def test_falling_through_to_the_drain(drain: str, said: str) -> None:
    (message,) = messages(RULE, fleet(api(), nodes="1", policy=f"drain: {{enable: true, {drain}}}"))
    assert "falls through to the drain after podDeletion.timeoutSeconds 300" in message
    assert said in message


def test_per_object_slots_add_up_and_cluster_wide_ones_do_not() -> None:
    """facts/gpu-operator.md 6.3: per object from v26.7 with NVIDIADriver, else over the whole cluster."""
    more = (pool("b", "nodes: 2"),)
    both = workload("api", runsOn="{pools: [a, b]}", budget="maxUnavailable: 2", replicas="8")
    policy = "podDeletion: {timeoutSeconds: 100}"
    shared = "version: v26.3.3"
    ours = fleet(both, policy=policy, more=more)
    assert len(told(RULE, ours)) == 1  # two nodes at once: 4 pods, two rounds
    one = inventory(
        *(pool(name, "nodes: 2", f"driver: {{upgradePolicy: {{{policy}}}}}") for name in ("a", "b")), operator=shared
    )
    assert told(RULE, {**one, WORKLOADS: workloads(both)}) == []  # 1 of 4 nodes: 2 pods, one round


@pytest.mark.parametrize(
    ("operator", "count"),
    [
        ("version: v24.9.2, driverApi: NVIDIADriver", 0),
        ("version: v25.3.4, driverApi: NVIDIADriver", 0),
        ("version: v25.10.1, driverApi: NVIDIADriver", 0),
        ("version: v26.3.3, driverApi: NVIDIADriver", 0),
        ("version: v26.7.0, driverApi: NVIDIADriver", 1),
        ("version: v24.9.2, driverApi: ClusterPolicy", 0),
        ("version: v26.3.3, driverApi: ClusterPolicy", 0),
        ("version: v26.7.0, driverApi: ClusterPolicy", 0),
    ],
)
def test_whose_slots_count_by_release_and_api(operator: str, count: int) -> None:
    """facts/gpu-operator.md 6.3: two objects have a slot each, one policy has one for the four nodes."""
    policy = "driver: {upgradePolicy: {podDeletion: {timeoutSeconds: 100}}}"
    pools = (pool(name, "nodes: 2", policy) for name in ("a", "b"))
    both = workload("api", runsOn="{pools: [a, b]}", budget="maxUnavailable: 2", replicas="8")
    assert len(told(RULE, {**inventory(*pools, operator=operator), WORKLOADS: workloads(both)})) == count


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"owner": "{kind: DaemonSet}"}, "fails at once"),
        ({"owner": "{kind: none}", "budget": "minAvailable: 11"}, "fails at once"),
        ({"emptyDir": "true"}, "fails at once"),
        ({"gpu": "{resource: nvidia.com/GRID-A100}"}, "is never evicted"),
        ({"replicas": ""}, "has no number"),
    ],
)
def test_what_is_told_elsewhere_or_unknown_is_not_told_here(more: dict[str, str], why: str) -> None:
    assert told(RULE, fleet(api(**more))) == [], why


def test_a_pool_without_a_size_leaves_it_open() -> None:
    files = {**inventory(pool("a")), WORKLOADS: workloads(api())}
    assert told(RULE, files) == []


def test_a_range_of_replicas_is_judged_at_its_slower_end() -> None:
    (message,) = messages(RULE, fleet(api(replicas="{min: 2, max: 12}")))
    assert "6 of its 12 pods" in message
    # Of a fixed minAvailable the fewest replicas leave the least: 5 of 6 stay, 3 stand on a node.
    (message,) = messages(
        RULE, fleet(api("minAvailable: 5", "{min: 6, max: 12}"), policy="podDeletion: {timeoutSeconds: 100}")
    )
    assert "3 of its 6 pods" in message


def test_nodes_of_a_pool_that_nobody_upgrades_stay_free() -> None:
    own = pool("b", "nodes: 1", "driver: {mode: preinstalled, version: 580.126.20}", kernels="")
    listed = workload("api", runsOn="{pools: [a, b]}", budget="maxUnavailable: 1", replicas="2")
    assert told(RULE, fleet(listed, nodes="1", more=(own,))) == []
