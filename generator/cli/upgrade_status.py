"""`drivergate upgrade status`: where each node stands, why it waits, and what to try."""

from __future__ import annotations

from typing import Annotated

import typer

from generator.cli.observing import BudgetFiles, DriverFiles, Dump, NodeFiles, PodFiles
from generator.cli.options import Printed, Root
from generator.cli.outcome import Format

OperatorRelease = Annotated[
    str | None,
    typer.Option(
        "--operator", metavar="RELEASE", help="The GPU operator's release; default: the cluster's, or the newest."
    ),
]
DeclaredCluster = Annotated[
    str | None,
    typer.Option("--cluster", metavar="NAME", help="The cluster in the inventory, for what no file tells."),
]


def status(
    nodes: NodeFiles = None,
    pods: PodFiles = None,
    budgets: BudgetFiles = None,
    drivers: DriverFiles = None,
    dump: Dump = None,
    cluster: DeclaredCluster = None,
    operator: OperatorRelease = None,
    root: Root = None,
    printed: Printed = Format.TEXT,
) -> int:
    """Say of every node where its upgrade stands and why; exit 1 where somebody must act, 3 where it can't be told."""
    from generator.cli.observing import objects_of, sources
    from generator.cli.outcome import CLEAN, FOUND, NOT_VERIFIED, out
    from generator.cli.upgrading import release_of
    from generator.report import json
    from generator.report.upgrade import status_json, status_text
    from generator.upgrade.status import status as status_now

    wanted = sources(nodes, pods, budgets, drivers, dump)
    if not wanted.given:
        raise typer.BadParameter("give --nodes and --pods, or --dump")
    release = release_of(operator, cluster, root)
    found = status_now(objects_of(wanted), release)
    out(json.printed(status_json(found)) if printed is Format.JSON else status_text(found))
    if found.stuck:
        return FOUND
    return NOT_VERIFIED if found.untold or not found.nodes else CLEAN
