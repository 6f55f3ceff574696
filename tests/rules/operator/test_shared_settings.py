"""What one ClusterPolicy holds for the whole cluster."""

import pytest

from tests.testing.pools import inventory, messages, pool, told

POLICY = "version: v26.7.0, driverApi: ClusterPolicy"
NOBLE = {"os": '{id: ubuntu, version: "24.04"}', "kernels": "[6.8.0-106-generic]"}


def test_two_os_tags_are_told_at_the_first_pool_of_each() -> None:
    files = inventory(pool("a"), pool("b", **NOBLE), pool("c", **NOBLE), operator=POLICY)
    (finding,) = told("operator/mixed-os", files)
    assert finding.pool == "b"
    assert 'pool "b" (and 1 more) is ubuntu24.04 and pool "a" is ubuntu22.04' in finding.message


@pytest.mark.parametrize("mode", ["unmanaged", "preinstalled"])
def test_nodes_that_get_no_driver_may_decide_the_os_too(mode: str) -> None:
    """gpu-operator controllers/state_manager.go getGPUNodeOSInfo: one arbitrary node of all GPU nodes."""
    host = pool("host", f"driver: {{mode: {mode}}}", **NOBLE)
    (finding,) = told("operator/mixed-os", inventory(host, pool("a"), operator=POLICY))
    assert finding.pool == "host"
    unsaid = pool("b", "driver: {mode: unmanaged}", os="", arch="", kernels="")
    assert told("operator/mixed-os", inventory(pool("a"), unsaid, operator=POLICY)) == []


@pytest.mark.parametrize(("version", "tags"), [("v26.7.0", 0), ("v25.10.1", 1)])
def test_two_minors_are_one_tag_where_the_release_drops_them(version: str, tags: int) -> None:
    """../shared/oracle os_tags: rhel9 from v26.7.0 on, rhel9.4 in v25.10.1."""
    first = pool("a", os='{id: rhel, version: "9.4"}', kernels="[5.14.0-427.el9.x86_64]")
    second = pool("b", os='{id: rhel, version: "9.6"}', kernels="[5.14.0-570.el9.x86_64]")
    files = inventory(first, second, operator=f"version: {version}, driverApi: ClusterPolicy")
    assert len(told("operator/mixed-os", files)) == tags


def test_one_kernel_on_two_minors_is_an_error_of_the_operator_for_precompiled_drivers() -> None:
    kernels = "[5.14.0-427.el9.x86_64]"
    first = pool("a", os='{id: rhel, version: "9.4"}', kernels=kernels)
    second = pool("b", os='{id: rhel, version: "9.6"}', kernels=kernels)
    (finding,) = told("operator/mixed-os", inventory(first, second, operator=POLICY))
    assert 'kernel "5.14.0-427.el9.x86_64" runs on rhel9.6 in pool "b" and on rhel9.4 in pool "a"' in finding.message
    compiled = 'mode: compiled, version: "580.82.07"'
    assert told("operator/mixed-os", inventory(first, second, operator=POLICY, driver=compiled)) == []


def test_an_nvidiadriver_cluster_may_mix() -> None:
    files = inventory(pool("a"), pool("b", 'driver: {branch: "595"}', **NOBLE))
    assert told("operator/mixed-os", files) == told("operator/mixed-driver", files) == []


def test_each_way_to_differ_is_told_once_with_the_fields_that_differ() -> None:
    files = inventory(
        pool("a"),
        pool("b", 'driver: {branch: "550"}'),
        pool("c", 'driver: {branch: "550"}'),
        pool("d", "driver: {kernelModuleType: open, spec: {rdma: {enabled: true}}}"),
        operator=POLICY,
    )
    first, second = told("operator/mixed-driver", files)
    assert first.message.startswith('pool "b" (and 1 more) differs from pool "a" (driver.branch is "550", not "580")')
    assert (
        'driver.kernelModuleType is "open", not "auto"; driver.spec.rdma.enabled is true, not absent' in second.message
    )
    assert second.pool == "d"


def test_a_setting_that_only_the_first_pool_has_is_told_too() -> None:
    files = inventory(pool("a", "driver: {spec: {hostNetwork: true}}"), pool("b"), operator=POLICY)
    assert "driver.spec.hostNetwork is absent, not true" in messages("operator/mixed-driver", files)[0]


def test_the_same_in_other_words_is_no_difference() -> None:
    same = pool("b", 'driver: {version: "580", kernelModuleType: auto}')
    files = inventory(pool("a"), same, pool("host", "driver: {mode: unmanaged}"), operator=POLICY)
    assert told("operator/mixed-driver", files) == []


@pytest.mark.parametrize(
    ("operator", "count"),
    [
        (POLICY, 1),
        ("version: v25.10.1, driverApi: ClusterPolicy", 1),
        ("version: v26.3.3", 1),
        ("version: v26.7.0", 0),
    ],
)
def test_one_upgrade_policy_rules_where_objects_have_none(operator: str, count: int) -> None:
    """NVIDIADriver has its own from v26.7.0 on (gpu-operator api/nvidia/v1alpha1/nvidiadriver_types.go)."""
    other = pool("b", "driver: {upgradePolicy: {maxParallelUpgrades: 4}}")
    files = inventory(pool("a"), other, operator=operator)
    found = told("operator/mixed-upgrade-policy", files)
    assert len(found) == count
    assert all("driver.upgradePolicy.maxParallelUpgrades is 4, not 1" in one.message for one in found)
    assert told("operator/mixed-driver", files) == []


def test_a_default_that_is_written_out_is_no_difference() -> None:
    other = pool(
        "b", 'driver: {upgradePolicy: {maxParallelUpgrades: 1, maxUnavailable: "25%", drain: {enable: false}}}'
    )
    assert told("operator/mixed-upgrade-policy", inventory(pool("a"), other, operator=POLICY)) == []
