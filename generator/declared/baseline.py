"""The findings that were there when the gate was introduced; listed ones are told as warnings."""

from collections.abc import Iterable

from msgspec import Struct

from generator.declared.document import read
from generator.finding import Finding, Place, Severity

FILE = ".drivergate-baseline.yaml"
HEADER = "# Findings that were there when the gate was introduced. Written by: drivergate check --write-baseline\n"
KEYS = ("rule", "cluster", "pool", "fact")


class Entry(Struct, frozen=True, order=True):
    """One finding: its rule, what it is about, and the fact that it states."""

    rule: str
    cluster: str
    pool: str
    fact: str

    @property
    def subject(self) -> str:
        """The entry in words."""
        return " ".join(part for part in (f"{self.cluster}/{self.pool}".strip("/"), self.fact) if part)


class Baseline(Struct, frozen=True):
    """All entries, and where they stand."""

    entries: tuple[Entry, ...]
    place: Place
    findings: tuple[Finding, ...] = ()


def read_baseline(data: bytes) -> Baseline:
    """The baseline file's entries; what can't be read is a finding, never an empty baseline."""
    document, place = read(data, FILE), Place(FILE, 1, 1)
    listed = document.value.get("findings") if isinstance(document.value, dict) else None
    entries = []
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and all(isinstance(one.get(key, ""), str) for key in KEYS) and set(one) <= set(KEYS):
            entries.append(Entry(*(one.get(key, "") for key in KEYS)))
        else:
            listed = None
    if document.findings or listed is None:
        finding = Finding(
            rule="inventory/schema",
            severity=Severity.INVALID,
            place=place,
            message=f"{FILE} is no list of findings with the keys {', '.join(KEYS)}",
            hint="run: drivergate check --write-baseline",
        )
        return Baseline((), place, document.findings or (finding,))
    return Baseline(tuple(entries), place)


def entries_of(findings: Iterable[Finding]) -> tuple[Entry, ...]:
    """What a new baseline lists: the errors, each once, sorted."""
    errors = (one for one in findings if one.severity is Severity.ERROR)
    return tuple(sorted({Entry(one.rule, one.cluster, one.pool, one.fact) for one in errors}))


def baseline_text(entries: Iterable[Entry]) -> str:
    """The file, one entry a line, every text in quotes."""
    from json import dumps

    lines = []
    for entry in entries:
        told = (f"{key}: {dumps(getattr(entry, key))}" for key in KEYS if getattr(entry, key))
        lines.append(f"  - {{{', '.join(told)}}}\n")
    return f"{HEADER}findings:" + ("\n" + "".join(lines) if lines else " []\n")
