"""The driver pod that the operator makes of an NVIDIADriver.

gpu-operator v26.7.0 internal/state/driver.go buildDriverInstallConfig, manifests/state-driver/0500_daemonset.yaml.
"""

from generator.facts import label
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

PRECOMPILED_DELAY = 5
CONFIGS = ("virtualTopologyConfig", "kernelModuleConfig", "repoConfig", "certConfig")


def object_pod(release: Release, spec: Settings, machine: Machine) -> DriverPod | Unmade:
    """`spec` is that of an NVIDIADriver."""
    if not label.matches(spec.get("nodeSelector") or {}, machine.labels):
        return Unmade(NoPod.NO_POOL, "its nodeSelector doesn't match the node")
    made = images(DriverApi.NVIDIADRIVER, release, spec, spec, machine)
    if isinstance(made, Unmade):
        return made
    manager, rdma, sidecars = inner(spec, "manager"), rdma_of(spec), sidecars_of(spec)
    env = {"env": env_of(spec), "manager.env": env_of(manager)}
    env |= {f"{name}.env": env_of(sidecar) for name, sidecar in sidecars.items()}
    module_type = {"kernelModuleType": spec.get("kernelModuleType", "")} if release.kernel_module_type else {}
    loaded = {
        **made,
        **{path: sorted(pairs) for path, pairs in env.items()},
        **module_type,
        "driverType": spec.get("driverType", "gpu"),
        "args": list(spec.get("args") or ()),
        "secretEnv": spec.get("secretEnv", ""),
        "rdma": rdma if rdma["enabled"] else {},
        "licensingConfig": licensing(spec, "name", nls=True),
        **{f"{key}.name": inner(spec, key).get("name", "") for key in CONFIGS},
        "hostPaths.rootFS": host_root(machine),
    }
    around = {
        **env,
        **common(spec, spec),
        "rdma.useHostMofed": rdma["useHostMofed"],
        "labels": but_own(spec.get("labels"), {"app"}, "app.kubernetes.io/"),
        "tolerations": list(spec.get("tolerations") or ()),
        "nodeSelector": dict(spec.get("nodeSelector") or {}),
        "startupProbe": _probe(spec),
        "imagePullSecrets": pull_secrets(spec, manager, *sidecars.values()),
        "gdrcopy.imagePullPolicy": pull_policy(sidecars.get("gdrcopy", {})),
    }
    if not release.kernel_module_type:
        around["useOpenKernelModules"] = spec.get("useOpenKernelModules") is True
    return DriverPod(loaded, around)


def _probe(spec: Settings) -> dict[str, int]:
    if probe := spec.get("startupProbe"):
        return dict.fromkeys(PROBE, 0) | dict(probe)
    return PROBE | ({"initialDelaySeconds": PRECOMPILED_DELAY} if precompiled(spec) else {})
