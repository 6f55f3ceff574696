"""Node labels that drivers are placed by: their keys, their grammar, and who sets them when."""

import re
from collections.abc import Mapping

from msgspec import Struct

GPU_PRESENT = "nvidia.com/gpu.present"
OWNER = "nvidia.com/gpu-operator.driver.owner"
KERNEL = "feature.node.kubernetes.io/kernel-version.full"
OS_ID = "feature.node.kubernetes.io/system-os_release.ID"
OS_VERSION = "feature.node.kubernetes.io/system-os_release.VERSION_ID"
OS_MAJOR = "feature.node.kubernetes.io/system-os_release.VERSION_ID.major"
OSTREE_VERSION = "feature.node.kubernetes.io/system-os_release.OSTREE_VERSION"
DEPLOY_DRIVER = "nvidia.com/gpu.deploy.driver"
PREINSTALLED = "pre-installed"
PAUSED = "paused-for-driver-upgrade"
# The operator, or the driver manager for a moment, sets these; with any other value no driver is started.
STARTS_DRIVER = frozenset({"", "true", PAUSED})
ARCH = "kubernetes.io/arch"
AKS_IMAGE, EKS_IMAGE = "kubernetes.azure.com/node-image-version", "eks.amazonaws.com/nodegroup-image"

# k8s-device-plugin docs/gpu-feature-discovery: labels that a loaded driver must answer for.
_CIRCULAR = frozenset(
    {
        "nvidia.com/gfd.timestamp",
        "nvidia.com/gpu-driver-upgrade-state",
        "nvidia.com/gpu.clique",
        "nvidia.com/gpu.count",
        "nvidia.com/gpu.family",
        "nvidia.com/gpu.machine",
        "nvidia.com/gpu.memory",
        "nvidia.com/gpu.mode",
        "nvidia.com/gpu.product",
        "nvidia.com/gpu.replicas",
        "nvidia.com/gpu.sharing-strategy",
        "nvidia.com/mps.capable",
    }
)
_CIRCULAR_PREFIXES = (
    "nvidia.com/cuda.",
    "nvidia.com/gpu.compute.",
    "nvidia.com/gpu.engines.",
    "nvidia.com/gpu.multiprocessors",
    "nvidia.com/gpu.slices.",
    "nvidia.com/mig-",
    "nvidia.com/mig.",
    "nvidia.com/vgpu.",
)
_SET_BY_PEOPLE = frozenset({"nvidia.com/mig.config"})

_NAME = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?"
_DNS_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_MAX_NAME = 63
_MAX_PREFIX = 253


class Node(Struct, frozen=True):
    """A node as selectors see it."""

    name: str
    labels: Mapping[str, str]


def matches(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    """Whether every pair of the selector is among the labels; an empty selector matches everything."""
    return all(labels.get(key) == value for key, value in selector.items())


def is_circular(key: str) -> bool:
    """Whether the label exists only after a driver ran, so that selecting by it never brings one."""
    return key not in _SET_BY_PEOPLE and (key in _CIRCULAR or key.startswith(_CIRCULAR_PREFIXES))


def label_key_problem(text: str) -> str | None:
    """Why a label's key is illegal (Kubernetes IsQualifiedName); None where it is legal."""
    prefix, slash, name = text.rpartition("/")
    if slash and not _is_subdomain(prefix):
        return f'"{prefix}" before the slash is no DNS name of at most {_MAX_PREFIX} lower-case characters'
    return _name_problem(name)


def label_value_problem(text: str) -> str | None:
    """Why a label's value is illegal (Kubernetes IsValidLabelValue); None where it is legal. "" is legal."""
    return _name_problem(text) if text else None


def _name_problem(text: str) -> str | None:
    if len(text) > _MAX_NAME:
        return f'"{text}" has {len(text)} characters, at most {_MAX_NAME} are allowed'
    if re.fullmatch(_NAME, text) is None:
        return f'"{text}" must be letters, digits, "-", "_" and ".", with a letter or digit at both ends'
    return None


def _is_subdomain(text: str) -> bool:
    return len(text) <= _MAX_PREFIX and re.fullmatch(rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*", text) is not None


class MachineImage(Struct, frozen=True):
    """The stream and release that a provider's label names; a stream without a name is its provider's."""

    stream: str
    release: str


def machine_image(labels: Mapping[str, str]) -> MachineImage | None:
    """The node image by its provider's label. AKS names a stream and its release in one word, EKS the image alone."""
    if AKS_IMAGE in labels:
        stream, _, release = labels[AKS_IMAGE].rpartition("-")
        return MachineImage(stream.lower(), release) if stream else None
    return MachineImage("", labels[EKS_IMAGE]) if labels.get(EKS_IMAGE) else None
