"""`drivergate upgrade status`: where each node stands, why it waits, and what to try."""

from collections.abc import Sequence

import typer
from msgspec import Struct

from generator.cli.observing import (
    Sources,
    Target,
    declared,
    each,
    live,
    live_targets,
    objects_of,
    paired,
    release_of,
    sources,
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
    ResultFormat,
    Rings,
    Root,
)
from generator.cli.outcome import CLEAN, FOUND, NOT_VERIFIED, UNUSABLE, Format, out
from generator.cli.repository import Chosen
from generator.declared.fleet import Cluster
from generator.observed.objects import Objects
from generator.report.formats import json
from generator.report.unasked import Unasked, unasked_lines
from generator.report.upgrade import status_json, status_text
from generator.upgrade.addressed import of_status
from generator.upgrade.input import NEEDED_KINDS, USEFUL_KINDS
from generator.upgrade.status import Status
from generator.upgrade.status import status as status_now


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
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Say of every node where its upgrade stands and why; exit 1 where somebody must act, 3 where it can't be told.

    From files or a dump, or live through your kubectl: the declared clusters, a ring, or one --context.
    """
    wanted = sources(nodes, pods, budgets, drivers, dump)
    asked = Asked(
        contexts=tuple(context or ()),
        clusters=tuple(cluster or ()),
        rings=frozenset(ring or ()),
        operator=operator,
        as_json=printed is Format.JSON,
    )
    chosen = Chosen(root=root)
    if not wanted.given:
        paired(asked.clusters, asked.contexts)
        return of_live(asked, chosen)
    if asked.contexts or asked.rings:
        raise typer.BadParameter("files are of one cluster: --context and --ring don't go with them")
    if len(asked.clusters) > 1:
        raise typer.BadParameter("files are of one cluster: name it with one --cluster")
    return of_files(wanted, asked, chosen)


class Asked(Struct, frozen=True, kw_only=True):
    """What the command line asks for."""

    contexts: tuple[str, ...]
    clusters: tuple[str, ...]
    rings: frozenset[str]
    operator: str | None
    as_json: bool


def of_files(wanted: Sources, asked: Asked, chosen: Chosen) -> int:
    """One cluster, whose files are given."""
    cluster = declared(asked.clusters[0], chosen) if asked.clusters else None
    found = _found(objects_of(wanted), asked, cluster)
    out(json.printed(status_json(found)) if asked.as_json else status_text(found))
    return _code([found], [])


def of_live(asked: Asked, chosen: Chosen) -> int:
    """Every cluster that is asked for; a single context needs no inventory."""
    wanted, incomplete = live_targets(chosen, asked.clusters, asked.contexts, asked.rings)
    seen, unasked = each(wanted, lambda target: _status(target, asked))
    if asked.as_json:
        clusters = [{"cluster": target.name, **status_json(found)} for target, found in seen]
        failed = [{"cluster": one.cluster, "message": one.message, "hint": one.hint} for one in unasked]
        out(json.printed({"clusters": clusters, "unasked": failed}))
    else:
        parts = [
            f"== {target.name}\n{status_text(found)}" if len(seen) > 1 else status_text(found) for target, found in seen
        ]
        parts += ["".join(f"{line}\n" for line in unasked_lines(unasked))] if unasked else []
        out("\n".join(parts))
    return UNUSABLE if incomplete else _code([found for _, found in seen], unasked)


def _status(target: Target, asked: Asked) -> Status:
    found = _found(live(target.context, NEEDED_KINDS, USEFUL_KINDS), asked, target.cluster)
    return of_status(found, target.context)


def _found(objects: Objects, asked: Asked, cluster: Cluster | None) -> Status:
    release, assumed = release_of(asked.operator, cluster, objects)
    return status_now(objects, release, assumed=assumed)


def _code(found: Sequence[Status], unasked: Sequence[Unasked]) -> int:
    if any(one.stuck for one in found):
        return FOUND
    if unasked or any(one.untold or not one.nodes for one in found):
        return NOT_VERIFIED
    return CLEAN
