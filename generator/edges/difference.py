"""Which files differ between a commit and another one, or the work tree: git compares what it knows by its ids."""

import os

from msgspec import Struct

from generator.edges.git import Git, Pending
from generator.edges.history import Commit, start_commit
from generator.edges.listing import KINDS
from generator.edges.process import Child, Output
from generator.edges.source import Kind

SETTINGS = ("-r", "-z", "--raw", "--no-renames", "--relative", "--no-abbrev", "--ignore-submodules=all")


class Differing(Struct, frozen=True):
    """One path. The ids of a file's content, "" where there is no file; `after` is None where only the disk knows."""

    path: str
    before: str
    after: str | None


class Difference:
    """Asked for at once, heard when it is needed. `head` None is the work tree, untracked files apart."""

    def __init__(self, git: Git, base: str, head: str | None, *exclude: str) -> None:
        self._git = git
        self._base = start_commit(git, base)
        self._head = start_commit(git, head) if head is not None else None
        self._exclude = tuple(f"{folder}/" for folder in exclude)
        self._pending = Pending(lambda: _start(git, base, head), self._finish)

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


def _start(git: Git, base: str, head: str | None) -> Child:
    # A name that begins with a dash was refused before anybody hears this one.
    named = [f"{base}^{{commit}}"] if head is None else [f"{base}^{{commit}}", f"{head}^{{commit}}"]
    command = "diff-index" if head is None else "diff-tree"
    return git.start(command, *SETTINGS, "--end-of-options", *named, "--")


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
