"""For how long a kernel has been declared, while its image is still waited for."""

from datetime import date

from msgspec import Struct


class Lag(Struct, frozen=True):
    """Days since a kernel was first declared; `at_least` where the history that was read begins later."""

    days: int
    at_least: bool


def lag(first: date, day: date, *, whole: bool) -> Lag:
    """The days from the first declaration to a day; `whole` says whether the history was read to its beginning."""
    return Lag(max(0, (day - first).days), at_least=not whole)
