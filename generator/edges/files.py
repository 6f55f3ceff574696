"""The work tree: which folder is the root, what lies in it, and its bytes."""
# pathlib costs twice as much a file, and git speaks text.
# ruff: noqa: PTH100, PTH112, PTH113, PTH114

import os
from collections.abc import Iterator, Mapping, Sequence

from generator.edges.errors import NoGitError, UnreadableError, reason
from generator.edges.git.listing import Listing, Listings
from generator.edges.git.snapshots import Index
from generator.edges.source import Entry, Kind, below, insides, is_temporary
from generator.layout import INVENTORY
from generator.words import printable

# Never through a link, and never waiting for the other end of a pipe that took a file's place.
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHUNK = 1 << 16
NAMED = f"name the folder that holds {INVENTORY}/"


def find_root(chosen: str | None = None) -> str:
    """The repository of drivergate: the chosen folder, else the nearest above us that holds inventory/."""
    try:
        here = os.path.abspath(os.curdir if chosen is None else chosen)
    except FileNotFoundError as error:
        raise UnreadableError("the current folder is gone", "change to a folder that exists") from error
    if chosen is not None:
        if not os.path.isdir(here):
            raise UnreadableError(f"`{printable(chosen)}` is no folder", NAMED)
        # A sparse or bare checkout may hold no inventory/, but nobody calls a repository that.
        if here.endswith(f"/{INVENTORY}") and not os.path.isdir(f"{here}/{INVENTORY}"):
            raise UnreadableError(f"no {INVENTORY}/ in `{printable(here)}`", NAMED)
        return here
    folder = here
    while not os.path.isdir(f"{folder}/{INVENTORY}"):
        if not folder:
            message = f"no {INVENTORY}/ in `{printable(here)}` or any folder above"
            raise UnreadableError(message, "run `drivergate init`, or name the repository with -C DIR")
        folder = folder.rpartition("/")[0]
    return folder or "/"


class WorkTree:
    """What lies on disk.

    With listings, files that a sparse checkout leaves out are read from the index. Where git can't be asked,
    `without_git` says why.
    """

    label = "work tree"

    def __init__(self, root: str, listings: Listings | None = None) -> None:
        self._root = root
        self._listings = listings
        self.without_git: NoGitError | None = None

    def paths(self, *folders: str) -> list[Entry]:
        """Everything below these folders, sorted by path. Links are listed, not followed."""
        wanted = insides(folders)
        found = {entry.path: entry for folder in wanted for entry in _entries(self._root, folder)}
        left_out = self._left_out(wanted)
        found |= {path: left_out[path] for path in below(left_out, wanted) if path not in found}
        return [found[path] for path in sorted(found)]

    def read(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The bytes as they are: line ends are the caller's business."""
        contents: dict[str, bytes] = {}
        absent: dict[str, FileNotFoundError] = {}
        for path in paths:
            try:
                contents[path] = read_file(f"{self._root}/{path}")
            except FileNotFoundError as error:
                absent[path] = error
            except OSError as error:
                raise _unreadable(path, error) from error
        return contents | self._from_index(absent)

    def _left_out(self, wanted: Sequence[str]) -> dict[str, Entry]:
        """Tracked paths that may be absent from disk on purpose: sparse ones, submodules not checked out."""
        found: dict[str, Entry] = {}
        for listing in self._known(wanted):
            found |= {path: listing.tracked[path] for path in listing.sparse}
            for entry in listing.tracked.values():
                if entry.kind is Kind.SUBMODULE and os.path.isdir(f"{self._root}/{entry.path}"):
                    found[entry.path] = entry
        return found

    def _known(self, wanted: Sequence[str]) -> list[Listing]:
        if self._listings is None or self.without_git is not None:
            return []
        try:
            return self._listings.covering(*wanted)
        except NoGitError as error:
            self.without_git = error
            return []

    def _from_index(self, absent: Mapping[str, FileNotFoundError]) -> dict[str, bytes]:
        """What a sparse checkout left out; a file that is missing for any other reason can't be read."""
        if not absent:
            return {}
        left_out = self._left_out([*absent])
        for path, error in absent.items():
            if path not in left_out:
                raise _unreadable(path, error) from error
        assert self._listings is not None
        return Index(self._listings).read([*absent])


def read_file(path: str) -> bytes:
    """The bytes of one regular file; raises OSError."""
    descriptor = os.open(path, _FLAGS)
    try:
        content = os.read(descriptor, _CHUNK)
        if len(content) < _CHUNK:
            return content
        chunks = [content]
        while chunk := os.read(descriptor, _CHUNK * 16):
            chunks.append(chunk)
        return b"".join(chunks)
    finally:
        os.close(descriptor)


def _entries(root: str, folder: str) -> Iterator[Entry]:
    """What lies at and below a folder; nothing where a part of its own path is a link, as in git."""
    path = ""
    for part in folder.split("/") if folder else ():
        path = f"{path}/{part}" if path else part
        kind = _kind(f"{root}/{path}")
        if kind is None:
            continue
        if path == folder or kind is Kind.SUBMODULE:
            yield Entry(path, kind)
        return
    yield from _walk(root, folder)


def _kind(path: str) -> Kind | None:
    """What lies at a path; None for a folder, or for nothing."""
    if os.path.islink(path):
        return Kind.SYMLINK
    if os.path.isfile(path):
        return Kind.FILE
    if os.path.isdir(path):
        return Kind.SUBMODULE if os.path.lexists(f"{path}/.git") else None
    return Kind.OTHER if os.path.lexists(path) else None


def _walk(root: str, top: str) -> Iterator[Entry]:
    folders = [top]
    while folders:
        folder = folders.pop()
        found, inner, nested = _scan(root, folder)
        if nested and folder:
            yield Entry(folder, Kind.SUBMODULE)
            continue
        yield from found
        folders += inner


def _scan(root: str, folder: str) -> tuple[list[Entry], list[str], bool]:
    """Entries and folders of one folder, and whether a repository of its own begins there."""
    found, inner, nested = [], [], False
    prefix = f"{folder}/" if folder else ""
    try:
        with os.scandir(f"{root}/{folder}") as items:
            for item in items:
                path = prefix + item.name
                if item.name == ".git":
                    nested = True
                elif item.is_symlink():
                    found.append(Entry(path, Kind.SYMLINK))
                elif item.is_dir(follow_symlinks=False):
                    inner.append(path)
                elif not item.is_file(follow_symlinks=False):
                    found.append(Entry(path, Kind.OTHER))
                elif not is_temporary(item.name):
                    found.append(Entry(path, Kind.FILE))
    except (FileNotFoundError, NotADirectoryError):
        return [], [], False
    except OSError as error:
        raise _unreadable(folder, error) from error
    return found, inner, nested


def _unreadable(path: str, error: OSError) -> UnreadableError:
    return UnreadableError(
        f"can't read `{printable(path)}`: {reason(error)}",
        "make it readable, or remove it from the repository",
    )
