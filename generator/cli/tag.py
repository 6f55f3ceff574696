"""`drivergate tag`: the image that a pool, or a node, needs, and why."""

from typing import Annotated

import typer
from msgspec import to_builtins

from generator.audit.judgement import Nowhere, Undecided, judge_in
from generator.cli.completion import complete_clusters, complete_pools
from generator.cli.observing import json_of
from generator.cli.options import ResultFormat, Rev, Root, Staged, Today, chosen_state
from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, Format, out, say, unknown
from generator.cli.repository import read_declaration, report_unread
from generator.declared.fleet import Cluster
from generator.edges.errors import UnreadableError
from generator.edges.given import read_given
from generator.images.lookup import Listed
from generator.images.pool import pool_images
from generator.observed.node import parse
from generator.observed.unreadable import Unreadable
from generator.operator.effective import node_image_levels
from generator.operator.image import Refused
from generator.report.formats import json
from generator.report.image import Explanations, lines
from generator.report.tag import HOST_DRIVERS, about, node_lines
from generator.revision.declaration import Declaration, pool_of
from generator.words import printable


def tag(
    name: Annotated[
        str | None, typer.Argument(metavar="[CLUSTER/POOL]", help="The pool.", autocompletion=complete_pools)
    ] = None,
    node: Annotated[
        str | None,
        typer.Option("--node", metavar="FILE", help="Nodes as kubectl get node -o json prints them; - is stdin."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="NAME",
            help="With --node: the cluster that the node is in.",
            autocompletion=complete_clusters,
        ),
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="Explain each part of the name.")] = False,
    root: Root = None,
    staged: Staged = False,
    rev: Rev = None,
    today: Today = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Print the images that a pool's nodes, or a given node, will ask for; exit 1 where a running one is not built."""
    if (name is None) == (node is None):
        raise typer.BadParameter("give either CLUSTER/POOL or --node FILE")
    if name is not None and "/" not in name:
        raise typer.BadParameter(f'"{name}" names no pool; write CLUSTER/POOL')
    chosen = chosen_state(root, staged=staged, rev=rev, today=today)
    if cluster is not None and node is None:
        raise typer.BadParameter("--cluster goes with --node")
    wanted = cluster or (name or "").partition("/")[0]
    found = read_declaration(chosen, clusters=frozenset({wanted} - {""}), catalogs=True)
    as_json = printed is Format.JSON
    incomplete = report_unread(found, as_json=as_json)
    if wanted and found.cluster(wanted) is None and not incomplete:
        return _no_cluster(read_declaration(chosen, catalogs=False), wanted)
    listed = Listed(found.catalog())
    explanations = Explanations(found.fleet, listed, node_image_levels(found.inventory))
    if wanted and found.cluster(wanted) is None:
        code = _unread(found, as_json=as_json)
    elif node is not None:
        code = _of_nodes(found, node, explanations, why=why, as_json=as_json)
    else:
        code = _of_pool(found, name or "", explanations, why=why, as_json=as_json)
    return UNUSABLE if incomplete else code


def _unread(found: Declaration, *, as_json: bool) -> int:
    """What was asked for is in no file that could be read."""
    if as_json:
        out(json.printed(json.with_findings({}, found.blocking)))
    return UNUSABLE


def _no_cluster(everything: Declaration, name: str) -> int:
    return unknown("cluster", name, [one.name for one in everything.fleet.clusters])


def _of_pool(found: Declaration, name: str, explanations: Explanations, *, why: bool, as_json: bool) -> int:
    cluster_name, _, pool_name = name.partition("/")
    cluster = found.cluster(cluster_name)
    assert cluster is not None
    pool = pool_of(cluster, pool_name)
    if pool is None and found.blocking:
        return _unread(found, as_json=as_json)
    if pool is None:
        return unknown(f"pool of {cluster.name}", pool_name, [one.name for one in cluster.pools])
    images = tuple(pool_images(cluster, pool, explanations.listed))
    described = [explanations.describe(cluster, image) for image in images]
    if as_json:
        head = {"cluster": cluster.name, "pool": pool.name, "mode": str(pool.driver.mode)}
        out(json.printed(json.with_findings({**head, "images": to_builtins(described)}, found.blocking)))
    else:
        out(lines(described, why=why))
        if pool.driver.mode in HOST_DRIVERS:
            say(f"{cluster.name}/{pool.name}: {HOST_DRIVERS[pool.driver.mode]}")
    if any(isinstance(image.reference, Refused) for image in images):
        return UNUSABLE
    return CLEAN if all(image.usable or image.upcoming for image in images) else FOUND


def _of_nodes(found: Declaration, file: str, explanations: Explanations, *, why: bool, as_json: bool) -> int:
    nodes = parse(json_of(file, read_given(file)))
    if isinstance(nodes, Unreadable):
        raise UnreadableError(f"can't read `{printable(file)}`: {nodes.reason}", nodes.hint)
    clusters: tuple[Cluster, ...] = found.fleet.clusters
    judged = [judge_in(clusters, node, explanations.listed) for node in nodes]
    answers = [about(node, judgement, explanations) for node, judgement in zip(nodes, judged, strict=True)]
    if as_json:
        out(json.printed(json.with_findings({"nodes": to_builtins(answers)}, found.blocking)))
    else:
        out(node_lines(answers, why=why))
    decided = [judgement for judgement in judged if not isinstance(judgement, Undecided)]
    if len(decided) < len(judged):
        return UNUSABLE
    lacking = any(isinstance(judgement, Nowhere) or judgement.problems for judgement in decided)
    return FOUND if lacking else CLEAN
