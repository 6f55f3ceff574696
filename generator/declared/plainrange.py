"""`requires: ">=0.1,<1"` between final releases, answered without the import of packaging (10 ms)."""

import re

CLAUSE = re.compile(r"\s*(>=|<)\s*([0-9]{1,9}(?:\.[0-9]{1,9})*)\s*")
FINAL = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})*")


def plainly_within(version: str, wanted: str) -> bool:
    """Whether a final release satisfies each of a list of plain bounds; False also where packaging must be asked."""
    clauses = [CLAUSE.fullmatch(clause) for clause in wanted.split(",")]
    if not FINAL.fullmatch(version):
        return False
    number = _number(version)
    return all(clause is not None and (number >= _number(clause[2])) is (clause[1] == ">=") for clause in clauses)


def _number(text: str) -> tuple[int, ...]:
    """The release as numbers, without the zeros at its end: PEP 440 has 1 equal to 1.0."""
    numbers = [int(part) for part in text.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
