"""How the outside says no: one line that names the thing, one that says what to do. Never a traceback."""


class OutsideError(Exception):
    """Something outside this program stood in the way; a command that can't go on ends with `exit_code`."""

    exit_code = 2

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UnreadableError(OutsideError):
    """An input can't be read: a path, an index, a revision."""


class NoGitError(UnreadableError):
    """No git, no repository, or git refuses it. The work tree can still be read."""


class NoCommitError(UnreadableError):
    """The repository is there, but has no commit yet."""


class UnwritableError(OutsideError):
    """An output can't be written where it belongs."""


class CouldNotLookError(OutsideError):
    """What was asked may well exist, but can't be seen from here: neither missing nor clean."""

    exit_code = 3


class ForbiddenError(CouldNotLookError):
    """What was asked is there, and this user may not see it; other things it may."""


class ImageUnreadableError(CouldNotLookError):
    """One image of a registry can't be read, while others may: half an answer, a wrong digest."""


def reason(error: OSError) -> str:
    """Why the system refused, in its own words and our case: `permission denied`."""
    return (error.strerror or type(error).__name__).lower()
