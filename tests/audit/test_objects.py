"""Which policy counts: facts/gpu-operator.md T1. What a change does: oracle/driver_reload.jsonl, facts 9b."""

from typing import Any

from generator.operator.driver import object_spec, policy_spec
from generator.operator.reload import Effect
from tests.testing.audited import KERNEL, OTHER, audited, node, said, validator
from tests.testing.planning import catalog, files, pool, read, tag

ONE = files(pool(f"arch: [amd64], kernels: [{KERNEL}]"), **{"inventory/catalog.yaml": catalog(tag(KERNEL))})
CLUSTERPOLICY = files(
    pool(f"arch: [amd64], kernels: [{KERNEL}]"),
    more="operator: {driverApi: ClusterPolicy}\n",
    **{"inventory/catalog.yaml": catalog(tag(KERNEL))},
)
KINDS = ("NVIDIADriver", "ClusterPolicy")


def driver(name: str = "a", **changed: Any) -> dict[str, Any]:
    fleet, _, _ = read(ONE)
    cluster = fleet.clusters[0]
    return {
        "kind": "NVIDIADriver",
        "metadata": {"name": name},
        "spec": {**object_spec(cluster, cluster.pools[0]), **changed},
    }


def policy(name: str = "cluster-policy", created: str = "2026-01-01T00:00:00Z", **changed: Any) -> dict[str, Any]:
    fleet, _, _ = read(CLUSTERPOLICY)
    spec = {"driver": {**policy_spec(fleet.clusters[0], auto_upgrade=False), **changed}}
    return {"kind": "ClusterPolicy", "metadata": {"name": name, "creationTimestamp": created}, "spec": spec}


def test_a_live_object_that_is_as_rendered_is_adopted_without_any_effect() -> None:
    found = audited(ONE, node("n1"), driver(), policy(useNvidiaDriverCRD=True))
    assert [(one.name, one.effect) for one in found.adoptions] == [("a", Effect.NONE)]
    assert said(found) == []


def test_another_version_reloads_and_is_told_before_the_first_merge() -> None:
    found = audited(ONE, node("n1"), driver(version="570"), policy())
    assert found.adoptions[0].effect == Effect.FULL_RELOAD
    assert said(found) == [("synced-image", "n1"), ("reload", "a")]
    assert 'version: "570" -> "580"' in found.differences[1].message


def test_a_chart_label_only_restarts_from_v26_7_on() -> None:
    found = audited(ONE, node("n1"), driver(labels={"helm.sh/chart": "gpu-operator-v26.3.3"}), policy())
    assert found.adoptions[0].effect == Effect.RESTART_ONLY


def test_only_spec_driver_of_a_clusterpolicy_is_judged() -> None:
    same = policy()
    same["spec"]["dcgm"] = {"enabled": False}
    found = audited(CLUSTERPOLICY, node("n1"), same)
    assert [(one.kind, one.effect) for one in found.adoptions] == [("ClusterPolicy", Effect.NONE)]
    changed = audited(CLUSTERPOLICY, node("n1"), policy(version="570"))
    assert changed.adoptions[0].effect == Effect.FULL_RELOAD


def test_objects_that_only_one_side_has() -> None:
    found = audited(ONE, node("n1"), driver("old"), policy(), kinds=KINDS)
    assert [one.message for one in found.differences] == [
        "NVIDIADriver old runs, and git has none of that name",
        "NVIDIADriver a is rendered, and the cluster has none of that name",
    ]


def test_what_was_not_looked_for_is_not_absent() -> None:
    assert said(audited(ONE, node("n1"))) == []


def test_the_oldest_policy_counts_from_v26_7_on() -> None:
    old = policy("gpu-cluster-policy", "2025-01-01T00:00:00Z")
    found = audited(CLUSTERPOLICY, node("n1"), policy(), old)
    assert said(found) == [("policy", "one")]
    assert "gpu-cluster-policy counts, being the oldest" in found.differences[0].message


def test_of_policies_of_one_age_the_smaller_name_counts() -> None:
    found = audited(CLUSTERPOLICY, node("n1"), policy(), policy("a-policy"))
    assert "a-policy counts" in found.differences[0].message


def test_a_policy_of_another_name() -> None:
    found = audited(CLUSTERPOLICY, node("n1"), policy("gpu-cluster-policy"))
    assert said(found) == [("policy", "one")]
    assert found.differences[0].hint == "set operator.clusterPolicyName: gpu-cluster-policy"


def test_the_operators_release_is_read_off_its_validator() -> None:
    """operator/v26.7.0/chart-values.yaml, validator: the image is the operator's, the version the chart's."""
    found = audited(ONE, node("n1"), validator("n1", "nvcr.io/nvidia/gpu-operator:v26.3.3"))
    assert found.operator == "v26.3.3"
    assert ("operator", "one") in said(found)
    older = "nvcr.io/nvidia/cloud-native/gpu-operator-validator:v24.9.2"
    assert audited(ONE, node("n1"), validator("n1", older)).operator == "v24.9.2"
    same = audited(ONE, node("n1"), validator("n1", "nvcr.io/nvidia/gpu-operator:v26.7.0"))
    assert ("operator", "one") not in said(same)


def test_a_node_whose_kernel_has_no_image_of_the_driver_that_is_synced_is_an_error() -> None:
    """Git has moved on to 580; the cluster's object still asks for 570, which is built for the other kernel alone."""
    listed = catalog(tag(KERNEL), tag(OTHER), tag(OTHER, "570"))
    both = files(pool(f"arch: [amd64], kernels: [{KERNEL}, {OTHER}]"), **{"inventory/catalog.yaml": listed})
    found = audited(both, node("n1"), node("n2", kernel=OTHER), driver(version="570"), policy())
    (error,) = [one for one in found.differences if one.what == "synced-image"]
    assert (error.node, error.pool, error.severity) == ("n1", "a", "error")
    assert error.message == (
        f"by the driver object that lives in the cluster it needs 570-{KERNEL}-ubuntu22.04 for linux/amd64, "
        "which is not in the catalog"
    )


def test_the_one_driver_of_a_live_policy_is_looked_up_too() -> None:
    found = audited(CLUSTERPOLICY, node("n1"), policy(version="570"))
    assert ("synced-image", "n1") in said(found)
    assert said(audited(CLUSTERPOLICY, node("n1"), policy())) == []


def test_an_object_without_a_driver_s_version_says_nothing_of_images() -> None:
    found = audited(ONE, node("n1"), driver(version=None), policy())
    assert "synced-image" not in [what for what, _ in said(found)]
