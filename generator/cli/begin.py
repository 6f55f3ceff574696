"""The first steps of a run: git is asked before anything heavy is imported, and answers meanwhile."""

import os
from collections.abc import Mapping

from msgspec import Struct

from generator.edges.errors import CouldNotLookError, UnreadableError
from generator.edges.files import WorkTree, find_root
from generator.edges.git.command import Git, Pending, git_at
from generator.edges.git.history import first_parent, start_tree
from generator.edges.git.listing import Listings
from generator.edges.git.snapshots import CommitTree, Index
from generator.edges.source import Elsewhere, Entry, Source, Sourced
from generator.layout import BASELINE, INPUTS, OUT, SOURCES_LOCK


class Wanted(Struct, frozen=True, kw_only=True):
    """What the command line asks to judge. `against` None means the default revision, where one is compared at all.

    `shard` is the number of a part, from 1, and how many there are.
    """

    root: str | None = None
    staged: bool = False
    rev: str | None = None
    against: str | None = None
    clusters: frozenset[str] = frozenset()
    changed_since: str | None = None
    shard: tuple[int, int] | None = None
    allow_remove: frozenset[str] | None = None
    compare: bool = True


class Begun(Struct, frozen=True, kw_only=True):
    """What was asked. `tree` is out/ of the revision `against`, None where there is nothing to compare with."""

    wanted: Wanted
    root: str
    git: Git
    listings: Listings | None
    source: Source
    against: str
    tree: Pending[dict[str, Entry]] | None


def begin(wanted: Wanted) -> Begun:
    """Finds the repository and asks git for everything at once. OutsideError where the outside says no."""
    if wanted.rev == "":
        raise UnreadableError("--rev is empty", "name a commit, a branch or a tag")
    for option, revision in (("--against", wanted.against), ("--changed-since", wanted.changed_since)):
        if revision == "":
            hint = "name a revision; `git merge-base` prints none where it fails"
            raise CouldNotLookError(f"{option} is empty", hint)
    root = find_root(wanted.root)
    git = git_at(root, os.environ)
    source, listings = opened(root, git, (*INPUTS, OUT, BASELINE), staged=wanted.staged, rev=wanted.rev)
    against = _against(git, wanted) if wanted.compare else None
    return Begun(
        wanted=wanted,
        root=root,
        git=git,
        listings=listings,
        source=source,
        against=against or "",
        tree=start_tree(git, against, OUT) if against else None,
    )


def opened(
    root: str, git: Git, folders: tuple[str, ...], *, staged: bool, rev: str | None
) -> tuple[Source, Listings | None]:
    """The source that is asked for with what it pins elsewhere, and git's listing where it is that of the present."""
    folders = (*folders, SOURCES_LOCK)
    if rev is not None:
        return Sourced(CommitTree(git, rev, *folders), _pinned), None
    listings = Listings(git, *folders)
    return Sourced(Index(listings) if staged else WorkTree(root, listings), _pinned), listings


def _pinned(data: bytes) -> Mapping[str, Elsewhere]:
    from generator.cli.sourcing import opened_lock

    return opened_lock(data)


def _against(git: Git, wanted: Wanted) -> str | None:
    """HEAD, or with a commit its first parent, which the first commit of all doesn't have; or where a change began."""
    if wanted.against is not None:
        return wanted.against
    if wanted.changed_since is not None:
        return wanted.changed_since
    return first_parent(git, wanted.rev) if wanted.rev else "HEAD"
