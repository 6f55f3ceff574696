"""Names of the objects that the operator makes for a driver; some depend on a UID and so on no commit."""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from generator.facts import kernel as kernels
from generator.facts import label
from generator.facts.label import Node
from generator.facts.release import Release

_SAFE = b"bcdfghjklmnpqrstvwxz2456789"
_FNV_OFFSET = 0x811C9DC5
_FNV_PRIME = 0x01000193
_DAEMONSET = "nvidia-driver-daemonset"
_MAX_LABEL = 63
_MAX_NAME = 253


class KernelFault(StrEnum):
    """Why a precompiled ClusterPolicy stops for the whole cluster."""

    KERNEL_LABEL_MISSING = "kernel_label_missing"
    OS_MISMATCH = "os_mismatch_same_kernel"


class KernelRefused(Struct, frozen=True):
    """The fault and the first node, in the order given, that shows it."""

    reason: KernelFault
    node: str


class PolicyDaemonSets(Struct, frozen=True):
    """Per kernel of the GPU nodes: the OS that the operator reads, and the name of its DaemonSet."""

    kernel_os: dict[str, str]
    daemonsets: dict[str, str]


def app_name(driver_type: str, os_tag: str, uid: str, *, kernel: str = "", rhcos_version: str = "") -> str:
    """Name of an NVIDIADriver's DaemonSet (`getDriverAppName`): cut to 63 characters, the hash whole."""
    part = kernel or rhcos_version
    digest = string_hash(f"{uid}-{part}" if part else uid)
    prefix = f"nvidia-{driver_type}-driver-{os_tag}"
    return f"{prefix[: _MAX_LABEL - len(digest) - 1]}-{digest}"


def object_name(driver_type: str, driver: str, os_tag: str) -> str:
    """Name of an NVIDIADriver's ServiceAccount and RBAC objects (`getDriverName`)."""
    if driver_type == "vgpu-host-manager":
        return f"nvidia-vgpu-manager-{driver}-{os_tag}"[:_MAX_NAME]
    return f"nvidia-{driver_type}-driver-{driver}-{os_tag}"[:_MAX_NAME]


def policy_daemonset(release: Release, kernel: str, os_id: str, os_version: str) -> str:
    """A ClusterPolicy's DaemonSet for one kernel; its OS keeps the minor though the image's tag may not."""
    return f"{_DAEMONSET}-{kernels.sanitised(kernel, release)}-{os_id}{os_version}"


def policy_daemonsets(release: Release, nodes: Iterable[Node]) -> PolicyDaemonSets | KernelRefused:
    """One DaemonSet per kernel of the GPU nodes (object_controls.go getKernelVersionsMap)."""
    found = PolicyDaemonSets({}, {})
    for node in nodes:
        if node.labels.get(label.GPU_PRESENT) != "true":
            continue
        kernel = node.labels.get(label.KERNEL)
        if kernel is None:
            return KernelRefused(KernelFault.KERNEL_LABEL_MISSING, node.name)
        os_id, os_version = node.labels.get(label.OS_ID, ""), node.labels.get(label.OS_VERSION, "")
        if found.kernel_os.setdefault(kernel, os_id + os_version) != os_id + os_version:
            return KernelRefused(KernelFault.OS_MISMATCH, node.name)
        found.daemonsets[kernel] = policy_daemonset(release, kernel, os_id, os_version)
    return found


def string_hash(text: str) -> str:
    """FNV-1a of 32 bits in decimal, through Kubernetes' SafeEncodeString (internal/utils GetStringHash)."""
    value = _FNV_OFFSET
    for byte in text.encode():
        value = (value ^ byte) * _FNV_PRIME & 0xFFFFFFFF
    return "".join(chr(_SAFE[byte % len(_SAFE)]) for byte in str(value).encode())
