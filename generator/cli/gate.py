"""The gate: what `drivergate check` does once its options are read. It needs no command-line library."""

from collections.abc import Sequence

from generator.cli.begin import Wanted, begin
from generator.cli.outcome import Format, colored, exit_code, out, say
from generator.edges.errors import UnreadableError


def gate(
    *,
    root: str | None = None,
    staged: bool = False,
    rev: str | None = None,
    against: str | None = None,
    clusters: Sequence[str] = (),
    strict: bool = False,
    write_baseline: bool = False,
    printed: Format = Format.TEXT,
) -> int:
    """Judges and reports; the exit code. OutsideError where the outside says no."""
    if staged and rev:
        raise UnreadableError("--staged and --rev are alternatives", "give one of them")
    if write_baseline and (staged or rev or clusters):
        raise UnreadableError("--write-baseline lists the errors of the whole work tree", "give it alone")
    begun = begin(Wanted(root=root, staged=staged, rev=rev, against=against, clusters=frozenset(clusters)))

    from generator.cli.gather import gather
    from generator.cli.judging import judged, summary
    from generator.report import text

    gathered = gather(begun)
    if write_baseline:
        from generator.cli.baseline import write

        return write(gathered)
    judgement = judged(gathered)
    counted = summary(gathered, judgement)
    if printed is Format.JSON:
        from generator.report import json

        out(json.report(judgement.findings, counted, gathered.notes))
    else:
        out(text.report(judgement.findings, counted, color=colored()))
        for note in gathered.notes:
            say(f"note: {note}")
    return exit_code(judgement.findings, strict=strict)
