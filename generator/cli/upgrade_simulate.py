"""`drivergate upgrade simulate`: what an upgrade will run into, before it begins."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from generator.cli.observing import BudgetFiles, DriverFiles, Dump, NodeFiles, PodFiles
from generator.cli.options import Root
from generator.cli.upgrade_status import OperatorRelease

DeclaredCluster = Annotated[
    str | None,
    typer.Option("--cluster", metavar="NAME", help="The cluster in the inventory, for what no file tells."),
]


class SimulationFormat(StrEnum):
    """How a replay is printed; the last two are drawings."""

    TEXT = "text"
    JSON = "json"
    SVG = "svg"
    HTML = "html"


def simulate(
    nodes: NodeFiles = None,
    pods: PodFiles = None,
    budgets: BudgetFiles = None,
    drivers: DriverFiles = None,
    dump: Dump = None,
    context: Annotated[
        str | None, typer.Option("--context", metavar="NAME", help="Ask this context of your kubeconfig.")
    ] = None,
    cluster: DeclaredCluster = None,
    operator: OperatorRelease = None,
    driver_seconds: Annotated[
        int, typer.Option("--driver-seconds", min=0, metavar="N", help="How long a new driver pod takes to be Ready.")
    ] = 180,
    restart_only: Annotated[
        bool,
        typer.Option("--restart-only", help="Driver pods restart with the same settings; nothing is evicted."),
    ] = False,
    root: Root = None,
    printed: Annotated[
        SimulationFormat, typer.Option("--format", help="How to print it; svg and html are drawings.")
    ] = SimulationFormat.TEXT,
) -> int:
    """Replay an upgrade from files, live, or on what is declared: who is evicted when, and where it stalls."""
    from generator.cli.observing import sources
    from generator.cli.simulating import simulated

    wanted = sources(nodes, pods, budgets, drivers, dump)
    if wanted.given and context:
        raise typer.BadParameter("files and --context are alternatives")
    if not wanted.given and cluster is None and context is None:
        raise typer.BadParameter("give --nodes and --pods, a --dump, a --context, or the name of a declared --cluster")
    return simulated(
        wanted,
        context=context,
        cluster=cluster,
        operator=operator,
        root=root,
        driver_seconds=driver_seconds,
        restart_only=restart_only,
        printed=str(printed),
    )
