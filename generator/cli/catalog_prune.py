"""`drivergate catalog prune`: removes the lines that nobody needs any more."""

import os
from typing import Annotated

import typer

from generator.catalog.need import wishes
from generator.catalog.prune import Past, unneeded
from generator.cli.ledger import open_ledger, refused, revise, told, write
from generator.cli.options import Repositories, ResultFormat, Root
from generator.cli.outcome import CLEAN, NOT_VERIFIED, UNUSABLE, Format, say, unknown_repository
from generator.edges.git.command import Git, git_at
from generator.edges.git.history import is_shallow, last_commits
from generator.edges.git.snapshots import CommitTree
from generator.edges.source import Kind
from generator.layout import INVENTORY
from generator.revision.declaration import declare, without_catalogs

KEEP = 20


def prune(
    repositories: Repositories = None,
    *,
    keep: Annotated[
        int, typer.Option("--keep", metavar="N", min=0, help="Keep what the last N commits of the inventory needed.")
    ] = KEEP,
    yes: Annotated[bool, typer.Option("--yes", help="Remove the lines; without it they are only shown.")] = False,
    root: Root = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Remove the lines of images that neither the inventory nor its last commits ask for; shows them without --yes."""
    ledger = open_ledger(root)
    if ledger.blocking:
        return refused(ledger.blocking, as_json=printed is Format.JSON)
    if unknown_repository(repositories or [], ledger.listed):
        return UNUSABLE
    past, cut = _past(git_at(ledger.root, os.environ), keep) if keep else ([], "")
    listed = {name: lines for name, lines in ledger.listed.items() if not repositories or name in repositories}
    changes = unneeded(listed, wishes(ledger.fleet), past)
    for one in past:
        if one.unread:
            what = "every image whose kernel or version it names is kept"
            say(f"note: commit {one.commit[:12]} can't be read whole: {what}")
    if cut:
        say(f"note: {cut}")
    made = revise(ledger, changes, tidy=True)
    done = yes and not cut
    if done:
        write(ledger, made)
    told(changes, made, done=done, as_json=printed is Format.JSON)
    if changes and not done:
        say("nothing is written" if yes else "nothing is written; remove them with --yes")
    return NOT_VERIFIED if yes and cut else CLEAN


def _past(git: Git, keep: int) -> tuple[list[Past], str]:
    """What earlier commits needed, newest first, and why that may not be all of it."""
    # A commit that only brings the catalog up to date needs nothing that the one before it doesn't.
    commits = last_commits(git, keep, INVENTORY, besides=f"{INVENTORY}/catalog")
    cut = ""
    if len(commits) < keep and is_shallow(git):
        cut = (
            f"the clone is shallow: {len(commits)} of the last {keep} commits of {INVENTORY}/ are here; fetch the "
            f"others with `git fetch --unshallow`, or say --keep {len(commits)}"
        )
    return [_of_commit(git, commit) for commit in commits], cut


def _of_commit(git: Git, commit: str) -> Past:
    source = CommitTree(git, commit, INVENTORY)
    files = source.read([one.path for one in source.paths(INVENTORY) if one.kind is Kind.FILE])
    ours = without_catalogs(files)
    declaration = declare(ours, day=source.commit.day)
    text = b"\n".join(ours.values()).decode("utf-8", "replace") if declaration.blocking else ""
    return Past(commit=commit, wishes=wishes(declaration.fleet), unread=text)
