"""For how long a kernel has been declared, while its image is still waited for."""

from msgspec import Struct

DAY = 86400  # seconds


class Lag(Struct, frozen=True):
    """Whole days since a kernel was first declared; `at_least` where the history that was read begins later."""

    days: int
    at_least: bool


def lag(first: int, now: int, *, whole: bool) -> Lag:
    """From two times in seconds since the epoch; `whole` says whether the history was read to its beginning."""
    return Lag(max(0, now - first) // DAY, at_least=not whole)
