"""Which of some paths are taken, by whatever."""
# pathlib costs twice as much a file.
# ruff: noqa: PTH100

import os
from collections.abc import Iterable

from generator.edges.errors import UnreadableError
from generator.words import printable


def new_root(chosen: str) -> str:
    """The folder that a repository is to begin in, whether it is there yet or not."""
    root = os.path.abspath(chosen)
    if os.path.lexists(root) and not os.path.isdir(root):  # noqa: PTH112
        raise UnreadableError(f"`{printable(chosen)}` is no folder", "name a folder, new or not")
    return root


def taken(root: str, paths: Iterable[str]) -> frozenset[str]:
    """The paths below the root at which something lies, links that lead nowhere included."""
    return frozenset(path for path in paths if os.path.lexists(f"{root}/{path}"))
