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
import stat
from collections.abc import Iterable, Sequence

from msgspec import Struct

from generator.edges.errors import UnwritableError, printable, reason
from generator.edges.files import read_file
from generator.edges.source import TEMPORARY_SUFFIX, is_temporary

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


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
    folders = _checked(root, steps)
    _sweep(root, folders)
    written, removed, unchanged = [], [], []
    for step in steps:
        try:
            if isinstance(step, Remove):
                if _remove(f"{root}/{step.path}"):
                    removed.append(step.path)
            elif _write(root, step):
                written.append(step.path)
            else:
                unchanged.append(step.path)
        except OSError as error:
            message = f"can't write `{printable(step.path)}`: {reason(error)}"
            raise UnwritableError(
                message, "mend the cause and run again: what was written is whole"
            ) from error
    _prune(root, removed)
    return Applied(tuple(written), tuple(removed), tuple(unchanged))


def _checked(root: str, steps: Iterable[Step]) -> list[str]:
    """The folders of all steps that exist; refuses what can't or mustn't be written."""
    files = {step.path for step in steps if isinstance(step, Write)}
    folders: dict[str, bool] = {"": True}
    for step in steps:
        parts = step.path.split("/")
        if not {"", ".", "..", ".git"}.isdisjoint(parts) or is_temporary(step.path):
            raise _refused(step.path, "it isn't a path inside the repository")
        folder = _folder(root, parts[:-1], folders, files)
        if folders[folder] and not _replaceable(f"{root}/{step.path}"):
            raise _refused(step.path, "something that isn't a regular file is in its place")
    return [folder for folder, exists in folders.items() if exists]


def _folder(root: str, parts: Sequence[str], folders: dict[str, bool], files: set[str]) -> str:
    """The folder of these parts, known to `folders` from now on with whether it exists."""
    path = "/".join(parts)
    if path in folders:
        return path
    parent = _folder(root, parts[:-1], folders, files)
    if path in files:
        raise _refused(path, "it would be a file and a folder at once")
    folders[path] = folders[parent] and _is_folder(root, path)
    return path


def _is_folder(root: str, path: str) -> bool:
    """Whether a real folder is there; refuses a link or a file in its place."""
    try:
        mode = os.lstat(f"{root}/{path}").st_mode
    except FileNotFoundError:
        return False
    except OSError as error:
        raise _refused(path, reason(error)) from error
    if stat.S_ISDIR(mode):
        return True
    raise _refused(
        path, "it is a symbolic link" if stat.S_ISLNK(mode) else "it is a file where a folder belongs"
    )


def _replaceable(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return True
    except OSError as error:
        raise _refused(path, reason(error)) from error


def _refused(path: str, why: str) -> UnwritableError:
    return UnwritableError(f"won't write `{printable(path)}`: {why}", "move it away and run again")


def _sweep(root: str, folders: Iterable[str]) -> None:
    """Remove what killed runs left; a run that is alive keeps its file."""
    for folder in folders:
        try:
            with os.scandir(f"{root}/{folder}") as items:
                left = [item.name for item in items if is_temporary(item.name)]
            for name in left:
                if not _in_use(name):
                    _remove(f"{root}/{folder}/{name}")
        except FileNotFoundError:
            continue  # another run pruned the folder in between
        except OSError as error:
            raise _refused(folder, reason(error)) from error


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


def _write(root: str, step: Write) -> bool:
    """Whether the file had to be written."""
    target = f"{root}/{step.path}"
    folder = target.rpartition("/")[0]
    try:
        if os.lstat(target).st_size == len(step.data) and read_file(target) == step.data:
            return False
    except FileNotFoundError:
        os.makedirs(folder, exist_ok=True)
    try:
        _replace(folder, target, step.data)
    except FileNotFoundError:
        # Another run swept our file or pruned the folder in between.
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
