"""What git is told about the repository, and how its refusals are said."""

import os
from pathlib import Path

import pytest

from generator.edges.errors import NoGitError, UnreadableError
from generator.edges.git.command import git_at, scrubbed
from generator.edges.git.history import start_tree
from generator.edges.git.listing import Listings
from generator.edges.git.snapshots import Index
from generator.edges.process import Output
from tests.testing.gitrepo import Repo


def staged(root: str, environ: dict[str, str] | None = None) -> dict[str, bytes]:
    index = Index(Listings(git_at(root, os.environ | (environ or {})), "inventory"))
    return index.read([entry.path for entry in index.paths("inventory")])


def in_hook(repo: Repo, *command: str) -> dict[str, str]:
    """The environment that a pre-commit hook of this git sees while a commit runs; the commit is refused."""
    repo.hook('env -0 > "$SEEN"; cp -f "$GIT_INDEX_FILE" "$SEEN.index"; exit 1')
    seen = repo.path.parent / "seen"
    repo.git(*command, env={"SEEN": str(seen)}, code=1)
    pairs = (item.partition("=") for item in seen.read_text().split("\0") if item)
    environ = {name: value for name, _, value in pairs if name.startswith("GIT_")}
    # The commit is over, and with it its index: put it back under the name that the hook was told.
    index = repo.path / environ["GIT_INDEX_FILE"]
    index.write_bytes((repo.path.parent / "seen.index").read_bytes())
    return environ


def test_every_variable_that_git_calls_local_is_dropped(repo: Repo) -> None:
    local = repo.git("rev-parse", "--local-env-vars").split()
    # These carry `safe.directory` into containers.
    dropped = {*local, "GIT_PREFIX", "GIT_NAMESPACE", "GIT_EXTERNAL_DIFF"} - {"GIT_CONFIG_COUNT"}
    left = scrubbed(dict.fromkeys(dropped, "x") | {"GIT_EXEC_PATH": "e", "HOME": "h", "GIT_CONFIG_KEY_0": "k"})
    assert not dropped & left.keys()
    assert (left["GIT_EXEC_PATH"], left["HOME"], left["GIT_CONFIG_KEY_0"]) == ("e", "h", "k")


def test_the_index_of_a_plain_commit(repo: Repo) -> None:
    repo.write({"inventory/fleet.yaml": "staged"})
    repo.git("add", "-A")
    environ = in_hook(repo, "commit", "-m", "x")
    assert staged(repo.root, environ)["inventory/fleet.yaml"] == b"staged"


def test_the_index_of_a_commit_of_some_paths(repo: Repo) -> None:
    repo.write({"inventory/fleet.yaml": "staged only", "inventory/pools/a.yaml": "named"})
    repo.git("add", "inventory/fleet.yaml")
    environ = in_hook(repo, "commit", "-m", "x", "inventory/pools/a.yaml")
    assert "next-index" in environ["GIT_INDEX_FILE"]
    assert staged(repo.root, environ) == {"inventory/fleet.yaml": b"a\n", "inventory/pools/a.yaml": b"named"}
    assert staged(repo.root) == {"inventory/fleet.yaml": b"staged only", "inventory/pools/a.yaml": b"b\n"}


def test_a_linked_work_tree(repo: Repo, tmp_path: Path) -> None:
    """Case D76: GIT_DIR and GIT_INDEX_FILE of worktree w1."""
    repo.git("worktree", "add", "-q", str(tmp_path / "w1"))
    linked = Repo(tmp_path / "w1")
    linked.write({"inventory/fleet.yaml": "w1"})
    linked.git("add", "-A")
    environ = {
        "GIT_DIR": f"{repo.root}/.git/worktrees/w1",
        "GIT_INDEX_FILE": f"{repo.root}/.git/worktrees/w1/index",
    }
    assert staged(linked.root, environ) == staged(linked.root)
    assert staged(linked.root, environ)["inventory/fleet.yaml"] == b"w1"
    # The same variables say nothing about the main work tree.
    assert staged(repo.root, environ)["inventory/fleet.yaml"] == b"a\n"


def test_a_commit_of_some_paths_in_a_linked_work_tree(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "w1"))
    linked = Repo(tmp_path / "w1")
    linked.write({"inventory/fleet.yaml": "staged only", "inventory/pools/a.yaml": "named"})
    linked.git("add", "inventory/fleet.yaml")
    environ = in_hook(linked, "commit", "-m", "x", "inventory/pools/a.yaml")
    assert "GIT_DIR" in environ
    expected = {"inventory/fleet.yaml": b"a\n", "inventory/pools/a.yaml": b"named"}
    assert staged(linked.root, environ) == expected


def test_variables_of_another_repository_are_ignored(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.commit({"inventory/other.yaml": "other"})
    expected = {"inventory/fleet.yaml": b"a\n", "inventory/pools/a.yaml": b"b\n"}
    there = f"{other.root}/.git"
    for environ in (
        {"GIT_DIR": there},
        {"GIT_INDEX_FILE": f"{there}/index"},
        {
            "GIT_DIR": there,
            "GIT_INDEX_FILE": f"{there}/index",
            "GIT_WORK_TREE": other.root,
            "GIT_PREFIX": "x/",
        },
        {"GIT_DIR": there, "GIT_INDEX_FILE": f"{repo.root}/.git/index"},
        {"GIT_OBJECT_DIRECTORY": f"{there}/objects", "GIT_COMMON_DIR": there},
        {"GIT_INDEX_FILE": f"{repo.root}/.git/next-index-1.lock"},  # gone: git would take it for an empty index
    ):
        assert staged(repo.root, environ) == expected, environ


def test_a_relative_index_belongs_to_the_top_of_the_work_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mono = Repo(tmp_path / "mono")
    mono.commit({"gpu/inventory/a.yaml": "gpu"})
    monkeypatch.chdir(mono.path / "gpu")
    mono.write({"gpu/inventory/a.yaml": "staged"})
    mono.git("add", "-A")
    # Under another name, so that it differs from what git takes by itself.
    (mono.path / ".git/index").rename(mono.path / ".git/next-index-1.lock")
    (tmp_path / "link").symlink_to(mono.path / "gpu")
    for root in (f"{mono.root}/gpu", str(tmp_path / "link")):
        found = staged(root, {"GIT_INDEX_FILE": ".git/next-index-1.lock"})
        assert found == {"inventory/a.yaml": b"staged"}


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / "inventory").mkdir()
    for environ in ({}, {"GIT_INDEX_FILE": "x"}):
        with pytest.raises(NoGitError) as caught:
            staged(str(tmp_path), environ)
        assert str(caught.value) == f"`{tmp_path}` is in no git repository"
    with pytest.raises(NoGitError, match="is in no git repository"):
        start_tree(git_at(str(tmp_path), os.environ), "HEAD").collect()


def test_no_git(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repo.path))
    for environ in ({}, {"GIT_INDEX_FILE": ".git/index"}):
        pending = Listings(git_at(repo.root, os.environ | environ), "inventory")
        for _ in range(2):  # starting doesn't raise; collecting does, each time
            with pytest.raises(NoGitError, match="git can't be started: is it installed"):
                pending.covering("inventory")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_somebody_else(repo: Repo) -> None:
    os.chown(repo.root, 65534, 65534)
    os.chown(f"{repo.root}/.git", 65534, 65534)
    with pytest.raises(NoGitError) as caught:
        staged(repo.root)
    assert str(caught.value) == f"git refuses `{repo.root}`: the repository belongs to another user"
    assert "safe.directory" in caught.value.hint
    trusted = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    assert staged(repo.root, trusted)["inventory/fleet.yaml"] == b"a\n"


def test_a_broken_index_is_told_in_one_line(repo: Repo) -> None:
    (repo.path / ".git/index").write_bytes(b"DIRC broken")
    with pytest.raises(UnreadableError) as caught:
        staged(repo.root)
    assert str(caught.value).startswith(f"git can't read `{repo.root}`: ")
    assert "\n" not in str(caught.value)


def test_a_process_that_says_nothing() -> None:
    assert Output(-9, b"", b"").complaint == "it ended with -9 and said nothing"
    assert Output(128, b"", b"warning: so\nfatal: first\nhint: second\n").complaint == "first"
    assert Output(1, b"", b"\nno word of git\nand more\n").complaint == "no word of git"
