"""README's console blocks, run as they stand: what it shows is what a reader gets."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
DRIVERGATE = ROOT / ".venv" / "bin" / "drivergate"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The sample fleet in a repository of its own, with the command where README has it."""
    for name in ("inventory", "bases", "out", "templates"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    command = shutil.which("drivergate") or str(DRIVERGATE)
    (tmp_path / ".venv" / "bin" / "drivergate").symlink_to(command)
    return tmp_path


def steps(block: str) -> list[tuple[str, str]]:
    """(command, output) of a console block."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def test_the_shown_edit_fails_with_the_shown_words(clone: Path) -> None:
    block = next(block for block in BLOCKS if "drivergate check" in block)
    for command, shown in steps(block):
        done = subprocess.run(["bash", "-c", command], cwd=clone, capture_output=True, text=True, check=False)
        assert done.stdout == shown
    assert done.returncode == 1


def test_make_knows_every_target_that_readme_names() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for block in BLOCKS:
        for command, _ in steps(block):
            if command.startswith("make "):
                assert re.search(rf"^{command.removeprefix('make ')}:", makefile, flags=re.MULTILINE), command


def test_the_inventory_of_the_readme_passes_the_gate(clone: Path) -> None:
    """The three YAML blocks of "In your own repository" are files by their first line."""
    from tests.judging import findings

    files = dict(re.findall(r"^```yaml\n# (inventory/\S+)\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL))
    assert len(files) == 3
    assert findings(files) == ()
