"""How a problem is said: one finding, its place, its severity.

Owns the shape of a finding. It knows no rule, and it prints nothing.
"""

from enum import StrEnum

from msgspec import Struct


class Severity(StrEnum):
    """What a finding does to the exit code: INVALID 2 (no valid manifest), ERROR 1, WARNING 0 (1 with --strict)."""

    INVALID = "invalid"
    ERROR = "error"
    WARNING = "warning"


class Place(Struct, frozen=True, order=True):
    """Where in the repository: a path relative to its root, line and column from 1 (0 where the file has none)."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


class Finding(Struct, frozen=True, kw_only=True):
    """One problem. `hint` is one imperative sentence; `fact` is what a baseline remembers of it."""

    rule: str
    severity: Severity
    place: Place
    message: str
    hint: str
    cluster: str = ""
    pool: str = ""
    workload: str = ""
    fact: str = ""


def invalid(
    rule: str, place: Place, message: str, hint: str, *, cluster: str = "", pool: str = "", workload: str = ""
) -> Finding:
    """A finding that leaves no valid manifest to make."""
    return Finding(
        rule=rule,
        severity=Severity.INVALID,
        place=place,
        message=message,
        hint=hint,
        cluster=cluster,
        pool=pool,
        workload=workload,
    )
