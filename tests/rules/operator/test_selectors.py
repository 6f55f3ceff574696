"""Selectors of pools, as the operator's validator will take them."""

import pytest

from generator.finding import Severity
from tests.testing.pools import inventory, pool, told

NONE = ""


def overlaps(*pools: str, operator: str = "version: v26.7.0") -> list[tuple[str, str, Severity]]:
    found = told("operator/selector-overlap", inventory(*pools, operator=operator))
    return [(one.pool, one.fact, one.severity) for one in found]


def test_nvidia_gpu_operator_2259_is_a_doubt_without_node_facts() -> None:
    """NVIDIA/gpu-operator issue 2259: nothing but luck keeps gpu-pool=a and zone=z1 apart."""
    pools = pool("a", selector="{gpu-pool: a}"), pool("b", selector="{zone: z1}")
    (finding,) = told("operator/selector-overlap", inventory(*pools))
    assert (finding.severity, finding.pool) == (Severity.WARNING, "b")
    assert "gpu-pool=a, zone=z1 would match both" in finding.message


def test_nvidia_gpu_operator_2355_an_empty_selector_is_told_once() -> None:
    """NVIDIA/gpu-operator issue 2355: an object without a selector takes every GPU node."""
    pools = pool("rest", selector="{}"), pool("a"), pool("b")
    (finding,) = told("operator/selector-overlap", inventory(*pools))
    assert (finding.severity, finding.pool) == (Severity.ERROR, "rest")
    assert 'those of pool "a" (and 1 more pool) too' in finding.message


def test_a_default_claims_what_is_left() -> None:
    assert overlaps(pool("rest", "default: true", selector=NONE), pool("a"), pool("b")) == []


@pytest.mark.parametrize("mode", ["unmanaged", "preinstalled"])
def test_nodes_that_no_driver_is_meant_for_count(mode: str) -> None:
    hosts = pool("hosts", f"driver: {{mode: {mode}}}", selector="{example.com/gpu: a, example.com/zone: z}")
    assert overlaps(hosts, pool("a", selector="{example.com/gpu: a}")) == [("a", "hosts", Severity.ERROR)]
    assert overlaps(hosts, pool("more", f"driver: {{mode: {mode}}}", selector="{example.com/gpu: a}")) == []


def test_the_system_of_the_nodes_keeps_pools_apart() -> None:
    other = {"selector": "{example.com/b: x}", "kernels": "[5.15.0-177-generic]"}
    assert overlaps(pool("a"), pool("b", **other)) == []
    floating = pool("b", "kernelSource: floating", **other)
    assert overlaps(pool("a"), floating) == [("b", "a", Severity.WARNING)]
    noble = pool("b", "kernelSource: floating", os='{id: ubuntu, version: "24.04"}', **other)
    assert overlaps(pool("a"), noble) == []


def test_a_selector_by_architecture_matches_the_nodes_that_have_it() -> None:
    arm = pool("arm", selector="{kubernetes.io/arch: arm64}", arch="[arm64]")
    assert overlaps(pool("a"), arm) == []
    assert overlaps(pool("a", arch="[amd64, arm64]"), arm) == [("arm", "a", Severity.ERROR)]


def test_a_cluster_policy_selects_nothing() -> None:
    pools = pool("a", selector=NONE), pool("b", selector=NONE)
    assert overlaps(*pools, operator="version: v26.7.0, driverApi: ClusterPolicy") == []


def test_every_further_default_is_told() -> None:
    defaults = [pool(name, "default: true", selector=NONE) for name in "abc"]
    found = told("operator/default-conflict", inventory(*defaults))
    assert [(one.pool, one.fact, one.severity) for one in found] == [
        ("b", "a", Severity.INVALID),
        ("c", "a", Severity.INVALID),
    ]


def test_a_default_with_an_empty_selector_is_accepted() -> None:
    """../shared/facts kubernetes.md: the API server takes default: true with nodeSelector: {}."""
    assert told("operator/default-conflict", inventory(pool("a", "default: true", selector="{}"))) == []


@pytest.mark.parametrize(("operator", "count"), [("version: v26.7.0", 1), ("version: v26.3.3", 0)])
def test_the_owner_label_is_reserved_since_it_exists(operator: str, count: int) -> None:
    files = inventory(pool("a", selector="{nvidia.com/gpu-operator.driver.owner: a}"), operator=operator)
    assert len(told("operator/reserved-label", files)) == count


@pytest.mark.parametrize(
    ("key", "circular"),
    [
        ("nvidia.com/cuda.driver-version.major", True),
        ("nvidia.com/gpu.product", True),
        ("nvidia.com/mig.config", False),
        ("nvidia.com/gpu.present", False),
        ("feature.node.kubernetes.io/pci-10de.present", False),
    ],
)
def test_labels_that_only_a_driver_brings(key: str, circular: bool) -> None:
    found = told("operator/circular-selector", inventory(pool("a", selector=f'{{{key}: "535"}}')))
    assert [one.fact for one in found] == ([key] if circular else [])
    hosts = pool("a", "driver: {mode: unmanaged}", selector=f'{{{key}: "535"}}')
    assert told("operator/circular-selector", inventory(hosts)) == []
