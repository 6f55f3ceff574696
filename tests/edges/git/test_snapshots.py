"""Index and commit, by real git: what a source lists must be what `git commit` makes a tree of."""

import os
from pathlib import Path

import pytest

from generator.edges.errors import CouldNotLookError, UnreadableError
from generator.edges.git.command import git_at
from generator.edges.git.listing import Listings, blob_id
from generator.edges.git.snapshots import CommitTree, Index
from generator.edges.source import Entry, Kind
from tests.testing.gitrepo import Repo
from tests.testing.soak import sizes


def index(root: str, *folders: str) -> Index:
    return Index(Listings(git_at(root, os.environ), *folders))


def commit(root: str, rev: str, *folders: str) -> CommitTree:
    return CommitTree(git_at(root, os.environ), rev, *folders)


def names(entries: list[Entry]) -> list[str]:
    return [entry.path for entry in entries]


def test_the_index_is_what_is_staged_not_what_lies_on_disk(repo: Repo) -> None:
    repo.write({"inventory/fleet.yaml": "staged\n", "inventory/new.yaml": "new\n"})
    repo.git("add", "-A")
    repo.write({"inventory/fleet.yaml": "on disk\n", "inventory/untracked.yaml": "x\n"})
    repo.git("rm", "-q", "--cached", "inventory/pools/a.yaml")
    source = index(repo.root, "inventory")
    assert names(source.paths("inventory")) == ["inventory/fleet.yaml", "inventory/new.yaml"]
    assert source.read(["inventory/fleet.yaml"]) == {"inventory/fleet.yaml": b"staged\n"}
    assert source.label == "index"


def test_a_commit_is_read_without_a_checkout(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.commit({"inventory/fleet.yaml": "second\n"})
    source = commit(repo.root, first, "inventory")
    assert source.read(["inventory/fleet.yaml"]) == {"inventory/fleet.yaml": b"a\n"}
    assert names(source.paths("inventory")) == ["inventory/fleet.yaml", "inventory/pools/a.yaml"]
    assert source.label == f"commit {repo.git('rev-parse', '--short=12', first)}"
    assert repo.git("status", "--porcelain") == ""


@pytest.mark.parametrize("make", [index, lambda root, *f: commit(root, "HEAD", *f)], ids=["index", "commit"])
class TestBoth:
    def test_folders_that_were_not_announced_are_found_too(self, repo: Repo, make) -> None:
        source = make(repo.root, "inventory")
        assert names(source.paths("out")) == ["out/a.yaml"]
        assert names(source.paths()) == ["inventory/fleet.yaml", "inventory/pools/a.yaml", "out/a.yaml"]
        assert source.read(["out/a.yaml", "inventory/fleet.yaml"]) == {
            "out/a.yaml": b"c\n",
            "inventory/fleet.yaml": b"a\n",
        }

    def test_a_file_names_itself_and_a_missing_folder_is_empty(self, repo: Repo, make) -> None:
        source = make(repo.root)
        assert names(source.paths("./inventory//fleet.yaml", "nowhere/")) == ["inventory/fleet.yaml"]

    def test_a_name_that_begins_alike_is_not_below(self, repo: Repo, make) -> None:
        repo.commit({"inventory-old/x.yaml": "x"})
        assert "inventory-old/x.yaml" not in names(make(repo.root).paths("inventory"))

    def test_kinds(self, repo: Repo, make) -> None:
        other = Repo(repo.path.parent / "other")
        other.commit({"x.yaml": "x"})
        repo.git("submodule", "--quiet", "add", other.root, "inventory/shared")
        (repo.path / "inventory/link.yaml").symlink_to("fleet.yaml")
        (repo.path / "inventory/run.yaml").write_text("x")
        (repo.path / "inventory/run.yaml").chmod(0o755)
        repo.commit()
        source = make(repo.root, "inventory")
        kinds = {entry.path: entry.kind for entry in source.paths("inventory")}
        assert kinds == {
            "inventory/fleet.yaml": Kind.FILE,
            "inventory/link.yaml": Kind.SYMLINK,
            "inventory/pools/a.yaml": Kind.FILE,
            "inventory/run.yaml": Kind.FILE,
            "inventory/shared": Kind.SUBMODULE,
        }
        with pytest.raises(UnreadableError, match=r"`inventory/link.yaml` is a symbolic link in the "):
            source.read(["inventory/link.yaml"])

    def test_what_is_not_there_is_said_by_name(self, repo: Repo, make) -> None:
        with pytest.raises(UnreadableError, match=r"`inventory/none.yaml` isn't in the (index|commit \w+)"):
            make(repo.root, "inventory").read(["inventory/none.yaml"])

    @pytest.mark.parametrize("path", ["../x", "/etc/passwd", "inventory/../../x"])
    def test_no_path_leaves_the_root(self, repo: Repo, make, path: str) -> None:
        with pytest.raises(UnreadableError, match="outside the repository"):
            make(repo.root, "inventory").paths(path)

    def test_names_of_any_bytes(self, repo: Repo, make) -> None:
        odd = ["inventory/a b.yaml", "inventory/ö.yaml", "inventory/new\nline\t.yaml", "inventory/*.yaml"]
        odd.append(os.fsdecode(b"inventory/\xff.yaml"))
        repo.commit({name: f"{i}" for i, name in enumerate(odd)})
        source = make(repo.root, "inventory")
        assert {*odd} < {*names(source.paths("inventory"))}
        assert source.read(odd) == {name: b"%d" % i for i, name in enumerate(odd)}
        assert names(source.paths("inventory/*.yaml")) == ["inventory/*.yaml"]

    def test_a_root_below_the_top_of_its_repository(self, tmp_path: Path, make) -> None:
        mono = Repo(tmp_path / "mono")
        mono.commit({"gpu/inventory/a.yaml": "gpu", "inventory/b.yaml": "top", "gpu/empty.yaml": ""})
        source = make(f"{mono.root}/gpu", "inventory")
        assert names(source.paths("inventory")) == ["inventory/a.yaml"]
        assert source.read(["inventory/a.yaml"]) == {"inventory/a.yaml": b"gpu"}
        assert names(source.paths()) == ["empty.yaml", "inventory/a.yaml"]

    def test_a_submodule_checkout_as_root(self, repo: Repo, tmp_path: Path, make) -> None:
        outer = Repo(tmp_path / "outer")
        outer.commit({"inventory/outer.yaml": "x"})
        outer.git("submodule", "--quiet", "add", repo.root, "fleet")
        source = make(f"{outer.root}/fleet", "inventory")
        assert names(source.paths("inventory")) == ["inventory/fleet.yaml", "inventory/pools/a.yaml"]
        assert source.read(["inventory/fleet.yaml"]) == {"inventory/fleet.yaml": b"a\n"}

    def test_a_sha256_repository(self, tmp_path: Path, make) -> None:
        repo = Repo(tmp_path / "sha256", "--object-format=sha256")
        repo.commit({"inventory/a.yaml": "x\n", "inventory/empty.yaml": ""})
        source = make(repo.root, "inventory")
        entries = {entry.path: entry.blob for entry in source.paths("inventory")}
        assert entries["inventory/a.yaml"] == blob_id(b"x\n", "sha256")
        assert source.read([*entries]) == {"inventory/a.yaml": b"x\n", "inventory/empty.yaml": b""}


@pytest.mark.parametrize("count", sizes(500, soak=5000, full=50_000))
def test_many_files_in_one_batch(repo: Repo, count: int) -> None:
    files = {f"inventory/many/{i:05}.yaml": f"{i} " * (i % 400) for i in range(count)}
    repo.commit(files)
    for source in (index(repo.root, "inventory"), commit(repo.root, "HEAD", "inventory")):
        read = source.read(names(source.paths("inventory/many")))
        assert read == {path: content.encode() for path, content in files.items()}
        assert list(read) == sorted(files)


def test_an_announced_file_is_no_part_of_the_commit(repo: Repo) -> None:
    repo.write({"inventory/announced.yaml": "x", "inventory/empty.yaml": "", "inventory/gone.yaml": "x"})
    repo.git("add", "inventory/empty.yaml")
    repo.git("add", "-N", "inventory/announced.yaml", "inventory/gone.yaml")
    (repo.path / "inventory/gone.yaml").unlink()
    listed = names(index(repo.root, "inventory").paths("inventory"))
    repo.git("commit", "-q", "-m", "x")
    assert listed == repo.git("ls-tree", "-r", "--name-only", "HEAD", "--", "inventory").splitlines()


def test_a_conflict_is_refused(repo: Repo) -> None:
    repo.git("switch", "-q", "-c", "side")
    repo.commit({"inventory/fleet.yaml": "side\n"})
    repo.git("switch", "-q", "main")
    repo.commit({"inventory/fleet.yaml": "main\n"})
    repo.git("merge", "-q", "side", code=1)
    source = index(repo.root, "inventory", "out")
    assert names(source.paths("out")) == ["out/a.yaml"]
    with pytest.raises(UnreadableError, match=r"`inventory/fleet.yaml` is in conflict in the index"):
        source.paths("inventory")


def test_before_the_first_commit_there_is_an_index(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "new")
    repo.write({"inventory/a.yaml": "x"})
    assert index(repo.root, "inventory").paths("inventory") == []
    repo.git("add", "-A")
    assert index(repo.root, "inventory").read(["inventory/a.yaml"]) == {"inventory/a.yaml": b"x"}


def test_a_content_that_a_partial_clone_left_at_the_server_is_not_fetched(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo.root}", str(tmp_path / "part"))
    source = commit(str(tmp_path / "part"), "HEAD", "inventory")
    assert names(source.paths("inventory")) == ["inventory/fleet.yaml", "inventory/pools/a.yaml"]
    with pytest.raises(CouldNotLookError, match="isn't on this machine"):
        source.read(["inventory/fleet.yaml"])


def test_nothing_is_written_to_the_index(repo: Repo) -> None:
    path = repo.path / ".git/index"
    repo.write({"inventory/fleet.yaml": "a\n"})  # new times, equal content: what `git status` would refresh
    before = path.read_bytes()
    source = index(repo.root)
    source.read(names(source.paths()))
    assert path.read_bytes() == before
