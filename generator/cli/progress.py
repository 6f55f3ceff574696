"""How far long work is, on one line of a terminal; nothing in a pipe."""

import os
import sys
import time
from typing import Self

_EVERY = 0.1  # seconds


class Progress:
    """`with` wipes the line when the work ends, however it ends."""

    def __init__(self) -> None:
        stream = sys.stderr
        self._stream = stream if stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb" else None
        self._last = 0.0
        self._width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._print("")

    def show(self, text: str) -> None:
        """Replaces the line, ten times a second at most."""
        now = time.monotonic()
        if self._stream is not None and now - self._last >= _EVERY:
            self._last = now
            self._print(text)

    def _print(self, text: str) -> None:
        if self._stream is None or not (text or self._width):
            return
        self._stream.write(f"\r{text.ljust(self._width)}" + ("" if text else "\r"))
        self._stream.flush()
        self._width = len(text)
