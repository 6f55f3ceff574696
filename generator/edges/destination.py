"""Where a report goes that the command line names: anywhere but among the repository's own files."""
# pathlib costs twice as much a file.
# ruff: noqa: PTH100, PTH112

import os
from collections.abc import Iterable

from msgspec import Struct

from generator.edges.errors import UnwritableError
from generator.words import printable


class Destination(Struct, frozen=True):
    """A file as the writer takes it: an existing folder without links, and a path below it."""

    folder: str
    path: str


def destination(written: str, root: str, owned: Iterable[str]) -> Destination:
    """Where a file is to be written; refuses one below the folders of the root that are owned by others."""
    folder, _, name = os.path.abspath(written).rpartition("/")
    if written.endswith("/") or os.path.isdir(written):
        raise UnwritableError(f"`{printable(written)}` is a folder", "name a file in it")
    rest = [name]
    while not os.path.lexists(folder or "/"):
        folder, _, name = folder.rpartition("/")
        rest.insert(0, name)
    folder = os.path.realpath(folder or "/")
    whole = f"{folder}/{'/'.join(rest)}"
    top = os.path.realpath(root)
    for one in owned:
        if f"{whole}/".startswith(f"{top}/{one}/"):
            message = (
                f"won't write `{printable(written)}`: {one}/ holds what is declared and rendered, and nothing else"
            )
            raise UnwritableError(message, "write the report to another folder, such as build/")
    return Destination(folder, "/".join(rest))
