"""Nodes as clusters show them: made from declared pools, or of the shape that a provider gives them.

Labels are those of the providers' public documentation: EKS managed node groups, Karpenter, GKE node pools, AKS
reserved system labels, node-feature-discovery, and the GPU operator with GPU Feature Discovery.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from generator.declared.fleet import Cluster, Mode, Pool
from generator.facts import label
from generator.facts.kernel import architecture

GPU = {
    "feature.node.kubernetes.io/pci-10de.present": "true",
    "nvidia.com/gpu.present": "true",
    "nvidia.com/gpu.deploy.driver": "true",
}
# GFD's product of a family, https://github.com/NVIDIA/k8s-device-plugin docs/gpu-feature-discovery.
PRODUCTS = {
    "volta": "Tesla-V100-SXM2-16GB",
    "ampere": "NVIDIA-A100-SXM4-80GB",
    "ada": "NVIDIA-L40S",
    "hopper": "NVIDIA-H100-80GB-HBM3",
    "grace-hopper": "NVIDIA-GH200-480GB",
    "blackwell": "NVIDIA-B200",
}


def node(name: str, labels: Mapping[str, str], *taints: str, **info: str) -> dict[str, Any]:
    """One node; taints as kubectl writes them, `info` is status.nodeInfo."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", **labels}},
        "spec": {"taints": [_taint(one) for one in taints]} if taints else {},
        "status": {"capacity": {"cpu": "8"}, "nodeInfo": info},
    }


def listed(nodes: Iterable[Mapping[str, Any]]) -> bytes:
    """`kubectl get nodes -o json`."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(nodes)}).encode()


def nfd(os: str, version: str, kernel: str, arch: str = "amd64") -> dict[str, str]:
    """What node-feature-discovery and the kubelet say of a system."""
    major = {label.OS_MAJOR: version.partition(".")[0]} if version[:1].isdigit() else {}
    return {"kubernetes.io/arch": arch, label.OS_ID: os, label.OS_VERSION: version, label.KERNEL: kernel, **major}


def of_pools(cluster: Cluster) -> list[dict[str, Any]]:
    """Nodes that the pools of a cluster would have: one for each running kernel, at least two."""
    return [one for pool in cluster.pools for one in _of_pool(pool)]


def _of_pool(pool: Pool) -> Iterable[dict[str, Any]]:
    kernels = [kernel.name for kernel in pool.kernels if not kernel.upcoming] or ["5.14.0-427.37.1.el9_4.x86_64"]
    os = (pool.os.id, pool.os.version) if pool.os else ("ubuntu", "22.04")
    for number in range(max(2, len(kernels))):
        kernel = kernels[number % len(kernels)]
        arch = architecture(kernel) or (pool.arch[0] if pool.arch else "amd64")
        labels = {**GPU, **nfd(*os, kernel, arch), **pool.node_selector}
        if pool.family:
            labels["nvidia.com/gpu.product"] = PRODUCTS[pool.family]
        if pool.driver.mode is Mode.PREINSTALLED:
            labels |= {label.DEPLOY_DRIVER: "pre-installed", "nvidia.com/cuda.driver-version.full": pool.driver.version}
        elif pool.driver.mode is Mode.UNMANAGED:
            labels |= {"nvidia.com/gpu.workload.config": "vm-passthrough"}
        yield node(f"{pool.name}-{number}", labels, *map(str, pool.taints))


def _taint(text: str) -> dict[str, str]:
    key_value, _, effect = text.rpartition(":")
    key, equals, value = key_value.partition("=")
    return {"key": key, "effect": effect, **({"value": value} if equals else {})}
