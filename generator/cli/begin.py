"""The first steps of a run: git is asked before anything heavy is imported, and answers meanwhile."""

import os
from collections.abc import Mapping
from datetime import UTC, date, datetime

from msgspec import Struct

from generator.documents.scalar import named_day
from generator.edges.errors import CouldNotLookError, UnreadableError
from generator.edges.files import WorkTree, find_root
from generator.edges.git.command import Git, Pending, git_at
from generator.edges.git.history import SHORT, Base, named_base, start_tree, synced_base
from generator.edges.git.listing import Listings
from generator.edges.git.snapshots import CommitTree, Index
from generator.edges.source import Elsewhere, Entry, Source, Sourced
from generator.layout import BASELINE, INPUTS, INVENTORY, OUT, SOURCES_LOCK
from generator.words import printable


class Wanted(Struct, frozen=True, kw_only=True):
    """What the command line asks to judge. `against` None means the default revision, where one is compared at all.

    `shard` is the number of a part, from 1, and how many there are.
    """

    root: str | None = None
    staged: bool = False
    rev: str | None = None
    today: str | None = None
    against: str | None = None
    clusters: frozenset[str] = frozenset()
    changed_since: str | None = None
    shard: tuple[int, int] | None = None
    allow_remove: frozenset[str] | None = None
    compare: bool = True
    scheduled: bool = False
    observed: tuple[str, ...] = ()
    merged: bool = False
    synced: str | None = None


class Opened(Struct, frozen=True, kw_only=True):
    """A state of the repository that can be read.

    `listings` are git's of the work tree and the index, None for a commit, which is the `snapshot`. `today` is the day
    that counts where it is none.
    """

    source: Source
    listings: Listings | None
    snapshot: CommitTree | None
    today: date

    @property
    def day(self) -> date:
        """The day that it is judged on: a commit's own, which git is asked for meanwhile."""
        return self.snapshot.commit.day if self.snapshot is not None else self.today


class Begun(Struct, frozen=True, kw_only=True):
    """What was asked. `tree` is what the revision `against` holds of inventory/ and out/; None without such a one."""

    wanted: Wanted
    root: str
    git: Git
    opened: Opened
    against: Base | None
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
    state = opened(root, git, (*INPUTS, OUT, BASELINE), staged=wanted.staged, rev=wanted.rev, today=wanted.today)
    against = _against(git, state, wanted) if wanted.compare else None
    return Begun(
        wanted=wanted,
        root=root,
        git=git,
        opened=state,
        against=against,
        tree=start_tree(git, against.rev, INVENTORY, OUT, SOURCES_LOCK) if against else None,
    )


def opened(
    root: str,
    git: Git,
    folders: tuple[str, ...],
    *,
    staged: bool = False,
    rev: str | None = None,
    today: str | None = None,
) -> Opened:
    """The state that is asked for, with what it pins elsewhere. UnreadableError for a `today` that is no date."""
    day = _day(today, rev)
    folders = (*folders, SOURCES_LOCK)
    if rev is not None:
        snapshot = CommitTree(git, rev, *folders)
        return Opened(source=Sourced(snapshot, _pinned), listings=None, snapshot=snapshot, today=day)
    listings = Listings(git, *folders)
    tree = Index(listings) if staged else WorkTree(root, listings)
    return Opened(source=Sourced(tree, _pinned), listings=listings, snapshot=None, today=day)


def machine_day() -> date:
    """The date of this machine; in UTC, so that a commit that is made now has the same day."""
    return datetime.now(UTC).date()


def _day(today: str | None, rev: str | None) -> date:
    """The day that --today names, else the machine's. UnreadableError for what is no date, or beside a commit."""
    if today is None:
        return machine_day()
    day = named_day(today)
    if day is None:
        raise UnreadableError(f'--today "{printable(today)}" is no date', "write it like 2026-03-31")
    if rev is not None:
        message = "--today is the day of the work tree or the index; a commit is judged on the day of its own date"
        raise UnreadableError(message, "leave --today out")
    return day


def _pinned(data: bytes) -> Mapping[str, Elsewhere]:
    from generator.cli.sourcing import opened_lock

    return opened_lock(data)


def _against(git: Git, state: Opened, wanted: Wanted) -> Base | None:
    """What clusters are taken to run; of a commit its first parent, which the first commit of all doesn't have."""
    if wanted.against is not None:
        return named_base(wanted.against)
    if wanted.changed_since is not None:
        return named_base(wanted.changed_since)
    if state.snapshot is None:
        return synced_base(git)
    parent = state.snapshot.commit.first_parent
    return None if parent is None else Base(parent, f"{parent[:SHORT]} (first parent of {wanted.rev})")
