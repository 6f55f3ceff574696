"""The gate: what `drivergate check` does once its options are read. It needs no command-line library."""

from collections.abc import Sequence

from generator.cli.begin import Wanted, begin
from generator.cli.outcome import Format, Reporting, colored, exit_code, out, say
from generator.edges.errors import UnreadableError, printable


def gate(
    *,
    root: str | None = None,
    staged: bool = False,
    rev: str | None = None,
    against: str | None = None,
    clusters: Sequence[str] = (),
    changed_since: str | None = None,
    shard: str | None = None,
    strict: bool = False,
    write_baseline: bool = False,
    printed: Reporting = Reporting.TEXT,
    outputs: Sequence[str] = (),
) -> int:
    """Judges and reports; the exit code. OutsideError where the outside says no."""
    if staged and rev:
        raise UnreadableError("--staged and --rev are alternatives", "give one of them")
    narrowed = changed_since is not None or shard is not None
    if clusters and narrowed:
        raise UnreadableError("--cluster names what --changed-since and --shard find out", "leave one of them out")
    if write_baseline and (staged or rev or clusters or narrowed or outputs):
        raise UnreadableError("--write-baseline lists the errors of the whole work tree", "give it alone")
    if write_baseline and printed not in {Reporting.TEXT, Reporting.JSON}:
        raise UnreadableError("--write-baseline prints as text or json", "leave --format out")
    wanted = Wanted(
        root=root,
        staged=staged,
        rev=rev,
        against=against,
        clusters=frozenset(clusters),
        changed_since=changed_since,
        shard=_shard(shard) if shard is not None else None,
    )
    begun = begin(wanted)
    if outputs or printed is not Reporting.TEXT:
        from generator.cli.reporting import outputs as destinations

        files = destinations(outputs, begun.root)
    else:
        files = ()

    from generator.cli.gather import gather
    from generator.cli.judging import judged, notes, summary

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
        from generator.report.formats import text

        out(text.report(judgement.findings, counted, color=colored()))
    if printed is Reporting.TEXT:
        for note in notes(gathered, judgement):
            say(f"note: {note}")
    return exit_code(judgement.findings, strict=strict)


def _shard(written: str) -> tuple[int, int]:
    from generator.declared.shard import parse

    found = parse(written)
    if found is None:
        message = f'--shard "{printable(written)}" is no part of a fleet'
        raise UnreadableError(message, "write it like 2/5: the second of five, counted from 1")
    return found.number, found.of
