"""The YAML and JSON files of a folder such as a must-gather, at any depth."""

import os
import stat
from collections.abc import Iterator

from msgspec import Struct

from generator.edges.errors import UnreadableError, reason
from generator.words import printable

ENDINGS = (".json", ".yaml", ".yml")
LARGEST = 512 * 1024 * 1024  # bytes of one file; all pods of 2,000 nodes are a tenth of it
HINT = "name a folder that can be read, such as an unpacked must-gather"
KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class Skipped(Struct, frozen=True):
    """A file of the folder that is not read, and why."""

    path: str
    why: str


def files_of(folder: str) -> Iterator[str | Skipped]:
    """The paths of the folder's YAML and JSON files, sorted, and those that are none or lead out of it.

    Links to folders are not followed. UnreadableError for a folder that can't be read.
    """
    inside = os.path.realpath(folder)
    for where, folders, names in os.walk(folder, onerror=_refused):
        folders.sort()
        for name in sorted(names):
            if name.endswith(ENDINGS):
                path = f"{where}/{name}"
                why = _unfit(path, inside)
                yield Skipped(path, why) if why else path


def _unfit(path: str, inside: str) -> str:
    """Why a file of the folder is not read; "" for a regular file that lies in it. A pipe would be waited for."""
    target = os.path.realpath(path)
    if os.path.commonpath([inside, target]) != inside:
        return "it leads out of the folder"
    try:
        found = os.stat(target)  # noqa: PTH116 - pathlib costs start-up
    except OSError as error:
        return reason(error)
    if not stat.S_ISREG(found.st_mode):
        return "it is " + next((word for is_kind, word in KINDS if is_kind(found.st_mode)), "no file")
    if found.st_size > LARGEST:
        return f"it is larger than {LARGEST // 1024 // 1024} MiB"
    return ""


def _refused(error: OSError) -> None:
    message = f"can't read `{printable(os.fsdecode(error.filename or ''))}`: {reason(error)}"
    raise UnreadableError(message, HINT) from error
