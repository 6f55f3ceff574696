"""What git says has changed, from each source."""

from pathlib import Path

import pytest

from generator.edges.errors import UnreadableError
from generator.edges.git.command import git_at
from generator.edges.git.difference import changed_paths
from generator.edges.git.listing import Listings
from tests.testing.gitrepo import Repo, isolate


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    isolate(monkeypatch)
    made = Repo(tmp_path / "r")
    made.commit({"a": "1", "b": "1", "inventory/old name.yaml": "x" * 200, "sub/c": "1"})
    return made


def paths(
    repo: Repo, since: str = "HEAD", *, below: str = "", staged: bool = False, rev: str | None = None
) -> list[str]:
    git = git_at(f"{repo.root}{below}", {})
    return changed_paths(git, since, Listings(git, "inventory"), staged=staged, rev=rev)


def test_work_tree_index_and_commit_differ(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.commit({"a": "2"})
    repo.write({"b": "2"})
    repo.git("add", "b")
    repo.write({"sub/c": "2", "inventory/n\udcffw".encode("utf-8", "surrogateescape").decode("latin-1"): "new"})
    (repo.path / "inventory" / "old name.yaml").unlink()
    assert paths(repo, first, rev="HEAD") == ["a"]
    assert paths(repo, first, staged=True) == ["a", "b"]
    work = paths(repo, first)
    assert work[:2] == ["a", "b"]
    assert "inventory/old name.yaml" in work
    assert len(work) == 5


def test_a_rename_is_two_paths(repo: Repo) -> None:
    repo.git("mv", "inventory/old name.yaml", "inventory/new.yaml")
    assert paths(repo, staged=True) == ["inventory/new.yaml", "inventory/old name.yaml"]


def test_paths_are_relative_to_the_root_and_what_lies_outside_is_left_out(repo: Repo) -> None:
    repo.commit({"a": "2", "sub/c": "2"})
    assert paths(repo, "HEAD~1", below="/sub", rev="HEAD") == ["c"]


def test_settings_of_the_user_change_nothing(repo: Repo) -> None:
    repo.git("config", "diff.renames", "copies")
    repo.git("config", "diff.external", "false")
    repo.git("config", "diff.noprefix", "true")
    repo.git("mv", "inventory/old name.yaml", "inventory/new.yaml")
    assert len(paths(repo)) == 2


@pytest.mark.parametrize("since", ["nope", "-x", "^HEAD", "HEAD:a"])
def test_what_names_no_commit_is_told(repo: Repo, since: str) -> None:
    with pytest.raises(UnreadableError):
        paths(repo, since)
