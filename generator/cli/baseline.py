"""`drivergate check --write-baseline`: the errors of today, so that only new ones fail."""

from collections.abc import Sequence

from msgspec.structs import replace

from generator.cli.gather import Gathered
from generator.cli.judging import judged
from generator.cli.outcome import CLEAN, UNUSABLE, Format, colored, exit_code, out, say
from generator.declared.baseline import FILE, baseline_text, entries_of
from generator.edges.writer import Write, apply
from generator.finding import Finding, Severity
from generator.report.formats import text
from generator.rules.table import BY_ID


def write(gathered: Gathered, *, printed: Format = Format.TEXT) -> int:
    """Writes the file, unless something can't be put into one; the exit code."""
    findings = judged(replace(gathered, baseline=None)).findings
    if exit_code(findings) == UNUSABLE:
        blocking = [one for one in findings if one.severity is Severity.INVALID]
        if printed is Format.JSON:
            _print(None, blocking)
            return UNUSABLE
        out(text.finding_lines(blocking, color=colored()))
        say("no baseline is written: what stands above can't be put into one")
        return UNUSABLE
    errors = [one for one in findings if one.severity is Severity.ERROR]
    passing = [one for one in errors if not BY_ID[one.rule].lasting]
    entries = entries_of(one for one in errors if one not in passing)
    apply(gathered.root, [Write(FILE, baseline_text(entries).encode())])
    if printed is Format.JSON:
        _print(len(entries), passing)
        return CLEAN
    say(f"wrote {FILE} with {len(entries)} finding{'' if len(entries) == 1 else 's'}")
    if passing:
        out(text.finding_lines(passing, color=colored()))
        say("what stands above is not listed: it tells of one change, or of files that render mends")
    return CLEAN


def _print(entries: int | None, findings: Sequence[Finding]) -> None:
    """As JSON: how many entries were written, None for no file, and the findings that are in none."""
    from generator.report.formats import json

    blocked = entries is None
    body = {"written": [] if blocked else [FILE], "entries": entries or 0, "blocked": blocked}
    out(json.printed(json.with_findings(body, findings)))
