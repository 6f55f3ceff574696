"""What an upgrade runs into; facts/gpu-operator.md 6 and facts/kubernetes.md say what is expected."""

import json

import pytest

from generator.observed.objects import Reading
from generator.upgrade.event import Kind
from generator.upgrade.simulation import Simulation, Wish, simulate
from generator.upgrade.state import State
from tests.testing.live import budget, daemonset, driver_pod, node, nvidiadriver, pod, policy, read, upgrade, validator
from tests.testing.shared import release

NAMES = ("n1", "n2", "n3", "n4")


def gpu_nodes(*names: str, **more: object) -> list[dict]:
    """Nodes that are done, with the driver pod and validator that they need."""
    return [
        piece
        for name in names or NAMES
        for piece in (node(name, "upgrade-done", **more), driver_pod(name), validator(name))
    ]


def replayed(*objects: dict, version: str = "v26.7.0", **wish: object) -> Simulation:
    return simulate(read(*daemonset(), *objects), release(version), Wish(**wish))


def told(found: Simulation, kind: Kind) -> list[tuple[str, str]]:
    return [(one.node, one.detail) for one in found.events if one.kind is kind]


def ends(found: Simulation) -> dict[str, str]:
    return {lane.node: lane.spans[-1].state for lane in found.lanes}


def test_one_after_the_other() -> None:
    found = replayed(policy(), *gpu_nodes(), pod("a-0", "n1"), pod("a-1", "n3"))
    assert found.done
    assert not found.resumed
    assert set(ends(found).values()) == {State.DONE}
    begins = [lane.begins for lane in found.lanes]
    done = [lane.done for lane in found.lanes]
    assert all(later > earlier for earlier, later in zip(done, begins[1:], strict=False))
    assert told(found, Kind.EVICTED) == [("n1", "ml/a-0"), ("n3", "ml/a-1")]
    assert found.waited == 0


def test_the_driver_takes_as_long_as_it_is_told_to() -> None:
    """The operator doesn't watch driver pods: a new one is noticed at a requeue, every 120 s."""
    quick, slow = (replayed(policy(), *gpu_nodes("n1"), driver_seconds=seconds) for seconds in (0, 3600))
    assert 3600 <= slow.seconds - quick.seconds <= 3600 + 2 * 120


def test_a_budget_without_room_fails_the_node_after_its_timeout_and_blocks_the_rest() -> None:
    found = replayed(
        policy(),
        *gpu_nodes(),
        pod("a-0", "n1", labels={"app": "a"}),
        budget("a", {"app": "a"}, (1, 1, 1), minAvailable=1),
    )
    assert ends(found) == {"n1": State.FAILED, **dict.fromkeys(NAMES[1:], State.UPGRADE_REQUIRED)}
    assert found.waited == 300
    assert told(found, Kind.TIMED_OUT) == [("n1", "ml/a-0")]
    (first, second, *_) = found.stalls
    assert "needs 1 healthy pods and has 1 currently" in first.why[1]
    assert second.why[1] == "n1 is upgrade-failed, which counts as in progress"


def test_two_timeouts_where_the_drain_is_refused_too() -> None:
    """Facts 6.4: blocked 300 s, then drain-required, blocked again, then upgrade-failed."""
    drain = {"enable": True, "force": True, "timeoutSeconds": 300, "deleteEmptyDir": True, "podSelector": ""}
    found = replayed(
        policy(drain=drain),
        *gpu_nodes("n1"),
        pod("a-0", "n1", labels={"app": "a"}),
        budget("a", {"app": "a"}, (1, 1, 1), minAvailable=1),
    )
    states = [span.state for span in found.lanes[0].spans]
    assert states[-3:] == [State.POD_DELETION, State.DRAIN, State.FAILED]
    assert found.waited == 600


def test_evicted_pods_that_find_no_node_keep_the_next_ones() -> None:
    """Every GPU is taken: the first pod waits for room, so the budget lets no second one go until it is back."""
    devices = {"nvidia.com/gpu": "1"}
    pods = [pod(f"a-{index}", name, labels={"app": "a"}) for index, name in enumerate(NAMES)]
    found = replayed(
        policy(maxParallelUpgrades=2, maxUnavailable="100%"),
        *gpu_nodes(devices=devices),
        *pods,
        budget("a", {"app": "a"}, (4, 3, 4), maxUnavailable=1),
    )
    assert told(found, Kind.EVICTED)[0] == ("n1", "ml/a-0")
    assert told(found, Kind.EVICTION_REFUSED)[0] == ("n2", "ml/a-1")
    assert told(found, Kind.POD_STARTED)[0] == ("n1", "ml/a-0")


def test_nodes_with_room_take_what_was_evicted() -> None:
    found = replayed(
        policy(),
        *gpu_nodes(devices={"nvidia.com/gpu": "2"}),
        *(pod(f"a-{index}", name, labels={"app": "a"}) for index, name in enumerate(NAMES)),
        budget("a", {"app": "a"}, (4, 3, 4), maxUnavailable=1),
    )
    assert found.done
    assert found.pending == ()
    first, second = (one.at for one in found.events if (one.kind, one.node) == (Kind.EVICTED, "n2"))
    assert 30 <= second - first <= 35  # the first has to be Ready elsewhere; the second is asked for every 5 s


def test_each_object_has_its_own_slots() -> None:
    owner = "nvidia.com/gpu-operator.driver.owner"
    nodes = [*gpu_nodes("n1", "n2", labels={owner: "a"}), *gpu_nodes("n3", "n4", labels={owner: "b"})]
    two = replayed(nvidiadriver("a"), nvidiadriver("b"), *nodes)
    assert [lane.begins for lane in two.lanes] == [1, two.lanes[1].begins, 1, two.lanes[3].begins]
    one = replayed(nvidiadriver("a"), nvidiadriver("b"), policy(), *nodes, version="v26.3.3")
    assert sum(lane.begins == 1 for lane in one.lanes) == 1
    assert one.seconds > two.seconds


def test_restarts_only_evict_nothing() -> None:
    found = replayed(policy(), *gpu_nodes("n1"), pod("a-0", "n1"), restart_only=True)
    assert found.done
    assert told(found, Kind.EVICTED) == []
    assert State.POD_DELETION not in {span.state for span in found.lanes[0].spans}


def test_before_v26_7_a_restart_is_a_whole_upgrade() -> None:
    found = replayed(policy(), *gpu_nodes("n1"), pod("a-0", "n1"), restart_only=True, version="v26.3.3")
    assert told(found, Kind.EVICTED) == [("n1", "ml/a-0")]


def test_a_validator_that_is_not_there_is_waited_for_for_ever() -> None:
    found = replayed(policy(), node("n1", "upgrade-done"), driver_pod("n1"))
    assert ends(found) == {"n1": State.VALIDATION}
    assert "never came" in found.stalls[0].why[0]


def test_every_pod_that_can_not_be_evicted_is_told() -> None:
    drain = {"enable": True, "force": False, "timeoutSeconds": 300, "deleteEmptyDir": False}
    found = replayed(
        policy(drain=drain), *gpu_nodes("n1"), pod("scratch-0", "n1", empty_dir=True), pod("lone", "n1", "")
    )
    assert told(found, Kind.CANNOT_LEAVE) == [("n1", "ml/lone"), ("n1", "ml/scratch-0")] * 2
    assert ends(found) == {"n1": State.FAILED}


def test_an_upgrade_under_way_goes_on_from_where_it_is() -> None:
    found = replayed(
        policy(),
        node("n1", "validation-required", cordoned=True),
        driver_pod("n1"),
        validator("n1"),
        node("n2", "upgrade-required"),
        driver_pod("n2", "old"),
        validator("n2"),
    )
    assert found.resumed
    assert found.done
    assert State.POD_DELETION not in {span.state for span in found.lanes[0].spans}


@pytest.mark.parametrize("wait", [0, 3600])
def test_jobs_are_waited_for_as_long_as_the_policy_says(wait: int) -> None:
    found = replayed(
        policy(waitForCompletion={"podSelector": "app=job", "timeoutSeconds": wait}),
        *gpu_nodes("n1"),
        pod("job-0", "n1", "Job", labels={"app": "job"}),
    )
    assert ends(found) == {"n1": State.DONE if wait else State.WAIT_FOR_JOBS}
    assert found.waited == wait


def test_a_cluster_without_automatic_upgrades_stands_still() -> None:
    found = replayed(policy(autoUpgrade=False), *gpu_nodes("n1"))
    assert "autoUpgrade" in found.off
    assert found.events == ()


def test_of_two_objects_one_without_automatic_upgrades_leaves_its_nodes() -> None:
    """k8s-operator-libs, as the operator calls it: without autoUpgrade it takes the state off, and upgrades nothing."""
    owner = "nvidia.com/gpu-operator.driver.owner"
    nodes = [*gpu_nodes("n1", labels={owner: "a"}), *gpu_nodes("n2", labels={owner: "b"})]
    found = upgrade("simulate", *daemonset(), nvidiadriver("a", autoUpgrade=False), nvidiadriver("b"), *nodes)
    assert {event.node for event in found.events if event.kind == Kind.DRIVER_POD_DELETED} == {"n2"}


def test_a_policy_that_stops_the_operator_is_told_once() -> None:
    found = replayed(policy(podDeletion=None), *gpu_nodes("n1", "n2"))
    assert len(told(found, Kind.ERROR)) == 1
    assert found.stops
    assert not found.done


def test_without_pods_nothing_is_claimed() -> None:
    reading = Reading()
    assert reading.add([json.dumps({"kind": "List", "items": [policy(), node("n1", "upgrade-done")]}).encode()]) is None
    found = simulate(reading.objects(), release(), Wish())
    assert set(found.missing) == {"pods of all namespaces (--pods)", "PodDisruptionBudgets (--budgets)"}


def test_the_same_input_gives_the_same_timeline() -> None:
    objects = (policy(), *gpu_nodes(), pod("a-0", "n1"), pod("a-1", "n3"))
    assert replayed(*objects) == replayed(*reversed(objects))


def test_a_large_cluster() -> None:
    """1,000 nodes, ten at a time."""
    names = [f"n{number:04}" for number in range(1000)]
    found = replayed(policy(maxParallelUpgrades=10), *gpu_nodes(*names))
    assert found.done
    assert len(told(found, Kind.DRIVER_POD_DELETED)) == 1000


def test_a_pod_that_finalizers_hold_fails_its_node_and_its_replacement_has_another_name() -> None:
    """Two timeouts, since a drain follows; the old pod is evicted once, and is never counted as healthy again."""
    held = pod("a-0", "n1")
    held["metadata"]["finalizers"] = ["example.com/keep"]
    drain = {"enable": True, "force": True, "timeoutSeconds": 300, "deleteEmptyDir": True, "podSelector": ""}
    found = replayed(policy(drain=drain), *gpu_nodes("n1"), held)
    assert ends(found) == {"n1": State.FAILED}
    assert told(found, Kind.EVICTED) == [("n1", "ml/a-0")]
    assert told(found, Kind.TIMED_OUT) == [("n1", "ml/a-0")] * 2
    assert told(found, Kind.POD_STARTED) == [("", "ml/a-0-2")]
    assert "nobody takes the finalizers off ml/a-0 meanwhile" in found.assumed
    assert "held by its finalizers: example.com/keep" in found.stalls[0].why[1]


def test_a_stateful_set_waits_until_the_pod_of_that_name_is_gone() -> None:
    held = pod("a-0", "n1", "StatefulSet")
    held["metadata"]["finalizers"] = ["example.com/keep"]
    assert told(replayed(policy(), *gpu_nodes("n1"), held), Kind.POD_STARTED) == []
