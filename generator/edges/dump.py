"""The YAML and JSON files of a folder such as a must-gather, at any depth."""

import os
from collections.abc import Iterator

from generator.edges.errors import UnreadableError, reason
from generator.words import printable

ENDINGS = (".json", ".yaml", ".yml")


def files_of(folder: str) -> Iterator[str]:
    """The paths of the folder's YAML and JSON files, sorted; links to folders are not followed."""
    for where, folders, names in os.walk(folder, onerror=_refused):
        folders.sort()
        yield from (f"{where}/{name}" for name in sorted(names) if name.endswith(ENDINGS))


def _refused(error: OSError) -> None:
    message = f"can't read `{printable(os.fsdecode(error.filename or ''))}`: {reason(error)}"
    raise UnreadableError(message, "name a folder that can be read, such as an unpacked must-gather") from error
