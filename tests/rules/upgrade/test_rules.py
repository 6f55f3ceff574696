"""What the declared upgrade policies do to a rollout."""

from typing import Any

import pytest

from tests.testing.pools import CLUSTER, FLEET, cluster, fleet, inventory, messages, pool, told

POLICY = "version: v26.7.0, driverApi: ClusterPolicy"
MANIFEST = f"{POLICY}, install: manifest, clusterPolicyBase: bases/p.yaml"
BASE = {"bases/p.yaml": "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\n"}
TEMPLATE = "templates/{cluster}/gpu-operator/extra.yaml.j2"


def upgrading(policy: str, operator: str = "version: v26.7.0") -> dict[str, str]:
    return {**BASE, **inventory(pool("a", f"driver: {{upgradePolicy: {{{policy}}}}}"), operator=operator)}


@pytest.mark.parametrize(
    ("policy", "operator", "count"),
    [
        ("drain: {enable: true}", "version: v26.7.0", 1),
        ('drain: {enable: true, podSelector: ""}', "version: v26.7.0", 1),
        ('drain: {enable: true, podSelector: "a=b"}', "version: v26.7.0", 0),
        ("drain: {enable: false}", "version: v26.7.0", 0),
        ("autoUpgrade: false, drain: {enable: true}", "version: v26.7.0", 0),
        ("drain: {enable: true}", POLICY, 1),
        ("drain: {enable: true}", MANIFEST, 0),
        ("autoUpgrade: true, drain: {enable: true}", MANIFEST, 1),
    ],
)
def test_a_drain_without_selector(policy: str, operator: str, count: int) -> None:
    """Silent about autoUpgrade: on in an NVIDIADriver and in the chart, off in a ClusterPolicy (facts 3, 4, 5)."""
    assert len(told("upgrade/drain-without-selector", upgrading(policy, operator))) == count


def test_an_inherited_policy_is_told_once() -> None:
    files = {FLEET: fleet(driver='branch: "580", upgradePolicy: {drain: {enable: true}}')}
    files |= {f"inventory/{name}.yaml": cluster(pool("a"), pool("b"), name=name) for name in ("c", "d")}
    (finding,) = told("upgrade/drain-without-selector", files)
    assert (finding.place.file, finding.cluster, finding.pool) == (FLEET, "", "")
    files[CLUSTER] = cluster(pool("a"), top='driver: {upgradePolicy: {drain: {podSelector: "a=b"}}}\n')
    assert len(told("upgrade/drain-without-selector", files)) == 1


@pytest.mark.parametrize(
    ("policy", "count"),
    [
        ('drain: {enable: true, podSelector: "a=b"}', 1),
        ("drain: {enable: true}, podDeletion: {deleteEmptyDir: true}", 0),
        ("drain: {enable: false}", 0),
    ],
)
def test_a_drain_instead_of_a_pod_deletion_that_nobody_declared(policy: str, count: int) -> None:
    assert len(told("upgrade/drain-before-pod-deletion", upgrading(policy))) == count


@pytest.mark.parametrize(
    ("most", "said"),
    [("0", "is 0:"), ('"0%"', 'is "0%":'), ('"00%"', 'is "00%":'), ('"1%"', ""), ("1", ""), ('"100%"', "")],
)
def test_no_slot_at_all(most: str, said: str) -> None:
    found = messages("upgrade/no-slots", upgrading(f"maxUnavailable: {most}"))
    assert len(found) == bool(said)
    assert all(said in one for one in found)
    assert messages("upgrade/no-slots", upgrading(f"autoUpgrade: false, maxUnavailable: {most}")) == []


@pytest.mark.parametrize(
    ("name", "ignored"),
    [
        ("ENABLE_AUTO_DRAIN", True),
        ("ENABLE_GPU_POD_EVICTION", True),
        ("DRAIN_USE_FORCE", True),
        ("DRAIN_POD_SELECTOR_LABEL", True),
        ("NODE_NAME", False),
    ],
)
def test_variables_that_the_driver_manager_leaves_to_the_controller(name: str, ignored: bool) -> None:
    """NVIDIA/k8s-driver-manager reads them only where the upgrade controller is off (facts 6.1)."""
    text = f'spec: {{manager: {{env: [{{name: A, value: b}}, {{name: {name}, value: "x"}}]}}}}'
    found = told("upgrade/manager-env-ignored", inventory(pool("a", f"driver: {{{text}}}")))
    assert [one.fact for one in found] == ([name] if ignored else [])
    off = pool("a", f"driver: {{upgradePolicy: {{autoUpgrade: false}}, {text}}}")
    assert told("upgrade/manager-env-ignored", inventory(off)) == []


def printed(kind: str, driver: str, version: str = "v26.7.0") -> list[str]:
    api, spec = ("v1", f"{{driver: {{{driver}}}}}") if kind == "ClusterPolicy" else ("v1alpha1", f"{{{driver}}}")
    text = f"apiVersion: nvidia.com/{api}\nkind: {kind}\nmetadata: {{name: extra}}\nspec: {spec}\n"
    files = {**inventory(pool("a"), operator=f"version: {version}"), TEMPLATE: text}
    return messages("upgrade/pod-deletion-missing", files)


@pytest.mark.parametrize(
    ("kind", "driver", "version", "count"),
    [
        ("ClusterPolicy", "upgradePolicy: {autoUpgrade: true}", "v26.7.0", 1),
        ("ClusterPolicy", "upgradePolicy: {autoUpgrade: true}", "v26.3.3", 1),
        ("ClusterPolicy", "upgradePolicy: {autoUpgrade: true, podDeletion: {force: false}}", "v26.7.0", 0),
        ("ClusterPolicy", "upgradePolicy: {autoUpgrade: false}", "v26.7.0", 0),
        ("ClusterPolicy", "upgradePolicy: {}", "v26.7.0", 0),
        ("ClusterPolicy", 'version: "580"', "v26.7.0", 0),
        ("NVIDIADriver", "upgradePolicy: {autoUpgrade: true}", "v26.7.0", 1),
        ("NVIDIADriver", "upgradePolicy: {autoUpgrade: true}", "v26.3.3", 0),
    ],
)
def test_a_template_that_prints_no_pod_deletion(kind: str, driver: str, version: str, count: int) -> None:
    """../shared/oracle upgrade_traces tr-018: pod_deletion_spec_missing in v26.7.0 and v26.3.3."""
    assert len(printed(kind, driver, version)) == count


def sized(*pools: tuple[str, str], operator: str = "version: v26.7.0") -> list[Any]:
    made = [
        pool(f"p{number}", *([f"nodes: {nodes}"] if nodes else []), f"driver: {{upgradePolicy: {{{policy}}}}}")
        for number, (nodes, policy) in enumerate(pools)
    ]
    return messages("upgrade/cluster-wide-unavailable", inventory(*made, operator=operator))


def test_slots_of_single_pools_add_up() -> None:
    (said,) = sized(("4", "maxUnavailable: 1"), ("4", "maxUnavailable: 1"), ("{min: 0, max: 8}", "maxUnavailable: 1"))
    assert "up to 3 of the 16 GPU nodes of cluster c" in said
    assert "the largest maxUnavailable, 1, is 1 of 16" in said


@pytest.mark.parametrize(
    ("pools", "worst"),
    [
        # min(1 at a time, ceil(25% of 4)) per pool: 3 of 12, and 25% of 12 is 3.
        ([("4", 'maxUnavailable: "25%"')] * 3, 0),
        # ceil(25% of 1) is 1 per pool: 5 of 5, and 25% of 5 is 2.
        ([("1", 'maxUnavailable: "25%"')] * 5, 5),
        # 0 means no limit: half of 8 twice, and half of 16 is 8.
        ([("8", 'maxParallelUpgrades: 0, maxUnavailable: "50%"')] * 2, 0),
        ([("3", 'maxParallelUpgrades: 0, maxUnavailable: "50%"')] * 2, 4),
        # A pool can't lose more nodes than it has.
        ([("2", "maxParallelUpgrades: 0, maxUnavailable: 9"), ("2", "maxUnavailable: 1")], 0),
        ([("4", "maxUnavailable: 1")], 0),
        ([("", "maxUnavailable: 1")] * 3, 0),
        ([("4", "autoUpgrade: false, maxUnavailable: 1")] * 3, 0),
        ([("4", "maxUnavailable: 0")] * 3, 0),
    ],
)
def test_the_worst_case_against_one_policy_for_all(pools: list[tuple[str, str]], worst: int) -> None:
    """The sum of each object's slots (facts 6.3: rounded up; per object from v26.7.0 on)."""
    found = sized(*pools)
    assert len(found) == bool(worst)
    assert all(f"up to {worst} of the" in one for one in found)


def test_one_policy_of_the_cluster_policy_has_one_sum() -> None:
    pools = [("4", "maxUnavailable: 1")] * 3
    assert sized(*pools, operator="version: v26.3.3") == []
    assert sized(*pools, operator=POLICY) == []
