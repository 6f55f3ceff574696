"""What lies in the work tree but not in the index, and contents by their object ids."""

import os
from pathlib import Path

import pytest

from generator.edges.git.command import git_at
from generator.edges.git.listing import (
    EMPTY_BLOBS,
    EMPTY_TREES,
    Listings,
    Untracked,
    algorithm_of,
    blob_id,
    read_blobs,
    untracked,
)
from tests.testing.gitrepo import Repo


def listings(root: str, *folders: str) -> Listings:
    return Listings(git_at(root, os.environ), *folders)


def test_nothing_is_untracked_after_a_commit(repo: Repo) -> None:
    assert untracked(listings(repo.root, "inventory"), "inventory") == []


def test_untracked_files_with_ignored_and_announced_ones(repo: Repo) -> None:
    repo.commit({".gitignore": "*.swp\ncache/\n"})
    repo.write(
        {
            "inventory/new image.yaml": "x",
            "inventory/a.swp": "x",
            "inventory/cache/deep/x.yaml": "x",
            "inventory/announced.yaml": "x",
            "inventory/.123.drivergate-tmp": "x",
            "out/new.yaml": "x",
        }
    )
    repo.git("add", "-N", "inventory/announced.yaml")
    Repo(repo.path / "inventory/nested")
    known = listings(repo.root, "inventory", "out")
    assert untracked(known, "inventory") == [
        Untracked("inventory/a.swp", ignored=True),
        Untracked("inventory/announced.yaml", ignored=False),
        Untracked("inventory/cache/deep/x.yaml", ignored=True),
        Untracked("inventory/nested", ignored=False),
        Untracked("inventory/new image.yaml", ignored=False),
    ]
    assert untracked(known, "out") == [Untracked("out/new.yaml", ignored=False)]


def test_folders_asked_for_later(repo: Repo) -> None:
    repo.write({"bases/policy.yaml": "x", "out/b.yaml": ""})
    known = listings(repo.root, "inventory")
    assert untracked(known, "bases") == [Untracked("bases/policy.yaml", ignored=False)]
    assert [u.path for u in untracked(known)] == ["bases/policy.yaml", "out/b.yaml"]


def test_a_root_below_the_top_of_its_repository(tmp_path: Path) -> None:
    mono = Repo(tmp_path / "mono")
    mono.commit({"gpu/inventory/a.yaml": "", ".gitignore": "*.log"})
    mono.write({"gpu/inventory/b.yaml": "x", "gpu/inventory/c.log": "x", "inventory/d.yaml": "x"})
    assert untracked(listings(f"{mono.root}/gpu", "inventory"), "inventory") == [
        Untracked("inventory/b.yaml", ignored=False),
        Untracked("inventory/c.log", ignored=True),
    ]


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_ids_are_those_of_git(tmp_path: Path, algorithm: str) -> None:
    repo = Repo(tmp_path / algorithm, f"--object-format={algorithm}")
    for content in (b"", b"kind: Fleet\n", b"\0\xff\r\n" * 40_000):
        repo.write({"file": content})
        told = repo.git("hash-object", "file")
        assert blob_id(content, algorithm) == told
        assert algorithm_of(told) == algorithm
        assert (told in EMPTY_BLOBS) == (content == b"")
    assert repo.git("write-tree") == EMPTY_TREES[len(told)]


def test_contents_come_back_byte_for_byte(repo: Repo) -> None:
    contents = [b"", b"\n", b"\r\n", b"no end", b"\0" * 300_000, b"deadbeef missing\n"]
    blobs = {}
    for content in contents:
        repo.write({"file": content})
        blobs[repo.git("hash-object", "-w", "--no-filters", "file")] = content
    git = git_at(repo.root, os.environ)
    assert read_blobs(git, [*blobs, *blobs]) == blobs
    assert read_blobs(git, []) == {}


def test_an_object_that_is_not_there_is_left_out(repo: Repo) -> None:
    there = repo.git("rev-parse", "HEAD:out/a.yaml")
    assert read_blobs(git_at(repo.root, os.environ), ["0" * 39 + "1", there]) == {there: b"c\n"}
