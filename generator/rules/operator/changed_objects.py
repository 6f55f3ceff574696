"""Rules that compare driver objects with those of another revision, as it committed them below out/."""

from collections.abc import Iterator

from msgspec import Struct

from generator.declared.fleet import Cluster, Pool
from generator.facts import label
from generator.facts.release import DriverApi
from generator.finding import Place
from generator.render.output import RenderedFile
from generator.render.rendered import DRIVER_KINDS
from generator.revision.driver_objects import VALUES, DriverObject
from generator.revision.revision import Revision
from generator.rules.rule import Problem
from generator.rules.setting import said
from generator.words import and_more

# CEL rules of the NVIDIADriver CRD in every release: api/nvidia/v1alpha1/nvidiadriver_types.go.
IMMUTABLE = {"usePrecompiled": None, "driverType": "gpu"}


class _Now(Struct, frozen=True):
    """A cluster as it is rendered now: its driver objects by kind and name."""

    cluster: Cluster
    files: dict[tuple[str, str], RenderedFile]


def _now(revision: Revision) -> dict[str, _Now]:
    found = {cluster.name: _Now(cluster, {}) for cluster in revision.fleet.clusters}
    for file in revision.rendered.files:
        if file.kind in DRIVER_KINDS and file.cluster in found:
            found[file.cluster].files[file.kind, file.name] = file
    return found


def renamed(revision: Revision) -> Iterator[Problem]:
    """An object that goes while another one, new, takes its nodes: delete plus create, not a rename."""
    if not revision.against:
        return
    now = _now(revision)
    before = {(old.cluster, old.kind, old.name) for old in revision.against}
    for old in revision.against:
        here = now.get(old.cluster)
        if here is None or old.kind == VALUES or (old.kind, old.name) in here.files:
            continue
        if old.kind == DriverApi.CLUSTERPOLICY:
            yield from _renamed_policy(revision, here, old)
            continue
        pools = [pool for pool in _new_pools(here, before) if takes_over(pool, old)]
        if pools:
            yield _renamed_object(revision, pools, old)


def _renamed_policy(revision: Revision, here: _Now, old: DriverObject) -> Iterator[Problem]:
    for kind, name in here.files:
        if kind == DriverApi.CLUSTERPOLICY:
            where = said(revision.fleet, here.cluster, "operator", "clusterPolicyName")
            message = f'the ClusterPolicy of cluster {here.cluster.name} was named "{old.name}", and is "{name}" now'
            message += ": the operator would see two, and ignore the newer one"
            hint = f"set operator.clusterPolicyName: {old.name}"
            yield Problem(place=where.place, message=message, hint=hint, cluster=here.cluster.name, fact=old.name)


def _new_pools(here: _Now, before: set[tuple[str, str, str]]) -> Iterator[Pool]:
    """Pools whose NVIDIADriver wasn't there before under its name."""
    kind = str(DriverApi.NVIDIADRIVER)
    for pool in here.cluster.managed_pools:
        key = (kind, pool.object_name)
        if key in here.files and (here.cluster.name, *key) not in before:
            yield pool


def takes_over(pool: Pool, old: DriverObject) -> bool:
    """Whether a pool claims nodes that the old object had: the same selector, or one within the other."""
    was = old.spec.get("nodeSelector")
    was = was if isinstance(was, dict) else {}
    if pool.default or old.spec.get("default") is True:
        return pool.default and old.spec.get("default") is True
    return label.matches(was, pool.node_selector) or label.matches(pool.node_selector, was)


def _renamed_object(revision: Revision, pools: list[Pool], old: DriverObject) -> Problem:
    pool = pools[0]
    more = and_more(len(pools), 1, aside=True)
    message = f'NVIDIADriver "{old.name}" goes, and pool "{pool.name}"{more} takes its nodes as "{pool.object_name}"'
    return Problem(
        place=revision.fleet.at(pool),
        message=f"{message}: their driver would be removed and loaded again",
        hint=f'set renamedFrom: {old.name} on pool "{pool.name}", so that the object keeps its name',
        cluster=pool.cluster,
        pool=pool.name,
        fact=old.name,
    )


def immutable_change(revision: Revision) -> Iterator[Problem]:
    """Fields that the API server doesn't let change on an NVIDIADriver; on a ClusterPolicy they may."""
    if not revision.against:
        return
    now = _now(revision)
    for old in revision.against:
        here = now.get(old.cluster)
        file = here.files.get((old.kind, old.name)) if here else None
        if here is None or file is None or old.kind != DriverApi.NVIDIADRIVER:
            continue
        for field, default in IMMUTABLE.items():
            was, spec = old.spec.get(field, default), (file.document or {}).get("spec")
            becomes = spec.get(field, default) if isinstance(spec, dict) else None
            if was is not None and becomes is not None and was != becomes:
                yield _changed(revision, here.cluster, file, old, f"{field} of NVIDIADriver {old.name}", (was, becomes))


def _changed(
    revision: Revision,
    cluster: Cluster,
    file: RenderedFile,
    old: DriverObject,
    what: str,
    values: tuple[object, object],
) -> Problem:
    from generator.facts.violation import said as shown

    was, becomes = values
    pool = next((pool for pool in cluster.managed_pools if pool.object_name == old.name), None)
    path = ("mode",) if isinstance(becomes, bool) else ("spec", "driverType")
    place = Place(file.template.file)
    if file.template.ours and pool is not None:
        place = said(revision.fleet, pool, "driver", *path).place
    return Problem(
        place=place,
        message=f"{what} is {shown(was)} in the revision compared with and {shown(becomes)} now, and can't be changed",
        hint="add a second pool of a new name with its own nodeSelector, drain the nodes and move their label to it, "
        "and remove the old pool in a later commit",
        cluster=cluster.name,
        pool=pool.name if pool else "",
        fact=what,
    )
