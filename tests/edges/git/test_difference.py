import os
from pathlib import Path

import pytest

from generator.edges.errors import CouldNotLookError, NoCommitError, NoGitError, OutsideError, UnreadableError
from generator.edges.git.command import Git, git_at
from generator.edges.git.difference import Difference, Differing
from tests.testing.gitrepo import Repo


def git(repo: Repo) -> Git:
    return git_at(repo.root, os.environ)


def differing(repo: Repo, base: str, head: str | None = None, *exclude: str) -> dict[str, Differing]:
    return {one.path: one for one in Difference(git(repo), base, head, *exclude).collect()}


def blob(repo: Repo, name: str) -> str:
    return repo.git("rev-parse", name)


def test_two_commits(repo: Repo) -> None:
    (repo.path / "inventory/pools/a.yaml").unlink()
    repo.commit({"inventory/fleet.yaml": "x\n", "inventory/new.yaml": "y\n", "out/a.yaml": "z\n"})
    assert differing(repo, "HEAD^", "HEAD", "out") == {
        "inventory/fleet.yaml": Differing(
            "inventory/fleet.yaml", blob(repo, "HEAD^:inventory/fleet.yaml"), blob(repo, "HEAD:inventory/fleet.yaml")
        ),
        "inventory/new.yaml": Differing("inventory/new.yaml", "", blob(repo, "HEAD:inventory/new.yaml")),
        "inventory/pools/a.yaml": Differing("inventory/pools/a.yaml", blob(repo, "HEAD^:inventory/pools/a.yaml"), ""),
    }
    assert [*differing(repo, "HEAD^", "HEAD")] == sorted(
        ["inventory/fleet.yaml", "inventory/new.yaml", "inventory/pools/a.yaml", "out/a.yaml"]
    )


def test_the_work_tree_with_what_is_staged_and_what_is_not(repo: Repo) -> None:
    repo.write({"inventory/fleet.yaml": "x\n", "inventory/new.yaml": "y\n", "inventory/untracked.yaml": "z\n"})
    (repo.path / "inventory/pools/a.yaml").unlink()
    repo.git("add", "inventory/new.yaml")
    found = differing(repo, "HEAD")
    assert found["inventory/fleet.yaml"].after is None
    assert found["inventory/new.yaml"].before == ""
    assert found["inventory/pools/a.yaml"].after == ""
    assert "inventory/untracked.yaml" not in found


def test_a_file_that_was_only_touched_is_the_same(repo: Repo) -> None:
    os.utime(repo.path / "inventory/fleet.yaml", (1, 1))
    assert differing(repo, "HEAD") == {}


def test_the_index(repo: Repo) -> None:
    repo.write({"inventory/fleet.yaml": "x\n"})
    repo.git("add", "-A")
    repo.write({"inventory/fleet.yaml": "y\n"})
    (found,) = Difference(git(repo), "HEAD", None, staged=True).collect()
    assert found.after == blob(repo, ":inventory/fleet.yaml")


def test_a_root_below_the_top(repo: Repo) -> None:
    repo.commit({"deep/inventory/fleet.yaml": "a\n"})
    repo.write({"deep/inventory/fleet.yaml": "b\n"})
    found = [one.path for one in Difference(git_at(f"{repo.root}/deep", os.environ), "HEAD", None).collect()]
    assert found == ["inventory/fleet.yaml"]


def test_links_and_submodules_are_no_files(repo: Repo) -> None:
    (repo.path / "inventory/link.yaml").symlink_to("fleet.yaml")
    repo.commit()
    (repo.path / "inventory/link.yaml").unlink()
    repo.commit({"inventory/link.yaml": "a\n"})
    found = differing(repo, "HEAD^", "HEAD")["inventory/link.yaml"]
    assert (found.before, bool(found.after)) == ("", True)


@pytest.mark.parametrize(
    ("base", "head", "said"),
    [
        ("nope", None, "`nope` names no commit"),
        ("--output=x", None, "`--output=x` names no commit"),
        ("HEAD", "nope", "`nope` names no commit"),
        ("HEAD", "-x", "`-x` names no commit"),
    ],
)
def test_the_revision_that_is_wrong_is_named(repo: Repo, base: str, head: str | None, said: str) -> None:
    with pytest.raises(UnreadableError, match=said):
        Difference(git(repo), base, head).collect()
    assert not [path.name for path in repo.path.iterdir() if path.name.startswith("x")]


def test_no_commit_no_repository_and_a_shallow_clone(tmp_path: Path, repo: Repo) -> None:
    def refused(where: Path, base: str) -> OutsideError:
        with pytest.raises(OutsideError) as caught:
            Difference(git_at(str(where), os.environ), base, None).collect()
        return caught.value

    assert isinstance(refused(Repo(tmp_path / "new").path, "HEAD"), NoCommitError)
    (tmp_path / "plain").mkdir()
    assert isinstance(refused(tmp_path / "plain", "HEAD"), NoGitError)
    first = repo.git("rev-parse", "HEAD")
    repo.commit({"x": "y"})
    repo.git("clone", "-q", "--depth=1", f"file://{repo.root}", str(tmp_path / "shallow"))
    assert isinstance(refused(tmp_path / "shallow", first), CouldNotLookError)
