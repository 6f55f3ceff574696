"""Which environment git is run with.

A hook runs with GIT_DIR, GIT_INDEX_FILE and others set, and they may speak of another repository than ours.
So the repository is always discovered from the root; only the index that is being committed is kept.
"""

import os
from collections.abc import Mapping

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
