"""`drivergate upgrade simulate`: what an upgrade will run into, before it begins."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated

import typer
from msgspec import Struct

from generator.cli.observing import (
    Sources,
    Target,
    declared,
    each,
    live,
    live_targets,
    named,
    objects_of,
    paired,
    release_of,
    sources,
    targets,
)
from generator.cli.options import (
    BudgetFiles,
    Clusters,
    Contexts,
    DriverFiles,
    Dump,
    NodeFiles,
    OperatorRelease,
    PodFiles,
    Rings,
    Root,
    Today,
)
from generator.cli.outcome import CLEAN, FOUND, NOT_VERIFIED, UNUSABLE, out
from generator.cli.repository import Chosen, read_declaration, report_unread
from generator.declared.fleet import Cluster
from generator.observed.objects import Objects
from generator.report.formats import json
from generator.report.simulation import simulation_json, simulation_text
from generator.report.timeline import html, svg
from generator.report.unasked import Unasked, unasked_lines
from generator.upgrade.addressed import of_simulation
from generator.upgrade.input import NEEDED_KINDS, USEFUL_KINDS
from generator.upgrade.invented import invented
from generator.upgrade.simulation import Simulation, Wish
from generator.upgrade.simulation import simulate as replay


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
    today: Today = None,
    printed: Annotated[
        SimulationFormat, typer.Option("--format", help="How to print it; svg and html are drawings.")
    ] = SimulationFormat.TEXT,
) -> int:
    """Replay an upgrade from files, live, or on what is declared: who is evicted when, and where it stalls."""
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
    return simulated(wanted, asked, Chosen(root=root, today=today))


DRAWN = {"svg": svg, "html": html}


class Asked(Struct, frozen=True, kw_only=True):
    """What the command line asks for."""

    contexts: tuple[str, ...]
    clusters: tuple[str, ...]
    rings: frozenset[str]
    live: bool
    operator: str | None
    wish: Wish
    printed: str


def simulated(wanted: Sources, asked: Asked, chosen: Chosen) -> int:
    """Replays and prints; exit 1 where it stalls, 3 where the input leaves it open."""
    if wanted.given:
        cluster = declared(asked.clusters[0], chosen) if asked.clusters else None
        found = _replayed(objects_of(wanted), asked, cluster)
        return _print([(cluster.name if cluster else "", found)], [], asked, incomplete=False)
    if asked.contexts or asked.live:
        wants, incomplete = live_targets(chosen, asked.clusters, asked.contexts, asked.rings)
        seen, unasked = each(wants, lambda target: _live(target, asked))
        return _print([(target.name, one) for target, one in seen], unasked, asked, incomplete=incomplete)
    return _of_inventory(asked, chosen)


def _live(target: Target, asked: Asked) -> Simulation:
    found = _replayed(live(target.context, NEEDED_KINDS, USEFUL_KINDS), asked, target.cluster)
    return of_simulation(found, target.context)


def _of_inventory(asked: Asked, chosen: Chosen) -> int:
    """Each chosen cluster as it is declared; what of the inventory can't be read is said."""
    found = read_declaration(chosen, catalogs=False)
    incomplete = report_unread(found, as_json=False)
    for name in asked.clusters:
        named(found, name)
    wanted = targets(found.fleet.clusters, asked.clusters, (), asked.rings)
    made = [
        (one.name, _replayed(invented(found.fleet, one.cluster), asked, one.cluster)) for one in wanted if one.cluster
    ]
    return _print(made, [], asked, incomplete=incomplete)


def _is_json(asked: Asked) -> bool:
    return asked.printed == "json"


def _replayed(objects: Objects, asked: Asked, cluster: Cluster | None) -> Simulation:
    release, assumed = release_of(asked.operator, cluster, objects)
    return replay(objects, release, asked.wish, assumed=assumed)


Replays = Sequence[tuple[str, Simulation]]


def _print(found: Replays, unasked: Sequence[Unasked], asked: Asked, *, incomplete: bool) -> int:
    several = len(found) + len(unasked) > 1
    drawn = DRAWN.get(asked.printed)
    if drawn and several:
        raise typer.BadParameter(f"--format {asked.printed} draws one cluster: name it with --cluster")
    if drawn and found:
        out(drawn(found[0][1]))
    elif _is_json(asked) and (several or unasked):
        clusters = [{"cluster": name, **simulation_json(one)} for name, one in found]
        failed = [{"cluster": one.cluster, "message": one.message, "hint": one.hint} for one in unasked]
        out(json.printed({"clusters": clusters, "unasked": failed}))
    elif _is_json(asked):
        out(json.printed(simulation_json(found[0][1])))
    else:
        out("\n".join(_texts(found, unasked, several=several)))
    return UNUSABLE if incomplete else _code([one for _, one in found], unasked)


def _texts(found: Replays, unasked: Sequence[Unasked], *, several: bool) -> Iterator[str]:
    yield from (f"== {name}\n{simulation_text(one)}" if several else simulation_text(one) for name, one in found)
    if unasked:
        yield "".join(f"{line}\n" for line in unasked_lines(unasked))


def _code(found: Sequence[Simulation], unasked: Sequence[Unasked]) -> int:
    if any(one.stalls or one.stops for one in found):
        return FOUND
    return NOT_VERIFIED if unasked or any(one.missing or not one.lanes for one in found) else CLEAN
