"""Driver settings as objects have them, each with what the operator reads from its silence."""

from collections.abc import Mapping
from typing import Any

from generator.operator.image import Component

Settings = Mapping[str, Any]


def inner(spec: Settings, key: str) -> Settings:
    """A mapping below a key; an empty one where there is none."""
    value = spec.get(key)
    return value if isinstance(value, Mapping) else {}


def precompiled(spec: Settings) -> bool:
    """Whether the kernel is in the image's name."""
    return spec.get("usePrecompiled") is True


def sidecars_of(spec: Settings) -> dict[str, Settings]:
    """GDS and GDRCopy where they are enabled."""
    sidecars = {str(component): inner(spec, component) for component in (Component.GDS, Component.GDRCOPY)}
    return {name: sidecar for name, sidecar in sidecars.items() if sidecar.get("enabled") is True}


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
    return [
        (str(variable.get("name")), str(variable.get("value", "")))
        for variable in spec.get("env") or ()
        if isinstance(variable, dict)
    ]


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
