"""Public cases of the area drain: what keeps a node from being emptied, budgets aside."""

from pathlib import Path

import pytest

from tests.testing.command import call
from tests.testing.live import daemonset, driver_pod, files, node, pod, policy, validator

Capture = pytest.CaptureFixture[str]
DRAIN = {"enable": True, "force": False, "deleteEmptyDir": False, "timeoutSeconds": 300}
PODS = (
    pod("scratch", "n1", gpus=0, empty_dir=True),
    pod("lone", "n1", "", gpus=0),
    pod("finished", "n1", "Job", gpus=0, empty_dir=True, phase="Succeeded"),
)


def test_d42_pods_that_a_drain_will_not_evict_are_listed_with_their_reason(tmp_path: Path, capfd: Capture) -> None:
    """rancher/rancher#31455."""
    one = node("n1", "drain-required", cordoned=True)
    objects = (policy(drain=DRAIN), *daemonset(), one, driver_pod("n1", "old"), *PODS)
    said = call(capfd, "upgrade", "status", *files(tmp_path, *objects))
    assert said.code == 1
    assert "pod ml/scratch has an emptyDir and drain.deleteEmptyDir is false" in said.out
    assert "pod ml/lone has no controller and drain.force is false" in said.out
    assert "so that it becomes upgrade-failed" in said.out
    assert "finished" not in said.out


def test_d42_a_replay_says_it_before_the_upgrade_begins(tmp_path: Path, capfd: Capture) -> None:
    gpu = (pod("scratch", "n1", empty_dir=True), pod("lone", "n1", ""))
    objects = (policy(drain=DRAIN), *daemonset(), node("n1", "upgrade-done"), driver_pod("n1"), validator("n1"), *gpu)
    said = call(capfd, "upgrade", "simulate", *files(tmp_path, *objects))
    assert said.code == 1
    assert "n1 can't evict ml/scratch: it has an emptyDir, needs deleteEmptyDir" in said.out
    assert "n1 can't evict ml/lone: it has no controller, needs force" in said.out
    assert "n1 stalls in upgrade-failed" in said.out
