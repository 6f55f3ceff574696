"""A run of render that is killed leaves whole files, and the next one makes good."""

import json
import subprocess
import sys
from pathlib import Path

from tests.testing.command import REPO


def test_two_hundred_kills(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.e2e.killing", str(tmp_path), "200"], cwd=REPO, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    assert seen["files"] > 70
    assert seen["kills"] >= 200
    assert seen["midway"] >= 50
    assert seen["wrong"] == []
    assert seen["astray"] == []
