"""Which pods the operator takes for GPU pods, the only ones that its pod deletion removes.

gpu-operator cmd/gpu-operator/main.go gpuPodSpecFilter (before v26.7 gpuPodSpecFilter without resource claims).
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from generator.facts.release import Release

PREFIXES = ("nvidia.com/gpu", "nvidia.com/mig-")
DRIVER = "gpu.nvidia.com"
_ALIVE = frozenset({"Running", "Pending"})


class Device(Struct, frozen=True):
    """One allocated device of a ResourceClaim; one with admin access only watches and doesn't count."""

    driver: str
    admin: bool = False


Claims = Mapping[str, tuple[Device, ...]]


class ClaimReference(Struct, frozen=True):
    """One of spec.resourceClaims; without `claim` it is made from a template and named in the pod's status."""

    name: str
    claim: str = ""


class GpuPod(Struct, frozen=True, kw_only=True):
    """A pod as the filter sees it: `resources` are the names that its containers request or limit, init ones aside.

    `made` are status.resourceClaimStatuses, by the reference's name.
    """

    phase: str = "Running"
    resources: frozenset[str] = frozenset()
    references: tuple[ClaimReference, ...] = ()
    made: Mapping[str, str] = {}


def is_gpu_resource(name: str) -> bool:
    """Whether a container that requests this makes its pod a GPU pod; the quantity doesn't matter."""
    return name.startswith(PREFIXES)


def is_gpu_pod(release: Release, pod: GpuPod, claims: Claims) -> bool:
    """Whether the operator deletes the pod before a driver is loaded; `claims` are those of the pod's namespace."""
    if pod.phase not in _ALIVE:
        return False
    return any(map(is_gpu_resource, pod.resources)) or (release.resource_claims and _claims_gpu(pod, claims))


def _claims_gpu(pod: GpuPod, claims: Claims) -> bool:
    """A claim that can't be found is taken for one that holds a GPU; one not made yet holds nothing."""
    names = [each.claim or pod.made.get(each.name, "") for each in pod.references]
    return any(name not in claims or _holds_gpu(claims[name]) for name in names if name)


def _holds_gpu(devices: Sequence[Device]) -> bool:
    return any(device.driver == DRIVER and not device.admin for device in devices)
