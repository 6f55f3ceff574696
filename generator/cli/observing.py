"""Where a verb that looks at a cluster gets its objects from: files, standard input, a dump.

`Feed` is the seam: whatever yields named streams of JSON, a file or kubectl, is read the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct

if TYPE_CHECKING:
    from generator.edges.kubectl import Kubectl
    from generator.observed.objects import Objects, Reading
    from generator.observed.unreadable import Unreadable

WHAT = "as kubectl get -o json prints them; - is stdin."
NodeFiles = Annotated[list[str] | None, typer.Option("--nodes", metavar="FILE", help=f"Nodes, {WHAT}")]
PodFiles = Annotated[list[str] | None, typer.Option("--pods", metavar="FILE", help=f"Pods of all namespaces, {WHAT}")]
BudgetFiles = Annotated[
    list[str] | None, typer.Option("--budgets", metavar="FILE", help=f"PodDisruptionBudgets, {WHAT}")
]
DriverFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--drivers",
        metavar="FILE",
        help=f"NVIDIADrivers, ClusterPolicy, driver DaemonSets and ControllerRevisions, {WHAT}",
    ),
]
Dump = Annotated[
    str | None,
    typer.Option("--dump", metavar="DIR", help="A folder of YAML and JSON, such as an unpacked must-gather."),
]


# What a cluster calls the kinds that are asked for.
RESOURCES = {
    "Node": "nodes",
    "Pod": "pods",
    "PodDisruptionBudget": "poddisruptionbudgets",
    "NVIDIADriver": "nvidiadrivers",
    "ClusterPolicy": "clusterpolicies",
    "DaemonSet": "daemonsets",
    "ControllerRevision": "controllerrevisions",
    "Deployment": "deployments",
    "ReplicaSet": "replicasets",
    "StatefulSet": "statefulsets",
    "ReplicationController": "replicationcontrollers",
    "ResourceClaim": "resourceclaims",
}


class Feed(Struct, frozen=True, kw_only=True):
    """One stream of JSON: its name in messages, and the kinds that whoever made it asked a cluster for."""

    name: str
    chunks: Iterable[bytes]
    kinds: tuple[str, ...] = ()


class Sources(Struct, frozen=True, kw_only=True):
    """What the command line names."""

    nodes: tuple[str, ...] = ()
    pods: tuple[str, ...] = ()
    budgets: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    dump: str = ""

    @property
    def given(self) -> bool:
        """Whether there is anything to read."""
        return bool(self.nodes or self.pods or self.budgets or self.drivers or self.dump)


def sources(
    nodes: list[str] | None,
    pods: list[str] | None,
    budgets: list[str] | None,
    drivers: list[str] | None,
    dump: str | None,
) -> Sources:
    """The options as one value; standard input can be read once only."""
    from generator.edges.given import STDIN

    named = [*(nodes or ()), *(pods or ()), *(budgets or ()), *(drivers or ())]
    if named.count(STDIN) > 1:
        raise typer.BadParameter("- is standard input, which can be read only once; one List may hold all kinds")
    return Sources(
        nodes=tuple(nodes or ()),
        pods=tuple(pods or ()),
        budgets=tuple(budgets or ()),
        drivers=tuple(drivers or ()),
        dump=dump or "",
    )


def objects_of(wanted: Sources) -> Objects:
    """Everything that the files and the dump hold; UnreadableError names the file that can't be read, and why."""
    from generator.observed.objects import Reading

    reading = Reading()
    for feed in _files(wanted):
        fed(reading, feed)
    if wanted.dump:
        _dumped(reading, wanted.dump)
    return reading.objects()


def fed(reading: Reading, feed: Feed) -> None:
    """Reads one stream to its end."""
    _refuse(feed.name, reading.add(feed.chunks, feed.kinds))
    reading.looked_for(*feed.kinds)


def live(context: str, kinds: Iterable[str], also: Iterable[str] = ()) -> Objects:
    """The objects of these kinds in the cluster of a kubeconfig's context, read through kubectl.

    What is forbidden of the `also` kinds is said and left out. CouldNotLookError where it can't be reached, or forbids
    one of the others.
    """
    import os

    from generator.cli.outcome import say
    from generator.edges.errors import ForbiddenError
    from generator.edges.kubectl import kubectl_at
    from generator.observed.objects import Reading

    kubectl, reading = kubectl_at(context, os.environ), Reading()
    for kind in kinds:
        _asked(reading, kubectl, kind)
    for kind in also:
        try:
            _asked(reading, kubectl, kind)
        except ForbiddenError as error:
            say(f"note: {error.message}; {error.hint}")
    return reading.objects()


def _asked(reading: Reading, kubectl: Kubectl, kind: str) -> None:
    from generator.edges.kubectl import listed

    pages = listed(kubectl, RESOURCES[kind])
    if pages is not None:
        fed(reading, Feed(name=f"the {RESOURCES[kind]} of {kubectl.named}", chunks=pages))
    reading.looked_for(kind)  # a kind that no CRD defines has no objects


def _files(wanted: Sources) -> Iterator[Feed]:
    from generator.edges.given import chunks_of

    named = (
        (wanted.nodes, ("Node",)),
        (wanted.pods, ("Pod",)),
        (wanted.budgets, ("PodDisruptionBudget",)),
        (wanted.drivers, ()),
    )
    for files, kinds in named:
        for file in files:
            yield Feed(name=file, chunks=chunks_of(file), kinds=kinds)


def _dumped(reading: Reading, folder: str) -> None:
    """A dump holds much that is no Kubernetes object; what doesn't say a kind is passed over."""
    from generator.edges.dump import files_of
    from generator.edges.given import chunks_of, read_given

    for file in files_of(folder):
        data = read_given(file)
        if b"kind" not in data:
            continue
        if file.endswith(".json"):
            if data.lstrip()[:1] != b"[":  # no object of a cluster
                _refuse(file, reading.add(chunks_of(file)))
        else:
            _yaml(reading, file, data)


def _yaml(reading: Reading, file: str, data: bytes) -> None:
    from generator.declared.crds import plain
    from generator.documents.document import read
    from generator.edges.errors import UnreadableError, printable
    from generator.observed.stream import members

    for before, part in _documents(data):
        document = read(b"\n" * before + part, file)
        if document.findings:
            first = document.findings[0]
            where = f"{printable(file)}:{first.place.line}"
            hint = "write the dump again, or leave this file out"
            raise UnreadableError(f"can't read `{where}`: {first.message}", hint)
        for item in members(plain(document.value)):
            _refuse(file, reading.take(item))


def _documents(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Each document of a stream with the number of lines before it; what ends a line, and comments, don't matter."""
    import re

    begins = 0
    for mark in re.finditer(rb"^---[ \t]*(?:#[^\r\n]*)?\r?$", data, re.MULTILINE):
        yield data.count(b"\n", 0, begins), data[begins : mark.start()]
        begins = mark.end()
    yield data.count(b"\n", 0, begins), data[begins:]


def _refuse(file: str, problem: Unreadable | None) -> None:
    from generator.edges.errors import UnreadableError, printable

    if problem is not None:
        raise UnreadableError(f"can't read `{printable(file)}`: {problem.reason}", problem.hint)
