"""Names of the driver's objects, and where its pods may run."""

import pytest

from generator.finding import Severity
from tests.testing.pools import inventory, messages, pool, told

POLICY = "version: v26.7.0, driverApi: ClusterPolicy"
RHCOS = '{id: rhcos, version: "4.15"}'
KERNEL = "5.14.0-284.54.1.el9_2"
BASE = """\
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: cluster-policy}
spec:
  daemonsets: {%s}
"""


@pytest.mark.parametrize(
    ("length", "operator", "count"),
    [(63, "v26.7.0", 0), (64, "v26.7.0", 1), (237, "v26.7.0", 1), (64, "v26.3.3", 0), (237, "v26.3.3", 0)],
)
def test_an_object_s_name_must_fit_the_owner_label(length: int, operator: str, count: int) -> None:
    """A label value has at most 63 characters; the owner label exists from v26.7.0 on (facts 4.2)."""
    name = ".".join(["a" * 50] * 6)[: length - 1] + "b"
    files = inventory(pool("p", f"renamedFrom: {name}"), operator=f"version: {operator}")
    found = told("operator/name-too-long", files)
    assert len(found) == count
    assert all(f"{length} characters" in one.message and one.severity is Severity.INVALID for one in found)
    assert told("operator/name-too-long", inventory(pool("p", f"renamedFrom: {name}"), operator=POLICY)) == []


def test_a_daemonset_of_a_cluster_policy_that_no_api_server_takes() -> None:
    """../shared/oracle names: v24.9.2 leaves _64k in and makes two dots of it; facts 1.7: upper case in SLES 15-SP6."""
    arm = pool("p", os=RHCOS, arch="[arm64]", kernels=f"[{KERNEL}.aarch64_64k]")
    old = "version: v24.9.2, driverApi: ClusterPolicy"
    assert "el9.2..64k" in messages("operator/name-too-long", inventory(arm, operator=old))[0]
    assert messages("operator/name-too-long", inventory(arm, operator=POLICY)) == []
    sles = pool("p", os='{id: sles, version: "15-SP6"}', kernels="[6.4.0-150600.21-default]")
    assert "sles15-SP6" in messages("operator/name-too-long", inventory(sles, operator=POLICY))[0]
    assert messages("operator/name-too-long", inventory(sles)) == []


def test_kernels_that_differ_by_architecture_become_one_name() -> None:
    """gpu-operator getSanitizedKernelVersion, its own test data (facts 1.6)."""
    both = pool("p", os=RHCOS, arch="[amd64, arm64]", kernels=f"[{KERNEL}.x86_64, {KERNEL}.aarch64]")
    (finding,) = told("operator/kernel-name-collision", inventory(both))
    assert f'"{KERNEL}.x86_64" and "{KERNEL}.aarch64" of pool "p" both "5.14.0-284.54.1.el9.2"' in finding.message
    one = pool("p", os=RHCOS, kernels=f"[{KERNEL}.x86_64]")
    two = pool("q", os=RHCOS, arch="[arm64]", kernels=f"[{KERNEL}.aarch64]")
    assert told("operator/kernel-name-collision", inventory(one, two)) == []
    (across,) = told("operator/kernel-name-collision", inventory(one, two, operator=POLICY))
    assert 'of pools "p" and "q"' in across.message
    assert "NVIDIADriver" in across.hint


def test_the_same_kernel_in_two_pools_is_one_daemonset() -> None:
    assert told("operator/kernel-name-collision", inventory(pool("p"), pool("q"), operator=POLICY)) == []


def test_a_compiled_driver_has_no_kernel_in_a_name() -> None:
    kernels = f"[{KERNEL}.x86_64, {KERNEL}.aarch64]"
    both = pool("p", os=RHCOS, arch="[amd64, arm64]", kernels=kernels)
    assert told("operator/kernel-name-collision", inventory(both, driver='mode: compiled, version: "580.82.07"')) == []


def untolerated(taint: str, tolerations: str | None = None) -> list[str]:
    tainted = pool("p", f'taints: ["{taint}"]')
    if tolerations is None:
        return [one.hint for one in told("operator/taint-not-tolerated", inventory(tainted, operator=POLICY))]
    said = f"{POLICY}, install: manifest, clusterPolicyBase: bases/p.yaml"
    files = {**inventory(tainted, operator=said), "bases/p.yaml": BASE % tolerations}
    return [one.hint for one in told("operator/taint-not-tolerated", files)]


@pytest.mark.parametrize(
    ("taint", "tolerations", "tolerated"),
    [
        ("nvidia.com/gpu=present:NoSchedule", None, True),
        ("nvidia.com/gpu=present:NoExecute", None, False),
        ("a=b:NoSchedule", None, False),
        ("a=b:PreferNoSchedule", None, True),
        ("node.kubernetes.io/unschedulable:NoSchedule", None, True),
        ("nvidia.com/gpu=present:NoSchedule", "", True),
        ("nvidia.com/gpu=present:NoSchedule", "tolerations: [{key: a, operator: Exists}]", False),
        ("a=b:NoSchedule", "tolerations: [{key: a, value: b}]", True),
        ("a=b:NoSchedule", "tolerations: [{key: a, value: b, effect: NoExecute}]", False),
        ("a=b:NoSchedule", "tolerations: [{key: a, operator: Equal, value: c}]", False),
        ("a:NoExecute", "tolerations: [{operator: Exists}]", True),
        ("a:NoSchedule", "tolerations: [{key: a}]", True),
    ],
)
def test_taints_and_tolerations(taint: str, tolerations: str | None, tolerated: bool) -> None:
    """As Kubernetes' ToleratesTaint (core/v1 toleration.go); a list in daemonsets replaces the default (facts R2.6)."""
    assert (untolerated(taint, tolerations) == []) is tolerated


def test_the_hint_is_the_line_to_add() -> None:
    line = '- {key: a, operator: Equal, value: "b", effect: NoSchedule}'
    default = ", beside {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}, which a list of your own replaces"
    assert untolerated("a=b:NoSchedule") == [f"add to daemonsets.tolerations of your own values: {line}{default}"]
    own = "tolerations: [{key: nvidia.com/gpu, operator: Exists}]"
    assert untolerated("a=b:NoSchedule", own) == [f"add to spec.daemonsets.tolerations: {line}"]


def test_an_nvidiadriver_brings_its_own_tolerations() -> None:
    assert told("operator/taint-not-tolerated", inventory(pool("p", 'taints: ["a=b:NoSchedule"]'))) == []
