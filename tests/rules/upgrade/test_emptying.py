"""Pods that the operator's pod deletion can't remove, or never looks at (facts/gpu-operator.md 6.4)."""

import pytest

from tests.testing.pools import WORKLOADS, cluster, inventory, messages, pool, told, workload, workloads

FAMILY = (
    "upgrade/emptydir-will-fail",
    "upgrade/unmanaged-pod-will-fail",
    "upgrade/daemonset-pod-will-fail",
    "upgrade/resource-not-matched",
)


def fleet(listed: str, policy: str = "", driver: str = "", kernels: str = "[5.15.0-173-generic]") -> dict[str, str]:
    one = pool("a", driver or f"driver: {{upgradePolicy: {{{policy}}}}}", kernels=kernels)
    return {**inventory(one), WORKLOADS: workloads(listed)}


def rules(files: dict[str, str]) -> list[str]:
    return [rule for rule in FAMILY for _ in told(rule, files)]


@pytest.mark.parametrize(
    ("more", "policy", "rule"),
    [
        ({"emptyDir": "true"}, "", "emptydir-will-fail"),
        ({"emptyDir": "true"}, "podDeletion: {deleteEmptyDir: true}", ""),
        ({"emptyDir": "true"}, "autoUpgrade: false", ""),
        ({"owner": "{kind: none}"}, "", "unmanaged-pod-will-fail"),
        ({"owner": "{kind: Pod}"}, "podDeletion: {force: true}", ""),
        (
            {"owner": "{kind: none}", "emptyDir": "true"},
            "podDeletion: {deleteEmptyDir: true}",
            "unmanaged-pod-will-fail",
        ),
        ({"owner": "{kind: DaemonSet}"}, "", "daemonset-pod-will-fail"),
        ({"owner": "{kind: DaemonSet}"}, "podDeletion: {force: true, deleteEmptyDir: true}", "daemonset-pod-will-fail"),
        ({"owner": "{kind: DaemonSet}"}, "drain: {enable: true}", ""),
        ({"owner": "{kind: Job}"}, "", ""),
    ],
)
def test_what_pod_deletion_refuses(more: dict[str, str], policy: str, rule: str) -> None:
    assert rules(fleet(workload("x", **more), policy)) == [f"upgrade/{rule}"] * bool(rule)


# gpu_pod_filter.jsonl of the shared oracle.
@pytest.mark.parametrize(
    ("resource", "matched"),
    [
        ("nvidia.com/gpu", True),
        ("nvidia.com/gpumem", True),
        ("nvidia.com/mig-1g.10gb", True),
        ("nvidia.com/MIG-1g.5gb", False),
        ("nvidia.com/GPU", False),
        ("nvidia.com/pgpu", False),
        ("nvidia.com/GRID_A100X-40C", False),
        ("x.nvidia.com/gpu", False),
    ],
)
def test_resources_that_the_operator_takes_for_a_gpu(resource: str, matched: bool) -> None:
    files = fleet(workload("x", gpu=f"{{resource: {resource}}}", emptyDir="true"))
    assert rules(files) == [FAMILY[0] if matched else FAMILY[3]]


@pytest.mark.parametrize(("selector", "count"), [("app=x", 0), ("app in (x, z)", 0), ("app=z", 1), ("", 1)])
def test_pods_that_the_upgrade_waits_for(selector: str, count: int) -> None:
    policy = f'waitForCompletion: {{podSelector: "{selector}"}}'
    files = fleet(workload("x", gpu="{resource: nvidia.com/pgpu}"), policy)
    assert len(told("upgrade/resource-not-matched", files)) == count


@pytest.mark.parametrize("driver", ["driver: {mode: preinstalled, version: 580.126.20}", "driver: {mode: unmanaged}"])
def test_a_pool_with_a_driver_of_its_own_has_no_upgrade(driver: str) -> None:
    assert rules(fleet(workload("x", emptyDir="true"), driver=driver, kernels="")) == []


@pytest.mark.parametrize(
    ("drain", "said"),
    [
        ("enable: false", "ends in upgrade-failed at once"),
        ("enable: true", "falls through to the drain at once, which refuses these pods as well"),
        ("enable: true, deleteEmptyDir: true", "at once, which evicts every pod that its podSelector matches"),
        ('enable: true, podSelector: "app=z"', 'whose podSelector "app=z" leaves these pods'),
    ],
)
def test_what_the_upgrade_comes_to(drain: str, said: str) -> None:
    (message,) = messages("upgrade/emptydir-will-fail", fleet(workload("x", emptyDir="true"), f"drain: {{{drain}}}"))
    assert said in message


def test_several_pools_are_one_finding() -> None:
    files = fleet(workload("x", emptyDir="true"))
    files["inventory/d.yaml"] = cluster(pool("a"), name="d")
    (finding,) = told("upgrade/emptydir-will-fail", files)
    assert 'false for pool "c/a" and 1 more: ' in finding.message
    assert (finding.cluster, finding.pool, finding.workload) == ("", "", "x")
