"""Driver settings in full: what an NVIDIADriver and a ClusterPolicy's spec.driver say, release by release.

Fields and defaults: NVIDIA/gpu-operator deployments/gpu-operator/crds at the release's tag.
"""

from typing import Any

import pytest

from generator.declared.fleet import Cluster, Taint
from generator.facts import crd, structural
from generator.facts.release import Release, known, resolve
from generator.facts.structural import Shape
from generator.operator.driver import carries_upgrade_policy, object_spec, policy_spec, toleration, upgrade_policy
from tests.testing.inventories import FLEET, POOL, files
from tests.testing.judging import revision_of
from tests.testing.shared import oracle

RELEASES = known()
UPGRADE_POLICY = {
    "autoUpgrade": True,
    "maxParallelUpgrades": 1,
    "maxUnavailable": "25%",
    "waitForCompletion": {"podSelector": "", "timeoutSeconds": 0},
    "podDeletion": {"deleteEmptyDir": False, "force": False, "timeoutSeconds": 300},
    "drain": {"deleteEmptyDir": False, "enable": False, "force": False, "podSelector": "", "timeoutSeconds": 300},
}


def made(*pools: str, version: str = "v26.7.0", more: str = "", api: str = "NVIDIADriver") -> Cluster:
    text = FLEET.replace("{version: v26.7.0}", f"{{version: {version}, driverApi: {api}}}")
    (found,) = revision_of(files(*(pools or (POOL,)), fleet=text, more=more))[0].fleet.clusters
    return found


def spec(pool: str = POOL, **how: str) -> dict[str, Any]:
    found = made(pool, **how)
    return object_spec(found, found.pools[0])


def release_of(version: str) -> Release:
    release = resolve(version)
    assert isinstance(release, Release)
    return release


def test_an_nvidia_driver_in_full() -> None:
    assert spec(f"{POOL}, taints: ['a=b:NoSchedule']") == {
        "default": False,
        "driverType": "gpu",
        "image": "driver",
        "kernelModuleType": "auto",
        "nodeSelector": {"example.com/pool": "a"},
        "repository": "nvcr.io/nvidia",
        "tolerations": [{"key": "a", "operator": "Equal", "value": "b", "effect": "NoSchedule"}],
        "upgradePolicy": UPGRADE_POLICY,
        "usePrecompiled": True,
        "version": "580",
    }


@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize("api", ["NVIDIADriver", "ClusterPolicy"])
def test_the_api_server_adds_nothing_and_refuses_nothing(version: str, api: str) -> None:
    found = made(f"{POOL}, driver: {{spec: {{rdma: {{enabled: true}}, manager: {{}}}}}}", version=version, api=api)
    release = release_of(version)
    lacks = release.lacks(api)
    if api == "NVIDIADriver":
        own = object_spec(found, found.pools[0])
        assert crd.defaulted(api, release.fields, own, lacks) == own
        assert structural.violations(own, Shape(crd.schema(api, release.fields, lacks))) == []
    policy = {"driver": policy_spec(found, auto_upgrade=False)}
    assert crd.defaulted("ClusterPolicy", release.fields, policy)["driver"] == policy["driver"]
    about = [one for one in crd.violations("ClusterPolicy", release.fields, policy) if one.path[0] == "driver"]
    assert about == []


def test_defaults_are_those_of_a_real_api_server() -> None:
    for case in oracle("crd_defaults"):
        if case["kind"] == "ClusterPolicy" and "upgradePolicy" in case["output_spec"].get("driver", {}):
            real = case["output_spec"]["driver"]["upgradePolicy"]
            asked = case["input_spec"]["driver"]["upgradePolicy"] or {}
            ours = upgrade_policy({}, auto_upgrade=False)
            added = set(real) - set(asked)
            assert {key: ours[key] for key in added} == {key: real[key] for key in added}


@pytest.mark.parametrize(
    ("written", "since", "before"),
    [("auto", "auto", None), ("open", "open", True), ("proprietary", "proprietary", False)],
)
def test_module_type_before_it_had_a_field(written: str, since: str, before: bool | None) -> None:
    pool = f"{POOL}, driver: {{kernelModuleType: {written}}}"
    for api in ("NVIDIADriver", "ClusterPolicy"):
        for version, field, value in (
            ("v25.3.0", "kernelModuleType", since),
            ("v24.9.2", "useOpenKernelModules", before),
        ):
            cluster = made(pool, version=version, api=api)
            nvd = api == "NVIDIADriver"
            own = object_spec(cluster, cluster.pools[0]) if nvd else policy_spec(cluster, auto_upgrade=True)
            default = crd.defaulted(api, release_of(version).fields, {} if nvd else {"driver": {}})
            default = default if nvd else default["driver"]
            assert own.get(field) == (default.get(field) if value is None else value)
    assert "kernelModuleType" not in spec(pool, version="v24.9.2")


@pytest.mark.parametrize("version", RELEASES)
def test_where_the_upgrade_policy_lies(version: str) -> None:
    per_object = version == "v26.7.0"
    found = made(version=version)
    assert ("upgradePolicy" in object_spec(found, found.pools[0])) is per_object
    assert ("upgradePolicy" in policy_spec(found, auto_upgrade=True)) is not per_object
    assert carries_upgrade_policy(found) is not per_object
    assert carries_upgrade_policy(made(version=version, api="ClusterPolicy"))
    assert ("default" in object_spec(found, found.pools[0])) is per_object


def test_an_upgrade_policy_says_everything() -> None:
    declared = {"maxUnavailable": 2, "drain": {"enable": True}, "podDeletion": {"force": True}}
    full = upgrade_policy(declared, auto_upgrade=False)
    assert full["autoUpgrade"] is False
    assert full["maxUnavailable"] == 2
    assert full["drain"] == {**UPGRADE_POLICY["drain"], "enable": True}  # type: ignore[dict-item]
    assert full["podDeletion"] == {**UPGRADE_POLICY["podDeletion"], "force": True}  # type: ignore[dict-item]
    assert upgrade_policy({"autoUpgrade": False}, auto_upgrade=True)["autoUpgrade"] is False


def test_a_cluster_policy_that_leaves_drivers_to_objects() -> None:
    own = policy_spec(made(), auto_upgrade=True)
    assert (own["enabled"], own["useNvidiaDriverCRD"]) == (True, True)
    assert not own.keys() & {"image", "repository", "version", "usePrecompiled", "upgradePolicy"}


def test_a_cluster_policy_without_a_managed_pool() -> None:
    own = policy_spec(made("driver: {mode: unmanaged}", api="ClusterPolicy"), auto_upgrade=True)
    assert (own["enabled"], own["useNvidiaDriverCRD"]) == (False, False)
    assert not own.keys() & {"image", "repository", "version", "upgradePolicy"}


def test_a_cluster_policy_takes_the_driver_of_its_managed_pools() -> None:
    pools = ("driver: {mode: preinstalled}", f"{POOL}, driver: {{version: '580.126.20', mode: compiled}}")
    own = policy_spec(made(*pools, api="ClusterPolicy"), auto_upgrade=True)
    assert (own["version"], own["usePrecompiled"], own["enabled"]) == ("580.126.20", False, True)
    assert own["upgradePolicy"] == UPGRADE_POLICY


def test_other_fields_of_the_driver_api_are_carried() -> None:
    own = spec(f"{POOL}, driver: {{spec: {{rdma: {{enabled: true}}, args: [b, a], labels: {{z: '1', a: '2'}}}}}}")
    assert own["rdma"] == {"enabled": True}
    assert own["args"] == ["b", "a"]
    assert list(own) == sorted(own)
    assert list(own["labels"]) == ["a", "z"]


def test_a_default_object() -> None:
    assert spec("nodeImage: aws, default: true")["default"] is True
    assert "nodeSelector" not in spec("nodeImage: aws, default: true")


def test_a_repository_is_split_at_its_last_slash() -> None:
    own = spec(f"{POOL}, driver: {{repository: 'registry.example.com:5000/a/b/driver'}}")
    assert (own["repository"], own["image"]) == ("registry.example.com:5000/a/b", "driver")


def test_the_toleration_of_a_taint() -> None:
    assert toleration(Taint("a", "", "NoExecute")) == {"key": "a", "operator": "Exists", "effect": "NoExecute"}
