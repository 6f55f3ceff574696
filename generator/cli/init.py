"""`drivergate init`: a repository of one's own, empty or from what clusters show."""

import os
import re
from enum import StrEnum
from typing import Annotated

import typer

from generator.adopt.driverobject import Objects
from generator.adopt.driverobject import Unreadable as NoObjects
from generator.adopt.driverobject import parse as parse_objects
from generator.adopt.given import Given
from generator.adopt.note import Note
from generator.adopt.poollabel import refused
from generator.adopt.proposal import Proposed, proposed
from generator.adopt.scaffold import SHARED, Ci, Source, additions, scaffold
from generator.cli.begin import machine_day
from generator.cli.observing import json_of
from generator.cli.options import ResultFormat
from generator.cli.outcome import CLEAN, UNUSABLE, Format, colored, out, say
from generator.edges.errors import UnreadableError
from generator.edges.files import WorkTree
from generator.edges.given import read_given
from generator.edges.installed import installed
from generator.edges.source import Kind
from generator.edges.standing import new_root, taken
from generator.edges.writer import Write, apply
from generator.facts.release import Unsupported, resolve
from generator.layout import INVENTORY
from generator.observed.node import Node, parse
from generator.observed.unreadable import Unreadable
from generator.report import adopt
from generator.report.adopt import Told
from generator.report.formats import json, text
from generator.words import printable

NAMED = r"([A-Za-z0-9](?:[-A-Za-z0-9._]*[A-Za-z0-9])?)=(.+)"


class Host(StrEnum):
    """Where a pipeline is to run: scaffold.Ci, whose room start-up doesn't load."""

    GITHUB = "github"
    GITLAB = "gitlab"


NodeFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--from-nodes",
        metavar="[NAME=]FILE",
        help="Nodes as kubectl get nodes -o json prints them, of cluster NAME; - is stdin (repeatable).",
    ),
]
DriverFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--from-driver",
        metavar="[NAME=]FILE",
        help="ClusterPolicy and NVIDIADriver objects, or chart values, as YAML or JSON (repeatable).",
    ),
]


def init(
    directory: Annotated[str, typer.Argument(metavar="[DIR]", help="The repository's folder.")] = ".",
    ci: Annotated[Host | None, typer.Option("--ci", help="Also write a pipeline: gate and drift.")] = None,
    from_nodes: NodeFiles = None,
    from_driver: DriverFiles = None,
    cluster: Annotated[
        str | None, typer.Option("--cluster", metavar="NAME", help="Cluster name for files given without NAME=.")
    ] = None,
    pool_label: Annotated[
        str | None, typer.Option("--pool-label", metavar="KEY", help="The node label that tells pools apart.")
    ] = None,
    operator: Annotated[
        str | None, typer.Option("--operator", metavar="VERSION", help="The GPU operator's release that runs.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="The fleet's name; default: the folder's.")] = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Scaffold a repository that passes its own gate; files that are there are never overwritten."""
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
    if as_json:
        out(json.printed(adopt.refused(proposed.blocking)))
    else:
        out(text.finding_lines(proposed.blocking, color=colored()))
        say("nothing is written")
    return UNUSABLE


def _usable(pool_label: str | None, operator: str | None) -> None:
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


def given(
    name: str, node_files: list[str], object_files: list[str], *, operator: str | None, pool_label: str | None
) -> Given:
    """Everything that is given of one cluster. A file that can't be read ends the run."""
    nodes: list[Node] = []
    objects = Objects()
    for file in node_files:
        found = parse(json_of(file, read_given(file)))
        if isinstance(found, Unreadable):
            raise UnreadableError(f"can't read `{printable(file)}`: {found.reason}", found.hint)
        nodes += found
    for file in object_files:
        those = parse_objects(read_given(file))
        if isinstance(those, NoObjects):
            raise UnreadableError(f"can't read `{printable(file)}`: {those.reason}", those.hint)
        if not those:
            message = f"`{printable(file)}` holds no ClusterPolicy, no NVIDIADriver and no chart values"
            raise UnreadableError(message, "write it with: kubectl get clusterpolicies,nvidiadrivers -o yaml")
        objects = objects.and_those(those)
    return Given(name=name, nodes=tuple(nodes), objects=objects, operator=operator, pool_label=pool_label)


def write(directory: str, fleet: str | None, ci: Ci | None, clusters: list[Given]) -> tuple[Proposed, Told | None]:
    """Decides everything, then writes what isn't there yet; None where nothing may be written."""
    root = new_root(directory)
    fleet = fleet or root.rpartition("/")[2] or "fleet"
    tree = WorkTree(root)
    inventory = [entry.path for entry in tree.paths(INVENTORY) if entry.kind is Kind.FILE]
    found = proposed(fleet, clusters, tree.read(inventory), day=machine_day())
    if found.blocking:
        return found, None
    source = installed()
    others = scaffold(fleet, ci, Source(source.requirement, source.url, source.revision))
    files = {**others, **found.files}
    there = taken(root, files)
    shared = {path: _text(tree, path) for path in SHARED if path in there & others.keys()}
    lacking = {path: additions(path, text, others) for path, text in shared.items()}
    applied = apply(root, [Write(path, text.encode()) for path, text in sorted(files.items()) if path not in there])
    notes = list(found.notes)
    if ci is not None and not source.requirement:
        message = "CI doesn't know where to install drivergate from"
        notes.append(Note(".ci/requirements.txt", message, "write one line there: drivergate @ git+URL@COMMIT"))
    return found, Told(
        wrote=applied.written,
        kept=tuple(sorted(there)),
        lacking={path: text for path, text in lacking.items() if text},
        notes=tuple(notes),
        next=_next(root, directory, clusters),
    )


def _text(tree: WorkTree, path: str) -> str:
    entries = [entry.path for entry in tree.paths(path) if entry.kind is Kind.FILE and entry.path == path]
    return tree.read(entries).get(path, b"").decode("utf-8", "replace")


def _next(root: str, directory: str, clusters: list[Given]) -> tuple[str, ...]:
    steps = [f"cd {directory}"] if directory != "." else []
    if not os.path.lexists(f"{root}/.git"):
        steps.append("git init")
    steps.append("pre-commit install")
    if clusters:
        steps += ["drivergate render", "drivergate check, and add the images that are built to inventory/catalog/"]
    return (*steps, "git add -A && git commit")
