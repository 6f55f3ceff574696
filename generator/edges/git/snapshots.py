"""Sources that git holds: the index (exactly what would be committed) and a commit, never checked out."""

from collections.abc import Mapping, Sequence

from generator.edges.errors import CouldNotLookError, UnreadableError
from generator.edges.git.command import Git
from generator.edges.git.history import Commit, start_commit, start_tree
from generator.edges.git.listing import Listings, read_blobs
from generator.edges.source import Entry, Kind, below, insides
from generator.words import printable


class Index:
    """What `git commit` would take."""

    label = "index"

    def __init__(self, listings: Listings) -> None:
        self._listings = listings

    def paths(self, *folders: str) -> list[Entry]:
        """Everything below these folders, sorted by path."""
        wanted = insides(folders)
        return _listed(self._known(wanted), wanted)

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The content of these files, in one process."""
        return _contents(self._listings.git, self.label, self._known(paths), paths)

    def _known(self, wanted: Sequence[str]) -> Mapping[str, Entry]:
        """Entries of these folders and perhaps more; refuses while a merge has left versions side by side."""
        known: dict[str, Entry] = {}
        for listing in self._listings.covering(*wanted):
            for path in below(listing.unmerged, wanted):
                raise UnreadableError(
                    f"`{printable(path)}` is in conflict in the index",
                    "finish the merge and `git add` the file",
                )
            known = known | listing.tracked if known else listing.tracked
        return known


class CommitTree:
    """What a commit holds. The folders named at first are asked for at once."""

    def __init__(self, git: Git, rev: str, *folders: str) -> None:
        self._git = git
        self._commit = start_commit(git, rev)
        self._folders = insides(folders)
        self._pending = [start_tree(git, rev, *self._folders)]

    @property
    def commit(self) -> Commit:
        """Which commit it is. OutsideError where there is none of that name."""
        return self._commit.collect()

    @property
    def label(self) -> str:
        """How a reader is told about it."""
        return f"commit {self.commit.short}"

    def paths(self, *folders: str) -> list[Entry]:
        """Everything below these folders, sorted by path."""
        wanted = insides(folders)
        return _listed(self._known(wanted), wanted)

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The content of these files, in one process."""
        return _contents(self._git, self.label, self._known(paths), paths)

    def _known(self, wanted: Sequence[str]) -> Mapping[str, Entry]:
        """Entries of these folders and perhaps more."""
        covered = {*below(wanted, self._folders)}
        new = [folder for folder in wanted if folder not in covered]
        if new:
            self._folders += new
            self._pending.append(start_tree(self._git, self.commit.id, *new))
        known: dict[str, Entry] = {}
        for pending in self._pending:
            tree = pending.collect()
            known = known | tree if known else tree
        return known


def _listed(known: Mapping[str, Entry], wanted: Sequence[str]) -> list[Entry]:
    return [known[path] for path in sorted(below(known, wanted))]


def _contents(git: Git, label: str, known: Mapping[str, Entry], paths: Sequence[str]) -> dict[str, bytes]:
    blobs = {path: _blob(label, path, known.get(path)) for path in paths}
    contents = read_blobs(git, blobs.values())
    for path, blob in blobs.items():
        if blob not in contents:
            raise CouldNotLookError(
                f"the content of `{printable(path)}` in the {label} isn't on this machine",
                "fetch it first: a partial clone leaves contents at the server",
            )
    return {path: contents[blob] for path, blob in blobs.items()}


def _blob(label: str, path: str, entry: Entry | None) -> str:
    if entry is None:
        raise UnreadableError(f"`{printable(path)}` isn't in the {label}", "add it, or name a file that is there")
    if entry.kind is not Kind.FILE or entry.blob is None:
        raise UnreadableError(f"`{printable(path)}` is a {entry.kind} in the {label}", "put the file itself there")
    return entry.blob
