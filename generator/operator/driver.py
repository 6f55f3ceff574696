"""The normal form of driver settings: what an NVIDIADriver or ClusterPolicy.spec.driver says in full.

Every default of the CRD is written out, so that the API server adds nothing and a GitOps tool sees no drift.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.json import encode

from generator.declared.fleet import Cluster, Driver, Install, Mode, Pool, Taint
from generator.facts import crd
from generator.facts.reference import split_repository
from generator.facts.release import DriverApi, Release

# Most pools of a fleet differ in their selector only, and filling in defaults costs more than printing the object.
_specs: dict[bytes, dict[str, Any]] = {}
_REMEMBERED = 4096


def object_spec(cluster: Cluster, pool: Pool) -> dict[str, Any]:
    """The spec of the pool's NVIDIADriver."""
    release = cluster.operator.release
    key = encode((release.version, pool.driver, pool.taints, pool.default))
    spec = _specs.get(key)
    if spec is None:
        spec = _but_selector(release, pool)
        if len(_specs) < _REMEMBERED:
            _specs[key] = spec
    if not pool.node_selector:
        return spec
    return dict(sorted({**spec, "nodeSelector": dict(sorted(pool.node_selector.items()))}.items()))


def _but_selector(release: Release, pool: Pool) -> dict[str, Any]:
    driver = pool.driver
    spec = {**driver.spec, **_image(driver), **_module_type(driver, release)}
    if pool.taints:
        spec["tolerations"] = [toleration(taint) for taint in pool.taints]
    if release.default_object:
        spec["default"] = pool.default
    if release.object_upgrade_policy:
        spec["upgradePolicy"] = upgrade_policy(driver.upgrade_policy, auto_upgrade=True)
    ordered: dict[str, Any] = in_order(
        crd.defaulted("NVIDIADriver", release.fields, spec, release.lacks("NVIDIADriver"))
    )
    return ordered


def policy_spec(cluster: Cluster, *, auto_upgrade: bool) -> dict[str, Any]:
    """ClusterPolicy.spec.driver. `auto_upgrade` is what an inventory that is silent about it gets."""
    release, pools = cluster.operator.release, cluster.managed_pools
    if cluster.operator.driver_api is DriverApi.NVIDIADRIVER:
        spec: dict[str, Any] = {"enabled": True, "useNvidiaDriverCRD": True}
    elif not pools:
        spec = {"enabled": False, "useNvidiaDriverCRD": False}
    else:
        driver = pools[0].driver
        spec = {**driver.spec, "enabled": True, "useNvidiaDriverCRD": False, **_image(driver)}
        spec |= _module_type(driver, release)
    if pools and carries_upgrade_policy(cluster):
        spec["upgradePolicy"] = upgrade_policy(pools[0].driver.upgrade_policy, auto_upgrade=auto_upgrade)
    whole = crd.defaulted("ClusterPolicy", release.fields, {"driver": spec}, release.lacks("ClusterPolicy"))
    ordered: dict[str, Any] = in_order(whole["driver"])
    return ordered


def carries_upgrade_policy(cluster: Cluster) -> bool:
    """Whether one policy of the ClusterPolicy rules all driver pods (gpu-operator before v26.7, both APIs)."""
    operator = cluster.operator
    return operator.driver_api is DriverApi.CLUSTERPOLICY or not operator.release.object_upgrade_policy


def automatic(cluster: Cluster, pool: Pool) -> bool:
    """Whether the operator itself upgrades the pool's nodes; what silence means depends on who fills the default."""
    by_default = not carries_upgrade_policy(cluster) or cluster.operator.install is Install.HELM
    return pool.driver.upgrade_policy.get("autoUpgrade", by_default) is True


def upgrade_policy(declared: Mapping[str, Any], *, auto_upgrade: bool) -> dict[str, Any]:
    """An upgradePolicy in full: v26.3.3 panics without `drain`, and ClusterPolicy stalls without `podDeletion`."""
    wait, deletion, drain = (declared.get(key, {}) for key in ("waitForCompletion", "podDeletion", "drain"))
    return {
        "autoUpgrade": declared.get("autoUpgrade", auto_upgrade),
        "maxParallelUpgrades": declared.get("maxParallelUpgrades", 1),
        "maxUnavailable": declared.get("maxUnavailable", "25%"),
        "waitForCompletion": {"podSelector": "", "timeoutSeconds": 0, **wait},
        "podDeletion": {"deleteEmptyDir": False, "force": False, "timeoutSeconds": 300, **deletion},
        "drain": {
            "deleteEmptyDir": False,
            "enable": False,
            "force": False,
            "podSelector": "",
            "timeoutSeconds": 300,
            **drain,
        },
    }


def toleration(taint: Taint) -> dict[str, str]:
    """The toleration of exactly one taint."""
    if taint.value:
        return {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}
    return {"key": taint.key, "operator": "Exists", "effect": taint.effect}


def in_order(value: Any) -> Any:
    """Mappings sorted by key, all the way down; lists keep their meaning and their order."""
    if isinstance(value, Mapping):
        return {key: in_order(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [in_order(inner) for inner in value]
    return value


def _image(driver: Driver) -> dict[str, Any]:
    repository, image = split_repository(driver.repository)
    return {
        "repository": repository,
        "image": image,
        "version": driver.version,
        "usePrecompiled": driver.mode is Mode.PRECOMPILED,
    }


def _module_type(driver: Driver, release: Release) -> dict[str, Any]:
    """kernelModuleType, or before v25.3 what says the same: its `auto` is the absence of useOpenKernelModules."""
    if release.kernel_module_type:
        return {"kernelModuleType": driver.module_type}
    if driver.module_type == "auto":
        return {}
    return {"useOpenKernelModules": driver.module_type == "open"}
