"""Five clusters that people are called to, and the sentence that says what is wrong, by audit and by upgrade status.

What the operator does there: gpu-operator and k8s-operator-libs as facts/gpu-operator.md 6, 7 and 9b have read them.
"""

import shutil
from pathlib import Path

import pytest

from tests.testing.command import REPO, call
from tests.testing.fleet import NEXT, NEXT_TAG, RUNNING, TAG, inventory, lay

Capture = pytest.CaptureFixture[str]
SITUATIONS = REPO / "tests" / "data" / "situations"
DRIVER = "nvcr.io/nvidia/driver"
OLD, NOBLE = f"570-{RUNNING}-ubuntu22.04", "580-6.8.0-106-generic-ubuntu24.04"
SLOTS = (
    "    0 free slots of train: maxUnavailable 25% of 4 nodes is 1 and 1 is unavailable; maxParallelUpgrades 1 and 1"
)


class Looked:
    """What the two verbs say of a situation, line by line."""

    def __init__(self, situation: str, root: Path, capture: Capture) -> None:
        lay(root, inventory())
        folder = str(SITUATIONS / situation)
        self.audit = call(capture, "audit", "--dump", folder, root=root)
        self.status = call(capture, "upgrade", "status", "--dump", folder, "--cluster", "east", root=root)

    def audited(self, code: int, *lines: str) -> None:
        """Audit ends with a code, and these are its errors and warnings, without their hints."""
        told = [line.strip() for line in self.audit.out.splitlines() if line.startswith(("  error: ", "  warning: "))]
        assert told == list(lines)
        assert self.audit.code == code

    def stands(self, code: int, *lines: str) -> None:
        """Status ends with a code, and says these lines."""
        assert [line for line in lines if line not in self.status.out.splitlines()] == [], self.status.out
        assert self.status.code == code

    def table(self) -> dict[str, list[str]]:
        """The table's rows: state, and how the node stands."""
        rows = [line.split() for line in self.status.out.splitlines() if line[:2] in {"n1", "n2", "n3", "n4"}]
        return {row[0]: [row[2], row[-1]] for row in rows if len(row) >= 6 and row[1] in {"train", "-"}}


@pytest.fixture
def looked(request: pytest.FixtureRequest, tmp_path: Path, capfd: Capture) -> Looked:
    return Looked(request.param, tmp_path, capfd)


def of(situation: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("looked", [situation], indirect=True)


@of("one-node-ahead")
def test_one_node_ahead(looked: Looked) -> None:
    """Its kernel is newer than git knows, nobody built the image, and only this node sees no GPU."""
    looked.audited(
        1,
        f"error: node n4 (train): it runs ubuntu22.04 with {NEXT} on amd64, and the pool declares ubuntu22.04 with "
        f"{RUNNING} on amd64 [undeclared]",
        f"error: node n4 (train): it needs {NEXT_TAG} for linux/amd64, which is not in the catalog [not-built]",
        "warning: node n4 (train): its driver pod nvidia-driver-daemonset-n4 waits: ImagePullBackOff of container "
        f"nvidia-driver-ctr ({DRIVER}:{NEXT_TAG}) [driver-pod]",
    )
    looked.stands(
        1,
        "n4: upgrade-done, stuck",
        f"    the pull of {DRIVER}:{NEXT_TAG} fails, ImagePullBackOff: manifest for {DRIVER}:{NEXT_TAG} not found",
        "    a pull that fails never counts as a failed upgrade: the node waits for ever",
    )
    assert {name for name, row in looked.table().items() if row == ["upgrade-done", "done"]} == {"n1", "n2", "n3"}


@of("stuck-for-three-hours")
def test_stuck_for_three_hours(looked: Looked) -> None:
    """One replica, one that must stay, and no timeout: the eviction is tried for ever, and the others wait for it."""
    outdated = f"runs {DRIVER}:{OLD}, and it needs {DRIVER}:{TAG} [other-image]"
    looked.audited(
        0,
        *(
            f"warning: node {name} (train): its driver pod nvidia-driver-daemonset-{name} {outdated}"
            for name in ("n2", "n3", "n4")
        ),
    )
    assert "  n2: cordoned, paused by a driver upgrade in progress: device-plugin\n" in looked.audit.out
    assert looked.audit.out.count("hint: see what the upgrade waits for: drivergate upgrade status\n") == 3
    looked.stands(
        1,
        "n2: pod-deletion-required, stuck",
        "    pod ml/serving-0: the disruption budget serving needs 1 healthy pods and has 1 currently (HTTP 429)",
        "    it is tried for ever: timeoutSeconds is 0",
        "    try: kubectl patch pdb -n ml serving --type json -p "
        '\'[{"op":"remove","path":"/spec/minAvailable"},{"op":"add","path":"/spec/maxUnavailable","value":1}]\'',
        f"{SLOTS} in progress",
        "    n2 is in progress (pod-deletion-required)",
    )


@of("preinstalled")
def test_preinstalled(looked: Looked) -> None:
    """Two hosts bring a driver of their own into a pool that declares another; one still has an old upgrade state."""
    label = (
        "nvidia.com/gpu.deploy.driver is pre-installed: its host brings a driver, and the pool declares a precompiled"
    )
    looked.audited(
        0,
        f"warning: node n3 (train): {label} one [host-driver]",
        "warning: node n3 (train): it has driver 570.86.15 loaded, and the pool declares 580 [loaded-driver]",
        f"warning: node n4 (train): {label} one [host-driver]",
    )
    looked.stands(
        1,
        "n3: upgrade-required, stale",
        "    stale: its label nvidia.com/gpu.deploy.driver says that its driver is preinstalled, so that no controller "
        "moves it",
        "    try: kubectl label node n3 nvidia.com/gpu-driver-upgrade-state-",
    )
    assert {name for name, row in looked.table().items() if row[-1] == "done"} == {"n1", "n2", "n4"}


@of("half-migrated-os")
def test_half_migrated_os(looked: Looked) -> None:
    """Two nodes of the pool boot the next OS release, which neither the pool nor the catalog knows."""
    ahead = "it runs ubuntu24.04 with 6.8.0-106-generic on amd64, and the pool declares ubuntu22.04 with"
    waits = {"n3": "ImagePullBackOff", "n4": "ErrImagePull"}
    looked.audited(
        1,
        *(
            f"error: node {name} (train): {what}"
            for name in ("n3", "n4")
            for what in (
                f"{ahead} {RUNNING} on amd64 [undeclared]",
                f"it needs {NOBLE} for linux/amd64, which is not in the catalog [not-built]",
            )
        ),
        *(
            f"warning: node {name} (train): its driver pod nvidia-driver-daemonset-{name} waits: {why} of container "
            f"nvidia-driver-ctr ({DRIVER}:{NOBLE}) [driver-pod]"
            for name, why in waits.items()
        ),
        f"warning: train: its nodes run ubuntu22.04 and ubuntu24.04 (ubuntu22.04 with {RUNNING}: n1, n2; ubuntu24.04 "
        "with 6.8.0-106-generic: n3, n4) [mixed]",
    )
    looked.stands(
        1,
        *(
            f"    the pull of {DRIVER}:{NOBLE} fails, {why}: manifest for {DRIVER}:{NOBLE} not found"
            for why in waits.values()
        ),
    )
    assert {name for name, row in looked.table().items() if row[-1] == "stuck"} == {"n3", "n4"}


@of("failed-node-blocks-the-rest")
def test_a_failed_node_blocks_the_rest(looked: Looked) -> None:
    """A pod with an emptyDir was not evicted, and with maxParallelUpgrades 1 its node holds the only slot."""
    outdated = f"runs {DRIVER}:{OLD}, and it needs {DRIVER}:{TAG} [other-image]"
    looked.audited(
        0,
        *(
            f"warning: node {name} (train): its driver pod nvidia-driver-daemonset-{name} {outdated}"
            for name in ("n1", "n2", "n3", "n4")
        ),
    )
    assert "  n1: cordoned\n" in looked.audit.out
    looked.stands(
        1,
        "n1: upgrade-failed, stuck",
        "    its pods could not be evicted and the old driver pod is still there",
        "    pod ml/train-0 has an emptyDir and podDeletion.deleteEmptyDir is false",
        "    try: kubectl delete pod -n ml train-0",
        "n2, n3, n4: upgrade-required, stuck",
        f"{SLOTS} in progress",
        "    n1 is upgrade-failed, which counts as in progress",
        "    try: kubectl label node n1 nvidia.com/gpu-driver-upgrade-state=upgrade-required --overwrite",
    )


@pytest.mark.parametrize("situation", sorted(path.name for path in SITUATIONS.iterdir() if path.is_dir()))
def test_a_truncated_file_of_any_situation_is_an_error(situation: str, tmp_path: Path, capfd: Capture) -> None:
    """Cut anywhere, no verb says that all is fine: it names the file and ends with 2."""
    lay(tmp_path, inventory())
    shutil.copytree(SITUATIONS / situation, tmp_path / "dump")
    for source in sorted((SITUATIONS / situation).glob("*.json")):
        data, cut = source.read_bytes(), tmp_path / "dump" / source.name
        for end in (len(data) // 3, len(data) - 3):
            cut.write_bytes(data[:end])
            for verb in (["audit"], ["upgrade", "status"], ["upgrade", "simulate"]):
                called = call(capfd, *verb, "--dump", str(tmp_path / "dump"), root=tmp_path)
                assert (called.code, called.out) == (2, ""), (verb, source.name, end)
                assert source.name in called.err
        cut.write_bytes(data)
