"""Driver fields of a user's own ClusterPolicy that drivergate would drop."""

import pytest

from tests.testing.pools import inventory, pool, told

BASE = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\nspec:\n  driver:\n%s"


def lost(driver: str, *lines: str, api: str = "ClusterPolicy", version: str = "v26.7.0") -> list[tuple[str, str]]:
    operator = f"version: {version}, driverApi: {api}, install: olm, clusterPolicyBase: bases/p.yaml"
    body = "".join(f"    {line}\n" for line in driver.splitlines())
    files = {**inventory(pool("a", *lines), operator=operator), "bases/p.yaml": BASE % body}
    return [(one.fact, one.hint) for one in told("operator/base-field-lost", files)]


@pytest.mark.parametrize(
    "driver",
    [
        'enabled: true\nrepository: r\nimage: i\nversion: "1"\nusePrecompiled: false\nuseNvidiaDriverCRD: true',
        "kernelModuleType: auto",
        "rdma: {enabled: false}\nmanager: {}\nenv: []\nlicensingConfig: {secretName: ''}",
        'upgradePolicy: {autoUpgrade: false, maxUnavailable: "25%", podDeletion: {timeoutSeconds: 300}}',
        "notAField: 1",
    ],
)
def test_what_the_inventory_decides_and_what_says_nothing_is_no_loss(driver: str) -> None:
    assert lost(driver) == []


def test_a_field_that_nothing_carries_is_told_at_its_line() -> None:
    operator = "version: v26.7.0, driverApi: ClusterPolicy, install: olm, clusterPolicyBase: bases/p.yaml"
    base = BASE % "    env:\n      - {name: A, value: b}\n    rdma:\n      enabled: true\n"
    files = {**inventory(pool("a"), operator=operator), "bases/p.yaml": base}
    found = told("operator/base-field-lost", files)
    assert [(one.fact, one.place.line) for one in found] == [("env", 6), ("rdma.enabled", 9)]
    assert 'spec.driver.env of bases/p.yaml is [{"name":"A","value":"b"}]' in found[0].message


def test_it_is_carried_once_it_stands_in_the_inventory() -> None:
    assert lost("rdma: {enabled: true}", "driver: {spec: {rdma: {enabled: false}}}") == []
    assert lost("rdma: {enabled: true, useHostMofed: true}", "driver: {spec: {rdma: {enabled: true}}}") == [
        ("rdma.useHostMofed", "move it to driver.spec.rdma.useHostMofed")
    ]


def test_an_upgrade_policy_that_the_inventory_does_not_say() -> None:
    policy = "upgradePolicy: {autoUpgrade: true, drain: {enable: true}, maxParallelUpgrades: 4}"
    said = "driver: {upgradePolicy: {maxParallelUpgrades: 2, drain: {enable: false}}}"
    assert lost(policy, said) == [("upgradePolicy.autoUpgrade", "move it to driver.upgradePolicy.autoUpgrade")]
    assert lost(policy, said, api="NVIDIADriver") == []
    assert lost(policy, said, api="NVIDIADriver", version="v26.3.3") == [
        ("upgradePolicy.autoUpgrade", "move it to driver.upgradePolicy.autoUpgrade")
    ]


@pytest.mark.parametrize("driver", ["kernelModuleType: open", "useOpenKernelModules: true"])
def test_a_module_type_that_the_inventory_does_not_say(driver: str) -> None:
    (found,) = lost(driver)
    assert "driver.kernelModuleType" in found[1]
    assert lost(driver, "driver: {kernelModuleType: proprietary}") == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("repoConfig: {configMapName: a}", "repoConfig: {name: a}"),
        ("licensingConfig: {configMapName: a}", "licensingConfig: {name: a}"),
        ("virtualTopology: {config: a}", "virtualTopologyConfig: {name: a}"),
    ],
)
def test_fields_have_other_names_in_an_nvidiadriver(old: str, new: str) -> None:
    """../shared/facts gpu-operator.md 8, T9."""
    (found,) = lost(old, api="NVIDIADriver")
    assert found[1] == f"move it to driver.spec.{new.partition(':')[0]}.name"
    assert lost(old, f"driver: {{spec: {{{new}}}}}", api="NVIDIADriver") == []
    assert lost(old)[0][1] == f"move it to driver.spec.{lost(old)[0][0]}"


def test_a_base_that_several_clusters_share_is_told_once() -> None:
    files = inventory(pool("a"), operator="version: v26.7.0, install: olm, clusterPolicyBase: bases/p.yaml")
    files["inventory/d.yaml"] = files["inventory/c.yaml"].replace("name: c", "name: d")
    (finding,) = told("operator/base-field-lost", {**files, "bases/p.yaml": BASE % "    hostNetwork: true\n"})
    assert finding.cluster == ""


def test_a_cluster_without_drivers_of_its_own_loses_nothing() -> None:
    assert lost("hostNetwork: true", "driver: {mode: unmanaged}") == []
