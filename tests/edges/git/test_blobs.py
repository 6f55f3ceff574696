import os
from pathlib import Path

import pytest

from generator.edges.git.blobs import EMPTY_BLOBS, EMPTY_TREES, algorithm_of, blob_id, read_blobs
from generator.edges.git.command import git_at
from tests.testing.gitrepo import Repo


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
