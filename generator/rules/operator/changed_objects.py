"""Rules that compare driver objects with those of another revision, as it committed them below out/."""

from collections.abc import Container, Iterable, Iterator

from generator.declared.fleet import Cluster, Pool
from generator.facts import label
from generator.facts.release import DriverApi
from generator.finding import Place
from generator.render.output import RenderedFile
from generator.render.rendered import DRIVER_KINDS
from generator.revision.cluster_inputs import ClusterInputs
from generator.revision.driver_objects import VALUES, DriverObject
from generator.rules.rule import Problem
from generator.rules.setting import said
from generator.words import and_more

# CEL rules of the NVIDIADriver CRD in every release: api/nvidia/v1alpha1/nvidiadriver_types.go.
IMMUTABLE = {"usePrecompiled": None, "driverType": "gpu"}


def _driver_files(inputs: ClusterInputs) -> dict[tuple[str, str], RenderedFile]:
    """The driver objects that are rendered now, by kind and name."""
    return {(file.kind, file.name): file for file in inputs.files if file.kind in DRIVER_KINDS}


def renamed(inputs: ClusterInputs) -> Iterator[Problem]:
    """An object that goes while another one, new, takes its nodes: delete plus create, not a rename."""
    if not inputs.against:
        return
    now = _driver_files(inputs)
    before = {(old.kind, old.name) for old in inputs.against}
    for old in inputs.against:
        if old.kind == VALUES or (old.kind, old.name) in now:
            continue
        if old.kind == DriverApi.CLUSTERPOLICY:
            yield from _renamed_policy(inputs, now, old)
            continue
        pools = [pool for pool in _new_pools(inputs.cluster, now, before) if takes_over(pool, old)]
        if pools:
            yield _renamed_object(inputs, pools, old)


def _renamed_policy(inputs: ClusterInputs, now: Iterable[tuple[str, str]], old: DriverObject) -> Iterator[Problem]:
    cluster = inputs.cluster
    for kind, name in now:
        if kind == DriverApi.CLUSTERPOLICY:
            where = said(inputs, cluster, "operator", "clusterPolicyName")
            message = f'the ClusterPolicy of cluster {cluster.name} was named "{old.name}", and is "{name}" now'
            message += ": the operator would see two, and ignore the newer one"
            hint = f"set operator.clusterPolicyName: {old.name}"
            yield Problem(place=where.place, message=message, hint=hint, cluster=cluster.name, fact=old.name)


def _new_pools(cluster: Cluster, now: Container[tuple[str, str]], before: Container[tuple[str, str]]) -> Iterator[Pool]:
    """Pools whose NVIDIADriver wasn't there before under its name."""
    kind = str(DriverApi.NVIDIADRIVER)
    for pool in cluster.managed_pools:
        key = (kind, pool.object_name)
        if key in now and key not in before:
            yield pool


def takes_over(pool: Pool, old: DriverObject) -> bool:
    """Whether a pool claims nodes that the old object had: the same selector, or one within the other."""
    was = old.spec.get("nodeSelector")
    was = was if isinstance(was, dict) else {}
    if pool.default or old.spec.get("default") is True:
        return pool.default and old.spec.get("default") is True
    return label.matches(was, pool.node_selector) or label.matches(pool.node_selector, was)


def _renamed_object(inputs: ClusterInputs, pools: list[Pool], old: DriverObject) -> Problem:
    pool = pools[0]
    more = and_more(len(pools), 1, aside=True)
    message = f'NVIDIADriver "{old.name}" goes, and pool "{pool.name}"{more} takes its nodes as "{pool.object_name}"'
    return Problem(
        place=inputs.at(pool),
        message=f"{message}: their driver would be removed and loaded again",
        hint=f'set renamedFrom: {old.name} on pool "{pool.name}", so that the object keeps its name',
        cluster=pool.cluster,
        pool=pool.name,
        fact=old.name,
    )


def immutable_change(inputs: ClusterInputs) -> Iterator[Problem]:
    """Fields that the API server doesn't let change on an NVIDIADriver; on a ClusterPolicy they may."""
    if not inputs.against:
        return
    now = _driver_files(inputs)
    for old in inputs.against:
        file = now.get((old.kind, old.name))
        if file is None or old.kind != DriverApi.NVIDIADRIVER:
            continue
        for field, default in IMMUTABLE.items():
            was, spec = old.spec.get(field, default), (file.document or {}).get("spec")
            becomes = spec.get(field, default) if isinstance(spec, dict) else None
            if was is not None and becomes is not None and was != becomes:
                yield _changed(inputs, file, old, f"{field} of NVIDIADriver {old.name}", (was, becomes))


def _changed(
    inputs: ClusterInputs, file: RenderedFile, old: DriverObject, what: str, values: tuple[object, object]
) -> Problem:
    from generator.facts.violation import said as shown

    was, becomes = values
    cluster = inputs.cluster
    pool = next((pool for pool in cluster.managed_pools if pool.object_name == old.name), None)
    path = ("mode",) if isinstance(becomes, bool) else ("spec", "driverType")
    place = Place(file.template.file)
    if file.template.ours and pool is not None:
        place = said(inputs, pool, "driver", *path).place
    return Problem(
        place=place,
        message=f"{what} is {shown(was)} in the revision compared with and {shown(becomes)} now, and can't be changed",
        hint="add a second pool of a new name with its own nodeSelector, drain the nodes and move their label to it, "
        "and remove the old pool in a later commit",
        cluster=cluster.name,
        pool=pool.name if pool else "",
        fact=what,
    )
