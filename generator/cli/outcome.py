"""What a run comes to: exit codes, and how text leaves the process."""

import os
import sys
from collections.abc import Sequence
from enum import StrEnum

from generator.edges.errors import UnwritableError, reason
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
