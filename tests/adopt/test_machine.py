"""What one node shows. Labels as GPU Feature Discovery, Karpenter, GKE and EKS document them."""

import pytest

from generator.adopt.machine import is_gpu_node, is_transient, machine
from generator.declared.fleet import Mode, OsRelease
from generator.facts.branch import Family
from generator.observed.node import Node


def shown(labels: dict[str, str], **more: object) -> Node:
    return Node(name="n", labels=labels, **more)


@pytest.mark.parametrize(
    ("key", "product", "family"),
    [
        ("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB", Family.AMPERE),
        ("nvidia.com/gpu.product", "NVIDIA-A10G-SHARED", Family.AMPERE),
        ("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", Family.AMPERE),
        ("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3", Family.HOPPER),
        ("nvidia.com/gpu.product", "NVIDIA-H200", Family.HOPPER),
        ("nvidia.com/gpu.product", "NVIDIA-GH200-480GB", Family.GRACE_HOPPER),
        ("nvidia.com/gpu.product", "NVIDIA-B200", Family.BLACKWELL),
        ("nvidia.com/gpu.product", "NVIDIA-GB200", Family.BLACKWELL),
        ("nvidia.com/gpu.product", "NVIDIA-L4", Family.ADA),
        ("nvidia.com/gpu.product", "NVIDIA-L40S", Family.ADA),
        ("nvidia.com/gpu.product", "NVIDIA-RTX-6000-Ada-Generation", Family.ADA),
        ("nvidia.com/gpu.product", "NVIDIA-RTX-A6000", Family.AMPERE),
        ("nvidia.com/gpu.product", "Quadro-RTX-8000", Family.TURING),
        ("nvidia.com/gpu.product", "Tesla-T4", Family.TURING),
        ("nvidia.com/gpu.product", "Tesla-V100-SXM2-16GB", Family.VOLTA),
        ("nvidia.com/gpu.product", "Tesla-P100-PCIE-16GB", Family.PASCAL),
        ("cloud.google.com/gke-accelerator", "nvidia-tesla-a100", Family.AMPERE),
        ("cloud.google.com/gke-accelerator", "nvidia-h100-mega-80gb", Family.HOPPER),
        ("karpenter.k8s.aws/instance-gpu-name", "a10g", Family.AMPERE),
        ("nvidia.com/gpu.product", "NVIDIA-LX9", None),
    ],
)
def test_the_family_of_a_product(key: str, product: str, family: Family | None) -> None:
    assert machine(shown({key: product})).family is family


def test_the_word_of_gpu_feature_discovery_wins_but_for_a_grace_hopper() -> None:
    assert machine(shown({"nvidia.com/gpu.family": "ada-lovelace"})).family is Family.ADA
    both = {"nvidia.com/gpu.family": "hopper", "nvidia.com/gpu.product": "NVIDIA-GH200-480GB"}
    assert machine(shown(both)).family is Family.GRACE_HOPPER


@pytest.mark.parametrize(
    ("image", "os"),
    [
        ("Ubuntu 22.04.5 LTS", OsRelease("ubuntu", "22.04")),
        ("Red Hat Enterprise Linux CoreOS 415.92.202402201450-0 (Plow)", OsRelease("rhcos", "4.15")),
        ("Red Hat Enterprise Linux 9.4 (Plow)", OsRelease("rhel", "9.4")),
        ("Amazon Linux 2023.6.20241010", OsRelease("amzn", "2023")),
        ("SUSE Linux Enterprise Server 15 SP6", OsRelease("sles", "15.6")),
        ("Windows Server 2022 Datacenter", None),
    ],
)
def test_the_kubelets_word_stands_in_for_nfd(image: str, os: OsRelease | None) -> None:
    assert machine(shown({}, os_image=image)).os == os


def test_the_kernel_takes_the_form_of_its_label() -> None:
    assert machine(shown({}, kernel="5.14.0-427.el9.aarch64+64k")).kernel == "5.14.0-427.el9.aarch64_64k"


@pytest.mark.parametrize(
    ("labels", "mode"),
    [
        ({"nvidia.com/gpu.deploy.driver": "pre-installed"}, Mode.PREINSTALLED),
        ({"nvidia.com/gpu.deploy.driver": "true"}, None),
        ({"nvidia.com/gpu.deploy.driver": "paused-for-driver-upgrade"}, None),
        ({"nvidia.com/gpu.deploy.operands": "false"}, Mode.UNMANAGED),
        ({"nvidia.com/gpu.workload.config": "vm-passthrough"}, Mode.UNMANAGED),
        ({"nvidia.com/gpu.workload.config": "container"}, None),
    ],
)
def test_who_brings_the_driver(labels: dict[str, str], mode: Mode | None) -> None:
    assert machine(shown(labels)).mode is mode


@pytest.mark.parametrize(
    ("key", "transient"),
    [
        ("node.kubernetes.io/not-ready", True),
        ("node.cloudprovider.kubernetes.io/uninitialized", True),
        ("karpenter.sh/disrupted", True),
        ("ebs.csi.aws.com/agent-not-ready", True),
        ("nvidia.com/gpu", False),
        ("node-role.kubernetes.io/gpu", False),
    ],
)
def test_taints_of_a_moment(key: str, transient: bool) -> None:
    assert is_transient(key) is transient


@pytest.mark.parametrize(
    ("node", "gpu"),
    [
        (shown({"nvidia.com/gpu.present": "true"}), True),
        (shown({"nvidia.com/gpu.present": "false"}), False),
        (shown({"feature.node.kubernetes.io/pci-0302_10de.present": "true"}), True),
        (shown({"k8s.amazonaws.com/accelerator": "nvidia-tesla-t4"}), True),
        (shown({"cloud.google.com/gke-accelerator": "nvidia-l4"}), True),
        (shown({}, resources=frozenset({"cpu", "nvidia.com/gpu"})), True),
        (shown({}, resources=frozenset({"cpu"})), False),
    ],
)
def test_which_nodes_have_gpus(node: Node, gpu: bool) -> None:
    assert is_gpu_node(node) is gpu
