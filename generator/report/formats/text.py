"""Findings and counts for people: one line a finding with its place in front, its hint below."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from generator.finding import Finding, Severity
from generator.layout import OUT
from generator.render.ownership import Changes
from generator.words import counted, printable

WORDS = {Severity.INVALID: "error", Severity.ERROR: "error", Severity.WARNING: "warning"}
COLORS = {Severity.INVALID: "\x1b[1;31m", Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m"}
FAINT, RESET = "\x1b[2m", "\x1b[0m"
LONGEST = 600  # of a message or a hint


class Summary(Struct, frozen=True, kw_only=True):
    """What was judged, and how it came out. `not_judged` counts custom resources of kinds that nothing describes."""

    source: str
    clusters: int
    pools: int
    images: int
    errors: int
    warnings: int
    silenced: int
    not_judged: Mapping[str, int]

    @property
    def sentence(self) -> str:
        """All of it on one line."""
        found = f"{counted(self.errors, 'error')}, {counted(self.warnings, 'warning')}"
        silenced = f" ({self.silenced} silenced)" if self.silenced else ""
        judged = f"{counted(self.clusters, 'cluster')}, {counted(self.pools, 'pool')}, {counted(self.images, 'image')}"
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(self.not_judged.items()))
        unknown = f"; not judged, no schema: {kinds}" if kinds else ""
        return f"{found}{silenced} in {judged} of the {self.source}{unknown}"


def counts(findings: Sequence[Finding]) -> tuple[int, int]:
    """Errors and warnings."""
    warnings = sum(finding.severity is Severity.WARNING for finding in findings)
    return len(findings) - warnings, warnings


def report(findings: Sequence[Finding], summary: Summary, *, color: bool) -> str:
    """Everything that a check has to say."""
    return "".join(f"{line}\n" for line in (*_findings(findings, color=color), summary.sentence))


def finding_lines(findings: Sequence[Finding], *, color: bool) -> str:
    """The findings alone."""
    return "".join(f"{line}\n" for line in _findings(findings, color=color))


def _findings(findings: Sequence[Finding], *, color: bool) -> Iterator[str]:
    for one in findings:
        word = WORDS[one.severity]
        if color:
            word = f"{COLORS[one.severity]}{word}{RESET}"
        yield f"{printable(str(one.place))}: {word}: {sentence(one.message)} [{one.rule}]"
        hint = f"    hint: {sentence(one.hint)}"
        yield f"{FAINT}{hint}{RESET}" if color else hint


def as_warnings(findings: Sequence[Finding]) -> list[Finding]:
    """The same findings as render tells them: it does its work, and the gate judges."""
    return [replace(one, severity=Severity.WARNING) for one in findings]


def changes(todo: Changes, *, done: bool) -> str:
    """One line per file that changes."""
    if not todo.told and not todo.removed:
        return f"{OUT}/ is up to date\n"
    written, removed = ("wrote", "removed") if done else ("would write", "would remove")
    lines = [f"{written} {OUT}/{printable(path)}\n" for path in todo.told]
    lines += [f"{removed} {OUT}/{printable(path)}\n" for path in todo.removed]
    return "".join(lines)


def sentence(text: str) -> str:
    """A message or a hint as it is printed: one that quotes something huge loses its middle."""
    half = LONGEST // 2
    return printable(text if len(text) <= LONGEST else f"{text[:half]} … {text[-half:]}")


def table(rows: Sequence[Sequence[str]]) -> str:
    """Columns padded to their widest cell; the first row is the head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "".join(f"{line}\n" for line in lines)
