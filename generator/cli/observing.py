"""Which clusters a verb looks at, and where it gets their objects from: files, standard input, a dump, kubectl.

`Feed` is the seam: whatever yields named streams of JSON, a file or kubectl, is read the same way.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import typer
from msgspec import Struct

from generator.cli.outcome import say
from generator.cli.repository import Chosen, read_declaration, report_unread
from generator.declared.crds import plain
from generator.declared.fleet import Cluster
from generator.documents.document import read as read_document
from generator.edges.dump import Skipped, files_of
from generator.edges.errors import CouldNotLookError, ForbiddenError, UnreadableError
from generator.edges.given import STDIN, chunks_of, read_given
from generator.edges.kubectl import Kubectl, kubectl_at, listed
from generator.facts.release import Release, Unsupported
from generator.observed.objects import Objects, Reading
from generator.observed.stream import members
from generator.observed.unreadable import Unreadable, looks_like_yaml
from generator.report.unasked import Unasked
from generator.revision.declaration import Declaration
from generator.upgrade.input import release_to_judge
from generator.words import printable

T = TypeVar("T")

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

    pages = listed(kubectl, RESOURCES[kind])
    if pages is not None:
        fed(reading, Feed(name=f"the {RESOURCES[kind]} of {kubectl.named}", chunks=pages))
    reading.looked_for(kind)  # a kind that no CRD defines has no objects


def _files(wanted: Sources) -> Iterator[Feed]:

    named = (
        (wanted.nodes, ("Node",)),
        (wanted.pods, ("Pod",)),
        (wanted.budgets, ("PodDisruptionBudget",)),
        (wanted.drivers, ()),
    )
    for files, kinds in named:
        for file in files:
            yield Feed(name=file, chunks=_json_chunks(file), kinds=kinds)


def _dumped(reading: Reading, folder: str) -> None:
    """A dump holds much that is no Kubernetes object; what doesn't say a kind is passed over."""
    for file in files_of(folder):
        if isinstance(file, Skipped):
            say(f"note: not read: {printable(file.path)}: {file.why}")
            continue
        data = read_given(file)
        if b"kind" not in data:
            continue
        if file.endswith(".json"):
            if data.lstrip()[:1] != b"[":  # no object of a cluster
                _refuse(file, reading.add(chunks_of(file)))
        else:
            _yaml(reading, file, data)


def _yaml(reading: Reading, file: str, data: bytes) -> None:

    for before, part in _documents(data):
        document = read_document(b"\n" * before + part, file)
        if document.findings:
            first = document.findings[0]
            where = f"{printable(file)}:{first.place.line}"
            hint = "write the dump again, or leave this file out"
            raise UnreadableError(f"can't read `{where}`: {first.message}", hint)
        for item in members(plain(document.value)):
            _refuse(file, reading.take(item))


def _json_chunks(file: str) -> Iterator[bytes]:
    """A file piece by piece; YAML, which is read as a whole, as JSON."""
    chunks = chunks_of(file)
    first = next(chunks, b"")
    if not looks_like_yaml(first):
        yield first
        yield from chunks
        return
    yield json_of(file, first + b"".join(chunks))


def json_of(file: str, data: bytes) -> bytes:
    """Objects of YAML as one List of JSON; anything else as it is. UnreadableError for YAML that can't be read."""
    from msgspec import json

    if not looks_like_yaml(data):
        return data
    return json.encode({"apiVersion": "v1", "kind": "List", "items": objects_in(file, data)})


def objects_in(file: str, data: bytes) -> list[dict[str, Any]]:
    """Every object of a file of JSON or YAML, those of its Lists too. UnreadableError for what is neither."""
    found: list[dict[str, Any]] = []
    for value in _values(file, data):
        items = value.get("items") if isinstance(value, dict) else None
        found += [item for item in (items if isinstance(items, list) else [value]) if isinstance(item, dict)]
    return found


def _values(file: str, data: bytes) -> Iterator[Any]:
    from msgspec import DecodeError, json

    try:
        yield json.decode(data)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        for before, part in _documents(data):
            document = read_document(b"\n" * before + part, file)
            if document.findings:
                first = document.findings[0]
                where = f"{printable(file)}:{first.place.line}"
                raise UnreadableError(f"can't read `{where}`: {first.message}", "write it as JSON or YAML") from None
            yield plain(document.value)


def _documents(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Each document of a stream with the number of lines before it; what ends a line, and comments, don't matter."""
    begins = 0
    for mark in re.finditer(rb"^---[ \t]*(?:#[^\r\n]*)?\r?$", data, re.MULTILINE):
        yield data.count(b"\n", 0, begins), data[begins : mark.start()]
        begins = mark.end()
    yield data.count(b"\n", 0, begins), data[begins:]


def _refuse(file: str, problem: Unreadable | None) -> None:

    if problem is not None:
        raise UnreadableError(f"can't read `{printable(file)}`: {problem.reason}", problem.hint)


class Target(Struct, frozen=True):
    """A cluster to ask: its name, the context that leads there, and what is declared of it, if anything."""

    name: str
    context: str
    cluster: Cluster | None = None


def paired(clusters: Sequence[str], contexts: Sequence[str]) -> None:
    """Bad usage where it can't be told which context is whose."""
    if len(contexts) > 1 and len(contexts) != len(clusters):
        raise typer.BadParameter("give one --context for each --cluster, in the same order")


def targets(
    declared: Iterable[Cluster], clusters: Sequence[str], contexts: Sequence[str], rings: frozenset[str]
) -> list[Target]:
    """The declared clusters that are asked for, by their kubeContext unless a context is named for them."""
    chosen = [one for one in declared if (not clusters or one.name in clusters) and (not rings or one.ring in rings)]
    if not chosen:
        raise UnreadableError("no cluster is asked for", "name a declared cluster or ring")
    if len(contexts) == 1 and len(chosen) > 1:
        raise UnreadableError("one context is one cluster", "name it with --cluster")
    named = dict(zip(clusters or [chosen[0].name], contexts, strict=False))  # "" is kubectl's own choice
    return [Target(one.name, named.get(one.name, one.kube_context or one.name), one) for one in chosen]


def each(found: Iterable[Target], look: Callable[[Target], T]) -> tuple[list[tuple[Target, T]], list[Unasked]]:
    """What was seen of each, and the clusters that could not be looked at: neither clean nor failed.

    Of several, one whose context is missing doesn't hide the others.
    """
    wanted = list(found)
    seen: list[tuple[Target, T]] = []
    unasked: list[Unasked] = []
    for target in wanted:
        try:
            seen.append((target, look(target)))
        except (CouldNotLookError, UnreadableError) as error:
            if isinstance(error, UnreadableError) and len(wanted) == 1:
                raise
            unasked.append(Unasked(target.name, error.message, error.hint))
    return seen, unasked


def live_targets(
    chosen: Chosen, clusters: Sequence[str], contexts: Sequence[str], rings: frozenset[str]
) -> tuple[list[Target], bool]:
    """The clusters to ask, and whether some of the inventory that names them could not be read, which is said."""
    if contexts and not clusters and not rings:
        return [Target(context, context) for context in contexts], False
    found = read_declaration(chosen, catalogs=False)
    incomplete = report_unread(found, as_json=False)
    for name in clusters:
        named(found, name)
    return targets(found.fleet.clusters, clusters, contexts, rings), incomplete


def release_of(operator: str | None, cluster: Cluster | None, objects: Objects) -> tuple[Release, bool]:
    """The release that counts, and whether it is only assumed. Bad usage where it is not known."""
    release = release_to_judge(operator, cluster, objects)
    if isinstance(release, Unsupported):
        raise typer.BadParameter(f"{release.reason}; {release.hint}")
    return release


def declared(name: str, chosen: Chosen) -> Cluster:
    """A cluster of the inventory; what of that can't be read is said."""
    found = read_declaration(chosen, clusters=frozenset({name}), catalogs=False)
    report_unread(found, as_json=False)
    return named(found, name)


def named(found: Declaration, name: str) -> Cluster:
    """The cluster of that name."""
    cluster = found.cluster(name)
    if cluster is None:
        known = sorted({*(cluster.name for cluster in found.fleet.clusters), *found.inventory.others})
        names = ", ".join(known) or "none is declared"
        can_be_read = " that can be read" if found.blocking else ""
        raise typer.BadParameter(f'no cluster{can_be_read} is named "{name}"; use one of {names}')
    return cluster
