"""Rule about a user's own ClusterPolicy, whose spec.driver is replaced as a whole."""

from collections.abc import Iterator, Mapping
from typing import Any

from generator.declared.crds import plain
from generator.declared.fleet import Cluster, Pool
from generator.declared.layers import leaves, origin
from generator.documents.places import Path
from generator.facts import crd
from generator.facts.release import DriverApi
from generator.operator.driver import carries_upgrade_policy, upgrade_policy
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.rule import Problem
from generator.rules.setting import Said, said

# What every inventory decides: its own text in a base is no loss.
DECIDED = frozenset({"enabled", "image", "repository", "useNvidiaDriverCRD", "usePrecompiled", "version"})
MODULE_TYPE = frozenset({"kernelModuleType", "useOpenKernelModules"})
# ClusterPolicy spec.driver -> NVIDIADriver spec, where the two differ (api/nvidia/v1alpha1/nvidiadriver_types.go).
RENAMED: Mapping[Path, Path] = {
    ("repoConfig", "configMapName"): ("repoConfig", "name"),
    ("licensingConfig", "configMapName"): ("licensingConfig", "name"),
    ("virtualTopology", "config"): ("virtualTopologyConfig", "name"),
}


def base_field_lost(inputs: ClusterInputs) -> Iterator[Problem]:
    """Fields of a base's own spec.driver that nothing rendered carries; empty ones and CRD defaults don't count."""
    cluster, base = inputs.cluster, inputs.base
    driver = plain(base.get("spec") or {}).get("driver") if base else None
    if not isinstance(driver, dict) or not cluster.managed_pools:
        return
    for path, value in leaves(driver):
        if _counts(cluster, path, value) and not any(
            _carries(cluster, pool, path, value) for pool in cluster.managed_pools
        ):
            yield _problem(inputs, path, value)


def _counts(cluster: Cluster, path: Path, value: Any) -> bool:
    release = cluster.operator.release
    field = crd.field("ClusterPolicy", release.fields, ("driver", *path), release.lacks("ClusterPolicy"))
    if field is None or path[0] in DECIDED or value in (None, "", [], {}):
        return False
    return value != field["default"] if "default" in field else bool(value)


def _carries(cluster: Cluster, pool: Pool, path: Path, value: Any) -> bool:
    """Whether the inventory says it, in its own words, or what is rendered is the same."""
    driver, own = pool.driver, path[1:]
    if path[0] == "upgradePolicy":
        silent = not carries_upgrade_policy(cluster)  # what no word about autoUpgrade means
        return (
            _has(driver.upgrade_policy, own)
            or _at(upgrade_policy(driver.upgrade_policy, auto_upgrade=silent), own) == value
        )
    if path[0] in MODULE_TYPE:
        known = origin(pool.levels, ("driver", "kernelModuleType")) is not None
        return known or (path[0] == "kernelModuleType" and driver.module_type == value)
    return _has(driver.spec, _named(cluster, path))


def _named(cluster: Cluster, path: Path) -> Path:
    renames = cluster.operator.driver_api is DriverApi.NVIDIADRIVER
    return RENAMED.get(path, path) if renames else path


def _has(value: Mapping[str, Any], path: Path) -> bool:
    return _at(value, path) is not None


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _problem(inputs: ClusterInputs, path: Path, value: Any) -> Problem:
    from msgspec import json

    cluster = inputs.cluster
    base, name = cluster.operator.policy_base, ".".join(map(str, path))
    message = f"spec.driver.{name} of {base} is {json.encode(value).decode()}, and drivergate replaces spec.driver"
    scope = said(inputs, cluster, "operator", "clusterPolicyBase")
    place = inputs.texts.key(base, ("spec", "driver", *path))
    return Said(place, scope.cluster).problem(f"{message}: it would be lost", _hint(cluster, path), name)


def _hint(cluster: Cluster, path: Path) -> str:
    operator, named = cluster.operator, _named(cluster, path)
    if path[0] in MODULE_TYPE:
        return "say it as driver.kernelModuleType, and remove it from the base"
    if path[0] == "upgradePolicy":
        return f"move it to driver.{'.'.join(map(str, path))}"
    lacks = operator.release.lacks("NVIDIADriver")
    if operator.driver_api is DriverApi.NVIDIADRIVER and not crd.has_field(
        "NVIDIADriver", operator.release.fields, named, lacks
    ):
        return "remove it: an NVIDIADriver has no such field"
    return f"move it to driver.spec.{'.'.join(map(str, named))}"
