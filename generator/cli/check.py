"""`drivergate check`: the gate.

Git is asked before the modules of the core are imported, and typer is imported for a call with options only: imports
are most of the time that a hook waits for.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

from generator.cli.begin import Wanted, begin
from generator.cli.outcome import CLEAN, UNUSABLE, Format, Reporting, colored, exit_code, out, say
from generator.edges.errors import UnreadableError
from generator.layout import BASELINE
from generator.words import counted, printable

if TYPE_CHECKING:
    from generator.cli.reporting import Output
    from generator.cli.state import State
    from generator.edges.git.command import Git
    from generator.finding import Finding
    from generator.report.formats.text import Summary
    from generator.report.reported import Reported
    from generator.rules.judge import Judgement


def with_options() -> Callable[..., int]:
    """The verb with its options, as typer reads them."""
    import typer

    from generator.cli.completion import complete_revisions
    from generator.cli.options import Clusters, Observed, Outputs, ReportFormat, Rev, Root, Staged, SyncedFile, Today

    def command(
        root: Root = None,
        staged: Staged = False,
        rev: Rev = None,
        today: Today = None,
        against: Annotated[
            str | None,
            typer.Option(
                "--against",
                metavar="REV",
                help="What counts as synced; default: where the upstream is left, else HEAD; of --rev its parent.",
                autocompletion=complete_revisions,
            ),
        ] = None,
        cluster: Clusters = None,
        changed_since: Annotated[
            str | None,
            typer.Option(
                "--changed-since",
                metavar="BASE",
                help="Check only clusters that the change since this revision can affect; also compares with it.",
                autocompletion=complete_revisions,
            ),
        ] = None,
        shard: Annotated[
            str | None,
            typer.Option(
                "--shard",
                metavar="I/N",
                help="Check only part I of N, for parallel CI jobs. Rules that compare clusters run in part 1.",
            ),
        ] = None,
        strict: Annotated[bool, typer.Option("--strict", help="Also exit 1 on warnings.")] = False,
        scheduled: Annotated[
            bool,
            typer.Option(
                "--scheduled", help="Judge what stands, for a run of no change: also exit 1 on ended silences."
            ),
        ] = False,
        observed: Observed = None,
        synced: SyncedFile = None,
        merged: Annotated[
            bool,
            typer.Option(
                "--merged", help="Commits since --against are merged: nodes may run what each of them declares."
            ),
        ] = False,
        write_baseline: Annotated[
            bool, typer.Option("--write-baseline", help="List today's errors, so that only new ones fail.")
        ] = False,
        printed: ReportFormat = Reporting.TEXT,
        output: Outputs = None,
    ) -> int:
        """Check inventory, catalog, rendered output and drift. Exit 1 on an error, 2 if nothing can be rendered."""
        return check(
            root=root,
            staged=staged,
            rev=rev,
            today=today,
            against=against,
            clusters=cluster or (),
            changed_since=changed_since,
            shard=shard,
            strict=strict,
            scheduled=scheduled,
            observed=observed or (),
            synced=synced,
            merged=merged,
            write_baseline=write_baseline,
            printed=printed,
            outputs=output or (),
        )

    return command


def check(
    *,
    root: str | None = None,
    staged: bool = False,
    rev: str | None = None,
    today: str | None = None,
    against: str | None = None,
    clusters: Sequence[str] = (),
    changed_since: str | None = None,
    shard: str | None = None,
    strict: bool = False,
    scheduled: bool = False,
    observed: Sequence[str] = (),
    synced: str | None = None,
    merged: bool = False,
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
    if write_baseline and (staged or rev or clusters or narrowed or outputs or scheduled):
        raise UnreadableError("--write-baseline lists the errors of the whole work tree", "give it alone")
    if write_baseline and printed not in {Reporting.TEXT, Reporting.JSON}:
        raise UnreadableError("--write-baseline prints as text or json", "leave --format out")
    if merged and against is None:
        raise UnreadableError("--merged counts the commits since --against", "name the last commit that passed with it")
    if scheduled and rev:
        message = "--scheduled asks what has ended by now; a commit is judged on the day of its own date"
        raise UnreadableError(message, "leave --rev out, and check the commit out")
    wanted = Wanted(
        root=root,
        staged=staged,
        rev=rev,
        today=today,
        against=against,
        clusters=frozenset(clusters),
        changed_since=changed_since,
        shard=_shard(shard) if shard is not None else None,
        scheduled=scheduled,
        observed=tuple(observed),
        synced=synced,
        merged=merged,
    )
    begun = begin(wanted)
    if outputs or printed is not Reporting.TEXT:
        from generator.cli.reporting import outputs as destinations

        files = destinations(outputs, begun.root)
    else:
        files = ()

    from generator.cli.state import judged, judged_state, notes, summary

    state = judged_state(begun)
    if write_baseline:
        return _write_baseline(state, printed=Format(printed))
    judgement = judged(state)
    counts = summary(state, judgement)
    if files or printed is not Reporting.TEXT:
        _report(begun.git, state, judgement, counts, strict=strict, printed=printed, files=files)
    else:
        from generator.report.formats import text

        out(text.report(judgement.findings, counts, color=colored()))
    if printed is Reporting.TEXT:
        for note in notes(state, judgement):
            say(f"note: {note}")
    return exit_code(judgement.findings, strict=strict)


def _shard(written: str) -> tuple[int, int]:
    """The number of a part, from 1, and of how many."""
    from generator.declared.shard import parse

    shard = parse(written)
    if shard is None:
        message = f'--shard "{printable(written)}" is no part of a fleet'
        raise UnreadableError(message, "write it like 2/5: the second of five, counted from 1")
    return shard.number, shard.of


def _report(
    git: "Git",
    state: "State",
    judgement: "Judgement",
    counts: "Summary",
    *,
    strict: bool,
    printed: Reporting,
    files: "Sequence[Output]",
) -> None:
    """Prints the findings in one format, and writes the files that are asked for."""
    from generator.cli.reporting import Texts, for_reviewers, printed_and_written
    from generator.cli.state import notes
    from generator.report.formats import json, text

    findings = judgement.findings
    color = colored() and printed is Reporting.TEXT and not files
    texts: Texts = {
        Reporting.TEXT: lambda: text.report(findings, counts, color=color),
        Reporting.JSON: lambda: json.report(findings, counts, notes(state, judgement)),
    }
    formats = {printed, *(file.format for file in files)}
    if formats - texts.keys():
        reported = _reported(git, state, judgement, counts, strict=strict)
        texts = {**texts, **for_reviewers(lambda: reported)}
    printed_and_written(texts, printed, files)


def _reported(git: "Git", state: "State", judgement: "Judgement", counts: "Summary", *, strict: bool) -> "Reported":
    """The same for reviewers. Where manifests can't be made, no rule that found nothing has seen everything."""
    from generator.cli.reporting import documented
    from generator.cli.state import notes
    from generator.edges.git.command import below_top
    from generator.finding import Severity
    from generator.report.reported import Reported, below
    from generator.rules.judge import NOT_WHOLE
    from generator.rules.table import RULES

    findings = below(below_top(git), judgement.findings)
    unjudged = dict(judgement.unjudged)
    if any(finding.severity is Severity.INVALID for finding in findings):
        unjudged = {rule.id: NOT_WHOLE for rule in RULES} | unjudged
    return Reported(
        verb="check",
        findings=findings,
        sentence=counts.sentence,
        rules=documented(findings),
        notes=notes(state, judgement),
        clusters=tuple(cluster.name for cluster in state.revision.fleet.clusters),
        judged=tuple(sorted(rule.id for rule in RULES if rule.id not in unjudged)),
        unjudged=unjudged,
        repeated=judgement.repeated,
        strict=strict,
        scope=state.scope,
    )


def _write_baseline(state: "State", *, printed: Format) -> int:
    """Lists the errors of today, so that only new ones fail; the exit code."""
    from msgspec.structs import replace

    from generator.cli.state import judged
    from generator.declared.baseline import baseline_text, entries_of
    from generator.edges.writer import Write, apply
    from generator.finding import Severity
    from generator.report.formats import text
    from generator.rules.table import BY_ID

    findings = judged(replace(state, baseline=None)).findings
    if exit_code(findings) == UNUSABLE:
        blocking = [finding for finding in findings if finding.severity is Severity.INVALID]
        if printed is Format.JSON:
            _print_baseline(None, blocking)
            return UNUSABLE
        out(text.finding_lines(blocking, color=colored()))
        say("no baseline is written: what stands above can't be put into one")
        return UNUSABLE
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    passing = [finding for finding in errors if not BY_ID[finding.rule].lasting]
    entries = entries_of(finding for finding in errors if finding not in passing)
    apply(state.root, [Write(BASELINE, baseline_text(entries).encode())])
    if printed is Format.JSON:
        _print_baseline(len(entries), passing)
        return CLEAN
    say(f"wrote {BASELINE} with {counted(len(entries), 'finding')}")
    if passing:
        out(text.finding_lines(passing, color=colored()))
        say("what stands above is not listed: it tells of one change, or of files that render mends")
    return CLEAN


def _print_baseline(entries: int | None, findings: "Sequence[Finding]") -> None:
    """As JSON: how many entries were written, None for no file, and the findings that are in none."""
    from generator.report.formats import json

    blocked = entries is None
    body = {"written": [] if blocked else [BASELINE], "entries": entries or 0, "blocked": blocked}
    out(json.printed(json.with_findings(body, findings)))
