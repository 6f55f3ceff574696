"""Which files differ between a commit and another one, the index or the work tree: git compares them by their ids."""

import os

from msgspec import Struct

from generator.edges.errors import NoGitError
from generator.edges.git.command import Git, Pending
from generator.edges.git.history import Commit, commit_argument, start_commit
from generator.edges.git.listing import KINDS, Listings
from generator.edges.process import Child, Output
from generator.edges.source import Kind

SETTINGS = ("-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--relative", "--ignore-submodules=dirty")


class Differing(Struct, frozen=True):
    """One path. The ids of a file's content, "" where there is no file; `after` is None where only the disk knows."""

    path: str
    before: str
    after: str | None


class Difference:
    """Asked for at once, heard when it is needed. `head` None is the index, or the work tree but untracked files."""

    def __init__(self, git: Git, base: str, head: str | None, *exclude: str, staged: bool = False) -> None:
        self._git = git
        self._base = start_commit(git, base)
        self._head = start_commit(git, head) if head is not None else None
        self._exclude = tuple(f"{folder}/" for folder in exclude)
        self._pending = Pending(lambda: _start(git, base, head, staged=staged), self._finish)

    @property
    def base(self) -> Commit:
        """The commit that is compared with. OutsideError where there is none of that name."""
        return self._base.collect()

    @property
    def head(self) -> Commit | None:
        """The commit that is looked at; None for the work tree."""
        return self._head.collect() if self._head is not None else None

    def collect(self) -> list[Differing]:
        """The paths, in git's order. What is wrong with a revision is said of that revision."""
        _ = self.base, self.head
        return self._pending.collect()

    def _finish(self, output: Output) -> list[Differing]:
        return [one for one in _parse(self._git.checked(output)) if not one.path.startswith(self._exclude)]


def changed_paths(git: Git, since: str, listings: Listings | None, *, staged: bool, rev: str | None) -> list[str]:
    """Paths relative to the root, sorted; of the work tree untracked ones too. OutsideError as start_commit."""
    found = {one.path for one in Difference(git, since, rev, staged=staged).collect()}
    if rev is None and not staged:
        if listings is None:
            raise NoGitError("git lists no untracked files here", "judge the index with --staged")
        found |= {path for one in listings.covering() for path in (*one.others, *one.intended)}
    return sorted(found)


def _start(git: Git, base: str, head: str | None, *, staged: bool) -> Child:
    # git diff rather than diff-index: a file that was only touched is the same for it.
    named = [commit_argument(rev) for rev in (base, head) if rev is not None]
    return git.start(
        "-c", "diff.autoRefreshIndex=true", "diff", *SETTINGS, *(["--cached"] if staged else []), *named, "--"
    )


def _parse(raw: bytes) -> list[Differing]:
    """Records are `:MODE MODE ID ID STATUS<nul>PATH<nul>`; an id of zeros is none, or one that git doesn't know."""
    parts = os.fsdecode(raw).split("\0")[:-1]
    found: dict[str, Differing] = {}
    for about, path in zip(parts[::2], parts[1::2], strict=True):
        old, new, before, after, status = about[1:].split(" ")
        known = None if not after.strip("0") and status != "D" else after
        found[path] = Differing(path, _blob(old, before), "" if _is_no_file(new) else known)
    return list(found.values())


def _blob(mode: str, blob: str) -> str:
    return "" if _is_no_file(mode) else blob


def _is_no_file(mode: str) -> bool:
    return KINDS.get(mode) is not Kind.FILE
