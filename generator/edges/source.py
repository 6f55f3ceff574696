"""Where text comes from: the work tree, the index or a commit, behind one interface."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from generator.edges.errors import UnreadableError
from generator.layout import INVENTORY, SOURCES_LOCK
from generator.words import printable

TEMPORARY_SUFFIX = ".drivergate-tmp"


class Kind(StrEnum):
    """What lies at a path. Only a FILE is ever read."""

    FILE = "file"
    SYMLINK = "symbolic link"
    SUBMODULE = "submodule"
    OTHER = "special file"


class Entry(Struct, frozen=True, gc=False):
    """One path relative to the root, with "/". `blob` is git's object id, None where git wasn't asked."""

    path: str
    kind: Kind
    blob: str | None = None


class Source(Protocol):
    """A state of the repository."""

    @property
    def label(self) -> str:
        """What the reader is told: `work tree`, `index`, `commit 1a2b3c4`."""
        ...

    def paths(self, *folders: str) -> list[Entry]:
        """Everything below these folders (a file names itself; none means the whole root), sorted by path."""
        ...

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The content of files that `paths` listed, byte for byte, in one batch."""
        ...


def below(paths: Iterable[str], folders: Iterable[str]) -> Iterator[str]:
    """Those of the paths that are one of the folders or lie in one; "" is the root."""
    beginnings = tuple(f"{folder}/" if folder else "" for folder in folders)
    return (path for path in paths if f"{path}/".startswith(beginnings))


def inside(path: str) -> str:
    """A path as this room writes it, without "." and doubled slashes; refuses one that leaves the root."""
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if path.startswith("/") or ".." in parts:
        message = f"`{printable(path)}` lies outside the repository"
        raise UnreadableError(message, f"write it relative to the folder that holds {INVENTORY}/")
    return "/".join(parts)


def insides(folders: Iterable[str]) -> list[str]:
    """Folders as this room writes them; none means the root."""
    return [inside(folder) for folder in folders] or [""]


def is_temporary(path: str) -> bool:
    """Whether it is a file that a run is still writing, or a killed one left: no source lists it."""
    name = path.rpartition("/")[2]
    return name.startswith(".") and name.endswith(TEMPORARY_SUFFIX)


class Elsewhere(Protocol):
    """A folder of another repository, at one commit."""

    def paths(self) -> list[Entry]:
        """Everything in it, by paths relative to it."""
        ...

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The content of files that `paths` listed."""
        ...


class Sourced:
    """A source whose inventory/ also holds `inventory/@NAME/…` for each name in the lock file.

    `open_lock` says what a lock file means; it is called only where there is one.
    """

    def __init__(self, own: Source, open_lock: Callable[[bytes], Mapping[str, Elsewhere]]) -> None:
        self.own = own
        self._open_lock = open_lock
        self._found: dict[str, tuple[Elsewhere, str, Entry]] | None = None

    @property
    def label(self) -> str:
        """The repository's own state: the lock file is a part of it."""
        return self.own.label

    def paths(self, *folders: str) -> list[Entry]:
        """Everything below these folders, sorted by path."""
        entries = self.own.paths(*folders)
        wanted = insides(folders)
        if not any(
            f"{INVENTORY}/".startswith(f"{one}/" if one else "") or one.startswith(f"{INVENTORY}/@") for one in wanted
        ):
            return entries
        found = self._elsewhere()
        if not found:
            return entries
        self._apart(entries, found)
        return sorted([*entries, *(found[path][2] for path in below(found, wanted))], key=lambda entry: entry.path)

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The content of these files, in one batch for each repository."""
        found = self._elsewhere() if any(path.startswith(f"{INVENTORY}/@") for path in paths) else {}
        contents = self.own.read([path for path in paths if path not in found])
        wanted: dict[int, tuple[Elsewhere, dict[str, str]]] = {}
        for path in paths:
            if path in found:
                elsewhere, theirs, _ = found[path]
                wanted.setdefault(id(elsewhere), (elsewhere, {}))[1][theirs] = path
        for elsewhere, names in wanted.values():
            contents |= {names[theirs]: data for theirs, data in elsewhere.read([*names]).items()}
        return contents

    def _elsewhere(self) -> dict[str, tuple[Elsewhere, str, Entry]]:
        if self._found is None:
            locks = [entry.path for entry in self.own.paths(SOURCES_LOCK) if entry.kind is Kind.FILE]
            opened = self._open_lock(self.own.read(locks)[SOURCES_LOCK]) if locks else {}
            self._found = {
                path: (elsewhere, entry.path, Entry(path, entry.kind))
                for name, elsewhere in opened.items()
                for entry in elsewhere.paths()
                for path in [f"{INVENTORY}/@{name}/{entry.path}"]
            }
        return self._found

    @staticmethod
    def _apart(entries: list[Entry], found: Mapping[str, object]) -> None:
        names = {path.split("/")[1] for path in found}
        for entry in entries:
            parts = entry.path.split("/")
            if parts[0] == INVENTORY and len(parts) > 1 and parts[1] in names:
                message = f"`{entry.path}` lies where the files of the source {parts[1][1:]} are read as if they lay"
                raise UnreadableError(message, "move it, or rename the source")
