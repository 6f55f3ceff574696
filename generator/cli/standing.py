"""Takes `upgrade status` from its sources to what is printed."""

from collections.abc import Sequence

from msgspec import Struct

from generator.cli.observing import Sources, live, objects_of
from generator.cli.outcome import CLEAN, FOUND, NOT_VERIFIED, UNUSABLE, out
from generator.cli.reading import read, told
from generator.cli.targets import Target, each, targets
from generator.cli.upgrading import declared, named, release_of
from generator.declared.fleet import Cluster
from generator.observed.objects import Objects
from generator.report.formats import json
from generator.report.unasked import Unasked, unasked_lines
from generator.report.upgrade import status_json, status_text
from generator.upgrade.addressed import of_status
from generator.upgrade.status import Status
from generator.upgrade.status import status as status_now

KINDS = ("Node", "Pod")
# Without one of these a reason stays open, which is said; a user who may not list them sees the rest.
ALSO = (
    "PodDisruptionBudget",
    "NVIDIADriver",
    "ClusterPolicy",
    "DaemonSet",
    "ControllerRevision",
    "ReplicaSet",
    "Deployment",
    "StatefulSet",
    "ReplicationController",
    "ResourceClaim",
)


class Asked(Struct, frozen=True, kw_only=True):
    """What the command line asks for."""

    contexts: tuple[str, ...]
    clusters: tuple[str, ...]
    rings: frozenset[str]
    operator: str | None
    as_json: bool


def of_files(wanted: Sources, asked: Asked, root: str | None) -> int:
    """One cluster, whose files are given."""
    cluster = declared(asked.clusters[0], root)[1] if asked.clusters else None
    found = _found(objects_of(wanted), asked, cluster)
    out(json.printed(status_json(found)) if asked.as_json else status_text(found))
    return _code([found], [])


def of_live(asked: Asked, root: str | None) -> int:
    """Every cluster that is asked for; a single context needs no inventory."""
    wanted, incomplete = live_targets(asked.clusters, asked.contexts, asked.rings, root)
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


def live_targets(
    clusters: Sequence[str], contexts: Sequence[str], rings: frozenset[str], root: str | None
) -> tuple[list[Target], bool]:
    """The clusters to ask, and whether some of the inventory that names them could not be read, which is said."""
    if contexts and not clusters and not rings:
        return [Target(context, context) for context in contexts], False
    found = read(root, staged=False, rev=None, catalogs=False)
    for name in clusters:
        named(found, name)
    incomplete = told(found, as_json=False)
    return targets(found.fleet.clusters, clusters, contexts, rings), incomplete


def _status(target: Target, asked: Asked) -> Status:
    found = _found(live(target.context, KINDS, ALSO), asked, target.cluster)
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
