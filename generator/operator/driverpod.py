"""The normal form of driver settings: what the pods that the operator makes of them depend on, and nothing else.

gpu-operator v26.7.0: internal/config/driver_config_digest.go names what DRIVER_CONFIG_DIGEST is made of,
internal/state/driver.go with manifests/state-driver (NVIDIADriver) and controllers/object_controls.go with
assets/state-driver (ClusterPolicy) what else stands in the pod's template. Contents of ConfigMaps are not known here.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from generator.facts import label
from generator.facts.release import DriverApi, Release
from generator.operator.image import Component, ImageSpec, NodeSystem, Refused, driver_image, image_path
from generator.operator.settings import (
    Settings,
    but_own,
    env_of,
    inner,
    licensing,
    precompiled,
    pull_policy,
    pull_secrets,
    rdma_of,
    sidecars_of,
)

PRIORITY = "system-node-critical"
PROBE = {
    "initialDelaySeconds": 60,
    "timeoutSeconds": 60,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 120,
}
PRECOMPILED_DELAY = 5
CONFIGS = ("virtualTopologyConfig", "kernelModuleConfig", "repoConfig", "certConfig")
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


class NoPod(StrEnum):
    """Why there is no driver pod to speak of."""

    NO_POOL = "no_pool"
    PANIC = "operator_panic"
    CONFIG_MAP_MISSING = "config_map_missing"
    IMAGE = "image"


class Unmade(Struct, frozen=True):
    """Settings that the operator makes no driver pod of, and why."""

    reason: NoPod
    message: str


class Machine(Struct, frozen=True, kw_only=True):
    """The node and the cluster that a driver pod is made for. `config_maps` None means that all are there."""

    labels: Mapping[str, str]
    host_root: str = ""
    config_maps: frozenset[str] | None = None

    @property
    def system(self) -> NodeSystem:
        """What NFD's labels say."""
        label_of = self.labels.get
        return NodeSystem(
            os_id=label_of(label.OS_ID),
            os_version=label_of(label.OS_VERSION),
            os_major=label_of(label.OS_MAJOR),
            kernel=label_of(label.KERNEL),
        )


class DriverPod(Struct, frozen=True):
    """`loaded` is what the driver is loaded with (the digest), `around` the rest of the pod's template.

    Both by the path of the field that says it, in the words of the API, with its effective value.
    """

    loaded: Mapping[str, Any]
    around: Mapping[str, Any]


def driver_pod(api: DriverApi, release: Release, spec: Settings, machine: Machine) -> DriverPod | Unmade:
    """The pod on such a machine. `spec` is that of an NVIDIADriver, or that of a ClusterPolicy as a whole."""
    if api is DriverApi.NVIDIADRIVER:
        return _object_pod(release, spec, machine)
    return _policy_pod(release, spec, machine)


def _object_pod(release: Release, spec: Settings, machine: Machine) -> DriverPod | Unmade:
    """The pod of an NVIDIADriver, whose spec is given.

    gpu-operator v26.7.0 internal/state/driver.go buildDriverInstallConfig, manifests/state-driver/0500_daemonset.yaml.
    """
    if not label.matches(spec.get("nodeSelector") or {}, machine.labels):
        return Unmade(NoPod.NO_POOL, "its nodeSelector doesn't match the node")
    references = _images(DriverApi.NVIDIADRIVER, release, spec, spec, machine)
    if isinstance(references, Unmade):
        return references
    manager, rdma, sidecars = inner(spec, "manager"), rdma_of(spec), sidecars_of(spec)
    env = {"env": env_of(spec), "manager.env": env_of(manager)}
    env |= {f"{name}.env": env_of(sidecar) for name, sidecar in sidecars.items()}
    module_type = {"kernelModuleType": spec.get("kernelModuleType", "")} if release.kernel_module_type else {}
    loaded = {
        **references,
        **{path: sorted(pairs) for path, pairs in env.items()},
        **module_type,
        "driverType": spec.get("driverType", "gpu"),
        "args": list(spec.get("args") or ()),
        "secretEnv": spec.get("secretEnv", ""),
        "rdma": rdma if rdma["enabled"] else {},
        "licensingConfig": licensing(spec, "name", nls=True),
        **{f"{key}.name": inner(spec, key).get("name", "") for key in CONFIGS},
        "hostPaths.rootFS": _host_root(machine),
    }
    around = {
        **env,
        **_common(spec, spec),
        "rdma.useHostMofed": rdma["useHostMofed"],
        "labels": but_own(spec.get("labels"), {"app"}, "app.kubernetes.io/"),
        "tolerations": list(spec.get("tolerations") or ()),
        "nodeSelector": dict(spec.get("nodeSelector") or {}),
        "startupProbe": _object_probe(spec),
        "imagePullSecrets": pull_secrets(spec, manager, *sidecars.values()),
        "gdrcopy.imagePullPolicy": pull_policy(sidecars.get("gdrcopy", {})),
    }
    if not release.kernel_module_type:
        around["useOpenKernelModules"] = spec.get("useOpenKernelModules") is True
    return DriverPod(loaded, around)


def _object_probe(spec: Settings) -> dict[str, int]:
    if probe := spec.get("startupProbe"):
        return dict.fromkeys(PROBE, 0) | dict(probe)
    return PROBE | ({"initialDelaySeconds": PRECOMPILED_DELAY} if precompiled(spec) else {})


def _policy_pod(release: Release, spec: Settings, machine: Machine) -> DriverPod | Unmade:
    """The pod of a ClusterPolicy, whose spec is given as a whole; the kernel of a precompiled driver is the machine's.

    gpu-operator v26.7.0 controllers/object_controls.go TransformDriver, assets/state-driver/0500_daemonset.yaml.
    """
    driver, sidecars = inner(spec, "driver"), sidecars_of(spec)
    if "livenessProbe" in driver or "readinessProbe" in driver:
        return Unmade(NoPod.PANIC, "the operator panics on a livenessProbe or readinessProbe of spec.driver")
    references = _images(DriverApi.CLUSTERPOLICY, release, driver, spec, machine)
    if isinstance(references, Unmade):
        return references
    configs = _policy_config_maps(driver)
    for name in configs.values():
        if name and machine.config_maps is not None and name not in machine.config_maps:
            return Unmade(NoPod.CONFIG_MAP_MISSING, f'there is no ConfigMap "{name}"')
    env, rdma = _policy_variables(driver, sidecars), rdma_of(driver)
    module_type = [env["driver.env"].pop(name, "") for name in MODULE_TYPE]
    loaded = {
        **{path if path.startswith(tuple(sidecars)) else f"driver.{path}": image for path, image in references.items()},
        **{path: dict(sorted(pairs.items())) for path, pairs in env.items()},
        **configs,
        "driver.kernelModuleType": module_type if any(module_type) else "",
        "driver.args": list(driver.get("args") or ["init"]),
        "driver.secretEnv": "" if precompiled(driver) else driver.get("secretEnv", ""),
        "driver.rdma": rdma if rdma["enabled"] else {},
        "driver.licensingConfig": licensing(driver, "configMapName", nls=False),
        "driver.virtualTopology.config": inner(driver, "virtualTopology").get("config", ""),
        "hostPaths.rootFS": _host_root(machine) or inner(spec, "hostPaths").get("rootFS", "").removesuffix("/"),
    }
    order = {path: list(pairs) for path, pairs in env.items()}
    return DriverPod(loaded, order | _around_policy(driver, inner(spec, "daemonsets"), sidecars))


def _around_policy(driver: Settings, shared: Settings, sidecars: Mapping[str, Settings]) -> dict[str, Any]:
    secrets = pull_secrets(inner(driver, "manager"), driver, *sidecars.values())
    return {
        **{f"driver.{path}": value for path, value in _common(driver, {}).items() if path not in SHARED},
        **{f"daemonsets.{path}": value for path, value in _common({}, shared).items() if path in SHARED},
        "daemonsets.labels": but_own(shared.get("labels"), {"app", "app.kubernetes.io/part-of"}),
        "daemonsets.tolerations": list(shared.get("tolerations") or ()),
        "driver.startupProbe": PROBE | {key: value for key, value in inner(driver, "startupProbe").items() if value},
        "driver.imagePullSecrets": list(dict.fromkeys(secrets)),
        **{f"{name}.imagePullPolicy": pull_policy(sidecar) for name, sidecar in sidecars.items()},
    }


def _policy_config_maps(driver: Settings) -> dict[str, str]:
    """ConfigMaps that must be there. What installs packages is left out for a precompiled driver."""
    config_maps = {"driver.kernelModuleConfig.name": inner(driver, "kernelModuleConfig").get("name", "")}
    if not precompiled(driver):
        config_maps["driver.repoConfig.configMapName"] = inner(driver, "repoConfig").get("configMapName", "")
        config_maps["driver.certConfig.name"] = inner(driver, "certConfig").get("name", "")
    return config_maps


def _policy_variables(driver: Settings, sidecars: Mapping[str, Settings]) -> dict[str, dict[str, str]]:
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


def _common(driver: Settings, shared: Settings) -> dict[str, Any]:
    """What both APIs say of the pod around the driver; `shared` is said for all DaemonSets in a ClusterPolicy."""
    return {
        "imagePullPolicy": pull_policy(driver),
        "manager.imagePullPolicy": pull_policy(inner(driver, "manager")),
        "resources": {key: value for key, value in inner(driver, "resources").items() if value},
        "hostNetwork": driver.get("hostNetwork") is True,
        "annotations": dict(shared.get("annotations") or {}),
        "priorityClassName": shared.get("priorityClassName") or PRIORITY,
        "podSecurityContext": dict(inner(shared, "podSecurityContext")),
    }


def _images(
    api: DriverApi, release: Release, driver: Settings, sidecars: Settings, machine: Machine
) -> dict[str, str] | Unmade:
    """The references of the driver, its manager and the enabled sidecars; a precompiled one names its kernel."""
    own = inner(driver, "manager")
    references: dict[str, str | Refused] = {
        "image": driver_image(release, _image_spec(api, driver), machine.system),
        "manager.image": image_path(release, _image_spec(api, own), release.driver_manager),
    }
    for name, sidecar in sidecars_of(sidecars).items():
        references[f"{name}.image"] = driver_image(release, _image_spec(api, sidecar, Component(name)), machine.system)
    for path, refused in references.items():
        if isinstance(refused, Refused):
            return Unmade(NoPod.IMAGE, refused.message if path == "image" else f"{path}: {refused.message}")
    return {path: image for path, image in references.items() if isinstance(image, str)}


def _image_spec(api: DriverApi, spec: Settings, component: Component = Component.DRIVER) -> ImageSpec:
    return ImageSpec(
        api=api,
        component=component,
        repository=spec.get("repository") or "",
        image=spec.get("image") or "",
        version=spec.get("version") or "",
        precompiled=precompiled(spec),
    )


def _host_root(machine: Machine) -> str:
    """Where the host's root is mounted from; "/" is what silence means."""
    return "" if machine.host_root == "/" else machine.host_root
