"""Takes `upgrade status` from its sources to what is printed."""

from collections.abc import Sequence

from msgspec import Struct

from generator.cli.observing import Sources, live, objects_of
from generator.cli.outcome import CLEAN, FOUND, NOT_VERIFIED, out
from generator.cli.reading import read
from generator.cli.targets import Target, each, targets
from generator.cli.upgrading import declared, release_of
from generator.observed.objects import Objects
from generator.report import json
from generator.report.unasked import Unasked, unasked_lines
from generator.report.upgrade import status_json, status_text
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
    found = _found(objects_of(wanted), asked, asked.clusters[0] if asked.clusters else None, root)
    out(json.printed(status_json(found)) if asked.as_json else status_text(found))
    return _code([found], [])


def of_live(asked: Asked, root: str | None) -> int:
    """Every cluster that is asked for; a single context needs no inventory."""
    seen, unasked = each(_targets(asked, root), lambda target: _status(target, asked, root))
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
    return _code([found for _, found in seen], unasked)


def _targets(asked: Asked, root: str | None) -> list[Target]:
    if asked.contexts and not asked.clusters and not asked.rings:
        return [Target(context, context) for context in asked.contexts]
    for name in asked.clusters:
        declared(name, root)
    fleet = read(root, staged=False, rev=None, catalogs=False).fleet
    return targets(fleet.clusters, asked.clusters, asked.contexts, asked.rings)


def _status(target: Target, asked: Asked, root: str | None) -> Status:
    name = target.cluster.name if target.cluster else None
    return _found(live(target.context, KINDS, ALSO), asked, name, root)


def _found(objects: Objects, asked: Asked, cluster: str | None, root: str | None) -> Status:
    release, assumed = release_of(asked.operator, cluster, root, objects)
    return status_now(objects, release, assumed=assumed)


def _code(found: Sequence[Status], unasked: Sequence[Unasked]) -> int:
    if any(one.stuck for one in found):
        return FOUND
    if unasked or any(one.untold or not one.nodes for one in found):
        return NOT_VERIFIED
    return CLEAN
