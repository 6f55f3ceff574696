"""Other repositories that an inventory is read from: bare copies in the user's cache, each commit kept by its id.

What is pinned and was fetched once is read without a network. Git is given a URL only with the transports that are
allowed, asks for no password, and runs no hook: nothing is ever checked out.
"""

import os
import re
from collections.abc import Mapping

from msgspec import Struct

from generator.edges.errors import CouldNotLookError, UnreadableError
from generator.edges.git.command import Git, scrubbed
from generator.edges.git.snapshots import CommitTree
from generator.edges.process import Output
from generator.words import printable

TRANSPORTS = "https:ssh:http"
# Whoever runs the machine may let repositories be read from its disk; what a repository says can't.
ALLOW_FILE = "DRIVERGATE_ALLOW_FILE_SOURCES"
_FETCH = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance")
_KEPT = ("GIT_SSH_COMMAND", "GIT_SSH", "GIT_ASKPASS")


class Copy(Struct, frozen=True):
    """The copy of one repository. `git` works offline, `online` may fetch from `url`."""

    url: str
    git: Git
    online: Git

    def holds(self, commit: str) -> bool:
        """Whether the commit is here, as far as it was fetched."""
        return self.git.run("rev-parse", "-q", "--verify", _kept(commit)).code == 0

    def tree(self, commit: str, path: str) -> CommitTree:
        """The commit's files, after it was fetched if it must be. OutsideError where it can't be."""
        if not self.holds(commit):
            self._fetch_commit(commit)
        return CommitTree(self.git, commit, *([path] if path else []))

    def _fetch_commit(self, commit: str) -> None:
        """The one commit alone; some servers hand out whole branches only."""
        one = self.online.run(*_FETCH, "--depth=1", "--", self.url, f"{commit}:{_kept(commit)}")
        if one.code == 0:
            return
        every = self.online.run(*_FETCH, "--", self.url, "+refs/*:refs/theirs/*")
        if every.code == 0 and self._keep(commit):
            return
        if every.code:
            raise self._unreachable(every)
        raise CouldNotLookError(
            f"`{_shown(self.url)}` has no commit {commit[:12]} any more: what pointed to it was rewritten",
            "look what became of it there, then run: drivergate sources update",
        )

    def follow(self, ref: str) -> str:
        """The commit that a branch, a tag or an id names there now, fetched with its history."""
        listed = self.online.run("ls-remote", "--", self.url)
        if listed.code:
            raise self._unreachable(listed)
        commit = _named(ref, listed.stdout.decode("utf-8", "replace"))
        if commit is None:
            raise UnreadableError(
                f"`{_shown(self.url)}` has no branch, tag or commit `{printable(ref)}`",
                "correct ref in the Fleet document",
            )
        shallow = self.git.read("rev-parse", "--is-shallow-repository").strip() == b"true"
        fetched = self.online.run(
            *_FETCH, *(["--unshallow"] if shallow else []), "--", self.url, f"+{commit}:{_kept(commit)}"
        )
        if fetched.code:
            raise self._unreachable(fetched)
        return commit

    def between(self, old: str, new: str) -> int | None:
        """How many commits lead from one to the other; None where the old one is no ancestor: a rewritten ref."""
        if self.git.run("merge-base", "--is-ancestor", old, new).code:
            return None
        return int(self.git.read("rev-list", "--count", f"{old}..{new}"))

    def _keep(self, commit: str) -> bool:
        return self.git.run("update-ref", _kept(commit), commit).code == 0

    def _unreachable(self, output: Output) -> CouldNotLookError:
        if "transport" in output.complaint and "not allowed" in output.complaint:
            return CouldNotLookError(
                f"`{_shown(self.url)}` is no place that may be read from here", f"set {ALLOW_FILE}=1 where it should be"
            )
        return CouldNotLookError(
            f"`{_shown(self.url)}` can't be reached: {_shown(output.complaint)}",
            "see to the network and to git's credentials, then run again",
        )


def copy_of(url: str, environ: Mapping[str, str]) -> Copy:
    """The copy in the user's cache, begun where there is none."""
    import hashlib

    folder = f"{_cache(environ)}/drivergate/sources/{hashlib.sha256(url.encode()).hexdigest()[:32]}"
    allowed = f"{TRANSPORTS}:file" if environ.get(ALLOW_FILE) == "1" else TRANSPORTS
    kept = {name: environ[name] for name in _KEPT if name in environ}
    ssh = {} if "GIT_SSH" in kept else {"GIT_SSH_COMMAND": "ssh -oBatchMode=yes"}
    environment = scrubbed(environ)
    online = environment | ssh | kept | {"GIT_ALLOW_PROTOCOL": allowed}
    copy = Copy(url, Git(folder, environment), Git(folder, online))
    if not os.path.lexists(f"{folder}/HEAD"):
        _begin(folder, environment)
    return copy


def _begin(folder: str, environment: Mapping[str, str]) -> None:
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103
    except OSError as error:
        raise UnreadableError(
            f"no cache can be kept in `{printable(folder)}`: {(error.strerror or '').lower()}", "set XDG_CACHE_HOME"
        ) from error
    Git(folder, dict(environment)).read("init", "--quiet", "--bare")


def _cache(environ: Mapping[str, str]) -> str:
    """XDG Base Directory Specification: a relative path is to be ignored."""
    named = environ.get("XDG_CACHE_HOME", "")
    if named.startswith("/"):
        return named
    home = environ.get("HOME", "")
    if not home.startswith("/"):
        raise UnreadableError(
            "there is no place for a cache: neither XDG_CACHE_HOME nor HOME is set", "set one of them"
        )
    return f"{home}/.cache"


def _kept(commit: str) -> str:
    """The name that keeps a fetched commit from being swept away."""
    return f"refs/drivergate/{commit}"


def _named(ref: str, listing: str) -> str | None:
    """What a name means in git ls-remote's listing: a branch first, then a tag, by its commit, then a commit's id."""
    lines = (line.partition("\t") for line in listing.splitlines())
    found = {name: commit for commit, _, name in lines}
    for name in (f"refs/heads/{ref}", f"refs/tags/{ref}^{{}}", f"refs/tags/{ref}", ref):
        if name in found:
            return found[name]
    return ref if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", ref) else None


def _shown(text: str) -> str:
    """A URL, or what git says of one, without any credentials that the user's own settings put into it."""
    return printable(re.sub(r"//[^/@\s]*:[^/@\s]*@", "//", text))
