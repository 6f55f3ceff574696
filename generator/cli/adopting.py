"""Takes what init is given to a proposal, and the proposal to disk."""

import os

from generator import __version__
from generator.adopt.driverobject import Objects
from generator.adopt.driverobject import Unreadable as NoObjects
from generator.adopt.driverobject import parse as parse_objects
from generator.adopt.given import Given
from generator.adopt.note import Note
from generator.adopt.proposal import Proposed, proposed
from generator.adopt.scaffold import SHARED, Ci, Source, additions, scaffold
from generator.edges.errors import UnreadableError, printable
from generator.edges.files import WorkTree
from generator.edges.given import read_given
from generator.edges.installed import installed
from generator.edges.source import Kind
from generator.edges.standing import new_root, taken
from generator.edges.writer import Write, apply
from generator.observed.node import Node, parse
from generator.observed.unreadable import Unreadable
from generator.report.adopt import Told


def given(
    name: str, node_files: list[str], object_files: list[str], *, operator: str | None, pool_label: str | None
) -> Given:
    """Everything that is given of one cluster. A file that can't be read ends the run."""
    nodes: list[Node] = []
    objects = Objects()
    for file in node_files:
        found = parse(read_given(file))
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
    inventory = [entry.path for entry in tree.paths("inventory") if entry.kind is Kind.FILE]
    found = proposed(fleet, clusters, tree.read(inventory), version=__version__)
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
