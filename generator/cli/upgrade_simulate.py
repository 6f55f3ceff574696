"""`drivergate upgrade simulate`: what an upgrade will run into, before it begins."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from generator.cli.observing import BudgetFiles, DriverFiles, Dump, NodeFiles, PodFiles
from generator.cli.options import Clusters, Root
from generator.cli.targets import Contexts, Rings, paired
from generator.cli.upgrade_status import OperatorRelease


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
    context: Contexts = None,
    cluster: Clusters = None,
    ring: Rings = None,
    live: Annotated[
        bool, typer.Option("--live", help="Ask the declared clusters through your kubectl, by their kubeContext.")
    ] = False,
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
    from generator.cli.simulating import Asked, simulated
    from generator.upgrade.simulation import Wish

    wanted = sources(nodes, pods, budgets, drivers, dump)
    asked = Asked(
        contexts=tuple(context or ()),
        clusters=tuple(cluster or ()),
        rings=frozenset(ring or ()),
        live=live,
        operator=operator,
        wish=Wish(driver_seconds=driver_seconds, restart_only=restart_only),
        printed=str(printed),
    )
    if wanted.given:
        if asked.contexts or asked.rings or live or len(asked.clusters) > 1:
            raise typer.BadParameter("files are of one cluster: give no --context, --ring or --live, and one --cluster")
    elif not (asked.contexts or asked.clusters or asked.rings or live):
        raise typer.BadParameter(
            "give --nodes and --pods, a --dump, a --context, --live, or a declared --cluster or --ring"
        )
    else:
        paired(asked.clusters, asked.contexts)
    return simulated(wanted, asked, root)
