"""`drivergate migrate`: an inventory of an older schema becomes one of today's."""

import os
from typing import Annotated

import typer

from generator.cli.options import ResultFormat, Root
from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, Format, colored, out, say
from generator.declared.migration import migrated
from generator.edges.files import WorkTree, find_root
from generator.edges.git.command import git_at
from generator.edges.git.listing import Listings
from generator.edges.source import Kind
from generator.edges.writer import Write, apply
from generator.layout import INVENTORY
from generator.report import migration
from generator.report.formats import json, text
from generator.words import printable


def migrate(
    root: Root = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if something is to be migrated.")
    ] = False,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Move the documents in inventory/ to the newest apiVersion, changing only the lines that must change."""
    folder = find_root(root)
    source = WorkTree(folder, Listings(git_at(folder, os.environ), INVENTORY))
    result = migrated(source.read([one.path for one in source.paths(INVENTORY) if one.kind is Kind.FILE]))
    if printed is Format.JSON:
        out(json.printed(migration.as_json(result)))
    else:
        out(text.finding_lines(result.findings, color=colored()))
    if result.findings:
        say("nothing is written")
        return UNUSABLE
    if not check:
        apply(folder, [Write(path, data) for path, data in result.changed.items()])
    if printed is Format.TEXT:
        out(migration.as_text(result, done=not check))
    for refusal in result.refused:
        say(f"drivergate: {printable(refusal)}")
    return FOUND if result.refused or (check and result.changed) else CLEAN
