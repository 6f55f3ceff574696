import os
from datetime import date
from pathlib import Path

from generator.edges.git.command import Git, git_at
from generator.edges.git.since import first_declared
from tests.testing.gitrepo import Repo

DATES = ("2026-01-01T00:00:00+00:00", "2026-01-11T00:00:00+00:00", "2026-01-31T00:00:00+00:00")


def dated(repo: Repo, text: str, day: str) -> None:
    repo.write({"inventory/image.yaml": text})
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "x", env={"GIT_COMMITTER_DATE": day, "GIT_AUTHOR_DATE": day})


def git(repo: Repo) -> Git:
    return git_at(repo.root, os.environ)


def test_the_first_commit_that_says_it_counts(repo: Repo) -> None:
    dated(repo, "kernels: [6.8.0-106-generic]\n", DATES[0])
    dated(repo, "kernels: [6.8.0-106-generic, 5.14.0-1.el9.aarch64+64k]\n", DATES[1])
    dated(repo, "kernels: [5.14.0-1.el9.aarch64+64k]\n", DATES[2])
    found = first_declared(git(repo), ["6.8.0-106-generic", "5.14.0-1.el9.aarch64+64k", "7.0.0-1-generic"], "inventory")
    assert found.first == {
        "6.8.0-106-generic": date(2026, 1, 1),
        "5.14.0-1.el9.aarch64+64k": date(2026, 1, 11),
    }
    assert found.whole
    earlier = first_declared(git(repo), ["5.14.0-1.el9.aarch64+64k"], "inventory", until="HEAD~2")
    assert earlier.first == {}


def test_a_longer_kernel_is_another_one(repo: Repo) -> None:
    dated(repo, "kernels: [6.8.0-1060-aws-fips]\n", DATES[0])
    assert first_declared(git(repo), ["6.8.0-1060-aws", "0-1060-aws-fips"], "inventory").first == {}


def test_a_shallow_clone_says_so(repo: Repo, tmp_path: Path) -> None:
    dated(repo, "kernels: [6.8.0-106-generic]\n", DATES[0])
    dated(repo, "kernels: [6.8.0-106-generic] # more\n", DATES[1])
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.root}", str(tmp_path / "shallow"))
    found = first_declared(git_at(str(tmp_path / "shallow"), os.environ), ["6.8.0-106-generic"], "inventory")
    assert not found.whole
    assert found.first == {"6.8.0-106-generic": date(2026, 1, 11)}


def test_nothing_is_asked_for(repo: Repo) -> None:
    dated(repo, "x: y\n", DATES[2])
    assert first_declared(git(repo), [], "inventory").first == {}
