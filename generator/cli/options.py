"""The options that several verbs share."""

from typing import Annotated

import typer

from generator.cli.outcome import Format, Reporting

Root = Annotated[
    str | None,
    typer.Option("--root", "-C", metavar="DIR", help="The repository; default: the nearest folder with inventory/."),
]
Staged = Annotated[bool, typer.Option("--staged", help="Judge exactly what would be committed: git's index.")]
Rev = Annotated[str | None, typer.Option("--rev", metavar="REV", help="Judge a commit, without checking it out.")]
Clusters = Annotated[
    list[str] | None, typer.Option("--cluster", metavar="NAME", help="Only this cluster; may be repeated.")
]
ResultFormat = Annotated[Format, typer.Option("--format", help="How to print the result.")]
ReportFormat = Annotated[Reporting, typer.Option("--format", help="How to print the findings.")]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FORMAT=FILE",
        help="Also write the findings to a file, in any of the formats of --format; may be repeated.",
    ),
]
