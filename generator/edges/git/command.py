"""Runs git's own command line at a root, and says in one line what it refuses. It never writes.

A hook runs with GIT_DIR, GIT_INDEX_FILE and others set, and they may speak of another repository than ours.
So the repository is always discovered from the root; only the index that is being committed is kept.
"""

import os
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from msgspec import Struct

from generator.edges.errors import CouldNotLookError, NoGitError, OutsideError, UnreadableError
from generator.edges.process import Child, Output
from generator.words import printable

T = TypeVar("T")

# No monitor is started, and none is asked, for a listing that takes milliseconds.
_SETTINGS = ("-c", "core.fsmonitor=false")

# Where git and its settings are, not which repository. Numbered settings carry `safe.directory` in many CI
# containers; pre-commit keeps the same ones (pre_commit/git.py, no_git_env).
_KEPT = frozenset({
    "GIT_EXEC_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_COUNT",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
})  # fmt: skip
_KEPT_PREFIXES = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")

_OURS = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",  # the user's index is never written
    "GIT_LITERAL_PATHSPECS": "1",  # a folder may be called `*`
    "GIT_TERMINAL_PROMPT": "0",
    # The gate works offline: a partial clone must not fetch what it lacks. Only git 2.45 and later know the
    # first.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
}


class Git(Struct, frozen=True):
    """The command, run at a root with an environment that speaks of no other repository; made by `git_at`."""

    root: str
    environment: dict[str, str]

    def start(self, *arguments: str, stdin: bytes = b"") -> Child:
        """Start git; raise NoGitError where it can't be found."""
        argv = ("git", "-C", self.root, *_SETTINGS, *arguments)
        try:
            return Child(argv, self.environment, stdin)
        except OSError as error:
            raise NoGitError("git can't be started: is it installed?", "install git and put it on PATH") from error

    def run(self, *arguments: str, stdin: bytes = b"") -> Output:
        """Run git to its end, whatever its exit code."""
        return self.start(*arguments, stdin=stdin).collect()

    def read(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """What git prints; raise what `refusal` makes of a failure."""
        return self.checked(self.run(*arguments, stdin=stdin))

    def checked(self, output: Output) -> bytes:
        """The standard output of a run that went well."""
        if output.code:
            raise self.refusal(output)
        return output.stdout

    def refusal(self, output: Output) -> OutsideError:
        """What a failed run means."""
        where, first = printable(self.root), output.complaint
        if "not a git repository" in first:
            return NoGitError(f"`{where}` is in no git repository", "run `git init`, or read the work tree instead")
        if "dubious ownership" in first or "unsafe repository" in first:
            return NoGitError(
                f"git refuses `{where}`: the repository belongs to another user",
                "run `git config --global --add safe.directory DIR` with the path of the repository",
            )
        if b"promisor remote" in output.stderr:
            return CouldNotLookError(
                f"`{where}` is a partial clone, and a content that is needed isn't on this machine",
                "fetch it first: a partial clone leaves contents at the server",
            )
        return UnreadableError(f"git can't read `{where}`: {first}", f"run `git -C {where} status` to see more")


class Pending(Generic[T]):
    """What a git process finds out meanwhile. `collect` waits, and answers or raises the same each time."""

    def __init__(self, start: Callable[[], Child], finish: Callable[[Output], T]) -> None:
        self._finish = finish
        self._child: Child | None = None
        self._error: OutsideError | None = None
        self._answer: list[T] = []
        try:
            self._child = start()
        except OutsideError as error:
            self._error = error

    def collect(self) -> T:
        """The answer; raises OutsideError where git refuses."""
        if self._child is not None:
            child, self._child = self._child, None
            try:
                self._answer.append(self._finish(child.collect()))
            except OutsideError as error:
                self._error = error
        if self._error is not None:
            raise self._error
        return self._answer[0]


def git_at(root: str, environ: Mapping[str, str]) -> Git:
    """Make git for a root. A process runs only where a hook named an index: is it this repository's?"""
    git = Git(root, scrubbed(environ))
    if "GIT_INDEX_FILE" not in environ:
        return git
    try:
        output = git.run("rev-parse", "--show-cdup", "--absolute-git-dir")
    except NoGitError:
        return git  # whoever needs git is told so by its first use
    if output.code:
        return git
    up, _, git_dir = os.fsdecode(output.stdout).removesuffix("\n").partition("\n")
    index = committed_index(environ, os.path.realpath(f"{root}/{up}"), git_dir)
    return git if index is None else Git(root, git.environment | {"GIT_INDEX_FILE": index})


def scrubbed(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without any word about a repository."""
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith("GIT_") or name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    return kept | _OURS


def committed_index(environ: Mapping[str, str], top: str, git_dir: str) -> str | None:
    """The index file that a running `git commit` builds, where it belongs to this very git directory.

    `git commit PATH` builds `next-index-PID.lock` and names it absolutely; `git commit` names `.git/index`
    relative to the work tree's top. A linked work tree's git directory lies in the main one's, so the file
    must be a direct child.
    """
    named = environ.get("GIT_INDEX_FILE", "")
    theirs = environ.get("GIT_DIR", "")
    if not named or (theirs and not _same(theirs, top, git_dir)):
        return None
    for path in (named, f"{top}/{named}"):
        if os.path.isfile(path):  # noqa: PTH113 - text all the way
            index = os.path.realpath(path)
            return index if index.rpartition("/")[0] == os.path.realpath(git_dir) else None
    return None


def _same(named: str, top: str, git_dir: str) -> bool:
    paths = {os.path.realpath(named), os.path.realpath(f"{top}/{named}")}
    return os.path.realpath(git_dir) in paths


def below_top(git: Git) -> str:
    """How the root lies below the top of its work tree: "" or a path that ends in "/"."""
    try:
        output = git.run("rev-parse", "--show-prefix")
    except NoGitError:
        return ""
    return "" if output.code else os.fsdecode(output.stdout).removesuffix("\n")
