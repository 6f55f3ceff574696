"""The driver pod that the operator makes of a ClusterPolicy.

gpu-operator v26.7.0 controllers/object_controls.go TransformDriver, assets/state-driver/0500_daemonset.yaml.
"""

from collections.abc import Mapping
from typing import Any

from generator.facts.release import DriverApi, Release
from generator.operator.driverpod import (
    PROBE,
    DriverPod,
    Machine,
    NoPod,
    Settings,
    Unmade,
    but_own,
    common,
    env_of,
    host_root,
    images,
    inner,
    licensing,
    precompiled,
    pull_policy,
    pull_secrets,
    rdma_of,
    sidecars_of,
)

MODULE_TYPE = ("KERNEL_MODULE_TYPE", "OPEN_KERNEL_MODULES_ENABLED")
# Said for the pods of every operand at once.
SHARED = frozenset({"annotations", "priorityClassName", "podSecurityContext"})
# What the asset's own driver manager has; a ClusterPolicy's variables are laid over it.
MANAGER_ENV = {
    "NVIDIA_VISIBLE_DEVICES": "void",
    "ENABLE_GPU_POD_EVICTION": "true",
    "ENABLE_AUTO_DRAIN": "false",
    "DRAIN_USE_FORCE": "false",
    "DRAIN_POD_SELECTOR_LABEL": "",
    "DRAIN_TIMEOUT_SECONDS": "0s",
    "DRAIN_DELETE_EMPTYDIR_DATA": "false",
}


def policy_pod(release: Release, spec: Settings, machine: Machine) -> DriverPod | Unmade:
    """`spec` is that of a ClusterPolicy as a whole; the kernel of a precompiled driver is the machine's."""
    driver, sidecars = inner(spec, "driver"), sidecars_of(spec)
    if "livenessProbe" in driver or "readinessProbe" in driver:
        return Unmade(NoPod.PANIC, "the operator panics on a livenessProbe or readinessProbe of spec.driver")
    made = images(DriverApi.CLUSTERPOLICY, release, driver, spec, machine)
    if isinstance(made, Unmade):
        return made
    configs = _config_maps(driver)
    for name in configs.values():
        if name and machine.config_maps is not None and name not in machine.config_maps:
            return Unmade(NoPod.CONFIG_MAP_MISSING, f'there is no ConfigMap "{name}"')
    env, rdma = _variables(driver, sidecars), rdma_of(driver)
    module_type = [env["driver.env"].pop(name, "") for name in MODULE_TYPE]
    loaded = {
        **{path if path.startswith(tuple(sidecars)) else f"driver.{path}": image for path, image in made.items()},
        **{path: dict(sorted(pairs.items())) for path, pairs in env.items()},
        **configs,
        "driver.kernelModuleType": module_type if any(module_type) else "",
        "driver.args": list(driver.get("args") or ["init"]),
        "driver.secretEnv": "" if precompiled(driver) else driver.get("secretEnv", ""),
        "driver.rdma": rdma if rdma["enabled"] else {},
        "driver.licensingConfig": licensing(driver, "configMapName", nls=False),
        "driver.virtualTopology.config": inner(driver, "virtualTopology").get("config", ""),
        "hostPaths.rootFS": host_root(machine) or inner(spec, "hostPaths").get("rootFS", "").removesuffix("/"),
    }
    order = {path: list(pairs) for path, pairs in env.items()}
    return DriverPod(loaded, order | _around(driver, inner(spec, "daemonsets"), sidecars))


def _around(driver: Settings, shared: Settings, sidecars: Mapping[str, Settings]) -> dict[str, Any]:
    secrets = pull_secrets(inner(driver, "manager"), driver, *sidecars.values())
    return {
        **{f"driver.{path}": value for path, value in common(driver, {}).items() if path not in SHARED},
        **{f"daemonsets.{path}": value for path, value in common({}, shared).items() if path in SHARED},
        "daemonsets.labels": but_own(shared.get("labels"), {"app", "app.kubernetes.io/part-of"}),
        "daemonsets.tolerations": list(shared.get("tolerations") or ()),
        "driver.startupProbe": PROBE | {key: value for key, value in inner(driver, "startupProbe").items() if value},
        "driver.imagePullSecrets": list(dict.fromkeys(secrets)),
        **{f"{name}.imagePullPolicy": pull_policy(sidecar) for name, sidecar in sidecars.items()},
    }


def _config_maps(driver: Settings) -> dict[str, str]:
    """ConfigMaps that must be there. What installs packages is left out for a precompiled driver."""
    found = {"driver.kernelModuleConfig.name": inner(driver, "kernelModuleConfig").get("name", "")}
    if not precompiled(driver):
        found["driver.repoConfig.configMapName"] = inner(driver, "repoConfig").get("configMapName", "")
        found["driver.certConfig.name"] = inner(driver, "certConfig").get("name", "")
    return found


def _variables(driver: Settings, sidecars: Mapping[str, Settings]) -> dict[str, dict[str, str]]:
    """The variables of each container in their order; the user's overrule the operator's own."""
    own = {}
    if module_type := driver.get("kernelModuleType"):
        own["KERNEL_MODULE_TYPE"] = module_type
        if module_type == "open":
            own["OPEN_KERNEL_MODULES_ENABLED"] = "true"
    own |= {f"{name.upper()}_ENABLED": "true" for name in reversed(tuple(sidecars))}
    rdma = rdma_of(driver)
    if rdma["enabled"]:
        own["GPU_DIRECT_RDMA_ENABLED"] = "true"
        if rdma["useHostMofed"]:
            own["USE_HOST_MOFED"] = "true"
    return {
        "driver.env": own | dict(env_of(driver)),
        "driver.manager.env": MANAGER_ENV | dict(env_of(inner(driver, "manager"))),
        **{f"{name}.env": dict(env_of(sidecar)) for name, sidecar in sidecars.items()},
    }
