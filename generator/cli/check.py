"""`drivergate check`: the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from generator.cli.options import Clusters, Format, Printed, Rev, Root, Staged

if TYPE_CHECKING:
    from generator.cli.gather import Gathered


def check(
    root: Root = None,
    staged: Staged = False,
    rev: Rev = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="REV",
            help="Compare driver objects with this revision's; default HEAD, with --rev its first parent.",
        ),
    ] = None,
    cluster: Clusters = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count: exit 1 on any.")] = False,
    write_baseline: Annotated[
        bool, typer.Option("--write-baseline", help="List today's errors, so that only new ones fail.")
    ] = False,
    printed: Printed = Format.TEXT,
) -> int:
    """Judge inventory, catalog, rendered output and drift; exit 1 on an error, 2 where nothing can be rendered."""
    from generator.cli.gather import Wanted, gather
    from generator.cli.judging import judged, summary
    from generator.cli.outcome import colored, exit_code, out, say
    from generator.report import json, text

    if staged and rev:
        raise typer.BadParameter("--staged and --rev are alternatives")
    if write_baseline and (staged or rev or cluster):
        raise typer.BadParameter("--write-baseline lists the whole work tree's errors")
    gathered = gather(
        Wanted(
            root=root,
            staged=staged,
            rev=rev,
            against=against,
            against_is_given=against is not None,
            clusters=frozenset(cluster or ()),
        )
    )
    if write_baseline:
        return _baseline(gathered)
    judgement = judged(gathered)
    counted = summary(gathered, judgement)
    if printed is Format.JSON:
        out(json.report(judgement.findings, counted, gathered.notes))
    else:
        out(text.report(judgement.findings, counted, color=colored()))
        for note in gathered.notes:
            say(f"note: {note}")
    return exit_code(judgement.findings, strict=strict)


def _baseline(gathered: Gathered) -> int:
    from msgspec.structs import replace

    from generator.cli.judging import judged
    from generator.cli.outcome import UNUSABLE, colored, exit_code, out, say
    from generator.declared.baseline import FILE, baseline_text, entries_of
    from generator.edges.writer import Write, apply
    from generator.finding import Severity
    from generator.report import text

    judgement = judged(replace(gathered, baseline=None))
    if exit_code(judgement.findings) == UNUSABLE:
        blocking = [one for one in judgement.findings if one.severity is Severity.INVALID]
        out(text.finding_lines(blocking, color=colored()))
        say("no baseline is written: what stands above can't be put into one")
        return UNUSABLE
    entries = entries_of(judgement.findings)
    apply(gathered.root, [Write(FILE, baseline_text(entries).encode())])
    say(f"wrote {FILE} with {len(entries)} findings")
    return 0
