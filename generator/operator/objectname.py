"""Names of the objects that the operator makes of a ClusterPolicy."""

from generator.facts import kernel as kernels
from generator.facts.release import Release

_DAEMONSET = "nvidia-driver-daemonset"


def policy_daemonset(release: Release, kernel: str, os_id: str, os_version: str) -> str:
    """A ClusterPolicy's DaemonSet for one kernel; its OS keeps the minor though the image's tag may not."""
    return f"{_DAEMONSET}-{kernels.sanitised(kernel, release)}-{os_id}{os_version}"
