"""What `drivergate audit` does: read both sides, compare, tell."""

from collections.abc import Sequence

from msgspec import Struct

from generator.audit.audit import Audit
from generator.audit.audit import audit as compared
from generator.audit.live import Live
from generator.audit.whose import whose
from generator.cli.naming import unknown
from generator.cli.observing import Sources, live, objects_of
from generator.cli.outcome import CLEAN, FOUND, NOT_VERIFIED, UNUSABLE, out, say
from generator.cli.reading import Read, read, told
from generator.cli.targets import each, targets
from generator.declared.catalog import collect
from generator.declared.fleet import Cluster
from generator.edges.errors import UnreadableError
from generator.observed.objects import Objects
from generator.report import audit as report
from generator.report.formats import json
from generator.report.unasked import Unasked

KINDS = ("Node", "Pod", "NVIDIADriver", "ClusterPolicy")
ALSO = ("PodDisruptionBudget",)  # who may not list them sees the rest


class Asked(Struct, frozen=True, kw_only=True):
    """What the command line asks for."""

    given: Sources
    contexts: tuple[str, ...]
    clusters: tuple[str, ...]
    rings: frozenset[str]
    propose: bool
    write: bool
    every: bool
    strict: bool
    printed: str


def audited(asked: Asked, *, root: str | None, staged: bool, rev: str | None) -> int:
    """The exit code: 1 for what runs undeclared or unbuilt, 3 where a cluster could not be looked at."""
    found = read(root, staged=staged, rev=rev, catalogs=True)
    incomplete = told(found, as_json=asked.printed == "json")
    known = [cluster.name for cluster in found.fleet.clusters]
    for name in asked.clusters:
        if name not in known and not incomplete:
            return unknown("cluster", name, known)
    catalog = collect(found.inventory.catalogs, found.fleet.mirrors)
    seen, unasked = _looked(asked, found)
    looked = [(cluster, compared(cluster, catalog, each, found.fleet.workloads_of(cluster))) for cluster, each in seen]
    audits = [each for _, each in looked]
    if asked.propose or asked.write:
        from generator.cli.proposing import proposed

        uname = {(cluster.name, node.name): node.kernel for cluster, each in seen for node in each.nodes}
        return proposed(looked, unasked, found, uname, root=root, write=asked.write)
    _print(asked, found, audits, unasked)
    return _code(audits, unasked, incomplete=incomplete, strict=asked.strict)


def _looked(asked: Asked, found: Read) -> tuple[list[tuple[Cluster, Live]], list[Unasked]]:
    if asked.given.given:
        objects = objects_of(asked.given)
        if "Node" not in objects.kinds:
            raise UnreadableError("the input holds no nodes", "give them: kubectl get nodes -o json, with --nodes")
        return [(_of_files(asked, found, objects), Live(objects))], []
    wanted = targets(found.fleet.clusters, asked.clusters, asked.contexts, asked.rings)
    seen, unasked = each(wanted, lambda target: Live(live(target.context, KINDS, ALSO)))
    return [(target.cluster, objects) for target, objects in seen if target.cluster is not None], unasked


def _of_files(asked: Asked, found: Read, objects: Objects) -> Cluster:
    """Files are of one cluster: the named one, the only one, or the one whose pools claim most of the nodes."""
    clusters = [one for one in found.fleet.clusters if not asked.clusters or one.name in asked.clusters]
    if len(clusters) == 1:
        return clusters[0]
    chosen = whose(clusters, tuple(objects.nodes.values()))
    if chosen is None:
        raise UnreadableError("it can't be told which cluster the files are of", "name it with --cluster")
    return chosen


def _print(asked: Asked, found: Read, audits: Sequence[Audit], unasked: Sequence[Unasked]) -> None:
    match asked.printed:
        case "json":
            out(json.printed(json.with_findings(report.values(audits, unasked), found.blocking)))
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
