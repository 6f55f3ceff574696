"""A file that the command line names, wherever it lies, or standard input."""

import sys
from collections.abc import Iterator

from generator.edges.errors import UnreadableError, reason
from generator.words import printable

STDIN = "-"
CHUNK = 1024 * 1024


def read_given(path: str) -> bytes:
    """The whole file; `-` is standard input."""
    if path == STDIN:
        return sys.stdin.buffer.read()
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs start-up
            return file.read()
    except OSError as error:
        message = f"can't read `{printable(path)}`: {reason(error)}"
        raise UnreadableError(message, "name a file, or - for standard input") from error


def chunks_of(path: str) -> Iterator[bytes]:
    """The file piece by piece, so that a big one is never in memory as a whole."""
    if path == STDIN:
        yield from iter(lambda: sys.stdin.buffer.read(CHUNK), b"")
        return
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs start-up
            yield from iter(lambda: file.read(CHUNK), b"")
    except OSError as error:
        message = f"can't read `{printable(path)}`: {reason(error)}"
        raise UnreadableError(message, "name a file, or - for standard input") from error
