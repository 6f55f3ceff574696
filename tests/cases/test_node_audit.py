"""Public cases of the area node-audit."""

import json

from tests.cases.inventory import files, pool
from tests.cases.outcome import hides, shows
from tests.testing.command import Exit
from tests.testing.repository import CaseRepo

NFD = "feature.node.kubernetes.io/"
TAG = "535-5.15.0-118-generic-ubuntu22.04"
GIVEN = files(pool("a", 'branch: "535"'), images=(TAG,))


def node(name: str, kernel: str | None = None, version: str | None = None, **labels: str) -> dict:
    made = {"gpu-pool": "a", "nvidia.com/gpu.present": "true", "kubernetes.io/arch": "amd64", **labels}
    if kernel:
        made[f"{NFD}kernel-version.full"] = kernel
    if version:
        made |= {f"{NFD}system-os_release.ID": "ubuntu", f"{NFD}system-os_release.VERSION_ID": version}
    return {"kind": "Node", "metadata": {"name": name, "labels": made}}


def audited(repo: CaseRepo, *nodes: dict) -> Exit:
    repo.lay(GIVEN)
    repo.lay({"nodes.json": json.dumps({"apiVersion": "v1", "kind": "List", "items": list(nodes)})})
    return repo.drivergate("audit", "--all", "--nodes", str(repo.path / "nodes.json"))


def test_d08_a_mixed_pool_is_told_whatever_the_order(repo: CaseRepo) -> None:
    """NVIDIA/gpu-operator#328."""
    nodes = [node("n1", "5.4.0-150-generic", "20.04"), node("n2", "5.15.0-118-generic", "22.04")]
    said = audited(repo, *nodes)
    assert said.code == 1
    shows(said.out, "n1", "5.4.0-150-generic", "5.15.0-118-generic")
    assert "error: node n1 (a): it runs ubuntu20.04 with 5.4.0-150-generic" in said.out
    assert audited(repo, *reversed(nodes)).out == said.out


def test_d12_a_rewritten_label_is_no_drift(repo: CaseRepo) -> None:
    """kubernetes-sigs/node-feature-discovery#308."""
    given = files(pool("a", 'branch: "535"', kernels="6.1.112+"), images=(TAG,))
    repo.lay(given)
    seen = node("n1", "6.1.112", "22.04")
    seen["status"] = {"nodeInfo": {"kernelVersion": "6.1.112+"}}
    repo.lay({"nodes.json": json.dumps(seen)})
    said = repo.drivergate("audit", "--nodes", str(repo.path / "nodes.json"))
    hides(said.text, "drift.*n1", "undeclared")


def test_d14_a_node_that_nfd_has_not_labelled_is_counted(repo: CaseRepo) -> None:
    """NVIDIA/gpu-operator#149."""
    said = audited(repo, node("n1"))
    assert said.code == 1
    shows(said.out, "n1", "kernel-version.full", "1 GPU node,")
    hides(said.text, "535--ubuntu22.04")


def test_d15_any_nvidia_pci_label_makes_a_gpu_node(repo: CaseRepo) -> None:
    """NVIDIA/gpu-operator#78."""
    one, two = node("n1", "5.15.0-118-generic", "22.04"), node("n2", "5.15.0-118-generic", "22.04")
    for each, key in ((one, "pci-0302_10de"), (two, "pci-0300_1d0f")):
        del each["metadata"]["labels"]["nvidia.com/gpu.present"]
        each["metadata"]["labels"][f"{NFD}{key}.present"] = "true"
    said = audited(repo, one, two)
    assert said.code == 0
    shows(said.out, "n1", "1 GPU node, 1 other")
    hides(said.out, "n2")


def test_d16_no_gpu_node_is_no_error(repo: CaseRepo) -> None:
    """NVIDIA/gpu-operator#71."""
    said = audited(repo)
    assert said.code == 0
    shows(said.out, "0 GPU nodes")
    hides(said.text, "Traceback")
