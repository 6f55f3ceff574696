"""What a run comes to: exit codes, and how text leaves the process."""

import os
import sys
import time
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Self

from generator.edges.errors import UnreadableError, UnwritableError, reason
from generator.finding import Finding, Severity

CLEAN, FOUND, UNUSABLE, NOT_VERIFIED, BUG, INTERRUPTED = 0, 1, 2, 3, 70, 130


class Format(StrEnum):
    """How results are printed."""

    TEXT = "text"
    JSON = "json"


class Reporting(StrEnum):
    """How findings are reported: to people, to programs, and where reviewers look."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"
    GITLAB = "gitlab"
    MARKDOWN = "markdown"


def exit_code(findings: Sequence[Finding], *, strict: bool = False) -> int:
    """2 where no valid manifest can be made, 1 for an error, 0 for warnings unless they count."""
    severities = {finding.severity for finding in findings}
    if Severity.INVALID in severities:
        return UNUSABLE
    return FOUND if Severity.ERROR in severities or (strict and severities) else CLEAN


def out(text: str) -> None:
    """A result, to stdout, as UTF-8 in every locale."""
    if sys.stdout is None:
        raise UnwritableError("stdout is closed", "give the command somewhere to print to")
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UnwritableError(f"can't print the result: {reason(error)}", "mend the cause and run again") from error


def say(text: str) -> None:
    """Talk, to stderr where there is one."""
    if sys.stderr is None:
        return
    sys.stderr.buffer.write(f"{text}\n".encode("utf-8", "backslashreplace"))
    sys.stderr.buffer.flush()


def colored() -> bool:
    """Whether stdout is a terminal that wants color."""
    if sys.stdout is None or not sys.stdout.isatty():
        return False
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def unknown_repository(named: Iterable[str], known: Iterable[str]) -> bool:
    """Whether one of the repositories is known to nobody; if so that is said."""
    known = set(known)
    for name in named:
        if name not in known:
            unknown("repository", name, known)
            return True
    return False


def unknown(what: str, name: str, known: Iterable[str], *, otherwise: str = "") -> int:
    """Says that `no <what> is named "<name>"`, and what is near or what to do `otherwise`; the exit code."""
    from generator.declared.shape import did_you_mean
    from generator.words import printable

    names = sorted(set(known))
    otherwise = otherwise or (f"use one of {', '.join(names)}" if names else "none is declared")
    hint = did_you_mean(name, names) or otherwise
    say(f'drivergate: no {what} is named "{printable(name)}"\n    hint: {printable(hint)}')
    return UNUSABLE


def no_cluster(wanted: Iterable[str], known: Iterable[str]) -> None:
    """Raises UnreadableError for the first name, in their order, that no cluster has."""
    from generator.declared.shape import did_you_mean
    from generator.words import printable

    names = sorted(known)
    for name in sorted({*wanted} - {*names}):
        hint = did_you_mean(name, names) or "list the clusters with: drivergate show"
        raise UnreadableError(f'no cluster is named "{printable(name)}"', hint)


_EVERY = 0.1  # seconds between two states of the progress line


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
