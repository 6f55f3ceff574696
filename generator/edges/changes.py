"""What differs between a commit and what is judged: paths, from git's own comparison."""

import os

from generator.edges.errors import NoGitError
from generator.edges.git import Git
from generator.edges.history import start_commit
from generator.edges.listing import Listings

_DIFF = ("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", "--relative")


def changed_paths(git: Git, since: str, listings: Listings | None, *, staged: bool, rev: str | None) -> list[str]:
    """Paths relative to the root, sorted; of the work tree untracked ones too. OutsideError as start_commit."""
    begin = start_commit(git, since).collect().id
    if rev is not None:
        arguments: tuple[str, ...] = (begin, start_commit(git, rev).collect().id)
    else:
        arguments = ("--cached", begin) if staged else (begin,)
    found = set(os.fsdecode(git.read(*_DIFF, *arguments, "--")).split("\0")[:-1])
    if rev is None and not staged:
        if listings is None:
            raise NoGitError("git lists no untracked files here", "judge the index with --staged")
        found |= {path for one in listings.covering() for path in (*one.others, *one.intended)}
    return sorted(found)
