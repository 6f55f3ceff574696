"""The same inventory gives the same bytes: on any machine, in any order, from any installation, of any version."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.testing.gitrepo import Repo, isolate
from tests.testing.trees import INPUTS, REPO, emitted

DRIVERGATE = str(Path(sys.executable).parent / "drivergate")


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch)


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """The inputs of the sample fleet in a folder of their own, without out/."""
    root = tmp_path / "sample"
    for folder in INPUTS:
        if (REPO / folder).is_dir() and folder != "templates":
            shutil.copytree(REPO / folder, root / folder)
    return root


def committed() -> dict[str, bytes]:
    return {path.relative_to(REPO / "out").as_posix(): path.read_bytes() for path in _files(REPO / "out")}


def rendered(root: Path, *command: str, cwd: Path | None = None, **env: str) -> dict[str, bytes]:
    """out/ of a fresh run."""
    shutil.rmtree(root / "out", ignore_errors=True)
    done = subprocess.run(
        [*(command or (DRIVERGATE,)), "render", "-C", str(root)],
        cwd=cwd or root,
        env=os.environ | env,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return {path.relative_to(root / "out").as_posix(): path.read_bytes() for path in _files(root / "out")}


def _files(folder: Path) -> list[Path]:
    assert not any(path.is_symlink() for path in folder.rglob("*"))
    return sorted(path for path in folder.rglob("*") if not path.is_dir())


def test_the_committed_output_is_the_rendered_output(sample: Path) -> None:
    """Nothing missing, nothing more, no links."""
    assert rendered(sample) == committed()
    assert {path: data for path, data in committed().items() if path != ".drivergate-manifest"} == {
        file.path: file.text.encode() for file in emitted("sample")
    }


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONHASHSEED": "1", "TZ": "Pacific/Auckland", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"},
        {"PYTHONHASHSEED": "2", "TZ": "America/St_Johns", "LC_ALL": "C", "PYTHONUTF8": "0"},
        {"PYTHONHASHSEED": "3", "HOME": "/nonexistent", "USER": "somebody", "HOSTNAME": "elsewhere", "COLUMNS": "20"},
    ],
    ids=["turkish", "plain", "elsewhere"],
)
def test_no_environment_shows(sample: Path, env: dict[str, str]) -> None:
    assert rendered(sample, cwd=Path("/"), **env) == committed()


def test_no_order_shows(sample: Path) -> None:
    """Keys the other way round, catalog lines and files too (public case D103)."""
    for path in sorted((sample / "inventory").rglob("*.yaml")):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        if "images" in document:
            document["images"].reverse()
        path.write_text(json.dumps(_reversed(document)), encoding="utf-8")
        path.rename(path.with_name(f"{'z' if path.name < 'g' else 'a'}-{path.name}"))
    assert rendered(sample) == committed()


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _reversed(value[key]) for key in reversed(value)}
    return [_reversed(item) for item in value] if isinstance(value, list) else value


def test_rendering_again_writes_nothing(sample: Path) -> None:
    rendered(sample)
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in _files(sample / "out")}
    subprocess.run([DRIVERGATE, "render", "-C", str(sample)], check=True, capture_output=True)
    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in _files(sample / "out")} == before


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The repository as it is now: a shallow clone without tags, as hooks fetch it, of another version."""
    origin = Repo(tmp_path / "origin")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"], cwd=REPO, capture_output=True, check=True
    )
    names = [name for name in os.fsdecode(listed.stdout).split("\0") if name and (REPO / name).is_file()]
    origin.write({name: (REPO / name).read_bytes() for name in names})
    for name in ("pyproject.toml", "generator/__init__.py"):
        text = (origin.path / name).read_text(encoding="utf-8")
        changed = re.sub(r'^((__)?version(__)?) = ".*"$', r'\1 = "9.8.7"', text, count=1, flags=re.MULTILINE)
        assert changed != text
        origin.write({name: changed})
    origin.commit()
    origin.git("tag", "v9.8.7")
    origin.git("clone", "-q", "--depth=1", "--no-tags", f"file://{origin.root}", str(tmp_path / "clone"))
    assert Repo(tmp_path / "clone").git("tag") == ""
    return tmp_path / "clone"


def without_requires(root: Path) -> None:
    """The sample names the versions that may render it; the clone's is none of them."""
    fleet = root / "inventory/fleet.yaml"
    fleet.write_text(re.sub(r"(?m)^requires:.*\n", "", fleet.read_text(encoding="utf-8")), encoding="utf-8")


def test_no_version_shows(sample: Path, clone: Path) -> None:
    """Another version of the tool alone gives no diff (public case D104)."""
    without_requires(sample)
    command = (sys.executable, "-m", "generator")
    env = {"PYTHONPATH": str(clone), "PYTHONSAFEPATH": "1"}
    said = subprocess.run([*command, "--version"], env=os.environ | env, capture_output=True, check=True)
    assert said.stdout == b"drivergate 9.8.7\n"
    assert rendered(sample, *command, **env) == committed()


def test_a_wheel_renders_the_same(sample: Path, clone: Path, tmp_path: Path) -> None:
    """Built from the shallow clone and installed into an environment of its own, templates and all.

    The libraries are those of the tests: `make soak` installs them anew, as users do.
    """
    without_requires(sample)
    pip = [sys.executable, "-m", "pip"]
    if subprocess.run([*pip, "download", "-q", "--no-deps", "-d", str(tmp_path), "hatchling"], check=False).returncode:
        pytest.skip("pip reaches no package index")
    subprocess.run([*pip, "wheel", "-q", "--no-deps", "-w", str(tmp_path / "wheels"), str(clone)], check=True)
    (wheel,) = (tmp_path / "wheels").glob("drivergate-9.8.7-*.whl")
    shutil.rmtree(clone)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    installed = tmp_path / "venv/bin"
    subprocess.run([*pip, "--python", str(installed / "python"), "install", "-q", "--no-deps", str(wheel)], check=True)
    (packages,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    # A folder that a .pth file names is searched, but not for .pth files, of which one names our checkout.
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    assert rendered(sample, str(installed / "drivergate")) == committed()
    said = subprocess.run([str(installed / "drivergate"), "check", "-C", str(sample)], capture_output=True, check=False)
    assert said.returncode == 0, said.stdout.decode()
