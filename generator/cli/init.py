"""`drivergate init`: a repository of one's own, empty or from what clusters show."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from generator.cli.options import Printed
from generator.cli.outcome import Format

if TYPE_CHECKING:
    from generator.adopt.given import Given
    from generator.adopt.proposal import Proposed

NAMED = r"([A-Za-z0-9](?:[-A-Za-z0-9._]*[A-Za-z0-9])?)=(.+)"


class Host(StrEnum):
    """Where a pipeline is to run: scaffold.Ci, whose room start-up doesn't load."""

    GITHUB = "github"
    GITLAB = "gitlab"


Files = Annotated[
    list[str] | None,
    typer.Option(
        "--from-nodes",
        metavar="[NAME=]FILE",
        help="Nodes as kubectl get nodes -o json prints them, of cluster NAME; - is stdin; may be repeated.",
    ),
]
Objects = Annotated[
    list[str] | None,
    typer.Option(
        "--from-driver",
        metavar="[NAME=]FILE",
        help="ClusterPolicy and NVIDIADriver objects, or chart values, as YAML or JSON; may be repeated.",
    ),
]


def init(
    directory: Annotated[str, typer.Argument(metavar="[DIR]", help="The repository's folder.")] = ".",
    ci: Annotated[Host | None, typer.Option("--ci", help="Also write a pipeline: gate and drift.")] = None,
    from_nodes: Files = None,
    from_driver: Objects = None,
    cluster: Annotated[
        str | None, typer.Option("--cluster", metavar="NAME", help="The cluster of files that name none.")
    ] = None,
    pool_label: Annotated[
        str | None, typer.Option("--pool-label", metavar="KEY", help="The node label that tells pools apart.")
    ] = None,
    operator: Annotated[
        str | None, typer.Option("--operator", metavar="VERSION", help="The GPU operator's release that runs.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="The fleet's name; default: the folder's.")] = None,
    printed: Printed = Format.TEXT,
) -> int:
    """Scaffold a repository that passes its own gate; files that are there are never overwritten."""
    from generator.adopt.scaffold import Ci
    from generator.cli.adopting import given, write
    from generator.cli.outcome import CLEAN, out, say
    from generator.report import adopt
    from generator.report.formats import json

    _usable(pool_label, operator)
    nodes, objects = (
        _by_cluster(from_nodes, cluster, "--from-nodes"),
        _by_cluster(from_driver, cluster, "--from-driver"),
    )
    if alone := sorted(objects.keys() - nodes.keys()):
        message = (
            f"--from-driver of {alone[0]} needs its --from-nodes: no driver object says OS, architecture and kernels"
        )
        raise typer.BadParameter(message)
    clusters: list[Given] = [
        given(one, nodes[one], objects.get(one, []), operator=operator, pool_label=pool_label) for one in nodes
    ]
    proposed, told = write(directory, name, Ci(ci) if ci else None, clusters)
    if told is None:
        return _refused(proposed, as_json=printed is Format.JSON)
    if printed is Format.JSON:
        out(json.printed(adopt.as_json(told)))
        return CLEAN
    out(adopt.files(told))
    if talk := adopt.talk(told):
        say(talk)
    return CLEAN


def _refused(proposed: Proposed, *, as_json: bool) -> int:
    """What is there already leaves no inventory to make: nothing is written."""
    from generator.cli.outcome import UNUSABLE, colored, out, say
    from generator.report import adopt
    from generator.report.formats import json, text

    if as_json:
        out(json.printed(adopt.refused(proposed.blocking)))
    else:
        out(text.finding_lines(proposed.blocking, color=colored()))
        say("nothing is written")
    return UNUSABLE


def _usable(pool_label: str | None, operator: str | None) -> None:
    from generator.adopt.poollabel import refused
    from generator.facts.release import Unsupported, resolve

    if pool_label is not None and (why := refused(pool_label)):
        raise typer.BadParameter(f"--pool-label can't be {pool_label}: {why}")
    release = resolve(operator) if operator is not None else None
    if isinstance(release, Unsupported):
        raise typer.BadParameter(f"--operator: {release.reason}; {release.hint}")


def _by_cluster(files: list[str] | None, cluster: str | None, option: str) -> dict[str, list[str]]:
    """The files of each cluster, in the order given."""
    found: dict[str, list[str]] = {}
    for written in files or ():
        match = re.fullmatch(NAMED, written)
        name, file = (match[1], match[2]) if match else (cluster, written)
        if name is None:
            raise typer.BadParameter(
                f"{option} {written} names no cluster: write NAME={written}, or add --cluster NAME"
            )
        if re.fullmatch(NAMED, f"{name}=x") is None or len(name) > 100:
            raise typer.BadParameter(f'"{name}" is no cluster name: letters, digits, "-", "_" and "."')
        found.setdefault(name, []).append(file)
    return found
