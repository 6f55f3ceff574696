"""Where text comes from: the work tree, the index or a commit, behind one interface."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from generator.edges.errors import UnreadableError
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
        raise UnreadableError(message, "write it relative to the folder that holds inventory/")
    return "/".join(parts)


def insides(folders: Iterable[str]) -> list[str]:
    """Folders as this room writes them; none means the root."""
    return [inside(folder) for folder in folders] or [""]


def is_temporary(path: str) -> bool:
    """Whether it is a file that a run is still writing, or a killed one left: no source lists it."""
    name = path.rpartition("/")[2]
    return name.startswith(".") and name.endswith(TEMPORARY_SUFFIX)
