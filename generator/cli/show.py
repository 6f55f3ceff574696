"""`drivergate show`: effective values and where they come from."""

from typing import Annotated

import typer

from generator.cli.completion import complete_clusters_and_pools
from generator.cli.options import ResultFormat, Rev, Root, Staged, Today, chosen_state
from generator.cli.outcome import CLEAN, UNUSABLE, Format, out, say, unknown
from generator.cli.repository import read_declaration, report_unread
from generator.operator.effective import node_image_levels
from generator.report import show as report
from generator.report.formats import json
from generator.report.show import Shown, shown_cluster, shown_pool
from generator.revision.declaration import Declaration, pool_of


def show(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[CLUSTER[/POOL]]",
            help="Cluster or pool to show in full.",
            autocompletion=complete_clusters_and_pools,
        ),
    ] = None,
    root: Root = None,
    origin: Annotated[bool, typer.Option("--origin", help="Say file, line and level of each value.")] = False,
    staged: Staged = False,
    rev: Rev = None,
    today: Today = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Show the fleet as a table, or every effective value of a cluster or pool."""
    chosen = chosen_state(root, staged=staged, rev=rev, today=today)
    if origin and name is None:
        raise typer.BadParameter("--origin is for one cluster or pool: name it as CLUSTER or CLUSTER/POOL")
    only = frozenset({name.partition("/")[0]}) if name else frozenset()
    found = read_declaration(chosen, clusters=only, catalogs=False, followers=True)
    as_json = printed is Format.JSON
    incomplete = report_unread(found, as_json=as_json)
    shown = _shown(found, name) if name is not None else None
    if name is not None and shown is None and not incomplete:
        return _unknown(read_declaration(chosen, catalogs=False), name)
    if as_json:
        values = report.values_json(shown) if shown else {} if name else report.fleet_values(found.fleet)
        out(json.printed(json.with_findings(values, found.blocking)))
    elif shown:
        out(report.values_text(shown, origins=origin))
    elif name is None:
        out(report.fleet_table(found.fleet))
        for note in report.notes(found.fleet):
            say(f"note: {note}")
    return UNUSABLE if incomplete else CLEAN


def _shown(found: Declaration, name: str) -> Shown | None:
    cluster_name, slash, pool_name = name.partition("/")
    cluster = found.cluster(cluster_name)
    if cluster is None or not slash:
        return shown_cluster(found.fleet, cluster) if cluster else None
    pool = pool_of(cluster, pool_name)
    return shown_pool(found.fleet, cluster, pool, node_image_levels(found.inventory)) if pool else None


def _unknown(everything: Declaration, name: str) -> int:
    cluster_name, _, pool_name = name.partition("/")
    cluster = everything.cluster(cluster_name)
    if cluster is None:
        return unknown("cluster", cluster_name, [one.name for one in everything.fleet.clusters])
    return unknown(f"pool of {cluster.name}", pool_name, [pool.name for pool in cluster.pools])
