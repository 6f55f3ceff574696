"""The gate: what `drivergate check` does once its options are read. It needs no command-line library."""

from collections.abc import Sequence

from generator.cli.begin import Wanted, begin
from generator.cli.outcome import Format, Reporting, colored, exit_code, out, say
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
    printed: Reporting = Reporting.TEXT,
    outputs: Sequence[str] = (),
) -> int:
    """Judges and reports; the exit code. OutsideError where the outside says no."""
    if staged and rev:
        raise UnreadableError("--staged and --rev are alternatives", "give one of them")
    if write_baseline and (staged or rev or clusters or outputs):
        raise UnreadableError("--write-baseline lists the errors of the whole work tree", "give it alone")
    if write_baseline and printed not in {Reporting.TEXT, Reporting.JSON}:
        raise UnreadableError("--write-baseline prints as text or json", "leave --format out")
    begun = begin(Wanted(root=root, staged=staged, rev=rev, against=against, clusters=frozenset(clusters)))
    if outputs or printed is not Reporting.TEXT:
        from generator.cli.reporting import outputs as destinations

        files = destinations(outputs, begun.root)
    else:
        files = ()

    from generator.cli.gather import gather
    from generator.cli.judging import judged, summary

    gathered = gather(begun)
    if write_baseline:
        from generator.cli.baseline import write

        return write(gathered, printed=Format(printed))
    judgement = judged(gathered)
    counted = summary(gathered, judgement)
    if files or printed is not Reporting.TEXT:
        from generator.cli.checked import deliver

        deliver(begun.git, gathered, judgement, counted, strict=strict, printed=printed, files=files)
    else:
        from generator.report import text

        out(text.report(judgement.findings, counted, color=colored()))
    if printed is Reporting.TEXT:
        for note in gathered.notes:
            say(f"note: {note}")
    return exit_code(judgement.findings, strict=strict)
