"""Which pods the operator's drain refuses to remove, and why: kubectl's filters, which its pod deletion runs as well.

kubernetes staging/src/k8s.io/kubectl/pkg/drain/filters.go makeFilters; k8s-operator-libs pkg/upgrade/pod_manager.go
and drain_manager.go.
"""

from enum import StrEnum

from msgspec import Struct

_FINISHED = frozenset({"Succeeded", "Failed"})
_DAEMONSET = "DaemonSet"


class Refusal(StrEnum):
    """Why a pod is not removed, and the whole drain fails; the oracle's and kubectl's classes."""

    DAEMONSET = "daemonset"  # refused by pod deletion alone: a drain passes over it
    NOT_FOUND = "not-found"  # its DaemonSet is gone
    LOCAL_STORAGE = "local-storage"
    UNMANAGED = "unmanaged"
    MIRROR = "mirror"  # refused by pod deletion alone: a drain passes over it


class Flags(Struct, frozen=True, kw_only=True):
    """force: remove bare pods too; delete_empty_dir: remove pods with an emptyDir too.

    The operator always drains with kubectl's --ignore-daemonsets (drain_manager.go IgnoreAllDaemonSets).
    """

    force: bool = False
    delete_empty_dir: bool = False


class Standing(Struct, frozen=True, kw_only=True):
    """A pod as the filters see it: `owner` is its controller's kind, empty for a bare pod.

    Only of a DaemonSet kubectl asks whether it is still there.
    """

    owner: str = ""
    owner_found: bool = True
    empty_dir: bool = False
    mirror: bool = False
    phase: str = "Running"


class Verdict(Struct, frozen=True):
    """Whether the pod is removed; where it is neither removed nor refused it is passed over."""

    removed: bool
    refusal: Refusal | None = None


REMOVED, PASSED_OVER = Verdict(removed=True), Verdict(removed=False)


def verdict(pod: Standing, flags: Flags) -> Verdict:
    """What a drain does with one pod. The first filter that keeps it decides."""
    if pod.owner == _DAEMONSET and pod.phase not in _FINISHED:
        if pod.owner_found:
            return PASSED_OVER
        if not flags.force:
            return Verdict(removed=False, refusal=Refusal.NOT_FOUND)
    if pod.mirror:
        return PASSED_OVER
    if pod.phase in _FINISHED:
        return REMOVED
    if pod.empty_dir and not flags.delete_empty_dir:
        return Verdict(removed=False, refusal=Refusal.LOCAL_STORAGE)
    return REMOVED if pod.owner or flags.force else Verdict(removed=False, refusal=Refusal.UNMANAGED)


def kept_by_pod_deletion(pod: Standing, flags: Flags) -> Refusal | None:
    """Why the operator's pod deletion can't remove a GPU pod, so that its node fails or is drained at once.

    It counts what it may remove against what it should: a pod that a drain passes over is missing there.
    """
    found = verdict(pod, flags)
    if found.removed or found.refusal:
        return found.refusal
    return Refusal.MIRROR if pod.mirror else Refusal.DAEMONSET
