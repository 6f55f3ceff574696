"""Commits: what a revision names, what its tree holds, what came before it, and what clusters are taken to run."""

import os
import re
from datetime import UTC, date, datetime

from msgspec import Struct

from generator.edges.errors import CouldNotLookError, NoCommitError, OutsideError, UnreadableError
from generator.edges.git.command import Git, Pending
from generator.edges.git.listing import KINDS
from generator.edges.process import Child, Output
from generator.edges.source import Entry, Kind, inside
from generator.words import printable

SHORT = 12
ORIGIN = "refs/remotes/origin/HEAD"
WHOLE_ID = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
NAMED = ("refs/heads", "refs/remotes", "refs/tags")


class Commit(Struct, frozen=True):
    """A commit by its full id, with the lines above its message as git stores them."""

    id: str
    headers: bytes

    @property
    def short(self) -> str:
        """Enough digits for a reader; asking git for the fewest would need a process of its own."""
        return self.id[:SHORT]

    @property
    def first_parent(self) -> str | None:
        """The full id of the first parent; None for a first commit.

        Read from the commit itself: at the border of a shallow clone git's own `REV^` says that there is none.
        """
        for line in self.headers.splitlines():
            if line.startswith(b"parent "):
                return line.removeprefix(b"parent ").decode()
        return None

    @property
    def day(self) -> date:
        """The day of the committer date, in UTC. UnreadableError where the commit holds none."""
        committer = re.search(rb"^committer .*> (-?[0-9]+)(?: |$)", self.headers, re.MULTILINE)
        day = utc_day(int(committer[1])) if committer is not None else None
        if day is None:
            message = f"commit {self.short} has no committer date that can be read"
            raise UnreadableError(message, "name another commit; `git fsck` says what is wrong with this one")
        return day


def utc_day(seconds: int) -> date | None:
    """The day, in UTC, of a time in seconds since 1970; None outside the years 1 to 9999."""
    try:
        return datetime.fromtimestamp(seconds, UTC).date()
    except (ValueError, OverflowError, OSError):
        return None


def start_commit(git: Git, rev: str) -> Pending[Commit]:
    """Ask what a revision names and go on."""

    def start() -> Child:
        argument = commit_argument(rev)
        if "\n" in argument:  # to cat-file that would be two names
            raise _unknown(rev)
        return git.start("cat-file", "--batch", stdin=os.fsencode(f"{argument}\n"))

    def finish(output: Output) -> Commit:
        found = re.match(rb"([0-9a-f]+) commit [0-9]+\n", output.stdout)
        if found is None:
            raise _explained(git, rev, output)
        headers, _, _ = output.stdout[found.end() :].partition(b"\n\n")
        return Commit(found[1].decode(), headers)

    return Pending(start, finish)


def head(git: Git) -> Commit | None:
    """What HEAD names; None before the first commit."""
    try:
        return start_commit(git, "HEAD").collect()
    except NoCommitError:
        return None


def is_shallow(git: Git) -> bool:
    """Whether the clone holds only the newest commits."""
    return git.read("rev-parse", "--is-shallow-repository").strip() == b"true"


def last_commits(git: Git, count: int, folder: str, *, besides: str) -> list[str]:
    """The full ids of the newest commits of HEAD that changed a folder, newest first; none without commits.

    Commits that changed only the one folder `besides` don't count.
    """
    if head(git) is None:
        return []
    paths = (f":(literal){folder}", f":(exclude,literal){besides}")
    log = ("log", f"--max-count={count}", "--format=%H", "HEAD", "--", *paths)
    return git.read("--no-literal-pathspecs", *log).decode().split()


def branches_and_tags(git: Git) -> list[str]:
    """Short names of all branches and tags, sorted; those of remotes as origin/main."""
    names = git.read("for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
    return sorted(names.decode("utf-8", "replace").split())


def start_tree(git: Git, rev: str, *folders: str) -> Pending[dict[str, Entry]]:
    """Ask what a commit holds below these folders of the root (none: all of it) and go on."""

    def finish(output: Output) -> dict[str, Entry]:
        if output.code:
            raise _explained(git, rev, output)
        return _parse(output.stdout)

    wanted = [folder for folder in map(inside, folders) if folder]
    return Pending(lambda: git.start("ls-tree", "-r", "-z", commit_argument(rev), "--", *wanted), finish)


def commit_argument(rev: str) -> str:
    """The argument for git. No name of a commit starts so; git would see an option, or an exclusion."""
    if rev.startswith(("-", "^")):
        raise _unknown(rev)
    return f"{rev}^{{commit}}"


def _parse(raw: bytes) -> dict[str, Entry]:
    """Records are `MODE TYPE ID<tab>PATH`."""
    entries = {}
    for record in os.fsdecode(raw).split("\0")[:-1]:
        about, _, path = record.partition("\t")
        mode, _, blob = about.split(" ")
        entries[path] = Entry(path, KINDS.get(mode, Kind.OTHER), blob)
    return entries


def _explained(git: Git, rev: str, output: Output) -> OutsideError:
    """Why a revision can't be read; asked only after the failure."""
    looked = git.run("rev-parse", "--git-dir")
    if looked.code:
        return git.refusal(looked)
    if git.run("rev-parse", "-q", "--verify", commit_argument(rev)).code == 0:
        return CouldNotLookError(
            f"commit `{printable(rev)}` isn't complete on this machine: {output.complaint}",
            "fetch its objects first, or run `git fsck`",
        )
    if git.run("rev-parse", "-q", "--verify", "HEAD^{commit}").code:
        return NoCommitError(f"`{printable(rev)}` names no commit: the repository has none yet", "commit first")
    if is_shallow(git):
        return CouldNotLookError(
            f"`{printable(rev)}` names no commit in this shallow clone",
            "fetch the history with `git fetch --unshallow`, or `fetch-depth: 0` in CI",
        )
    return _unknown(rev)


def _unknown(rev: str) -> UnreadableError:
    message = f"`{printable(rev)}` names no commit of this repository"
    if ".." in rev:
        return UnreadableError(message, "name one commit; where two histories part is what git merge-base prints")
    return UnreadableError(message, "name a branch, a tag or a commit, and fetch it first if it is elsewhere")


class Base(Struct, frozen=True):
    """A revision to compare with, and how a reader is told which it is; `branch` where it is that of an upstream."""

    rev: str
    label: str
    branch: str = ""


def merged_since(git: Git, base: str, head: str, *folders: str) -> tuple[str, ...]:
    """The commits after `base` and before `head` on its line of first parents that change these folders, oldest first.

    CouldNotLookError where `base` is not an ancestor of `head`, or the history isn't here.
    """
    if git.run("merge-base", "--is-ancestor", base, head).code:
        message = f"`{printable(base)}` is no ancestor of `{printable(head)}`, as far as this clone knows"
        hint = "name a commit that was merged before it, and fetch the history (fetch-depth: 0 in CI)"
        raise CouldNotLookError(message, hint)
    listed = git.read("rev-list", "--first-parent", "--reverse", f"{base}..{head}", "--", *folders)
    judged = git.read("rev-parse", f"{head}^{{commit}}").decode().strip()
    return tuple(commit for commit in listed.decode().split() if commit != judged)


def first_parents(git: Git, rev: str, *folders: str) -> tuple[str, ...]:
    """The commits up to this one on its line of first parents that change these folders, newest first."""
    listed = git.read("rev-list", "--first-parent", commit_argument(rev), "--", *folders)
    return tuple(listed.decode().split())


def between(git: Git, one: str, other: str, *folders: str) -> tuple[str, ...]:
    """The commits between two on the line of first parents of the later, which change these folders; none if apart."""
    for first, last in ((one, other), (other, one)):
        if git.run("merge-base", "--is-ancestor", first, last).code == 0:
            return merged_since(git, first, last, *folders)
    return ()


def followed_commit(git: Git, revision: str, head: str) -> str | None:
    """The commit that whoever follows this branch, tag or commit runs; None where this clone doesn't know it.

    Of a branch it is what `head` has in common with it, since what is merged there comes to clusters; its tip where
    there is no `head`. A branch of an upstream counts before one of this clone.
    """
    listed = git.run("for-each-ref", "--format=%(refname)", f"refs/remotes/*/{revision}", f"refs/heads/{revision}")
    branches = sorted(listed.stdout.decode("utf-8", "replace").split(), reverse=True) if listed.code == 0 else []
    named = git.run("rev-parse", "-q", "--verify", commit_argument(branches[0] if branches else revision))
    if named.code:
        return None
    commit = named.stdout.decode().strip()
    if not branches or not head:
        return commit
    common = git.run("merge-base", head, commit)
    return common.stdout.decode().strip() if common.code == 0 else None


def shown(git: Git, rev: str) -> str:
    """A revision for people: of a whole commit id its first letters, and a branch or tag that is at it."""
    if not WHOLE_ID.fullmatch(rev):
        return rev
    listed = git.run("for-each-ref", "--points-at", rev, "--format=%(refname:short)", "--count=1", *NAMED)
    name = listed.stdout.decode("utf-8", "replace").strip() if listed.code == 0 else ""
    return f"{rev[:SHORT]} ({name})" if name else rev[:SHORT]


def known_branches(git: Git) -> tuple[str, ...]:
    """The upstream's default branch, and the one that is checked out; nothing where no upstream is known."""
    default = synced_base(git).branch
    if not default:
        return ()
    checked_out = git.run("symbolic-ref", "-q", "--short", "HEAD")
    here = checked_out.stdout.decode("utf-8", "replace").strip() if checked_out.code == 0 else ""
    return tuple(dict.fromkeys(name for name in (default, here) if name))


def named_base(rev: str) -> Base:
    """A revision that the reader named."""
    return Base(rev, rev)


def synced_base(git: Git) -> Base:
    """The merge base of HEAD and the default branch of the upstream; HEAD where no such branch is known here.

    What is merged is what Argo CD or Flux brings to clusters; commits of this clone alone are not.
    """
    here = Base("HEAD", "HEAD")
    try:
        listed = git.read("for-each-ref", "--format=%(refname) %(symref:short)", "refs/remotes/*/HEAD")
        remotes = dict(line.split(" ", 1) for line in listed.decode("utf-8", "replace").splitlines() if " " in line)
        if len(remotes) != 1 and ORIGIN not in remotes:
            return here
        ref = ORIGIN if ORIGIN in remotes else next(iter(remotes))
        found = git.run("merge-base", "HEAD", ref)
    except OutsideError:
        return here
    commit = found.stdout.decode().strip()
    if found.code or not commit:
        return here
    branch = remotes[ref].partition("/")[2]
    return Base(commit, f"{commit[:SHORT]} (merge base with {remotes[ref]})", branch)


def compared_base(git: Git) -> Base:
    """What a change is compared with where nobody says it.

    That is the merge base with the upstream's default branch; on that branch itself, or without an upstream, HEAD while
    the work tree differs from it, and the commit before HEAD where it doesn't. UnreadableError where there is none.
    """
    here = start_commit(git, "HEAD").collect()
    base = synced_base(git)
    if base.rev not in {"HEAD", here.id}:
        return base
    if git.read("status", "--porcelain", "--untracked-files=all").strip():
        return Base("HEAD", "HEAD")
    if here.first_parent is None:
        raise UnreadableError(
            "there is nothing to compare with: the first commit is the only one, and the work tree is as it is",
            "name a commit: drivergate diff BASE",
        )
    return Base(here.first_parent, "HEAD~1")
