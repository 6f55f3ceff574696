"""Opens what a lock file pins: each source at its commit, from the user's cache."""

import os
from collections.abc import Mapping, Sequence

from generator.declared.sources import Pinned, read_lock
from generator.edges.errors import UnreadableError
from generator.edges.git.cache import copy_of
from generator.edges.git.snapshots import CommitTree
from generator.edges.source import Entry
from generator.layout import SOURCES_LOCK


class Folder:
    """A source's folder at its commit; the paths are relative to it."""

    def __init__(self, name: str, pinned: Pinned) -> None:
        self._name, self._pinned = name, pinned
        self._prefix = f"{pinned.path}/" if pinned.path else ""
        self._tree: CommitTree | None = None

    def paths(self) -> list[Entry]:
        """Everything in it; an empty one is no source."""
        pinned = self._pinned
        tree = self._tree = copy_of(pinned.url, os.environ).tree(pinned.commit, pinned.path)
        found = [Entry(one.path[len(self._prefix) :], one.kind) for one in tree.paths(*filter(None, [pinned.path]))]
        if not any(one.path for one in found):
            where = f"{pinned.path}/" if pinned.path else "no file"
            message = f"the source {self._name} has no {where} at commit {pinned.commit[:12]}"
            raise UnreadableError(
                message, "correct its path in the Fleet document, then run: drivergate sources update"
            )
        return found

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The content of some of them."""
        assert self._tree is not None
        found = self._tree.read([f"{self._prefix}{path}" for path in paths])
        return {path[len(self._prefix) :]: data for path, data in found.items()}


def opened_lock(data: bytes) -> Mapping[str, Folder]:
    """Each source by its name. UnreadableError for a file that is no lock file."""
    lock = read_lock(data)
    if isinstance(lock, str):
        raise UnreadableError(f"can't read {SOURCES_LOCK}: {lock}", "run: drivergate sources update")
    return {name: Folder(name, lock.sources[name]) for name in sorted(lock.sources)}
