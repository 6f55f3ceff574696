"""`drivergate upgrade runbook`: the ordered steps of a planned change."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from generator.cli.options import Clusters, Rev, Root, Staged
from generator.cli.wishing import Branch, Kernels, Operator, Pools, Rings, Stream, System


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
    printed: Annotated[RunbookFormat, typer.Option("--format", help="How to print it.")] = RunbookFormat.MARKDOWN,
) -> int:
    """Write the procedure of a planned change: images, waves, what to watch, what to do when it stops, the way back."""
    from generator.cli.planning import runbook_of
    from generator.cli.wishing import wished

    if staged and rev:
        raise typer.BadParameter("--staged and --rev are alternatives")
    wish = wished(kernel, os, branch, node_image, operator, cluster, ring, pool)
    return runbook_of(wish, root=root, staged=staged, rev=rev, as_json=printed is RunbookFormat.JSON)
