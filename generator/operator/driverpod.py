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

Settings = Mapping[str, Any]

PRIORITY = "system-node-critical"
PROBE = {
    "initialDelaySeconds": 60,
    "timeoutSeconds": 60,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 120,
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
        found = self.labels.get
        return NodeSystem(
            os_id=found(label.OS_ID),
            os_version=found(label.OS_VERSION),
            os_major=found(label.OS_MAJOR),
            kernel=found(label.KERNEL),
        )


class DriverPod(Struct, frozen=True):
    """`loaded` is what the driver is loaded with (the digest), `around` the rest of the pod's template.

    Both by the path of the field that says it, in the words of the API, with its effective value.
    """

    loaded: Mapping[str, Any]
    around: Mapping[str, Any]


def common(driver: Settings, shared: Settings) -> dict[str, Any]:
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


def images(
    api: DriverApi, release: Release, driver: Settings, sidecars: Settings, machine: Machine
) -> dict[str, str] | Unmade:
    """The references of the driver, its manager and the enabled sidecars; a precompiled one names its kernel."""
    own = inner(driver, "manager")
    made: dict[str, str | Refused] = {
        "image": driver_image(release, _image_spec(api, driver), machine.system),
        "manager.image": image_path(release, _image_spec(api, own), release.driver_manager),
    }
    for name, sidecar in sidecars_of(sidecars).items():
        made[f"{name}.image"] = driver_image(release, _image_spec(api, sidecar, Component(name)), machine.system)
    for path, refused in made.items():
        if isinstance(refused, Refused):
            return Unmade(NoPod.IMAGE, refused.message if path == "image" else f"{path}: {refused.message}")
    return {path: image for path, image in made.items() if isinstance(image, str)}


def _image_spec(api: DriverApi, spec: Settings, component: Component = Component.DRIVER) -> ImageSpec:
    return ImageSpec(
        api=api,
        component=component,
        repository=spec.get("repository") or "",
        image=spec.get("image") or "",
        version=spec.get("version") or "",
        precompiled=precompiled(spec),
    )


def precompiled(spec: Settings) -> bool:
    """Whether the kernel is in the image's name."""
    return spec.get("usePrecompiled") is True


def inner(spec: Settings, key: str) -> Settings:
    """A mapping below a key; an empty one where there is none."""
    found = spec.get(key)
    return found if isinstance(found, Mapping) else {}


def sidecars_of(spec: Settings) -> dict[str, Settings]:
    """GDS and GDRCopy where they are enabled."""
    found = {str(one): inner(spec, one) for one in (Component.GDS, Component.GDRCOPY)}
    return {name: sidecar for name, sidecar in found.items() if sidecar.get("enabled") is True}


def rdma_of(spec: Settings) -> dict[str, bool]:
    """Both switches of GPUDirect RDMA."""
    rdma = inner(spec, "rdma")
    return {"enabled": rdma.get("enabled") is True, "useHostMofed": rdma.get("useHostMofed") is True}


def licensing(spec: Settings, config_map: str, *, nls: bool) -> dict[str, Any]:
    """The secret or else the ConfigMap, and whether the client token is mounted; `nls` is what silence means."""
    config = inner(spec, "licensingConfig")
    name = config.get("secretName") or config.get(config_map)
    return {**config, "nlsEnabled": config.get("nlsEnabled", nls)} if name else {}


def env_of(spec: Settings) -> list[tuple[str, str]]:
    """Name and value of each variable, in the order written."""
    return [(str(one.get("name")), str(one.get("value", ""))) for one in spec.get("env") or () if isinstance(one, dict)]


def pull_policy(spec: Settings) -> str:
    """Anything unknown is IfNotPresent, as the operator has it."""
    policy = spec.get("imagePullPolicy")
    return policy if policy in {"Always", "Never"} else "IfNotPresent"


def pull_secrets(*specs: Settings) -> list[str]:
    """The secrets of several containers, one after the other."""
    return [name for spec in specs for name in spec.get("imagePullSecrets") or ()]


def but_own(labels: Mapping[str, str] | None, keys: set[str], prefix: str = "\0") -> dict[str, str]:
    """Labels but those that the operator keeps to itself, since selectors of DaemonSets can't change."""
    return {key: value for key, value in (labels or {}).items() if key not in keys and not key.startswith(prefix)}


def host_root(machine: Machine) -> str:
    """Where the host's root is mounted from; "/" is what silence means."""
    return "" if machine.host_root == "/" else machine.host_root
