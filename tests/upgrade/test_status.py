"""Why nodes stand where they stand; facts/gpu-operator.md 6 and 7, facts/kubernetes.md say what is expected."""

from typing import Any

import pytest

from generator.upgrade.scene import Verdict
from generator.upgrade.state import State
from generator.upgrade.status import status
from tests.testing.live import (
    DAEMONSET,
    SPACE,
    STATE,
    budget,
    daemonset,
    driver_pod,
    node,
    nvidiadriver,
    pod,
    policy,
    read,
    upgrade,
    validator,
)
from tests.testing.shared import release

PULLING = {
    "image": "nvcr.io/nvidia/driver:580-6.8.0-101-generic-ubuntu24.04",
    "state": {"waiting": {"reason": "ImagePullBackOff", "message": "manifest unknown"}},
}


def standing(*objects: dict, version: str = "") -> Any:
    return upgrade("status", *daemonset(), *objects, version=version)


def of(found: Any, name: str) -> Any:
    return next(one for one in found.nodes if one.node == name)


def test_stuck_for_three_hours() -> None:
    """A budget that never allows a disruption, and no timeout: the eviction is asked for again for ever."""
    found = standing(
        policy(podDeletion={"force": False, "timeoutSeconds": 0, "deleteEmptyDir": False}),
        node("n1", "pod-deletion-required", cordoned=True),
        node("n2", "upgrade-required"),
        *(driver_pod(name, "old") for name in ("n1", "n2")),
        pod("serving-0", "n1", labels={"app": "serving"}),
        budget("serving", {"app": "serving"}, (1, 1, 1), minAvailable=1),
    )
    one = of(found, "n1")
    assert one.verdict == Verdict.STUCK
    assert one.why == (
        "pod ml/serving-0: the disruption budget serving needs 1 healthy pods and has 1 currently (HTTP 429)",
        "it is tried for ever: timeoutSeconds is 0",
    )
    assert one.command.startswith("kubectl patch pdb -n ml serving --type json -p '")
    assert "maxUnavailable" in one.command
    assert of(found, "n2").why[1] == "n1 is in progress (pod-deletion-required)"


def test_a_failed_node_blocks_the_rest() -> None:
    found = standing(
        policy(),
        node("n1", "upgrade-failed", cordoned=True),
        *(node(f"n{number}", "upgrade-required") for number in (2, 3, 4)),
        *(driver_pod(f"n{number}", "old") for number in (1, 2, 3, 4)),
        pod("train-0", "n1", "Job", empty_dir=True),
    )
    blocked = of(found, "n3")
    assert blocked.verdict == Verdict.STUCK
    slots = "0 free slots of cluster-policy: maxUnavailable 25% of 4 nodes is 1 and 1 is unavailable"
    assert blocked.why == (
        f"{slots}; maxParallelUpgrades 1 and 1 in progress",
        "n1 is upgrade-failed, which counts as in progress",
    )
    assert blocked.command == f"kubectl label node n1 {STATE}=upgrade-required --overwrite"
    failed = of(found, "n1")
    assert failed.why == (
        "its pods could not be evicted and the old driver pod is still there",
        "pod ml/train-0 has an emptyDir and podDeletion.deleteEmptyDir is false",
    )
    assert failed.command == "kubectl delete pod -n ml train-0"


def test_an_image_that_is_not_built() -> None:
    """One node ahead, or half a pool on a new OS: the new pod of each can't be pulled."""
    found = standing(
        policy(), node("n1", "pod-restart-required", cordoned=True), driver_pod("n1", ready=False, **PULLING)
    )
    one = of(found, "n1")
    assert one.verdict == Verdict.STUCK
    assert one.why[0] == (
        "the pull of nvcr.io/nvidia/driver:580-6.8.0-101-generic-ubuntu24.04 fails, ImagePullBackOff: manifest unknown"
    )
    assert "for ever" in one.why[1]


def test_an_image_that_is_not_built_for_a_node_that_has_just_joined() -> None:
    """Not labelled by the operator yet, or never, since autoUpgrade is off: its pod can't be pulled all the same."""
    for automatic in (True, False):
        found = standing(policy(autoUpgrade=automatic), node("n1"), driver_pod("n1", ready=False, **PULLING))
        assert of(found, "n1").verdict == Verdict.STUCK
        assert "fails, ImagePullBackOff: manifest unknown" in of(found, "n1").why[0]
    well = standing(policy(autoUpgrade=False), node("n1"), driver_pod("n1"))
    assert of(well, "n1").verdict == Verdict.DONE


@pytest.mark.parametrize("state", [None, "upgrade-done"])
def test_without_pods_nobody_knows_whether_a_driver_runs(state: str | None) -> None:
    found = upgrade("status", policy(), *daemonset(), node("n1", state), without=("pods",))
    assert of(found, "n1").verdict == Verdict.UNTOLD
    assert of(found, "n1").missing == ("pods of all namespaces (--pods)",)
    assert found.untold


def test_a_preinstalled_driver() -> None:
    label = {"nvidia.com/gpu.deploy.driver": "pre-installed"}
    found = standing(policy(), node("n1", labels=label), node("n2", "upgrade-required", labels=label))
    assert of(found, "n1").verdict == Verdict.DONE
    assert of(found, "n2").verdict == Verdict.STALE
    assert "preinstalled" in of(found, "n2").why[0]


def test_a_label_that_says_done_and_is_left_over_is_no_trouble() -> None:
    found = standing(policy(driver={"enabled": False}), node("n1", "upgrade-done"))
    assert of(found, "n1").verdict == Verdict.STALE
    assert not found.stuck


def test_every_state_has_a_diagnosis() -> None:
    objects = [
        piece
        for state in State
        for piece in (node(f"n-{state or 'none'}", state or None), driver_pod(f"n-{state or 'none'}"))
    ]
    found = standing(policy(), *objects, *(validator(f"n-{state or 'none'}") for state in State))
    assert [one.state for one in found.states] == list(State)
    assert all(one.why or one.verdict == Verdict.DONE for one in found.nodes)
    assert {one.state for one in found.nodes if "Maintenance Operator" in "".join(one.why)} == {
        State.NODE_MAINTENANCE,
        State.POST_MAINTENANCE,
    }


@pytest.mark.parametrize(
    ("state", "objects", "verdict", "said"),
    [
        ("validation-required", [], Verdict.STUCK, "it never came and is waited for, for ever"),
        ("validation-required", [validator("n1")], Verdict.MOVING, "its validator is Ready"),
        ("validation-required", [validator("n1", ready=False)], Verdict.WAITING, "after 600 s it is upgrade-failed"),
        ("uncordon-required", [], Verdict.MOVING, "it is uncordoned and done"),
        ("upgrade-failed", [], Verdict.MOVING, "new and Ready"),
        ("pod-restart-required", [], Verdict.MOVING, "it is validated"),
        ("drain-required", [], Verdict.MOVING, "drain.enable is false"),
        ("upgrade-done", [], Verdict.WAITING, "still cordoned"),
        ("cordon-required", [], Verdict.MOVING, "it is cordoned and nothing is evicted yet"),
        ("wait-for-jobs-required", [], Verdict.MOVING, "no job is waited for"),
        ("upgrade-required", [], Verdict.MOVING, "it was cordoned already and needs no free slot"),
    ],
)
def test_a_cordoned_node_with_the_new_driver(state, objects, verdict, said) -> None:
    found = standing(policy(), node("n1", state, cordoned=True), driver_pod("n1"), *objects)
    one = of(found, "n1")
    assert one.verdict == verdict
    assert any(said in why for why in one.why)


@pytest.mark.parametrize(
    ("container", "verdict", "said"),
    [
        ({"restartCount": 3}, Verdict.STUCK, "restarted 3 times, after more than 10 the node is upgrade-failed"),
        ({"restartCount": 11}, Verdict.STUCK, "restarted 11 times, more than 10 is upgrade-failed"),
        ({"state": {"waiting": {"reason": "PodInitializing"}}}, Verdict.WAITING, "waits, PodInitializing"),
    ],
)
def test_a_driver_pod_that_does_not_come_up(container, verdict, said) -> None:
    found = standing(
        policy(), node("n1", "pod-restart-required", cordoned=True), driver_pod("n1", ready=False, **container)
    )
    assert of(found, "n1").verdict == verdict
    assert said in of(found, "n1").why[0]


def test_jobs_that_are_waited_for() -> None:
    wait = {"podSelector": "app=job", "timeoutSeconds": 3600}
    found = standing(
        policy(waitForCompletion=wait),
        node("n1", "wait-for-jobs-required", cordoned=True),
        driver_pod("n1", "old"),
        pod("fold-0", "n1", "Job", labels={"app": "job"}),
        pod("fold-1", "n1", "Job", labels={"app": "job"}, phase="Succeeded"),
    )
    assert of(found, "n1").why == ("it waits for ml/fold-0 (app=job), for 3600 s at most",)
    assert of(found, "n1").command == "kubectl get pod -n ml fold-0 -w"


@pytest.mark.parametrize(
    ("owner", "more", "said", "command"),
    [
        ("", {}, "has no controller and podDeletion.force is false", "kubectl delete pod -n ml work-0"),
        (
            "DaemonSet",
            {},
            "is of a DaemonSet, whose pods are never deleted here",
            "kubectl edit clusterpolicy cluster-policy",
        ),
    ],
)
def test_pods_that_can_not_be_evicted(owner, more, said, command) -> None:
    found = standing(
        policy(),
        node("n1", "pod-deletion-required", cordoned=True),
        driver_pod("n1", "old"),
        pod("work-0", "n1", owner, **more),
    )
    assert said in of(found, "n1").why[0]
    assert of(found, "n1").command == command
    assert of(found, "n1").why[1] == "so that it becomes upgrade-failed"


def test_two_budgets_over_one_pod() -> None:
    """facts/kubernetes.md: HTTP 500 without a reason."""
    found = standing(
        policy(),
        node("n1", "pod-deletion-required", cordoned=True),
        driver_pod("n1", "old"),
        pod("work-0", "n1", labels={"app": "w"}),
        *(budget(name, {"app": "w"}, (2, 1, 2), minAvailable=1) for name in ("a", "b")),
    )
    assert "more than one PodDisruptionBudget" in of(found, "n1").why[0]
    assert of(found, "n1").command == "kubectl get pdb -n ml -o wide"


def test_a_budget_that_only_waits_for_its_own_pods() -> None:
    found = standing(
        policy(),
        node("n1", "pod-deletion-required", cordoned=True),
        driver_pod("n1", "old"),
        pod("work-0", "n1", labels={"app": "w"}),
        budget("w", {"app": "w"}, (4, 3, 3), maxUnavailable=1),
    )
    assert "needs 3 healthy pods and has 3 currently" in of(found, "n1").why[0]
    assert of(found, "n1").command == "kubectl get pods -n ml -o wide"


def test_a_budget_without_a_status_is_counted() -> None:
    """A manifest: maxUnavailable 0 over a ReplicaSet's only pod."""
    found = standing(
        policy(),
        node("n1", "pod-deletion-required", cordoned=True),
        driver_pod("n1", "old"),
        pod("work-0", "n1", labels={"app": "w"}),
        budget("w", {"app": "w"}, maxUnavailable=0),
    )
    assert "needs 1 healthy pods and has 1 currently" in of(found, "n1").why[0]
    assert of(found, "n1").command == """kubectl patch pdb -n ml w --type merge -p '{"spec":{"maxUnavailable":1}}'"""


@pytest.mark.parametrize(
    ("changes", "version", "said"),
    [
        ({"drain": None}, "v26.3.3", "crashes operator v26.3.3"),
        ({"podDeletion": None}, "v26.7.0", "pod deletion spec should not be empty"),
        ({"maxUnavailable": "many"}, "v26.7.0", 'maxUnavailable "many" is no number and no percentage'),
        ({"waitForCompletion": {"podSelector": "app==a=b"}}, "v26.7.0", "is no label selector"),
    ],
)
def test_settings_that_stop_the_operator(changes, version, said) -> None:
    found = standing(policy(**changes), node("n1", "upgrade-required"), driver_pod("n1", "old"), version=version)
    assert said in found.stops[0]
    assert of(found, "n1").verdict == Verdict.STUCK
    assert found.stuck


def test_a_drain_object_is_not_needed_from_the_release_that_mended_it() -> None:
    found = standing(policy(drain=None), node("n1", "upgrade-required"), driver_pod("n1", "old"))
    assert found.stops == ()


def test_each_object_counts_its_own_slots() -> None:
    owner = "nvidia.com/gpu-operator.driver.owner"
    found = standing(
        nvidiadriver("a"),
        nvidiadriver("b"),
        node("n1", "upgrade-failed", cordoned=True, labels={owner: "a"}),
        node("n2", "upgrade-required", labels={owner: "a"}),
        node("n3", "upgrade-required", labels={"pool": "b"}),
        *(driver_pod(name, "old") for name in ("n1", "n2", "n3")),
    )
    assert of(found, "n2").verdict == Verdict.STUCK
    assert of(found, "n3").verdict == Verdict.MOVING
    assert [one.scope for one in found.nodes] == ["a", "a", "b"]


def test_before_v26_7_the_clusterpolicy_counts_for_all_objects() -> None:
    found = standing(
        nvidiadriver("a"),
        policy(),
        node("n1", "upgrade-failed", cordoned=True, labels={"pool": "b"}),
        node("n2", "upgrade-required", labels={"pool": "a"}),
        *(driver_pod(name, "old") for name in ("n1", "n2")),
        version="v26.3.3",
    )
    assert of(found, "n2").verdict == Verdict.STUCK


def test_without_revisions_the_template_generations_say_which_pod_is_new() -> None:
    made = daemonset()[0]
    made["metadata"]["annotations"] = {"deprecated.daemonset.template.generation": "3"}
    old, new = driver_pod("n1"), driver_pod("n2")
    old["metadata"]["labels"]["pod-template-generation"] = "2"
    new["metadata"]["labels"]["pod-template-generation"] = "3"
    nodes = (node("n1", "upgrade-done"), node("n2", "upgrade-done"))
    found = upgrade("status", made, policy(), old, new, *nodes)
    assert "outdated" in of(found, "n1").why[0]
    assert of(found, "n2").verdict == Verdict.DONE


def test_what_the_input_lacks_is_named() -> None:
    found = upgrade("status", policy(), node("n1", "pod-restart-required"), driver_pod("n1"))
    assert of(found, "n1").missing == ("the driver DaemonSets and their ControllerRevisions (--drivers)",)
    assert found.untold


def test_numbers_of_a_policy_that_nobody_showed_prove_nothing() -> None:
    """The chart's default is one node at a time (chart-values.yaml, driver.upgradePolicy)."""
    waits = (node("n1", "upgrade-failed", cordoned=True), node("n2", "upgrade-required"))
    pods = (driver_pod(name, "old") for name in ("n1", "n2"))
    found = of(upgrade("status", *waits, *pods, without=("drivers",)), "n2")
    assert found.verdict == Verdict.UNTOLD
    assert found.why[0].startswith("by the chart's default policy: 0 free slots ")
    assert found.missing != ()


def test_the_old_pod_goes_next() -> None:
    found = of(standing(policy(), node("n1", "pod-restart-required", cordoned=True), driver_pod("n1", "old")), "n1")
    assert found.verdict == Verdict.MOVING
    assert found.why[0].startswith("the old driver pod of n1 is deleted ")


def test_a_parked_node() -> None:
    skip = "nvidia.com/gpu-driver-upgrade.skip"
    found = standing(policy(), node("n1", "upgrade-required", labels={skip: "true"}), driver_pod("n1", "old"))
    assert of(found, "n1").command == f"kubectl label node n1 {skip}-"


def test_a_name_that_a_shell_would_act_on_is_quoted() -> None:
    found = standing(policy(), node("n1; reboot", "upgrade-done", cordoned=True), driver_pod("n1; reboot"))
    assert of(found, "n1; reboot").command == "kubectl uncordon 'n1; reboot'"


def test_the_driver_pod_is_named() -> None:
    found = standing(policy(), node("n1", "pod-restart-required"), driver_pod("n1", ready=False, restartCount=2))
    assert of(found, "n1").command == (f"kubectl logs -n {SPACE} {DAEMONSET}-n1 -c nvidia-driver-ctr --previous")


OURS = {"nvidia.com/gpu.deploy.driver": "true"}


def test_objects_beside_a_clusterpolicy_that_does_not_use_them_are_disabled() -> None:
    """facts/gpu-operator.md 4.4: an NVIDIADriver is reconciled only where the policy's flag is on, or there is none."""
    items = (nvidiadriver("a"), node("n1", "upgrade-done", labels={"pool": "a"}), driver_pod("n1"))
    found = standing(policy(), *items)
    assert [one.scope for one in found.scopes] == ["cluster-policy"]
    assert found.notes == ("a: disabled, since driver.useNvidiaDriverCRD of ClusterPolicy cluster-policy is not true",)
    used = standing(policy(driver={"useNvidiaDriverCRD": True}), *items)
    assert ([one.scope for one in used.scopes], used.notes) == (["a"], ())


def test_probes_crash_the_operator_whatever_its_upgrade_policy() -> None:
    """facts/gpu-operator.md 9b."""
    found = standing(policy(autoUpgrade=False, driver={"livenessProbe": {"periodSeconds": 1}}), node("n1"))
    assert "driver.livenessProbe of ClusterPolicy cluster-policy is a nil pointer" in found.stops[0]
    assert found.stuck


@pytest.mark.parametrize("state", [None, "upgrade-required"])
def test_a_node_that_no_object_claims_gets_no_driver(state: str | None) -> None:
    """facts/gpu-operator.md R4.2.g."""
    found = standing(
        policy(driver={"useNvidiaDriverCRD": True}), nvidiadriver("a"), node("n1", state, labels={"pool": "b", **OURS})
    )
    assert of(found, "n1").why == ("no NVIDIADriver claims it: the operator gives it no driver",)
    assert found.stuck


def test_two_objects_that_claim_one_node_stop_every_update() -> None:
    """facts/gpu-operator.md R4.2.c: owner assignment fails closed."""
    second = nvidiadriver("b")
    second["spec"]["nodeSelector"] = {"pool": "a"}
    found = standing(nvidiadriver("a"), second, node("n1", labels={"pool": "a", **OURS}), driver_pod("n1"))
    assert "NVIDIADriver a and b both claim n1" in found.stops[0]
    assert "both claim n1" in of(found, "n1").why[0]
    assert found.stuck


def test_of_two_clusterpolicies_it_is_said_which_counts() -> None:
    """facts/gpu-operator.md T1: the oldest from v26.7 on, before that the one that was reconciled first."""
    other = policy()
    other["metadata"] = {"name": "z", "creationTimestamp": "2025-01-01T00:00:00Z"}
    assert standing(policy(), other, node("n1")).notes == (
        "of the ClusterPolicies cluster-policy and z only z counts, being the oldest",
    )
    assert "if the operator saw it first" in standing(policy(), other, node("n1"), version="v26.3.3").notes[0]


def test_a_cluster_without_objects_is_not_asked_for_them_again() -> None:
    objects = read(node("n1", "upgrade-required"), complete=("ClusterPolicy", "NVIDIADriver"))
    found = status(objects, release())
    assert found.off == "the cluster has neither a ClusterPolicy nor an NVIDIADriver"
    assert found.missing == ()
    assert found.stuck
