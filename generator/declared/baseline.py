"""The findings that were there when the gate was introduced; listed ones are told as warnings."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from generator.documents.document import places, read
from generator.finding import Finding, Place, Severity
from generator.layout import BASELINE

HEADER = "# Findings that were there when the gate was introduced. Written by: drivergate check --write-baseline\n"
KEYS = ("rule", "cluster", "pool", "workload", "fact")


class Entry(Struct, frozen=True, order=True):
    """One finding: its rule, what it is about, and the fact that it states."""

    rule: str
    cluster: str
    pool: str
    workload: str
    fact: str

    @property
    def subject(self) -> str:
        """The entry in words."""
        return " ".join(part for part in (f"{self.cluster}/{self.pool}".strip("/"), self.workload, self.fact) if part)


class Baseline(Struct, frozen=True):
    """All entries in the order of their file."""

    entries: tuple[Entry, ...] = ()
    findings: tuple[Finding, ...] = ()
    data: bytes = b""

    def places(self) -> dict[Entry, Place]:
        """Where each entry stands; the file is read again for it."""
        found = places(self.data, BASELINE)
        return {entry: found.value(("findings", index)) for index, entry in enumerate(self.entries)}


def read_baseline(data: bytes) -> Baseline:
    """The baseline file's entries; what can't be read is a finding, never an empty baseline."""
    document = read(data, BASELINE)
    if document.findings:
        return Baseline((), document.findings)
    listed = document.value.get("findings") if isinstance(document.value, dict) else None
    if not isinstance(listed, list):
        return Baseline((), (_unreadable(Place(BASELINE, 1, 1), f"{BASELINE} holds no list of findings"),))
    entries = []
    for index, one in enumerate(listed):
        if not isinstance(one, dict) or not _is_entry(one):
            place = places(data, BASELINE).value(("findings", index))
            return Baseline((), (_unreadable(place, f"an entry is no text under each of {', '.join(KEYS)}"),))
        entries.append(Entry(*(one.get(key, "") for key in KEYS)))
    return Baseline(tuple(entries), (), data)


def _is_entry(one: dict[str, Any]) -> bool:
    return "rule" in one and set(one) <= set(KEYS) and all(isinstance(value, str) for value in one.values())


def _unreadable(place: Place, message: str) -> Finding:
    return Finding(
        rule="inventory/schema",
        severity=Severity.INVALID,
        place=place,
        message=message,
        hint="correct it, or run: drivergate check --write-baseline",
    )


def entries_of(findings: Iterable[Finding]) -> tuple[Entry, ...]:
    """What a new baseline lists: the errors, each once, sorted."""
    return tuple(sorted({entry_of(one) for one in findings if one.severity is Severity.ERROR}))


def entry_of(finding: Finding) -> Entry:
    """What a baseline remembers of a finding."""
    return Entry(*(getattr(finding, key) for key in KEYS))


def baseline_text(entries: Iterable[Entry]) -> str:
    """The file, one entry a line, every text in quotes."""
    from json import dumps

    lines = []
    for entry in entries:
        told = (
            f"{key}: {dumps(getattr(entry, key), ensure_ascii=False)}"
            for key in KEYS
            if getattr(entry, key) or key == "rule"
        )
        lines.append(f"  - {{{', '.join(told)}}}\n")
    return f"{HEADER}findings:" + ("\n" + "".join(lines) if lines else " []\n")
