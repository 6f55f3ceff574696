"""What drain's filters do with a pod (kubernetes pkg/drain/filters.go), beside the runs in tests/upgrade/test_drain."""

import pytest

from generator.facts.deletable import Flags, Refusal, Standing, kept_by_pod_deletion, verdict

BARE = Standing()
EMPTY_DIR = Standing(owner="ReplicaSet", empty_dir=True)
DAEMONSET = Standing(owner="DaemonSet", empty_dir=True)


# rancher/rancher#31455 (public case D42): finished pods block nothing.
@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
@pytest.mark.parametrize("owner", ["", "ReplicaSet", "DaemonSet"])
def test_a_finished_pod_is_removed(phase, owner):
    assert verdict(Standing(owner=owner, empty_dir=True, phase=phase), Flags()).removed


def test_why_a_drain_does_not_begin():
    # rancher/rancher#31455: pod scratch with an emptyDir, pod lone without a controller.
    assert [verdict(pod, Flags()).refusal for pod in (BARE, EMPTY_DIR)] == [Refusal.UNMANAGED, Refusal.LOCAL_STORAGE]
    assert all(verdict(pod, Flags(force=True, delete_empty_dir=True)).removed for pod in (BARE, EMPTY_DIR))


@pytest.mark.parametrize("flags", [Flags(), Flags(force=True, delete_empty_dir=True)])
def test_pod_deletion_never_removes_a_pod_of_a_daemonset(flags):
    # Shared facts/gpu-operator.md 6.4.
    assert kept_by_pod_deletion(DAEMONSET, flags) is Refusal.DAEMONSET


def test_pod_deletion_fails_on_what_a_drain_passes_over():
    mirror = Standing(owner="Node", mirror=True)
    passed = verdict(mirror, Flags())
    assert (passed.removed, passed.refusal) == (False, None)
    assert kept_by_pod_deletion(mirror, Flags()) is Refusal.MIRROR


def test_pod_deletion_keeps_what_needs_a_flag():
    assert kept_by_pod_deletion(BARE, Flags()) is Refusal.UNMANAGED
    assert kept_by_pod_deletion(EMPTY_DIR, Flags(force=True)) is Refusal.LOCAL_STORAGE
    assert kept_by_pod_deletion(EMPTY_DIR, Flags(delete_empty_dir=True)) is None
