"""`drivergate catalog list`: what is built, and what nodes need of it."""

from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from generator.catalog.listing import Row, State, rows
from generator.cli.options import Repositories, ResultFormat, Rev, Root, Staged, Today, chosen_state
from generator.cli.outcome import CLEAN, UNUSABLE, Format, out, say, unknown_repository
from generator.cli.repository import read_declaration, report_unread
from generator.declared.mirror import catalog_name
from generator.report import catalog
from generator.report.formats import json


def list_images(
    repositories: Repositories = None,
    *,
    needed: Annotated[bool, typer.Option("--needed", help="Only what a pool's nodes ask for.")] = False,
    branch: Annotated[str | None, typer.Option("--branch", metavar="BRANCH", help='Only this branch: "580".')] = None,
    os_tag: Annotated[str | None, typer.Option("--os", metavar="OS", help="Only this OS: ubuntu24.04.")] = None,
    state: Annotated[
        str | None, typer.Option("--state", metavar="STATE", help="Only published, built, missing or gone ones.")
    ] = None,
    root: Root = None,
    staged: Staged = False,
    rev: Rev = None,
    today: Today = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """List the images of the catalog, and those that nodes ask for and it lacks, with where each can be had."""
    chosen = chosen_state(root, staged=staged, rev=rev, today=today)
    if state is not None and state not in set(State):
        raise typer.BadParameter(f'"{state}" is no state; use one of {", ".join(State)}')
    found = read_declaration(chosen, catalogs=True)
    incomplete = report_unread(found, as_json=printed is Format.JSON)
    everything = list(rows(found.fleet, found.catalog()))
    mirrors = found.fleet.mirrors
    names = [catalog_name(mirrors, name) for name in repositories or []]
    if not incomplete and unknown_repository(names, (row.repository for row in everything)):
        return UNUSABLE
    ours = list(_only(everything, names, state=state, needed=needed, branch=branch, os_tag=os_tag))
    if printed is Format.JSON:
        out(json.printed(json.with_findings({"images": catalog.rows_json(ours)}, found.blocking)))
    elif ours:
        out(catalog.listing(ours))
    else:
        say("no image of that kind is listed or needed" if everything else "no image is listed or needed")
    return UNUSABLE if incomplete else CLEAN


def _only(
    rows: Iterable[Row],
    repositories: list[str],
    *,
    state: str | None,
    needed: bool,
    branch: str | None,
    os_tag: str | None,
) -> Iterator[Row]:
    for row in rows:
        if (repositories and row.repository not in repositories) or (needed and row.need is None):
            continue
        if state is not None and row.state != state:
            continue
        parsed = row.parsed if branch or os_tag else None
        if (branch or os_tag) and parsed is None:
            continue
        if parsed and ((branch and parsed.branch != branch) or (os_tag and parsed.os != os_tag)):
            continue
        yield row
