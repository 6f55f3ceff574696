"""The scaffolded `.ci/catalog_sync.py`, with the real command, real git and a registry on loopback."""

import json
import os
from pathlib import Path

import pytest

from generator.facts import data
from tests.testing.command import BIN, Exit
from tests.testing.fleet import run
from tests.testing.gitrepo import Repo
from tests.testing.registry import keeping
from tests.testing.registry.faults import FaultServer, Holding, error
from tests.testing.registry.images import Manifest
from tests.testing.registry.keeping import FILE, A, B, Kept, built, line

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeping.alone(tmp_path, monkeypatch)
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")


def kept(root: Path, capfd: Capture, server: FaultServer, images: dict[str, Manifest]) -> tuple[Kept, Repo]:
    """A rendered, committed repository with the script, whose catalog lists these images."""
    made = Kept(root, capfd, server.address, "".join(f"{line(tag, one)}\n" for tag, one in images.items()))
    (root / ".ci").mkdir()
    (root / ".ci" / "catalog_sync.py").write_text(data.scaffold("catalog_sync.py.in"), encoding="utf-8")
    (root / ".gitignore").write_text(data.scaffold("gitignore"), encoding="utf-8")
    repo = Repo(root)
    said = run(root, "drivergate", "render")
    assert said.code == 0, said.text
    repo.commit()
    return made, repo


def sync(repo: Repo) -> tuple[Exit, str, str]:
    """What the script said, the text of the pull request, and the patch."""
    said = run(repo.path, "python3", ".ci/catalog_sync.py", "build")
    folder = repo.path / "build"
    return (
        said,
        (folder / "catalog.md").read_text(encoding="utf-8"),
        (folder / "catalog.patch").read_text(encoding="utf-8"),
    )


def test_what_is_unblocked_is_said_and_the_patch_brings_it(tmp_path: Path, capfd: Capture) -> None:
    images = {A: built(A), B: built(B)}
    with FaultServer(Holding(images)) as server:
        made, repo = kept(tmp_path / "r", capfd, server, {A: images[A]})
        before = run(repo.path, "drivergate", "check", "--format", "json").json["findings"]
        assert [one["fact"] for one in before if one["rule"] == "image/upcoming-missing"] == [B]
        said, text, patch = sync(repo)
    assert said.code == 0, said.text
    assert text.startswith("<!-- drivergate:catalog-sync -->\nThe registries were asked: 1 new.\n")
    assert f"**No longer blocked:**\n\n- `{B}`, an upcoming kernel of `one/train`\n" in text
    assert repo.git("diff", "--cached", "--name-only") == ""
    changed = made.text
    repo.git("checkout", "-q", "--", ".")
    repo.git("apply", "--index", "build/catalog.patch")
    assert made.text == changed
    assert repo.git("diff", "--cached", "--name-only") == FILE
    assert B in patch


def test_nothing_new_is_an_empty_patch(tmp_path: Path, capfd: Capture) -> None:
    images = {A: built(A), B: built(B)}
    with FaultServer(Holding(images)) as server:
        _, repo = kept(tmp_path / "r", capfd, server, images)
        said, text, patch = sync(repo)
    assert (said.code, patch) == (0, "")
    assert "nothing new" in text
    assert repo.git("status", "--porcelain") == ""


def test_an_image_that_is_gone_blocks(tmp_path: Path, capfd: Capture) -> None:
    with FaultServer(Holding({A: built(A)})) as server:
        _, repo = kept(tmp_path / "r", capfd, server, {A: built(A), B: built(B)})
        _, text, patch = sync(repo)
    assert "1 gone" in text
    assert f"since an image is gone:**\n\n- `{B}`" in text
    assert "gone: true" in patch


def test_a_registry_that_can_not_be_asked_is_no_clean_run(tmp_path: Path, capfd: Capture) -> None:
    with FaultServer(Holding({A: built(A)})) as server:
        _, repo = kept(tmp_path / "r", capfd, server, {A: built(A)})
        server.script = lambda _asked: error(403, "DENIED")
        said, text, _ = sync(repo)
    assert said.code == 3
    assert "Not everything could be asked" in text


def test_an_inventory_that_can_not_be_read_stops_it(tmp_path: Path, capfd: Capture) -> None:
    with FaultServer(Holding({})) as server:
        _, repo = kept(tmp_path / "r", capfd, server, {})
        (repo.path / FILE).write_text("kind: [\n", encoding="utf-8")
        said = run(repo.path, "python3", ".ci/catalog_sync.py", "build")
    assert said.code == 2
    assert "Traceback" not in said.text
    assert not (repo.path / "build").exists()
    assert json.loads(said.err[said.err.index("{") :])["findings"]
