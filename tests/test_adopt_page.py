"""The commands of docs/adopt.md, run in order: what the page shows is what a reader gets."""

import json
import os
import re
import subprocess
from pathlib import Path

from tests.testing import shapes
from tests.testing.command import BIN
from tests.testing.gitrepo import IDENTITY
from tests.testing.nodes import listed
from tests.testing.shared import REPO

PAGE = (REPO / "docs" / "adopt.md").read_text(encoding="utf-8")
DRIVER = {
    "apiVersion": "nvidia.com/v1alpha1",
    "kind": "NVIDIADriver",
    "metadata": {"name": "h100", "labels": {"team": "ml-platform"}, "uid": "4d5e", "resourceVersion": "7"},
    "spec": {
        "default": False,
        "driverType": "gpu",
        "image": "driver",
        "kernelModuleType": "open",
        "nodeSelector": {"cloud.google.com/gke-nodepool": "h100-pool"},
        "rdma": {"enabled": True},
        "repository": "nvcr.io/nvidia",
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"}],
        "upgradePolicy": {"autoUpgrade": True, "maxParallelUpgrades": 1, "maxUnavailable": "25%"},
        "usePrecompiled": True,
        "version": "580",
    },
    "status": {"state": "ready"},
}
POLICY = {
    "apiVersion": "nvidia.com/v1",
    "kind": "ClusterPolicy",
    "metadata": {
        "name": "cluster-policy",
        "labels": {"helm.sh/chart": "gpu-operator-v26.7.0", "app.kubernetes.io/managed-by": "Helm"},
    },
    "spec": {"driver": {"enabled": True, "useNvidiaDriverCRD": True}},
}


def shown() -> list[tuple[str, str]]:
    """(command, output) of every console block; kubectl needs a cluster, and what it writes is given here."""
    blocks = re.findall(r"^```console\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    found: list[tuple[str, str]] = []
    for block in blocks:
        parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
        found += zip(parts[::2], parts[1::2], strict=True)
    return [(command, output) for command, output in found if not command.startswith("kubectl")]


def test_the_page_shows_what_happens(tmp_path: Path) -> None:
    (tmp_path / "nodes.json").write_bytes(listed(shapes.gke()))
    objects = {"apiVersion": "v1", "kind": "List", "items": [POLICY, DRIVER]}
    (tmp_path / "driver.yaml").write_text(json.dumps(objects), encoding="utf-8")
    environment = os.environ | {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "Test", "GIT_AUTHOR_EMAIL": "test@example.com",
        "GIT_COMMITTER_NAME": "Test", "GIT_COMMITTER_EMAIL": "test@example.com",
    }  # fmt: skip
    assert IDENTITY
    folder = tmp_path
    commands = shown()
    assert any(command.startswith("drivergate init") for command, _ in commands)
    for command, output in commands:
        if command.startswith("cd "):
            folder = folder / command.removeprefix("cd ")
            continue
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environment, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert done.stdout == output, command
