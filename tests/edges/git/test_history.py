import os
import re
from datetime import date
from pathlib import Path

import pytest

from generator.edges.errors import CouldNotLookError, NoCommitError, UnreadableError
from generator.edges.git.command import Git, git_at
from generator.edges.git.history import head, is_shallow, last_commits, start_commit, start_tree, utc_day
from generator.edges.source import Entry, Kind
from tests.testing.gitrepo import Repo


def git(repo: Repo) -> Git:
    return git_at(repo.root, os.environ)


def test_names_of_a_commit(repo: Repo) -> None:
    full = repo.git("rev-parse", "HEAD")
    repo.git("tag", "-a", "v1", "-m", "x")
    for rev in ("HEAD", "main", "v1", full, full[:10], "@"):
        assert start_commit(git(repo), rev).collect().id == full


def test_a_detached_head(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.commit({"x": "x"})
    repo.git("checkout", "-q", "--detach", first)
    found = head(git(repo))
    assert found is not None
    assert found.id == first


def test_the_tree_has_the_ids_of_git(repo: Repo) -> None:
    assert start_tree(git(repo), "HEAD", "out").collect() == {
        "out/a.yaml": Entry("out/a.yaml", Kind.FILE, repo.git("rev-parse", "HEAD:out/a.yaml"))
    }
    assert [*start_tree(git(repo), "HEAD").collect()] == [
        "inventory/fleet.yaml",
        "inventory/pools/a.yaml",
        "out/a.yaml",
    ]


@pytest.mark.parametrize(
    "rev", ["nope", "HEAD~7", "-x", "^main", "--help", "", "HEAD:inventory", "main..main", "0" * 40]
)
def test_a_bad_revision_is_quoted_in_one_line(repo: Repo, rev: str) -> None:
    for ask in (start_commit, start_tree):
        with pytest.raises(UnreadableError) as caught:
            ask(git(repo), rev).collect()
        assert str(caught.value) == f"`{rev}` names no commit of this repository"
        assert caught.value.exit_code == 2


def test_a_revision_of_two_lines_is_not_two_revisions(repo: Repo) -> None:
    with pytest.raises(UnreadableError, match=r"`HEAD\\nHEAD` names no commit of this repository"):
        start_commit(git(repo), "HEAD\nHEAD").collect()


def test_before_the_first_commit(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "new")
    assert head(git(repo)) is None
    with pytest.raises(NoCommitError, match="`main` names no commit: the repository has none yet"):
        start_tree(git(repo), "main").collect()


def test_the_first_parent(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    assert start_commit(git(repo), "HEAD").collect().first_parent is None
    repo.git("switch", "-q", "-c", "side")
    repo.commit({"side": "x"})
    repo.git("switch", "-q", "main")
    second = repo.commit({"main": "x"}, message="parent of nothing\n\nparent 0000\n")
    assert start_commit(git(repo), "HEAD").collect().first_parent == first
    repo.git("merge", "-q", "--no-ff", "-m", "x", "side")
    assert start_commit(git(repo), "HEAD").collect().first_parent == second


def test_the_day_of_a_commit_is_its_committers_in_utc(repo: Repo) -> None:
    dates = {"GIT_AUTHOR_DATE": "2025-05-05T12:00:00+0000", "GIT_COMMITTER_DATE": "2026-03-31T23:30:00-0300"}
    repo.git("commit", "-q", "--allow-empty", "-m", "committer x <x> 1 +0000", env=dates)
    assert start_commit(git(repo), "HEAD").collect().day == date(2026, 4, 1)


def test_a_commit_without_a_date_has_no_day(repo: Repo, tmp_path: Path) -> None:
    """Such commits come from broken tools; git itself takes them for commits of 1970."""
    text = repo.git("cat-file", "commit", "HEAD")
    for line in ("committer x <x>", "committer x <x> soon", f"committer x <x> {10**18} +0000"):
        (tmp_path / "commit").write_text(re.sub("^committer .*$", line, text, flags=re.MULTILINE) + "\n")
        broken = repo.git("hash-object", "-t", "commit", "-w", "--literally", str(tmp_path / "commit"))
        commit = start_commit(git(repo), broken).collect()
        with pytest.raises(UnreadableError) as caught:
            _ = commit.day
        assert str(caught.value) == f"commit {broken[:12]} has no committer date that can be read"


def test_a_day_begins_at_midnight_in_utc() -> None:
    assert [utc_day(-1), utc_day(0), utc_day(86400)] == [date(1969, 12, 31), date(1970, 1, 1), date(1970, 1, 2)]
    assert [utc_day(10**12), utc_day(-(10**12)), utc_day(10**30)] == [None, None, None]


def test_a_shallow_clone_says_that_it_could_not_look(repo: Repo, tmp_path: Path) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.commit({"x": "x"})
    repo.git("clone", "-q", "--depth=1", f"file://{repo.root}", str(tmp_path / "shallow"))
    shallow = Repo(tmp_path / "shallow")
    assert is_shallow(git(shallow))
    assert not is_shallow(git(repo))
    assert start_commit(git(shallow), "HEAD").collect().first_parent == first
    for rev in (first, "HEAD~1"):
        with pytest.raises(CouldNotLookError) as caught:
            start_tree(git(shallow), rev).collect()
        assert str(caught.value) == f"`{rev}` names no commit in this shallow clone"
        assert "fetch-depth: 0" in caught.value.hint
        assert caught.value.exit_code == 3


def test_a_tree_that_a_partial_clone_left_at_the_server_is_not_fetched(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--no-checkout", "--filter=tree:0", f"file://{repo.root}", str(tmp_path / "part"))
    with pytest.raises(CouldNotLookError, match="commit `HEAD` isn't complete on this machine"):
        start_tree(git(Repo(tmp_path / "part")), "HEAD").collect()


def test_the_last_commits_of_a_folder(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    second = repo.commit({"inventory/x.yaml": "x"})
    repo.commit({"out/x.yaml": "x"})
    repo.commit({"inventory/catalog/c.yaml": "x"})
    third = repo.commit({"inventory/catalog/c.yaml": "y", "inventory/x.yaml": "y"})
    asked = git(repo)
    assert last_commits(asked, 20, "inventory", besides="inventory/catalog") == [third, second, first]
    assert last_commits(asked, 2, "inventory", besides="inventory/catalog") == [third, second]
    assert last_commits(asked, 20, "nowhere", besides="inventory/catalog") == []


def test_a_folder_may_be_called_like_a_pattern(repo: Repo) -> None:
    commit = repo.commit({"in*/x.yaml": "x"})
    assert last_commits(git(repo), 20, "in*", besides="inventory") == [commit]


def test_no_commits_before_the_first(tmp_path: Path) -> None:
    assert last_commits(git(Repo(tmp_path / "new")), 20, "inventory", besides="inventory/catalog") == []
