"""What no trace of the real controller holds, from its facts (k8s-operator-libs pkg/upgrade)."""

import pytest

from generator.facts.deletable import Standing
from generator.facts.eviction import Answer
from generator.upgrade.environment import settle
from generator.upgrade.event import Kind
from generator.upgrade.machine import Controller, reconcile
from generator.upgrade.policy import policy_of, policy_of_object
from generator.upgrade.state import State
from generator.upgrade.world import DriverPod, Node, Pod, Scope, Successor, World

OLD = DriverPod(in_sync=False, successor=Successor(0))
POLICY = {"autoUpgrade": True, "maxParallelUpgrades": 1, "maxUnavailable": "100%", "podDeletion": {}}


def controller(**written: object) -> Controller:
    return Controller(scopes=(Scope(name="policy", policy=policy_of({**POLICY, **written})),))


def pod(name: str, node: str, **changes: object) -> Pod:
    return Pod(name=name, node=node, standing=Standing(owner="ReplicaSet"), gpu=True, **changes)


def blocked(one: Pod) -> Answer:
    return Answer(code=429, message="blocked") if "held" in one.name else Answer(code=201)


def run(world: World, machine: Controller, rounds: int, seconds: int = 120) -> list:
    events = []
    for number in range(rounds):
        outcome = reconcile(world, machine, blocked, number * seconds, (number + 1) * seconds)
        settle(world, outcome.deleted, number * seconds)
        events += outcome.events
    return events


def test_a_refused_eviction_without_a_timeout_is_asked_again_for_ever():
    """pod_manager.go: Timeout 0 of the drain helper is no timeout."""
    world = World([Node(name="n1", state=State.POD_DELETION, driver=OLD)], [pod("a/free", "n1"), pod("a/held", "n1")])
    events = run(world, controller(podDeletion={"timeoutSeconds": 0}), 50)
    assert [(one.kind, one.detail) for one in events] == [(Kind.EVICTED, "a/free"), (Kind.EVICTION_REFUSED, "a/held")]
    assert world.nodes["n1"].state == State.POD_DELETION


def test_a_timeout_ends_in_the_round_that_it_falls_into():
    """300 s after second 0 lie between the reconciles at 240 and 360 s."""
    world = World([Node(name="n1", state=State.POD_DELETION, driver=OLD)], [pod("a/held", "n1")])
    events = run(world, controller(podDeletion={"timeoutSeconds": 300}), 10)
    assert [one.at for one in events if one.kind is Kind.TIMED_OUT] == [240]
    assert world.nodes["n1"].state == State.FAILED


def test_an_object_that_is_not_automatic_forgets_its_nodes_only():
    nodes = [
        Node(name="n1", owner="a", state=State.FAILED, driver=OLD),
        Node(name="n2", owner="b", state=State.FAILED, driver=OLD),
    ]
    world = World(nodes)
    scopes = (
        Scope(name="a", owner="a", policy=policy_of_object({"autoUpgrade": False})),
        Scope(name="b", owner="b", policy=policy_of_object(None)),
    )
    run(world, Controller(scopes=scopes), 1)
    assert {name: node.state for name, node in world.nodes.items()} == {"n1": "", "n2": State.FAILED}


def test_a_missing_validator_is_waited_for_for_ever():
    new = DriverPod(in_sync=True)
    world = World([Node(name="n1", state=State.VALIDATION, driver=new, validators=())])
    assert run(world, controller(), 100) == []


@pytest.mark.parametrize("state", [State.NODE_MAINTENANCE, State.POST_MAINTENANCE, "no-such-state"])
def test_what_nothing_acts_on_stays(state: str):
    world = World([Node(name="n1", state=state, driver=OLD)])
    assert run(world, controller(), 5) == []


def test_a_node_without_a_driver_pod_is_not_looked_at():
    world = World([Node(name="n1", state=State.UPGRADE_REQUIRED), Node(name="n2", driver=OLD)])
    run(world, controller(), 12)
    assert {name: node.state for name, node in world.nodes.items()} == {
        "n1": State.UPGRADE_REQUIRED,
        "n2": State.DONE,
    }


def test_a_round_costs_what_it_changes():
    """5,000 nodes, 100 at a time; a scan of all of them in each step would take minutes."""
    world = World(Node(name=f"n{number:04}", driver=OLD) for number in range(5000))
    machine = controller(maxUnavailable="10%", maxParallelUpgrades=100)
    events = run(world, machine, 600)
    assert {node.state for node in world.nodes.values()} == {State.DONE}
    assert sum(one.kind is Kind.DRIVER_POD_DELETED for one in events) == 5000
