"""Writes what was decided: each file atomically, and only if its bytes differ.

Each file is written under another name in the same folder and renamed over the old one, so a reader sees the
old or the new content, also after a kill. There is no fsync: after a power cut the next run writes the same
bytes again, and one per file costs more than all the rest. There is no lock: two runs at once write under
different names, each rename is whole, and the last one wins, with the same bytes if both read the same
inventory.
"""
# pathlib costs twice as much a file.
# ruff: noqa: PTH103, PTH105, PTH106, PTH108

import os
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress

from msgspec import Struct

from generator.edges.errors import UnwritableError, reason
from generator.edges.files import read_file
from generator.edges.source import TEMPORARY_SUFFIX, is_temporary
from generator.words import printable

# git's own folder is nobody's output.
_FORBIDDEN = frozenset({"", ".", "..", ".git"})
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ATTEMPTS = 5

# Folders by path, each with what lies in it.
_Seen = dict[str, dict[str, os.DirEntry[str]]]


class Write(Struct, frozen=True):
    """Make the file at a path, relative to the root, hold exactly these bytes."""

    path: str
    data: bytes


class Remove(Struct, frozen=True):
    """Remove the file at a path, and the folders that this leaves empty."""

    path: str


Step = Write | Remove


class Applied(Struct, frozen=True):
    """What happened to the paths, in the order of the steps; a path that was gone already is in none."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]


def apply(root: str, steps: Sequence[Step]) -> Applied:
    """Take the steps in order, after all of them were found possible; raise UnwritableError where one isn't.

    A step is refused, and nothing written, if its path leaves the root, leads through a symbolic link or a
    file, or names something that isn't a regular file.
    """
    seen = _checked(root, steps)
    written, removed, unchanged = [], [], []
    path = root
    try:
        _sweep(item.path for items in seen.values() for item in items.values() if is_temporary(item.name))
        for step in steps:
            path = step.path
            if isinstance(step, Remove):
                if _remove(f"{root}/{path}"):
                    removed.append(path)
            elif _write(root, step, seen):
                written.append(path)
            else:
                unchanged.append(path)
    except OSError as error:
        message = f"can't write `{printable(path)}`: {reason(error)}"
        raise UnwritableError(message, "mend the cause and run again: what was written is whole") from error
    _prune(root, removed)
    return Applied(tuple(written), tuple(removed), tuple(unchanged))


def _checked(root: str, steps: Iterable[Step]) -> _Seen:
    """What lies in the folders of all steps; refuses what can't or mustn't be written."""
    files = {step.path for step in steps if isinstance(step, Write)}
    seen = {"": _look(root, "")}
    for step in steps:
        if not _FORBIDDEN.isdisjoint(step.path.split("/")) or is_temporary(step.path):
            raise _refused(step.path, "it isn't a path inside the repository")
        folder, _, name = step.path.rpartition("/")
        if folder not in seen:
            _enter(root, folder, seen, files)
        item = seen[folder].get(name)
        if item is not None and not item.is_file(follow_symlinks=False):
            raise _refused(step.path, "something that isn't a regular file is in its place")
    return seen


def _enter(root: str, folder: str, seen: _Seen, files: Container[str]) -> None:
    """Add a folder to those that were seen, and the ones above it; refuses a link or a file in its place."""
    parent, _, name = folder.rpartition("/")
    if parent not in seen:
        _enter(root, parent, seen, files)
    if folder in files:
        raise _refused(folder, "it would be a file and a folder at once")
    item = seen[parent].get(name)
    if item is not None and not item.is_dir(follow_symlinks=False):
        what = "a symbolic link" if item.is_symlink() else "a file"
        raise _refused(folder, f"{what} is where a folder belongs")
    seen[folder] = {} if item is None else _look(root, folder)


def _look(root: str, folder: str) -> dict[str, os.DirEntry[str]]:
    """What lies in a folder, in one call where a look at each file would be thousands."""
    try:
        with os.scandir(f"{root}/{folder}") as items:
            return {item.name: item for item in items}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _refused(folder, reason(error)) from error


def _refused(path: str, why: str) -> UnwritableError:
    return UnwritableError(f"won't write `{printable(path)}`: {why}", "move it away and run again")


def _sweep(left: Iterable[str]) -> None:
    """Remove what killed runs left; a run that is alive keeps its file."""
    for path in left:
        if not _in_use(path.rpartition("/")[2]):
            _remove(path)


def _in_use(name: str) -> bool:
    """Whether another living process writes it. Our own number can only be that of an earlier life."""
    number = name.removeprefix(".").removesuffix(TEMPORARY_SUFFIX)
    if not number.isdecimal() or int(number) == os.getpid():
        return False
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _write(root: str, step: Write, seen: _Seen) -> bool:
    """Whether the file had to be written."""
    inside, _, name = step.path.rpartition("/")
    target, folder = f"{root}/{step.path}", f"{root}/{inside}"
    if name in seen[inside]:  # a vain look at each new file of a large fleet costs a tenth of writing it
        with suppress(FileNotFoundError):
            if read_file(target) == step.data:
                return False
    for _ in range(_ATTEMPTS):
        with suppress(FileNotFoundError):
            _replace(folder, target, step.data)
            return True
        # There is no folder yet, or another run pruned it or swept our file in between.
        with suppress(FileNotFoundError):
            os.makedirs(folder, exist_ok=True)
    _replace(folder, target, step.data)
    return True


def _replace(folder: str, target: str, data: bytes) -> None:
    # One name per process is enough: a file is renamed before the next one is begun.
    temporary = f"{folder}/.{os.getpid()}{TEMPORARY_SUFFIX}"
    descriptor = os.open(temporary, _FLAGS, 0o666)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
        finally:
            os.close(descriptor)
        os.replace(temporary, target)
    except BaseException:
        _remove(temporary)
        raise


def _remove(path: str) -> bool:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def _prune(root: str, removed: Iterable[str]) -> None:
    """Remove the folders that the removals emptied, inner ones first, never the root."""
    for path in removed:
        folder = path.rpartition("/")[0]
        while folder:
            try:
                os.rmdir(f"{root}/{folder}")
            except OSError:
                break  # it holds something, or is gone
            folder = folder.rpartition("/")[0]
