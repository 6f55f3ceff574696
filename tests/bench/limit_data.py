"""What limit.py reads, taken from what render wrote: `python -m tests.bench.limit_data OUT DATA`."""

import json
import sys
from pathlib import Path
from typing import Any

import yaml


def data_of(out: Path) -> dict[str, list[dict[str, Any]]]:
    """Pools by cluster, each with what differs between the files of two pools."""
    return {
        folder.name: [_pool(folder, path) for path in sorted(folder.glob("gpu-operator/nvidiadriver-*.yaml"))]
        for folder in sorted(out.iterdir())
        if folder.is_dir()
    }


def _load(path: Path) -> Any:
    return yaml.load(path.read_bytes(), yaml.CSafeLoader)


def _pool(cluster: Path, path: Path) -> dict[str, Any]:
    document = _load(path)
    name, spec = document["metadata"]["name"], document["spec"]
    config = _load(cluster / f"workloads/images-{name}.yaml")
    [(key, value)] = spec["nodeSelector"].items()
    return {
        "name": name,
        "owner": config["metadata"]["namespace"],
        "key": key,
        "value": value,
        "images": config["data"]["images"].splitlines(),
        "repository": spec["repository"],
        "version": spec["version"],
        "module_type": spec["kernelModuleType"],
        "rdma": "rdma" in spec,
        "tolerations": spec.get("tolerations", []),
        "parallel": spec["upgradePolicy"]["maxParallelUpgrades"],
        "unavailable": spec["upgradePolicy"]["maxUnavailable"],
    }


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(data_of(Path(sys.argv[1]))), encoding="utf-8")
