"""`drivergate catalog show`: everything that is known of one image."""

from typing import Annotated

import typer

from generator.catalog.listing import rows
from generator.cli.options import ResultFormat, Rev, Root, Staged, Today, chosen_state
from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, Format, out, unknown
from generator.cli.repository import read_declaration, report_unread
from generator.report import catalog
from generator.report.formats import json


def show(
    tag: Annotated[str, typer.Argument(metavar="TAG", help="A tag, or REPOSITORY:TAG.")],
    root: Root = None,
    staged: Staged = False,
    rev: Rev = None,
    today: Today = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Show an image: its parts, what its line says, where it can be had, and whose nodes ask for it; exit 1 where they
    can't have it.
    """
    chosen = chosen_state(root, staged=staged, rev=rev, today=today)
    found = read_declaration(chosen, catalogs=True)
    incomplete = report_unread(found, as_json=printed is Format.JSON)
    everything = list(rows(found.fleet, found.catalog()))
    repository, _, bare = tag.rpartition(":")
    ours = [row for row in everything if row.tag == bare and repository in {"", row.repository}]
    if not ours and not incomplete:
        names = (
            {row.tag for row in everything} if not repository else {f"{row.repository}:{row.tag}" for row in everything}
        )
        return unknown("image", tag, names, otherwise="list what there is with `drivergate catalog list`")
    if printed is Format.JSON:
        out(json.printed(json.with_findings({"images": catalog.rows_json(ours)}, found.blocking)))
    else:
        out(catalog.shown(ours))
    if incomplete:
        return UNUSABLE
    return CLEAN if all(row.usable for row in ours) else FOUND
