"""`drivergate audit`: does the cluster agree with git?"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer
from msgspec import Struct

from generator.audit.audit import Audit
from generator.audit.audit import audit as compared
from generator.audit.live import NEEDED_KINDS, USEFUL_KINDS, Live
from generator.audit.whose import whose
from generator.cli.observing import Sources, each, live, objects_of, paired, sources, targets
from generator.cli.options import (
    BudgetFiles,
    Clusters,
    Contexts,
    DriverFiles,
    Dump,
    NodeFiles,
    PodFiles,
    Pools,
    Rev,
    Rings,
    Root,
    Staged,
    Today,
    chosen_state,
)
from generator.cli.outcome import CLEAN, FOUND, NOT_VERIFIED, UNUSABLE, out, say, unknown
from generator.cli.repository import Chosen, read_declaration, report_unread
from generator.declared.fleet import Cluster
from generator.edges.errors import UnreadableError
from generator.edges.files import WorkTree, find_root
from generator.edges.writer import Write, apply
from generator.observed.objects import Objects
from generator.report import audit as report
from generator.report.diff import patch
from generator.report.formats import json
from generator.report.unasked import Unasked
from generator.revision.declaration import Declaration
from generator.words import printable


class AuditFormat(StrEnum):
    """How an audit is printed; prometheus is for a textfile collector."""

    TEXT = "text"
    JSON = "json"
    PROMETHEUS = "prometheus"


def audit(
    nodes: NodeFiles = None,
    pods: PodFiles = None,
    budgets: BudgetFiles = None,
    drivers: DriverFiles = None,
    dump: Dump = None,
    context: Contexts = None,
    cluster: Clusters = None,
    ring: Rings = None,
    propose: Annotated[
        bool, typer.Option("--propose", help="Print the inventory edit that would declare what runs, as a patch.")
    ] = False,
    write_inventory: Annotated[
        bool, typer.Option("--write-inventory", help="Apply that edit; only the lines that change.")
    ] = False,
    gone: Annotated[
        list[str] | None,
        typer.Option(
            "--gone",
            metavar="VALUE",
            help="Only say whether a kernel, OS, driver or operator release still runs (repeatable); exit 1 if so.",
        ),
    ] = None,
    pool: Pools = None,
    every: Annotated[bool, typer.Option("--all", help="Also list nodes that match the inventory.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Also exit 1 on warnings.")] = False,
    root: Root = None,
    staged: Staged = False,
    rev: Rev = None,
    today: Today = None,
    printed: Annotated[
        AuditFormat, typer.Option("--format", help="How to print it; prometheus is for a textfile collector.")
    ] = AuditFormat.TEXT,
) -> int:
    """Compare a cluster with what is declared and rendered for it, from files or live through your kubectl."""
    chosen = chosen_state(root, staged=staged, rev=rev, today=today)
    if write_inventory and (staged or rev):
        raise typer.BadParameter("--write-inventory edits the work tree, so it goes with neither --staged nor --rev")
    given = sources(nodes, pods, budgets, drivers, dump)
    if given.given and context:
        raise typer.BadParameter("files and --context are alternatives")
    paired(cluster or (), context or ())
    if gone and (propose or write_inventory or every or printed is AuditFormat.PROMETHEUS):
        raise typer.BadParameter(
            "--gone only asks what runs: leave --propose, --write-inventory, --all and --format out"
        )
    if pool and not gone:
        raise typer.BadParameter("--pool says of which pool's nodes --gone asks")
    asked = Asked(
        given=given,
        contexts=tuple(context or ()),
        clusters=tuple(cluster or ()),
        rings=frozenset(ring or ()),
        gone=tuple(gone or ()),
        pools=frozenset(pool or ()),
        propose=propose,
        write=write_inventory,
        every=every,
        strict=strict,
        printed=str(printed),
    )
    return audited(asked, chosen)


class Asked(Struct, frozen=True, kw_only=True):
    """What the command line asks for."""

    given: Sources
    contexts: tuple[str, ...]
    clusters: tuple[str, ...]
    rings: frozenset[str]
    gone: tuple[str, ...]
    pools: frozenset[str]
    propose: bool
    write: bool
    every: bool
    strict: bool
    printed: str


def audited(asked: Asked, chosen: Chosen) -> int:
    """The exit code: 1 for what runs undeclared or unbuilt, 3 where a cluster could not be looked at."""
    found = read_declaration(chosen, catalogs=True, followers=True)
    incomplete = report_unread(found, as_json=asked.printed == "json")
    known = [cluster.name for cluster in found.fleet.clusters]
    for name in asked.clusters:
        if name not in known and not incomplete:
            return unknown("cluster", name, known)
    if asked.gone:
        return _gone(asked, found, incomplete=incomplete)
    catalog = found.catalog()
    seen, unasked = _looked(asked, found)
    looked = [(cluster, compared(cluster, catalog, each, found.fleet.workloads_of(cluster))) for cluster, each in seen]
    audits = [each for _, each in looked]
    if asked.propose or asked.write:
        uname = {(cluster.name, node.name): node.kernel for cluster, each in seen for node in each.nodes}
        return proposed(looked, unasked, found, uname, root=chosen.root, write=asked.write)
    _print(asked, found, audits, unasked, _time(asked, seen))
    return _code(audits, unasked, incomplete=incomplete, strict=asked.strict)


def _gone(asked: Asked, found: Declaration, *, incomplete: bool) -> int:
    """1 where a node still runs what shall leave, 3 where that can't be told of each node, 0 where none does."""
    from generator.audit.leaving import can_leave, remaining

    for value in asked.gone:
        if not can_leave(value):
            message = f'--gone "{printable(value)}" is no kernel, OS, driver or release'
            raise UnreadableError(message, "write 5.15.0-173-generic, ubuntu22.04, 580 or v25.3.4")
    known = [f"{cluster.name}/{pool.name}" for cluster in found.fleet.clusters for pool in cluster.pools]
    names = {*known, *(name.partition("/")[2] for name in known)}
    for name in sorted(asked.pools - names):
        return unknown("pool", name, known)
    seen, unasked = _looked(asked, found)
    answers = []
    for cluster, objects in seen:
        pools = [pool for pool in cluster.pools if asked.pools & {pool.name, f"{cluster.name}/{pool.name}"}]
        if pools or not asked.pools:
            answers += remaining(cluster, pools, objects, asked.gone)
    if asked.printed == "json":
        out(json.printed(json.with_findings(report.remaining_values(answers, unasked), found.blocking)))
    else:
        out(report.remaining_text(answers, unasked))
    if incomplete:
        return UNUSABLE
    if any(answer.running for answer in answers):
        return FOUND
    return NOT_VERIFIED if unasked or not answers or any(answer.unknown for answer in answers) else CLEAN


def _looked(asked: Asked, found: Declaration) -> tuple[list[tuple[Cluster, Live]], list[Unasked]]:
    if asked.given.given:
        objects = objects_of(asked.given)
        if "Node" not in objects.kinds:
            raise UnreadableError("the input holds no nodes", "give them: kubectl get nodes -o json, with --nodes")
        return [(_of_files(asked, found, objects), Live(objects))], []
    wanted = targets(found.fleet.clusters, asked.clusters, asked.contexts, asked.rings)
    seen, unasked = each(wanted, lambda target: Live(live(target.context, NEEDED_KINDS, USEFUL_KINDS)))
    return [(target.cluster, objects) for target, objects in seen if target.cluster is not None], unasked


def _of_files(asked: Asked, found: Declaration, objects: Objects) -> Cluster:
    """Files are of one cluster: the named one, the only one, or the one whose pools claim most of the nodes."""
    clusters = [one for one in found.fleet.clusters if not asked.clusters or one.name in asked.clusters]
    if len(clusters) == 1:
        return clusters[0]
    chosen = whose(clusters, tuple(objects.nodes.values()))
    if chosen is None:
        raise UnreadableError("it can't be told which cluster the files are of", "name it with --cluster")
    return chosen


def _time(asked: Asked, seen: Sequence[tuple[Cluster, Live]]) -> str | None:
    """When the nodes were seen, in UTC; of files the newest word of a kubelet in them, None where there is none."""
    if not asked.given.given:
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return max((node.heartbeat for _, objects in seen for node in objects.nodes if node.heartbeat), default=None)


def _print(
    asked: Asked, found: Declaration, audits: Sequence[Audit], unasked: Sequence[Unasked], time: str | None
) -> None:
    match asked.printed:
        case "json":
            out(json.printed(json.with_findings(report.values(audits, unasked, time), found.blocking)))
        case "prometheus":
            out(report.prometheus(audits, unasked))
            for one in unasked:
                say(f"drivergate: {one.cluster}: {one.message}\n    hint: {one.hint}")
        case _:
            out(report.text(audits, unasked, every=asked.every))


def _code(audits: Sequence[Audit], unasked: Sequence[Unasked], *, incomplete: bool, strict: bool) -> int:
    if incomplete:
        return UNUSABLE
    if any(one.failed or (strict and one.differences) for one in audits):
        return FOUND
    return NOT_VERIFIED if unasked else CLEAN


def proposed(
    audits: Sequence[tuple[Cluster, Audit]],
    unasked: "Sequence[Unasked]",
    found: Declaration,
    uname: Mapping[tuple[str, str], str],
    *,
    root: str | None,
    write: bool,
) -> int:
    """0 where it could be proposed, whatever runs; 1 where an edit can't be made, and is left to who wrote the file.

    A cluster that could not be looked at has no part in it.
    """
    from generator.audit.proposal import proposed as edits  # ruamel.yaml, which only edits need

    where = find_root(root)
    images = {one.shape.name: (one.file, one.shape) for one in found.inventory.node_images}
    named = sorted({cluster.file for cluster, _ in audits} | {file for file, _ in images.values()})
    texts = {path: data.decode("utf-8", "replace") for path, data in WorkTree(where).read(named).items()}
    made = edits(audits, images, texts, uname)
    if write:
        nothing = "" if made.refused else "nothing to declare\n"
        applied = apply(where, [Write(path, text.encode()) for path, text in sorted(made.texts.items())])
        out("".join(f"wrote {printable(path)}\n" for path in applied.written) or nothing)
    else:
        out("".join(patch(path, texts[path], text) for path, text in sorted(made.texts.items())))
    for note in made.notes:
        say(f"note: {printable(note)}")
    for refusal in made.refused:
        say(f"drivergate: {printable(refusal)}")
    for one in unasked:
        say(f"drivergate: {one.cluster}: {one.message}\n    hint: {one.hint}")
    if found.blocking:
        return UNUSABLE
    if made.refused:
        return FOUND
    return NOT_VERIFIED if unasked else CLEAN
