"""`drivergate check`: the gate."""

from typing import Annotated

import typer

from generator.cli.options import Clusters, Outputs, Reported, Rev, Root, Staged
from generator.cli.outcome import Reporting


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
    changed_since: Annotated[
        str | None,
        typer.Option(
            "--changed-since",
            metavar="BASE",
            help="Judge only the clusters that the change since this revision can affect; compares with it, too.",
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard", metavar="I/N", help="Judge one of N parts of the fleet; rules over all are the first's."
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count: exit 1 on any.")] = False,
    write_baseline: Annotated[
        bool, typer.Option("--write-baseline", help="List today's errors, so that only new ones fail.")
    ] = False,
    printed: Reported = Reporting.TEXT,
    output: Outputs = None,
) -> int:
    """Judge inventory, catalog, rendered output and drift; exit 1 on an error, 2 where nothing can be rendered."""
    from generator.cli.gate import gate

    return gate(
        root=root,
        staged=staged,
        rev=rev,
        against=against,
        clusters=cluster or (),
        changed_since=changed_since,
        shard=shard,
        strict=strict,
        write_baseline=write_baseline,
        printed=printed,
        outputs=output or (),
    )
