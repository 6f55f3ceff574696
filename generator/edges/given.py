"""A file that the command line names, wherever it lies, or standard input."""

import sys

from generator.edges.errors import UnreadableError, printable, reason

STDIN = "-"


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
