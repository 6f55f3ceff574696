"""`drivergate cuda`: what the drivers of a fleet carry, and which pools can run what."""

from typing import Annotated, Any

import typer

from generator.cli.completion import complete_workloads
from generator.cli.options import Clusters, ResultFormat, Rev, Root, Staged, Today, chosen_state
from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, Format, out, say, unknown
from generator.cli.repository import Chosen, read_declaration, report_unread
from generator.facts.cuda import Need, parse_need
from generator.facts.cudachoice import By
from generator.facts.requirement import Refused
from generator.report import cuda as report
from generator.report.formats import json
from generator.revision.declaration import Declaration
from generator.words import printable


def pools(
    need: Annotated[
        str | None,
        typer.Argument(metavar="[NEED]", help='A toolkit ("13.1"), a driver (">=580.82.07") or "cuda>=12.4".'),
    ] = None,
    root: Root = None,
    clusters: Clusters = None,
    staged: Staged = False,
    rev: Rev = None,
    today: Today = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Show what each pool's driver carries and what stands in the way of a newer one; with NEED, who can run it."""
    wanted = parse_need(need) if need is not None else None
    if isinstance(wanted, Refused):
        return _refused(wanted)
    as_json = printed is Format.JSON
    chosen = chosen_state(root, staged=staged, rev=rev, today=today)
    found = _read(chosen, clusters, catalogs=True)
    if isinstance(found, int):
        return found
    incomplete = report_unread(found, as_json=as_json)
    catalog = found.catalog()
    if wanted is None:
        carried = report.carried(found.fleet, catalog)
        body: dict[str, Any] = {"pools": carried, "heldBack": report.held_back(carried)}
        shown = report.carried_text(carried)
    else:
        answers = report.answers(found.fleet, catalog, wanted)
        body = {"need": report.needs(found.fleet, wanted), "pools": answers}
        shown = report.answers_text(answers)
    if as_json:
        out(json.printed(json.with_findings(body, found.blocking)))
    else:
        out(shown)
        for one in report.needs(found.fleet, wanted) if wanted else ():
            say(f"{one}, as of the catalog")
    return UNUSABLE if incomplete else CLEAN


def affinity(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[WORKLOAD|NEED]",
            autocompletion=complete_workloads,
            help="A declared workload, or a need as of `cuda`; default: every workload that declares a need.",
        ),
    ] = None,
    root: Root = None,
    clusters: Clusters = None,
    by_pool: Annotated[
        bool, typer.Option("--by-pool", help="For a NEED: select pools, instead of labels of the driver.")
    ] = False,
    staged: Staged = False,
    rev: Rev = None,
    today: Today = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Print the nodeAffinity of workloads or a need, as YAML for a pod's spec; exit 1 where no label can say it."""
    as_json = printed is Format.JSON
    chosen = chosen_state(root, staged=staged, rev=rev, today=today)
    found = _read(chosen, clusters, catalogs=False)
    if isinstance(found, int):
        return found
    incomplete = report_unread(found, as_json=as_json)
    placements = report.of_workloads(found.fleet, name)
    if by_pool and (placements or name is None):
        raise typer.BadParameter("--by-pool goes with a NEED; a workload says it itself, in cuda.by")
    if not placements and name is not None:
        need = parse_need(name)
        if not isinstance(need, Need):
            return UNUSABLE if incomplete else _no_workload(found, name, need, clusters)
        placements = report.of_need(found.fleet, need, By.POOL if by_pool else By.LABELS)
    if as_json:
        out(json.printed(json.with_findings({"affinity": placements}, found.blocking)))
    else:
        out(report.placements_text(placements))
    if incomplete:
        return UNUSABLE
    return CLEAN if all(one.terms for one in placements) else FOUND


def _read(chosen: Chosen, clusters: list[str] | None, *, catalogs: bool) -> Declaration | int:
    """What is declared of the clusters; the exit code where one of them isn't there."""
    only = frozenset(clusters or ())
    found = read_declaration(chosen, clusters=only, catalogs=catalogs)
    absent = sorted(name for name in only if found.cluster(name) is None)
    if absent and not found.blocking:
        everything = read_declaration(chosen, catalogs=False)
        return unknown("cluster", absent[0], [one.name for one in everything.fleet.clusters])
    return found


def _refused(refused: Refused) -> int:
    say(f"drivergate: {printable(refused.reason)}\n    hint: {printable(refused.hint)}")
    return UNUSABLE


def _no_workload(found: Declaration, name: str, refused: Refused, clusters: list[str] | None) -> int:
    """A text with a digit was meant as a need, any other as a name."""
    if clusters and any(name in one.shape.workloads for one in found.inventory.workloads):
        where = ", ".join(map(printable, sorted(clusters)))
        say(f'drivergate: workload "{name}" does not run on {where}\n    hint: name a cluster of its runsOn')
        return UNUSABLE
    if any(char.isdigit() for char in name):
        return _refused(refused)
    otherwise = 'name a workload of inventory/, or a need such as "13.1" or ">=580"'
    return unknown("workload", name, [one.name for one in found.fleet.workloads], otherwise=otherwise)
