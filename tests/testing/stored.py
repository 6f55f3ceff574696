"""NVIDIADriver and ClusterPolicy objects as an API server stores them, and two pools of nodes that they select.

Shapes: gpu-operator api/nvidia/v1/clusterpolicy_types.go and v1alpha1/nvidiadriver_types.go; labels of the chart:
deployments/gpu-operator/templates/_helpers.tpl.
"""

import json
from typing import Any

from tests.testing.nodes import GPU, nfd, node

KERNEL = "5.15.0-173-generic"
NODES = [
    node(f"{pool}-{number}", {**GPU, **nfd("ubuntu", "22.04", KERNEL), "example.com/pool": pool})
    for pool in ("train", "serve")
    for number in range(2)
]
IMAGE = {"repository": "nvcr.io/nvidia", "image": "driver", "version": "580", "usePrecompiled": True}
UPGRADE = {
    "autoUpgrade": True,
    "maxParallelUpgrades": 2,
    "maxUnavailable": "25%",
    "waitForCompletion": {"timeoutSeconds": 0},
    "podDeletion": {"force": False, "timeoutSeconds": 300, "deleteEmptyDir": True},
    "drain": {"enable": False, "force": False, "timeoutSeconds": 300, "deleteEmptyDir": False},
}
REQUIRED = ("daemonsets", "dcgm", "dcgmExporter", "devicePlugin", "gfd", "nodeStatusExporter", "operator")
CLUSTERS_OWN = {"uid": "4d5e", "resourceVersion": "7", "generation": 3, "creationTimestamp": "2026-01-01T00:00:00Z"}


def driver(name: str, metadata: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """An NVIDIADriver as the API server stores it."""
    stored = {"driverType": "gpu", "kernelModuleType": "auto", **IMAGE, "upgradePolicy": UPGRADE, "default": False}
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "NVIDIADriver",
        "metadata": {"name": name, **CLUSTERS_OWN, **(metadata or {})},
        "spec": {key: value for key, value in {**stored, **spec}.items() if value is not None},
        "status": {"state": "ready"},
    }


def policy(name: str = "cluster-policy", metadata: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A ClusterPolicy; `more` is its spec."""
    required = {key: {} for key in REQUIRED}
    spec = {**required, "toolkit": {"enabled": True}, "driver": {"enabled": True, **IMAGE}, **more}
    return {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": name, **CLUSTERS_OWN, **(metadata or {})},
        "spec": spec,
        "status": {"state": "ready"},
    }


def kubectl_list(*objects: dict[str, Any]) -> str:
    """What `kubectl get -o json` prints of several objects."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})


def selecting(pool: str) -> dict[str, Any]:
    """The part of a spec that claims the nodes of one of the pools."""
    return {"nodeSelector": {"example.com/pool": pool}}


HELM = {
    "labels": {"helm.sh/chart": "gpu-operator-v25.10.1", "app.kubernetes.io/managed-by": "Helm"},
    "annotations": {"meta.helm.sh/release-name": "gpu-operator", "meta.helm.sh/release-namespace": "gpu"},
}
