"""`drivergate upgrade runbook`: the ordered steps of a planned change."""

from enum import StrEnum
from typing import Annotated

import typer

from generator.change.runbook import runbook as runbook_for
from generator.change.runbook import whole
from generator.change.wish import Wish
from generator.cli.options import (
    Branch,
    Clusters,
    Kernels,
    Operator,
    Pools,
    Rev,
    Rings,
    Root,
    Staged,
    Stream,
    System,
    Today,
    chosen_state,
)
from generator.cli.outcome import CLEAN, UNUSABLE, out
from generator.cli.plan import planned_work, understood, wished
from generator.cli.repository import Chosen, read_declaration, report_unread
from generator.report import runbook as page
from generator.report.formats import json
from generator.revision.assemble import unrendered


class RunbookFormat(StrEnum):
    """How a runbook is printed."""

    MARKDOWN = "markdown"
    JSON = "json"


def runbook(
    kernel: Kernels = None,
    os: System = None,
    branch: Branch = None,
    node_image: Stream = None,
    operator: Operator = None,
    cluster: Clusters = None,
    ring: Rings = None,
    pool: Pools = None,
    root: Root = None,
    staged: Staged = False,
    rev: Rev = None,
    today: Today = None,
    printed: Annotated[RunbookFormat, typer.Option("--format", help="How to print it.")] = RunbookFormat.MARKDOWN,
) -> int:
    """Write the procedure of a planned change: images, waves, what to watch, what to do when it stops, the way back."""
    chosen = chosen_state(root, staged=staged, rev=rev, today=today)
    wish = wished(kernel, os, branch, node_image, operator, cluster, ring, pool)
    return _write(wish, chosen, as_json=printed is RunbookFormat.JSON)


def _write(wish: Wish, chosen: Chosen, *, as_json: bool) -> int:
    """The runbook of a plan; nothing is written where a part of the inventory can't be read."""
    found = read_declaration(chosen, catalogs=True)
    if report_unread(found, as_json=False):
        return UNUSABLE
    asked = whole(understood(wish, found), found.fleet)
    made = planned_work(found, asked, chosen)
    book = runbook_for(unrendered(found), asked, made.plan, made.works)
    out(json.printed(page.values(book)) if as_json else page.markdown(book))
    return CLEAN
