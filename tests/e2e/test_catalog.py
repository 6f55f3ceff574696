"""Sync that is killed."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.testing.command import REPO
from tests.testing.registry import keeping
from tests.testing.registry.faults import Asked, FaultServer, Holding, Reply
from tests.testing.registry.keeping import OTHERS, Kept, built
from tests.testing.soak import sizes

Capture = pytest.CaptureFixture[str]
IMAGES = 40


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeping.alone(tmp_path, monkeypatch)


@pytest.mark.parametrize("kills", sizes(10, soak=60, full=500))
def test_kills_lose_no_entry(tmp_path: Path, capfd: Capture, kills: int) -> None:
    """Two files of one repository that somebody wrote; some images are new, of others nothing is recorded yet."""
    tags = [f"580-6.8.0-{1000 + one}-aws-ubuntu24.04" for one in range(IMAGES)]
    holding = Holding({tag: built(tag) for tag in [*tags, OTHERS]})

    def slowly(asked: Asked) -> Reply:
        time.sleep(0.005)
        return holding(asked)

    with FaultServer(slowly) as server:
        lines = "".join(f'  # about {tag}\n  - {{tag: "{tag}"}}   # by hand\n' for tag in tags[::4])
        kept = Kept(tmp_path / "r", capfd, server.address, lines)
        second = f'# the branch of before\n{kept.head}\n  - {{tag: "{OTHERS}", moduleType: open}}  # by hand\n'
        (kept.root / "inventory/570.yaml").write_text(second, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "tests.e2e.killing_sync", str(kept.root), str(kills)],
            cwd=REPO,
            capture_output=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    assert seen["kills"] >= kills
    assert seen["learned"] >= kills * 15 // 100
    assert seen["lost"] == []
    assert seen["wrong"] == []
    assert (seen["last"], seen["images"], seen["known"]) == (0, IMAGES + 1, IMAGES)  # the fleet has no 570
