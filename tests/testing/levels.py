"""A small repository in which every level says something."""

from pathlib import Path

HEAD = "apiVersion: drivergate.dev/v1alpha1\nkind: "
FLEET = f"""{HEAD}Fleet
name: small
defaults:
  operator: {{version: v26.7.0}}
  driver:
    repository: nvcr.io/nvidia/driver
    branch: "580"
    upgradePolicy: {{maxParallelUpgrades: 2}}
profiles:
  careful:
    driver:
      upgradePolicy: {{maxUnavailable: 1, drain: {{enable: true}}}}
"""
IMAGE = f"""{HEAD}NodeImage
name: stream
os: {{id: ubuntu, version: "24.04"}}
arch: [amd64]
kernels:
  "1": 6.8.0-1050-aws
  "2": 6.8.0-1053-aws
running: ["1"]
upcoming: ["2"]
"""
CLUSTER = f"""{HEAD}Cluster
name: one
ring: "0"
profile: careful
driver: {{kernelModuleType: open}}
pools:
  train:
    owner: Müller
    nodeSelector: {{example.com/pool: train}}
    nodes: {{min: 1, max: 4}}
    nodeImage: stream
    driver: {{upgradePolicy: {{drain: {{timeoutSeconds: 60}}}}, spec: {{rdma: {{enabled: true}}}}}}
  arm:
    nodeSelector: {{example.com/pool: arm}}
    nodes: 2
    os: {{id: rhel, version: "9.4"}}
    arch: [arm64]
    kernels: [5.14.0-427.37.1.el9_4.aarch64+64k]
    driver: {{version: "580.126.20"}}
  host:
    nodeSelector: {{example.com/pool: host}}
    driver: {{mode: preinstalled, version: "570.86.15"}}
"""
CATALOG = f"""{HEAD}ImageCatalog
repository: nvcr.io/nvidia/driver
images:
  - {{tag: "580-6.8.0-1050-aws-ubuntu24.04", platforms: [linux/amd64]}}
  - {{tag: "580.126.20-5.14.0-427.37.1.el9_4.aarch64_64k-rhel9", platforms: [linux/arm64]}}
"""
FILES = {"fleet": FLEET, "stream": IMAGE, "one": CLUSTER, "catalog": CATALOG}


def repository(root: Path, **changed: str) -> Path:
    """The repository, with some of its files changed or added, by their names below inventory/ without ending."""
    (root / "inventory").mkdir(exist_ok=True)
    for name, text in {**FILES, **changed}.items():
        (root / "inventory" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return root


def node(name: str, pool: str, **labels: str) -> dict[str, object]:
    """A node of the pool `train` as a cluster shows it; more labels by their short names."""
    keys = {
        "kernel": "feature.node.kubernetes.io/kernel-version.full",
        "os": "feature.node.kubernetes.io/system-os_release.ID",
        "version": "feature.node.kubernetes.io/system-os_release.VERSION_ID",
        "major": "feature.node.kubernetes.io/system-os_release.VERSION_ID.major",
        "arch": "kubernetes.io/arch",
        "gate": "nvidia.com/gpu.deploy.driver",
    }
    plain = {"nvidia.com/gpu.present": "true", "example.com/pool": pool}
    named = {keys[key]: value for key, value in labels.items()}
    return {"kind": "Node", "metadata": {"name": name, "labels": {**plain, **named}}, "status": {}}
