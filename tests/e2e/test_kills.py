"""A run of render that is killed leaves whole files, and the next one makes good."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.testing.command import REPO
from tests.testing.soak import sizes


@pytest.mark.parametrize("kills", sizes(16, soak=120, full=1000))
def test_kills_at_any_moment(tmp_path: Path, kills: int) -> None:
    command = [sys.executable, "-m", "tests.e2e.killing", str(tmp_path), str(kills)]
    done = subprocess.run(command, cwd=REPO, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    assert seen["files"] > 70
    assert seen["kills"] >= kills
    assert seen["midway"] >= kills // 4
    assert seen["wrong"] == []
    assert seen["astray"] == []
