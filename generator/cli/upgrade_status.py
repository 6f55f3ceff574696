"""`drivergate upgrade status`: where each node stands, why it waits, and what to try."""

from __future__ import annotations

from typing import Annotated

import typer

from generator.cli.observing import BudgetFiles, DriverFiles, Dump, NodeFiles, PodFiles
from generator.cli.options import Clusters, Printed, Root
from generator.cli.outcome import Format
from generator.cli.targets import Contexts, Rings, paired

OperatorRelease = Annotated[
    str | None,
    typer.Option(
        "--operator", metavar="RELEASE", help="The GPU operator's release; default: the cluster's, or the newest."
    ),
]


def status(
    nodes: NodeFiles = None,
    pods: PodFiles = None,
    budgets: BudgetFiles = None,
    drivers: DriverFiles = None,
    dump: Dump = None,
    context: Contexts = None,
    cluster: Clusters = None,
    ring: Rings = None,
    operator: OperatorRelease = None,
    root: Root = None,
    printed: Printed = Format.TEXT,
) -> int:
    """Say of every node where its upgrade stands and why; exit 1 where somebody must act, 3 where it can't be told.

    From files or a dump, or live through your kubectl: the declared clusters, a ring, or one --context.
    """
    from generator.cli.observing import sources
    from generator.cli.standing import Asked, of_files, of_live

    wanted = sources(nodes, pods, budgets, drivers, dump)
    asked = Asked(
        contexts=tuple(context or ()),
        clusters=tuple(cluster or ()),
        rings=frozenset(ring or ()),
        operator=operator,
        as_json=printed is Format.JSON,
    )
    if not wanted.given:
        paired(asked.clusters, asked.contexts)
        return of_live(asked, root)
    if asked.contexts or asked.rings:
        raise typer.BadParameter("files are of one cluster: --context and --ring don't go with them")
    if len(asked.clusters) > 1:
        raise typer.BadParameter("files are of one cluster: name it with one --cluster")
    return of_files(wanted, asked, root)
