"""README's first screen as a newcomer lives it: a fresh clone, a fresh environment, one command after the other."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.testing.docs import BLOCK, ROOT, commands
from tests.testing.gitrepo import isolate

README = (ROOT / "README.md").read_text(encoding="utf-8")


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """A command as it is typed, without anything of the environment that runs this test."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV", "PYTEST"))
    }
    path = os.pathsep.join(part for part in kept["PATH"].split(os.pathsep) if part != str(Path(sys.executable).parent))
    environ = kept | {"PATH": path, "PYTHON": getattr(sys, "_base_executable", sys.executable), "MAKEFLAGS": ""}
    return subprocess.run(["bash", "-c", command], cwd=folder, env=environ, capture_output=True, text=True, check=False)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate(monkeypatch)
    if shutil.which("make") is None or not (ROOT / ".git").exists():
        pytest.skip("no make, or the tests don't run in a checkout")
    done = run(tmp_path, f"git clone -q --depth 1 'file://{ROOT}' fresh")
    assert done.returncode == 0, done.stderr
    index = run(tmp_path, f"'{sys.executable}' -m pip download -q --no-deps -d . hatchling")
    if index.returncode:
        pytest.skip("pip reaches no package index")
    return tmp_path / "fresh"


@pytest.mark.soak  # it installs every dependency anew
def test_the_first_screen(clone: Path) -> None:
    sample, check, story = [block["body"] for block in BLOCK.finditer(README)][:3]
    assert commands(sample) == ["make sample"]
    assert commands(check) == ["make check"]  # what runs this test
    done = run(clone, 'make sample PYTHON="$PYTHON"')
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 errors, 0 warnings" in done.stdout
    done = run(clone, "\n".join(commands(story)))
    assert done.returncode == 1
    assert done.stdout == story.partition("docs/dumps/new-kernel\n")[2]
    assert run(clone, "git status --porcelain").stdout == ""
