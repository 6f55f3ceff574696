"""A cluster as it might be seen: nodes, driver pods, objects, as the API server writes them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from tests.testing.command import call_in

KERNEL, OTHER = "5.15.0-173-generic", "5.15.0-177-generic"
NFD = "feature.node.kubernetes.io/"
DRIVER = "nvcr.io/nvidia/driver"


def node(name: str, *, kernel: str = KERNEL, version: str = "22.04", pool: str = "a", **more: Any) -> dict[str, Any]:
    """A GPU node; `labels` adds or, with None, removes; `ready`, `cordoned`, `devices`, `uname` as one expects."""
    labels = {
        "x/y": pool,
        "nvidia.com/gpu.present": "true",
        f"{NFD}kernel-version.full": kernel,
        f"{NFD}system-os_release.ID": "ubuntu",
        f"{NFD}system-os_release.VERSION_ID": version,
        "kubernetes.io/arch": more.get("arch", "amd64"),
        **more.get("labels", {}),
    }
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": {key: text for key, text in labels.items() if text is not None}},
        "spec": {"unschedulable": True} if more.get("cordoned") else {},
        "status": {
            "conditions": [{"type": "Ready", "status": more.get("ready", "True")}],
            "nodeInfo": {"kernelVersion": more.get("uname", kernel), "osImage": "Ubuntu 22.04.4 LTS"},
            "capacity": {"nvidia.com/gpu": "8"},
        },
    }


def driver_pod(on: str, tag: str = f"580-{KERNEL}-ubuntu22.04", **container: Any) -> dict[str, Any]:
    """A driver pod of an NVIDIADriver (labels: gpu-operator manifests/state-driver/0500_daemonset.yaml)."""
    status = {"name": "nvidia-driver-ctr", "ready": True, "image": f"{DRIVER}:{tag}", **container}
    return {
        "kind": "Pod",
        "metadata": {
            "name": f"driver-{on}",
            "namespace": "gpu-operator",
            "labels": {"app.kubernetes.io/component": "nvidia-driver"},
        },
        "spec": {"nodeName": on, "containers": [{"name": "nvidia-driver-ctr"}]},
        "status": {"phase": "Running", "containerStatuses": [status]},
    }


def validator(on: str, image: str) -> dict[str, Any]:
    """The operator's validator, whose image is of the operator's version."""
    status = {"name": "nvidia-operator-validator", "ready": True, "image": image}
    return {
        "kind": "Pod",
        "metadata": {"name": f"v-{on}", "namespace": "gpu-operator", "labels": {"app": "nvidia-operator-validator"}},
        "spec": {"nodeName": on, "containers": [{"name": "nvidia-operator-validator"}]},
        "status": {"phase": "Running", "containerStatuses": [status]},
    }


def listed(*items: Mapping[str, Any]) -> bytes:
    return json.dumps({"kind": "List", "apiVersion": "v1", "items": list(items)}).encode()


# The kinds of object in the file of each option.
OPTIONS = {
    "--nodes": ("Node",),
    "--pods": ("Pod",),
    "--budgets": ("PodDisruptionBudget",),
    "--drivers": ("NVIDIADriver", "ClusterPolicy"),
}


def audited(files: Mapping[str, str], *items: Mapping[str, Any], kinds: tuple[str, ...] = ()) -> SimpleNamespace:
    """What the command answers of the cluster "one"; of the `kinds` it is given a file even where there are none."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        options = list(_given(root, items, ("Node", *kinds)))
        called = call_in(root, "audit", *options, "--cluster", "one", "--format", "json")
    assert called.code in {0, 1}, called.text
    (cluster,) = called.objects.clusters
    cluster.failed = called.code == 1
    return cluster


def _given(root: Path, items: Iterable[Mapping[str, Any]], kinds: tuple[str, ...]) -> Iterator[str]:
    for option, of_option in OPTIONS.items():
        chosen = [item for item in items if item["kind"] in of_option]
        if chosen or not set(of_option).isdisjoint(kinds):
            file = root / f"{option.removeprefix('--')}.json"
            file.write_bytes(listed(*chosen))
            yield from (option, str(file))


def said(found: SimpleNamespace) -> list[tuple[str, str]]:
    """Each difference as its kind and its subject."""
    return [(str(one.what), one.node or one.pool or one.cluster) for one in found.differences]
