"""What one GPU node shows of itself: its system, who brings its driver, its GPUs, its machine image."""

import re
from collections.abc import Mapping

from msgspec import Struct

from generator.declared.fleet import Mode, OsRelease, Taint
from generator.facts import label
from generator.facts.branch import Family
from generator.facts.kernel import label_form
from generator.observed.node import Node
from generator.operator.claim import PCI_LABELS, has_gpu

WORKLOAD = "nvidia.com/gpu.workload.config"
OPERANDS = "nvidia.com/gpu.deploy.operands"

# What a provider says of a node before NFD or the operator ever saw it.
_PROVIDERS = {
    "cloud.google.com/gke-accelerator": "nvidia",
    "k8s.amazonaws.com/accelerator": "nvidia",
    "karpenter.k8s.aws/instance-gpu-manufacturer": "nvidia",
    "eks.amazonaws.com/instance-gpu-manufacturer": "nvidia",
    "kubernetes.azure.com/accelerator": "nvidia",
}
_PRODUCTS = (
    "nvidia.com/gpu.product",
    "cloud.google.com/gke-accelerator",
    "k8s.amazonaws.com/accelerator",
    "karpenter.k8s.aws/instance-gpu-name",
    "eks.amazonaws.com/instance-gpu-name",
)
# Product names by architecture; the first that fits wins, so a GH200 is not taken for its Hopper half.
_FAMILIES = (
    (r"gh200", Family.GRACE_HOPPER),
    (r"g?b[123]00", Family.BLACKWELL),
    (r"rtx-pro-(?:[456]000)-blackwell|rtx-50\d0", Family.BLACKWELL),
    (r"h(?:100|200|800|20)", Family.HOPPER),
    (r"l(?:4|40|40s|20|2)|rtx-[456]\d00-ada|rtx-40\d0", Family.ADA),
    (r"a(?:2|10|10g|16|30|40|100|800)|rtx-a\d000|rtx-30\d0", Family.AMPERE),
    (r"t4g?|rtx-(?:[4568]000)|rtx-20\d0", Family.TURING),
    (r"v100s?", Family.VOLTA),
    (r"p(?:4|6|40|100)", Family.PASCAL),
    (r"m(?:4|6|10|40|60)", Family.MAXWELL),
    (r"k(?:10|20|40|80|520)", Family.KEPLER),
)
# GPU Feature Discovery, internal/lm/resource.go: its own words where they differ from ours.
_FAMILY_WORDS = {"ada-lovelace": Family.ADA}
# Systems whose GPU driver comes with the machine image or from the provider; no driver image is built for them.
_HOST_DRIVER = frozenset({"amzn", "azurelinux", "bottlerocket", "cos", "mariner", "talos"})
# status.nodeInfo.osImage is PRETTY_NAME of os-release.
_OS_IMAGES = (
    (r"Ubuntu (\d\d\.\d\d)\b.*", "ubuntu", r"\1"),
    (r"Red Hat Enterprise Linux CoreOS (\d)(\d+)\..*", "rhcos", r"\1.\2"),
    (r"Red Hat Enterprise Linux (\d+(?:\.\d+)?)\b.*", "rhel", r"\1"),
    (r"Rocky Linux (\d+(?:\.\d+)?)\b.*", "rocky", r"\1"),
    (r"Oracle Linux Server (\d+(?:\.\d+)?)\b.*", "ol", r"\1"),
    (r"SUSE Linux Enterprise Server (\d+) SP(\d+).*", "sles", r"\1.\2"),
    (r"Amazon Linux (\d+)\b.*", "amzn", r"\1"),
    (r"Container-Optimized OS from Google", "cos", ""),
    (r"Bottlerocket OS (\d+\.\d+\.\d+).*", "bottlerocket", r"\1"),
)
# A taint of the moment says nothing of the pool. kubernetes.io/docs/reference/labels-annotations-taints and the
# documentation of the autoscaler, Karpenter and the CSI and CNI drivers.
_TRANSIENT_PREFIXES = (
    "node.kubernetes.io/",
    "node.cloudprovider.kubernetes.io/",
    "karpenter.sh/",
    "startup-taint.cluster-autoscaler.kubernetes.io/",
)
_TRANSIENT = frozenset({"ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler"})


class Machine(Struct, frozen=True, kw_only=True):
    """A GPU node. What it doesn't show is None or ""."""

    name: str
    labels: Mapping[str, str]
    os: OsRelease | None
    arch: str
    kernel: str
    mode: Mode | None
    why: str
    driver_version: str
    family: Family | None
    taints: tuple[Taint, ...]
    image: label.MachineImage | None
    unlabelled: tuple[str, ...]


def is_gpu_node(node: Node) -> bool:
    """By the operator's labels, by what a provider says, or by what the node offers."""
    if has_gpu(node.labels) or any(name.startswith(("nvidia.com/gpu", "nvidia.com/mig-")) for name in node.resources):
        return True
    return any(wanted in node.labels.get(key, "") for key, wanted in _PROVIDERS.items())


def machine(node: Node) -> Machine:
    """What a GPU node shows: labels first, its kubelet's word where NFD's is missing."""
    labels = node.labels
    os = _os(node)
    mode, why = _mode(labels, os)
    unlabelled = tuple(key for key in (label.OS_ID, label.OS_VERSION, label.KERNEL) if key not in labels)
    if not any(labels.get(key) == "true" for key in (label.GPU_PRESENT, *PCI_LABELS)):
        unlabelled = (*unlabelled, PCI_LABELS[0])
    return Machine(
        name=node.name,
        labels=labels,
        os=os,
        arch=labels.get(label.ARCH, node.architecture),
        kernel=labels.get(label.KERNEL) or label_form(node.kernel),
        mode=mode,
        why=why,
        driver_version=_driver_version(labels),
        family=family(labels),
        taints=tuple(Taint(one.key, one.value, one.effect) for one in node.taints if not is_transient(one.key)),
        image=label.machine_image(labels),
        unlabelled=unlabelled,
    )


def is_transient(key: str) -> bool:
    """Whether a taint's key tells of a moment in a node's life."""
    return key in _TRANSIENT or key.startswith(_TRANSIENT_PREFIXES) or key.endswith("agent-not-ready")


def family(labels: Mapping[str, str]) -> Family | None:
    """The GPU architecture, by GFD's word or by a product's name."""
    product = next((labels[key] for key in _PRODUCTS if labels.get(key)), "").lower().replace("_", "-")
    name = re.sub(r"^(?:nvidia-)?(?:tesla-|geforce-|quadro-)?", "", product)
    found = next((known for pattern, known in _FAMILIES if re.match(rf"(?:{pattern})(?![a-z0-9])", name)), None)
    told = labels.get("nvidia.com/gpu.family", "").lower()
    if found is Family.GRACE_HOPPER or not told:
        return found
    return _FAMILY_WORDS.get(told) or next((one for one in Family if one == told), found)


def _os(node: Node) -> OsRelease | None:
    os_id, version = node.labels.get(label.OS_ID), node.labels.get(label.OS_VERSION)
    if os_id and version:
        return OsRelease(os_id, version)
    for pattern, known, form in _OS_IMAGES:
        if match := re.fullmatch(pattern, node.os_image):
            return OsRelease(known, match.expand(form) or "unknown")
    return None


def _mode(labels: Mapping[str, str], os: OsRelease | None) -> tuple[Mode | None, str]:
    """Who brings the driver where it is not the operator, and the reason."""
    workload, deploy = labels.get(WORKLOAD, ""), labels.get(label.DEPLOY_DRIVER, "")
    if workload.startswith("vm-"):
        return Mode.UNMANAGED, f"{WORKLOAD}={workload}"
    if deploy == label.PREINSTALLED:
        return Mode.PREINSTALLED, f"{label.DEPLOY_DRIVER}={deploy}"
    for key in (OPERANDS, label.DEPLOY_DRIVER):
        if labels.get(key) == "false":
            return Mode.UNMANAGED, f"{key}=false"
    if os is not None and os.id in _HOST_DRIVER:
        return Mode.PREINSTALLED, f"no driver image is built for {os.id}"
    return None, ""


def _driver_version(labels: Mapping[str, str]) -> str:
    """The loaded driver, by GFD's labels."""
    full = labels.get("nvidia.com/cuda.driver-version.full", "")
    parts = [labels.get(f"nvidia.com/cuda.driver.{part}", "") for part in ("major", "minor", "rev")]
    return full or ".".join(part for part in parts if part)
