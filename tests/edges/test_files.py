"""The work tree: what is listed, what is read, and what is left alone."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.edges.errors import NoGitError, UnreadableError
from generator.edges.files import WorkTree, find_root
from generator.edges.git.command import git_at
from generator.edges.git.listing import Listings
from generator.edges.source import Kind
from generator.words import printable
from tests.testing.gitrepo import Repo


def kinds(source: WorkTree, *folders: str) -> dict[str, Kind]:
    return {entry.path: entry.kind for entry in source.paths(*folders)}


def with_git(root: str, *folders: str) -> WorkTree:
    return WorkTree(root, Listings(git_at(root, os.environ), *folders))


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder in which the test runs as somebody whom permissions hold: root becomes nobody."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        for path in folder.iterdir():
            path.chmod(0o700)
        shutil.rmtree(folder)


class TestRoot:
    def test_the_nearest_folder_above_that_holds_an_inventory(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "inventory").mkdir()
        (tmp_path / "gpu/inventory/pools").mkdir(parents=True)
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs/inventory").write_text("a file is no inventory")
        for here, root in {"gpu/inventory/pools": "gpu", "gpu": "gpu", "docs": ".", ".": "."}.items():
            monkeypatch.chdir(tmp_path / here)
            assert Path(find_root()) == tmp_path / root

    def test_a_chosen_folder_needs_none(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        assert find_root(".") == str(tmp_path)
        with pytest.raises(UnreadableError, match="`nowhere` is no folder"):
            find_root("nowhere")

    def test_the_inventory_is_no_repository(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "inventory").mkdir()
        monkeypatch.chdir(tmp_path)
        with pytest.raises(UnreadableError) as caught:
            find_root("inventory")
        assert str(caught.value) == f"no inventory/ in `{tmp_path}/inventory`"
        assert caught.value.hint == "name the folder that holds inventory/"
        (tmp_path / "inventory/inventory").mkdir()
        assert find_root("inventory") == f"{tmp_path}/inventory"

    def test_none_is_said_with_a_way_out(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(UnreadableError) as caught:
            find_root()
        assert str(caught.value) == f"no inventory/ in `{tmp_path}` or any folder above"
        assert "drivergate init" in caught.value.hint

    def test_a_folder_that_is_gone(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        gone = tmp_path / "gone"
        gone.mkdir()
        monkeypatch.chdir(gone)
        gone.rmdir()
        with pytest.raises(UnreadableError, match="the current folder is gone"):
            find_root()


class TestWithoutGit:
    def test_files_are_listed_and_read_as_they_are(self, tmp_path: Path) -> None:
        (tmp_path / "inventory/deep/er").mkdir(parents=True)
        (tmp_path / "inventory/deep/er/b.yaml").write_bytes(b"b: 1\r\n")
        (tmp_path / "inventory/a.yaml").write_bytes(b"a" * 300_000)
        (tmp_path / "inventory/.9.drivergate-tmp").write_bytes(b"half")
        (tmp_path / "inventory-old").mkdir()
        (tmp_path / "inventory-old/c.yaml").write_bytes(b"c")
        source = WorkTree(str(tmp_path))
        assert kinds(source, "inventory") == {
            "inventory/a.yaml": Kind.FILE,
            "inventory/deep/er/b.yaml": Kind.FILE,
        }
        assert source.read(["inventory/deep/er/b.yaml", "inventory/a.yaml"]) == {
            "inventory/deep/er/b.yaml": b"b: 1\r\n",
            "inventory/a.yaml": b"a" * 300_000,
        }
        assert kinds(source, "inventory/a.yaml", "nowhere", "inventory/a.yaml/x") == {"inventory/a.yaml": Kind.FILE}

    def test_links_are_listed_and_never_followed(self, tmp_path: Path) -> None:
        (tmp_path / "inventory/real").mkdir(parents=True)
        (tmp_path / "inventory/real/a.yaml").write_text("a")
        (tmp_path / "inventory/loop").symlink_to(".")
        (tmp_path / "inventory/dangling").symlink_to("nowhere")
        (tmp_path / "inventory/file.yaml").symlink_to("real/a.yaml")
        source = WorkTree(str(tmp_path))
        assert kinds(source, "inventory") == {
            "inventory/dangling": Kind.SYMLINK,
            "inventory/file.yaml": Kind.SYMLINK,
            "inventory/loop": Kind.SYMLINK,
            "inventory/real/a.yaml": Kind.FILE,
        }
        assert kinds(source, "inventory/loop") == {"inventory/loop": Kind.SYMLINK}
        assert kinds(source, "inventory/loop/real") == {}
        with pytest.raises(UnreadableError, match=r"can't read `inventory/file.yaml`: "):
            source.read(["inventory/file.yaml"])

    def test_pipes_are_named_and_not_opened(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        source = WorkTree(str(tmp_path))
        assert kinds(source) == kinds(source, "pipe") == {"pipe": Kind.OTHER}

    def test_repositories_inside_are_left_alone(self, tmp_path: Path) -> None:
        for name in ("top", "top/inventory/nested"):
            Repo(tmp_path / name).write({"inventory/a.yaml": "a"})
        (tmp_path / "top/inventory/module").mkdir()
        (tmp_path / "top/inventory/module/.git").write_text("gitdir: elsewhere")
        source = WorkTree(str(tmp_path / "top"))
        expected = {
            "inventory/a.yaml": Kind.FILE,
            "inventory/module": Kind.SUBMODULE,
            "inventory/nested": Kind.SUBMODULE,
        }
        assert kinds(source) == kinds(source, "inventory") == expected
        nested = {"inventory/nested": Kind.SUBMODULE}
        assert kinds(source, "inventory/nested/inventory") == kinds(source, "inventory/nested") == nested

    def test_names_of_any_bytes(self, tmp_path: Path) -> None:
        names = [os.fsdecode(n) for n in (b"a b.yaml", "ö.yaml".encode(), b"new\nline.yaml", b"\xff.yaml")]
        for name in names:
            (tmp_path / name).write_text(name, errors="surrogateescape")
        source = WorkTree(str(tmp_path))
        assert [*kinds(source)] == sorted(names)
        assert {os.fsdecode(content) for content in source.read(names).values()} == {*names}

    def test_what_cannot_be_read_is_said_by_name(self, tmp_path: Path) -> None:
        (tmp_path / "folder").mkdir()
        source = WorkTree(str(tmp_path))
        with pytest.raises(UnreadableError, match=r"can't read `none.yaml`: no such file or directory"):
            source.read(["none.yaml"])
        with pytest.raises(UnreadableError, match=r"can't read `folder`: is a directory"):
            source.read(["folder"])

    def test_what_is_forbidden_is_said_by_name(self, unprivileged: Path) -> None:
        (unprivileged / "secret.yaml").write_text("x")
        (unprivileged / "secret.yaml").chmod(0)
        source = WorkTree(str(unprivileged))
        assert kinds(source) == {"secret.yaml": Kind.FILE}
        with pytest.raises(UnreadableError) as caught:
            source.read(["secret.yaml"])
        assert (str(caught.value), caught.value.exit_code) == (
            "can't read `secret.yaml`: permission denied",
            2,
        )
        (unprivileged / "closed").mkdir(mode=0)
        with pytest.raises(UnreadableError, match=r"can't read `closed`: permission denied"):
            source.paths()

    def test_no_path_leaves_the_root(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableError, match=r"`\.\./x` lies outside the repository"):
            WorkTree(str(tmp_path)).paths("../x")


class TestWithGit:
    def test_the_same_without_a_repository_and_it_says_why(self, tmp_path: Path) -> None:
        (tmp_path / "a.yaml").write_text("a")
        source = with_git(str(tmp_path))
        assert kinds(source) == {"a.yaml": Kind.FILE}
        assert source.read(["a.yaml"]) == {"a.yaml": b"a"}
        assert isinstance(source.without_git, NoGitError)

    def test_deleted_files_are_gone_and_new_ones_there(self, repo: Repo) -> None:
        (repo.path / "inventory/fleet.yaml").unlink()
        repo.write({"inventory/new.yaml": "new"})
        source = with_git(repo.root, "inventory")
        assert kinds(source, "inventory") == {
            "inventory/new.yaml": Kind.FILE,
            "inventory/pools/a.yaml": Kind.FILE,
        }
        assert source.without_git is None
        with pytest.raises(UnreadableError, match=r"can't read `inventory/fleet.yaml`: no such file"):
            source.read(["inventory/fleet.yaml"])

    @pytest.mark.parametrize("mode", [["--cone"], ["--cone", "--sparse-index"]], ids=["cone", "sparse-index"])
    def test_what_a_sparse_checkout_leaves_out_is_read_from_the_index(self, repo: Repo, mode: list[str]) -> None:
        repo.commit({"bases/policy.yaml": "base", "inventory/pools/deep/b.yaml": "d"})
        full = kinds(with_git(repo.root))
        repo.git("sparse-checkout", "set", *mode, "inventory/pools/deep")
        assert not (repo.path / "out").exists()
        assert not (repo.path / "bases").exists()
        repo.write({"inventory/pools/a.yaml": "changed here"})
        source = with_git(repo.root, "inventory")
        assert kinds(source, "inventory", "out", "bases") == full
        assert source.read(["out/a.yaml", "inventory/pools/a.yaml", "bases/policy.yaml"]) == {
            "inventory/pools/a.yaml": b"changed here",
            "out/a.yaml": b"c\n",
            "bases/policy.yaml": b"base",
        }

    def test_a_submodule_that_is_not_checked_out(self, repo: Repo, tmp_path: Path) -> None:
        other = Repo(tmp_path / "other")
        other.commit({"x.yaml": "x"})
        repo.git("submodule", "--quiet", "add", other.root, "inventory/shared")
        repo.commit()
        repo.git("clone", "-q", repo.root, str(tmp_path / "clone"))
        source = with_git(str(tmp_path / "clone"), "inventory")
        assert kinds(source, "inventory")["inventory/shared"] is Kind.SUBMODULE


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"a b.yaml", "a b.yaml"),
        ("größe.yaml".encode(), "größe.yaml"),
        (b"\xff.yaml", "\\udcff.yaml"),
        (b"two\nlines\x1b[31m", "two\\nlines\\x1b[31m"),
    ],
)
def test_any_name_can_be_printed_on_one_line(name: bytes, shown: str) -> None:
    assert printable(os.fsdecode(name)) == shown.replace("\\udcff", "\\xff")
