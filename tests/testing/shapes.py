"""Clusters as four providers show them, names neutral."""

from collections.abc import Iterator
from typing import Any

from tests.testing.nodes import GPU, nfd, node

PRESENT = "nvidia.com/gpu=present:NoSchedule"
INFO = {"architecture": "amd64"}


def eks() -> Iterator[dict[str, Any]]:
    """Two managed node groups of one AMI, a Karpenter-free cluster; eksctl labels its groups a second time."""
    for number, kernel in enumerate(("6.8.0-1050-aws", "6.8.0-1053-aws")):
        for group, kind, product in (
            ("a100-train", "p4d.24xlarge", "NVIDIA-A100-SXM4-40GB"),
            ("l4-serve", "g6.12xlarge", "NVIDIA-L4"),
        ):
            labels = {
                **GPU,
                **nfd("ubuntu", "24.04", kernel),
                "alpha.eksctl.io/nodegroup-name": group,
                "eks.amazonaws.com/capacityType": "ON_DEMAND",
                "eks.amazonaws.com/nodegroup": group,
                "eks.amazonaws.com/nodegroup-image": f"ami-0c4ca6471e324694{number}",
                "node.kubernetes.io/instance-type": kind,
                "nvidia.com/gpu.product": product,
                "topology.kubernetes.io/zone": "us-east-1a",
            }
            yield node(f"ip-10-0-{group}-{number}", labels, PRESENT, "node.kubernetes.io/not-ready:NoSchedule", **INFO)
    labels = {**nfd("ubuntu", "24.04", "6.8.0-1053-aws"), "eks.amazonaws.com/nodegroup": "system"}
    yield node("ip-10-0-0-9", labels, **INFO)


def gke() -> Iterator[dict[str, Any]]:
    """A pool on Ubuntu, and one on Container-Optimized OS, whose driver Google installs."""
    for number in range(3):
        labels = {
            **GPU,
            **nfd("ubuntu", "22.04", "5.15.0-1087-gke"),
            "cloud.google.com/gke-nodepool": "h100-pool",
            "cloud.google.com/gke-accelerator": "nvidia-h100-80gb",
            "node.kubernetes.io/instance-type": "a3-highgpu-8g",
        }
        yield node(f"gke-h100-pool-{number}", labels, PRESENT, **INFO)
    labels = {
        "feature.node.kubernetes.io/pci-10de.present": "true",
        **nfd("cos", "113", "6.1.112_"),
        "cloud.google.com/gke-nodepool": "t4-pool",
        "cloud.google.com/gke-accelerator": "nvidia-tesla-t4",
    }
    yield node("gke-t4-pool-0", labels, PRESENT, **INFO)


def aks() -> Iterator[dict[str, Any]]:
    """Agent pools; nodes of one image release run two kernels, as unattended upgrades leave them."""
    image = "AKSUbuntu-2204gen2containerd-202509.23.0"
    for pool, product, kernels in (
        ("a100", "NVIDIA-A100-SXM4-80GB", ("5.15.0-1095-azure", "5.15.0-1096-azure")),
        ("t4", "Tesla-T4", ("5.15.0-1095-azure",)),
    ):
        for number, kernel in enumerate(kernels):
            labels = {
                **GPU,
                **nfd("ubuntu", "22.04", kernel),
                "agentpool": pool,
                "kubernetes.azure.com/agentpool": pool,
                "kubernetes.azure.com/accelerator": "nvidia",
                "kubernetes.azure.com/node-image-version": image,
                "nvidia.com/gpu.product": product,
                "nvidia.com/gpu.family": "turing" if pool == "t4" else "ampere",
            }
            yield node(f"aks-{pool}-vmss00000{number}", labels, "sku=gpu:NoSchedule", **INFO)


def bare_metal() -> Iterator[dict[str, Any]]:
    """A label of people's own; one value of it on two systems, a host driver, passthrough, a node without NFD."""
    own = "example.com/pool"
    product = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
    for number in range(2):
        labels = {**GPU, **nfd("ubuntu", "22.04", "5.15.0-173-generic"), **product, own: "train"}
        yield node(f"train-{number}", labels, **INFO)
    labels = {**GPU, **nfd("ubuntu", "24.04", "6.8.0-60-generic"), **product, own: "train"}
    yield node("train-new", labels, **INFO)
    arm = {
        **GPU,
        **nfd("rhel", "9.4", "5.14.0-427.37.1.el9_4.aarch64_64k", "arm64"),
        own: "Grace Hopper".replace(" ", "_"),
    }
    yield node("gh-0", {**arm, "nvidia.com/gpu.product": "NVIDIA-GH200-480GB"}, architecture="arm64")
    host = {**GPU, **nfd("rhel", "9.4", "5.14.0-427.37.1.el9_4.x86_64"), own: "appliance"}
    host |= {"nvidia.com/gpu.deploy.driver": "pre-installed", "nvidia.com/cuda.driver-version.full": "580.126.20"}
    yield node("appliance-0", host, **INFO)
    guests = {**nfd("ubuntu", "22.04", "5.15.0-173-generic"), own: "vgpu"}
    guests |= {"feature.node.kubernetes.io/pci-10de.present": "true", "nvidia.com/gpu.workload.config": "vm-vgpu"}
    yield node("vgpu-0", guests, **INFO)
    fresh = node(
        "fresh-0", {own: "fresh", "kubernetes.io/arch": "amd64"}, architecture="amd64",
        kernelVersion="5.15.0-173-generic", osImage="Ubuntu 22.04.5 LTS",
    )  # fmt: skip
    fresh["status"]["capacity"]["nvidia.com/gpu"] = "8"
    yield fresh
    yield node("cpu-0", {**nfd("ubuntu", "22.04", "5.15.0-173-generic"), own: "cpu"}, **INFO)
