"""A repository that `drivergate init` made, through the real `git commit`, the real hook and the real CI script."""

import os
from pathlib import Path

import pytest

from tests.testing import shapes
from tests.testing.command import BIN, Exit
from tests.testing.fleet import Fleet, drivergate, run
from tests.testing.gitrepo import IDENTITY
from tests.testing.nodes import listed

TAG = "580-5.15.0-1087-gke-ubuntu22.04"
CATALOG = "inventory/catalog/nvcr.io/nvidia/driver.yaml"


@pytest.fixture(autouse=True)
def _tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`drivergate` and `pre-commit` on PATH, as for the team, with caches of their own."""
    for name in ("HOME", "XDG_CACHE_HOME", "PRE_COMMIT_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "cache" / name))
    (tmp_path / "cache" / "HOME").mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    for name in ("GITHUB_ACTIONS", "GITLAB_CI"):
        monkeypatch.delenv(name, raising=False)


def made(root: Path, *arguments: str) -> Fleet:
    """A repository by init, with its hook installed."""
    said = drivergate(root.parent, "init", "--ci", "github", *arguments, root.name)
    assert said.code == 0, said.text
    repo = Fleet(root)
    said = run(root, str(BIN / "pre-commit"), "install")
    assert said.code == 0, said.text
    return repo


def commit(repo: Fleet, message: str) -> Exit:
    repo.git("add", "-A")
    return run(repo.path, "git", *IDENTITY, "commit", "-m", message)


def build(repo: Fleet) -> None:
    """List the one image that the cluster needs."""
    path = repo.path / CATALOG
    line = f'images:\n  - {{tag: "{TAG}", platforms: [linux/amd64]}}\n'
    path.write_text(path.read_text(encoding="utf-8").replace("images: []\n", line), encoding="utf-8")


def test_an_empty_one_is_committed_at_once(tmp_path: Path) -> None:
    repo = made(tmp_path / "drivers")
    said = commit(repo, "begin")
    assert said.code == 0, said.text
    assert repo.git("status", "--porcelain") == ""
    assert repo.check("--strict").code == 0


def test_one_of_a_cluster_waits_for_its_images(tmp_path: Path) -> None:
    (tmp_path / "nodes.json").write_bytes(listed(shapes.gke()))
    repo = made(tmp_path / "drivers", "--from-nodes", "west=nodes.json")
    repo.render()
    said = commit(repo, "too early")
    assert said.code == 1
    assert TAG in said.text
    build(repo)
    said = commit(repo, "begin")
    assert said.code == 0, said.text
    assert repo.git("ls-files", "out/west/gpu-operator") != ""


def test_the_script_of_ci_judges_a_branch_and_a_commit(tmp_path: Path) -> None:
    (tmp_path / "nodes.json").write_bytes(listed(shapes.gke()))
    repo = made(tmp_path / "drivers", "--from-nodes", "west=nodes.json")
    build(repo)
    repo.render()
    assert commit(repo, "begin").code == 0
    repo.git("checkout", "-q", "-b", "change")
    script = ("sh", ".ci/drivergate")
    for arguments in (("gate", "main"), ("gate",), ("drift",)):
        said = run(repo.path, *script, *arguments)
        assert said.code == 0, said.text
    file = repo.path / "inventory/clusters/west.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("5.15.0-1087-gke", "5.15.0-1090-gke"), encoding="utf-8")
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "past the hook")
    said = run(repo.path, *script, "diff", "main")
    assert said.code == 0, said.text
    assert said.out.startswith("<!-- drivergate:diff")
    assert "5.15.0-1090-gke" in said.out
    for arguments in (("gate", "main"), ("gate",)):
        said = run(repo.path, *script, *arguments)
        assert said.code == 1
        assert "580-5.15.0-1090-gke-ubuntu22.04" in said.text
    assert run(repo.path, *script, "drift").code == 1
    said = run(repo.path, *script, "gate", "no-such-branch")
    assert said.code == 3
    assert "fetch the whole history" in said.text
    (repo.path / "inventory/clusters/west.yaml").write_text("kind: Cluster\n")
    repo.git("commit", "-q", "--no-verify", "-a", "-m", "broken")
    said = run(repo.path, *script, "diff", "main")
    assert said.code == 2
    assert said.out.startswith("<!-- drivergate:diff -->\n")
    assert "nothing is compared" in said.out
    repo.git("reset", "-q", "--hard", "HEAD^")
    assert run(repo.path, *script).code == 2
    assert not (repo.path / "build").exists()


def test_the_script_of_ci_judges_the_default_branch_since_its_last_green_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both commits pass against their own parent; 595 is not built for the kernel that nodes ran at the green one."""
    (tmp_path / "nodes.json").write_bytes(listed(shapes.gke()))
    repo = made(tmp_path / "drivers", "--from-nodes", "west=nodes.json")
    build(repo)
    images = repo.path / CATALOG
    listed_images = images.read_text(encoding="utf-8")
    more = "".join(
        f'  - {{tag: "{branch}-5.15.0-1090-gke-ubuntu22.04", platforms: [linux/amd64]}}\n' for branch in ("580", "595")
    )
    images.write_text(listed_images.rstrip("\n") + "\n" + more, encoding="utf-8")
    repo.render()
    assert commit(repo, "begin").code == 0
    green = repo.git("rev-parse", "HEAD")
    file = repo.path / "inventory/clusters/west.yaml"
    for was, becomes in (
        ("5.15.0-1087-gke", "5.15.0-1090-gke"),
        ("    nodeSelector", '    driver: {branch: "595"}\n    nodeSelector'),
    ):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(was, becomes, 1), encoding="utf-8")
        repo.render()
        repo.git("add", "-A")
        repo.git("commit", "-q", "--no-verify", "-m", "merged")
    gate = ("sh", ".ci/drivergate", "gate")
    said = run(repo.path, *gate)
    assert said.code == 0, said.text
    assert "no green commit before this one is known" in said.err
    monkeypatch.setenv("DRIVERGATE_GREEN", green)
    said = run(repo.path, *gate)
    assert said.code == 1, said.text
    assert "595-5.15.0-1087-gke-ubuntu22.04" in said.text
    assert "image/transition-missing" in said.text


@pytest.mark.parametrize(
    ("host", "reports"),
    [
        ("GITHUB_ACTIONS", {"drivergate.sarif", "drivergate.md"}),
        ("GITLAB_CI", {"code-quality.json", "junit.xml"}),
    ],
)
def test_the_script_of_ci_leaves_the_reports_of_its_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, reports: set[str]
) -> None:
    repo = made(tmp_path / "drivers")
    assert commit(repo, "begin").code == 0
    monkeypatch.setenv(host, "true")
    said = run(repo.path, "sh", ".ci/drivergate", "gate")
    assert said.code == 0, said.text
    assert {path.name for path in (repo.path / "build").iterdir()} == reports
    assert repo.git("status", "--porcelain") == ""


def test_two_branches_that_add_images_merge(tmp_path: Path) -> None:
    repo = made(tmp_path / "drivers")
    assert commit(repo, "begin").code == 0
    path = repo.path / CATALOG
    empty = path.read_text(encoding="utf-8")
    for branch, number in (("one", 1), ("two", 2)):
        repo.git("checkout", "-q", "-b", branch, "main")
        line = f'images:\n  - {{tag: "580-5.15.0-{number}-generic-ubuntu22.04", platforms: [linux/amd64]}}\n'
        path.write_text(empty.replace("images: []\n", line), encoding="utf-8")
        assert commit(repo, branch).code == 0
    repo.git("merge", "-q", "--no-edit", "one")
    said = repo.check()
    assert said.code == 0, said.text
    assert "2 images" in said.text
