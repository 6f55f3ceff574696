"""The image reference that the operator composes for a node. It never looks whether the image exists.

gpu-operator internal/image/image.go, api/nvidia/v1alpha1/nvidiadriver_types.go (NVIDIADriver) and
controllers/object_controls.go resolveDriverTag (ClusterPolicy), v24.9 to v26.7.
"""

from enum import StrEnum
from functools import cache

from msgspec import Struct

from generator.facts import kernel as kernels
from generator.facts import osname, reference
from generator.facts.osname import OsTagError
from generator.facts.release import DriverApi, Release


class Component(StrEnum):
    """What the image is for; gds and gdrcopy images never carry a kernel."""

    DRIVER = "driver"
    GDS = "gds"
    GDRCOPY = "gdrcopy"


class Refusal(StrEnum):
    """Why the operator composes no usable reference."""

    INCOMPLETE = "incomplete_spec"
    INCOMPLETE_PRECOMPILED = "incomplete_spec_precompiled"
    EMPTY = "empty_image"
    DIGEST_WITH_PRECOMPILED = "digest_with_precompiled"
    UNPARSEABLE = "unparseable_ref"
    NODE_SKIPPED = "node_skipped"
    OS_VERSION = "os_version_parse"
    OS_LABEL_MISSING = "os_label_missing"
    KERNEL_LABEL_MISSING = "kernel_label_missing"


class Refused(Struct, frozen=True):
    """A refusal and its sentence."""

    reason: Refusal
    message: str


class ImageSpec(Struct, frozen=True, kw_only=True):
    """The fields of the object, "" where unset."""

    api: DriverApi
    repository: str = ""
    image: str = ""
    version: str = ""
    precompiled: bool = False
    component: Component = Component.DRIVER


class NodeSystem(Struct, frozen=True, kw_only=True):
    """What NFD's labels say of a node; None where a label is absent."""

    os_id: str | None
    os_version: str | None
    os_major: str | None = None
    kernel: str | None = None


@cache
def declared_system(os_id: str, os_version: str, kernel: str | None = None) -> NodeSystem:
    """The labels that NFD sets on a node of this system."""
    return NodeSystem(os_id=os_id, os_version=os_version, os_major=osname.major(os_version), kernel=kernel)


def driver_image(release: Release, spec: ImageSpec, node: NodeSystem) -> str | Refused:
    """The reference, byte for byte. For a ClusterPolicy it may not parse: ask `reference.parses`."""
    if spec.api is DriverApi.CLUSTERPOLICY:
        return _of_policy(release, spec, node)
    return _of_driver(release, spec, node)


def _of_driver(release: Release, spec: ImageSpec, node: NodeSystem) -> str | Refused:
    os_tag = _pool_os_tag(release, spec, node)
    if isinstance(os_tag, Refused):
        return os_tag
    base = image_path(release, spec, "")
    if isinstance(base, Refused):
        return base
    if _carries_kernel(spec):
        if "sha256:" in base:
            return Refused(
                Refusal.DIGEST_WITH_PRECOMPILED, f'a digest can\'t be used with precompiled drivers: "{base}"'
            )
        composed = f"{base}-{node.kernel}-{os_tag}"
    else:
        composed = base if "sha256:" in base else f"{base}-{os_tag}"
    if not reference.parses(composed):
        return Refused(Refusal.UNPARSEABLE, f'"{composed}" is no image reference')
    return composed


def _pool_os_tag(release: Release, spec: ImageSpec, node: NodeSystem) -> str | Refused:
    """A node that lacks a label is left out of every pool without an error (nodepool.go getNodePools)."""
    if node.os_id is None or node.os_version is None:
        return Refused(Refusal.NODE_SKIPPED, "the node has no operating system labels")
    os_tag = osname.os_tag(release, node.os_id, node.os_version)
    if isinstance(os_tag, OsTagError):
        return Refused(Refusal.OS_VERSION, os_tag.reason)
    if osname.pool_by_major(release, os_tag, node.os_version) and node.os_major is None:
        return Refused(Refusal.NODE_SKIPPED, "the node has no VERSION_ID.major label")
    if _carries_kernel(spec) and node.kernel is None:
        return Refused(Refusal.NODE_SKIPPED, "the node has no kernel label")
    return os_tag


def _of_policy(release: Release, spec: ImageSpec, node: NodeSystem) -> str | Refused:
    os_tag = _policy_os_tag(release, spec, node)
    if isinstance(os_tag, Refused):
        return os_tag
    base = _precompiled_path(spec, node) if _carries_kernel(spec) else image_path(release, spec, "")
    if isinstance(base, Refused):
        return base
    return base if "sha256:" in base else f"{base}-{os_tag}"


def _policy_os_tag(release: Release, spec: ImageSpec, node: NodeSystem) -> str | Refused:
    """Before v26.3 the kernel label was needed for every driver, and absent OS labels gave an empty tag."""
    no_kernel = Refused(Refusal.KERNEL_LABEL_MISSING, "a GPU node has no kernel label")
    if node.kernel is None and not release.needs_os_labels:
        return no_kernel
    if node.os_id is None or node.os_version is None:
        if release.needs_os_labels:
            return Refused(Refusal.OS_LABEL_MISSING, "a GPU node has no operating system labels")
        return ""
    os_tag = osname.os_tag(release, node.os_id, node.os_version)
    if isinstance(os_tag, OsTagError):
        return Refused(Refusal.OS_VERSION, os_tag.reason)
    return no_kernel if node.kernel is None and _carries_kernel(spec) else os_tag


def _precompiled_path(spec: ImageSpec, node: NodeSystem) -> str | Refused:
    """Nothing is checked here: a digest as version gives a reference that can't parse."""
    if spec.repository or spec.version:
        return f"{spec.repository}/{spec.image}:{spec.version}-{node.kernel}"
    if spec.image:
        return f"{spec.image}-{node.kernel}"
    return Refused(Refusal.INCOMPLETE_PRECOMPILED, "repository, image and version are all unset")


def image_path(release: Release, spec: ImageSpec, fallback: str) -> str | Refused:
    """The environment steps in where nothing is set; from v26.7 on an incomplete spec is refused."""
    if not spec.repository and not spec.version:
        return spec.image or fallback or Refused(Refusal.EMPTY, "no image is set")
    if release.complete_image_check and not (spec.repository and spec.image and spec.version):
        return Refused(
            Refusal.INCOMPLETE,
            "repository, image and version must be set together: "
            f'repository "{spec.repository}", image "{spec.image}", version "{spec.version}"',
        )
    joint = "@" if spec.version.startswith("sha256:") else ":"
    return f"{spec.repository}/{spec.image}{joint}{spec.version}"


def policy_daemonset(release: Release, kernel: str, os_id: str, os_version: str) -> str:
    """A ClusterPolicy's DaemonSet for one kernel; its OS keeps the minor though the image's tag may not."""
    return f"nvidia-driver-daemonset-{kernels.sanitised(kernel, release)}-{os_id}{os_version}"


def _carries_kernel(spec: ImageSpec) -> bool:
    return spec.precompiled and spec.component is Component.DRIVER
