"""What of a change can't be applied, is refused, or hurts on its way through the cluster."""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from generator.change.holds import lifted_holds
from generator.change.objects import Objects, Pair
from generator.declared.fleet import Cluster, Hold, Pool
from generator.facts import label
from generator.facts.release import DriverApi
from generator.finding import Place
from generator.operator.reload import changes
from generator.revision.driver_objects import DriverObject
from generator.revision.revision import Revision
from generator.rules.operator.changed_objects import immutable_change, renamed
from generator.rules.upgrade.held import held


class Kind(StrEnum):
    """What is dangerous."""

    IMMUTABLE = "immutable"  # the API server refuses it
    HELD = "held"
    LIFTED = "lifted"  # a hold that is no longer declared
    RENAMED = "renamed"
    CLAIMED_TWICE = "claimed-twice"  # for a while, until all of the sync has arrived
    API = "driver-api"
    OPERATOR = "operator"
    NAMESPACE = "namespace"
    REMOVED = "removed"
    BEGINS = "begins"  # an upgrade that waited


class Danger(Struct, frozen=True, kw_only=True):
    """One danger and the way around it. One that `blocks` can't be applied, or stops the drivers of the cluster.

    `place` is where a rule of the gate found it.
    """

    kind: Kind
    cluster: str
    pool: str = ""
    message: str
    way_out: str
    blocks: bool = False
    place: Place | None = None


RULES = ((Kind.IMMUTABLE, immutable_change), (Kind.HELD, held), (Kind.RENAMED, renamed))


def of_rules(head: Revision) -> Iterator[Danger]:
    """What the gate's own rules say when they compare with the revision before."""
    for kind, rule in RULES:
        for problem in (problem for cluster in head.clusters for problem in rule(cluster)):
            yield Danger(
                kind=kind,
                cluster=problem.cluster,
                pool=problem.pool,
                message=problem.message,
                way_out=problem.hint,
                blocks=True,
                place=problem.place,
            )


def of_cluster(was: Cluster, becomes: Cluster, found: Objects) -> Iterator[Danger]:
    """What concerns a cluster as a whole."""
    yield from _operator(was, becomes)
    if was.operator.namespace != becomes.operator.namespace:
        yield _moved(was, becomes)
    before, after = was.operator.driver_api, becomes.operator.driver_api
    if before is not after:
        yield _switched(becomes, before, after)
    elif after is DriverApi.NVIDIADRIVER and becomes.operator.release.owner_label:
        yield from _claimed_twice(becomes, found)


def lifted(was: Cluster, becomes: Cluster) -> Iterator[Danger]:
    """Holds that go: from the next change on nothing keeps the driver of these nodes as it is."""
    for lift in lifted_holds(was, becomes):
        if not lift.becomes:
            yield undeclared(lift.was, lift.hold)
        for pool in lift.becomes:
            yield Danger(
                kind=Kind.LIFTED,
                cluster=becomes.name,
                pool=pool.name,
                message=_is_lifted(lift.was, lift.hold),
                way_out="look whether the reason is gone: nothing keeps a later change from its driver",
            )


def undeclared(pool: Pool, hold: Hold) -> Danger:
    """A hold that goes with the declaration of its nodes."""
    return Danger(
        kind=Kind.LIFTED,
        cluster=pool.cluster,
        pool=pool.name,
        message=f"{_is_lifted(pool, hold)}, and no pool declares its nodes any more",
        way_out="look whether the reason is gone, or leave the pool declared",
    )


def _is_lifted(pool: Pool, hold: Hold) -> str:
    return f'the hold of pool "{pool.cluster}/{pool.name}" is lifted ("{hold}")'


def begins(cluster: str, pool: str, pair: Pair) -> Iterator[Danger]:
    """An upgrade that waits for nothing but to be let loose; git can't tell whether there is one."""
    if pair.was is None or pair.becomes is None:
        return
    for one in changes(pair.was.spec, pair.becomes.spec):
        if one.path.endswith("upgradePolicy.autoUpgrade") and one.becomes == "true":
            yield Danger(
                kind=Kind.BEGINS,
                cluster=cluster,
                pool=pool,
                message="autoUpgrade is switched on: every node whose pod is older than its template is upgraded",
                way_out="look for such nodes first with: drivergate audit",
            )


def _switched(cluster: Cluster, before: DriverApi, after: DriverApi) -> Danger:
    """Facts T9: from v26.7 on running pods stay as orphans and are replaced node by node; before, they are deleted.

    There is no such way back: NVIDIADrivers are only disabled (gpu-operator controllers/nvidiadriver_controller.go,
    v26.7.0), so that their DaemonSets stay until the objects go, and go with them.
    """
    release = cluster.operator.release
    message = f"cluster {cluster.name} goes from {before} to {after}"
    if after is DriverApi.CLUSTERPOLICY:
        return Danger(
            kind=Kind.API,
            cluster=cluster.name,
            message=f"{message}: its DaemonSet comes beside those of the NVIDIADrivers, "
            "and their pods go with the objects, all at once, past the upgrade policy",
            way_out="drain the cluster for the switch, since nothing takes nodes back one by one",
            blocks=True,
        )
    if release.owner_label:
        return Danger(
            kind=Kind.API,
            cluster=cluster.name,
            message=f"{message}: the pods that run become orphans, and every node is upgraded in full",
            way_out="let objects and switch arrive in one sync: without an object nodes lose their driver's management",
        )
    return Danger(
        kind=Kind.API,
        cluster=cluster.name,
        message=f"{message}: operator {release.version} deletes all driver pods at once, past the upgrade policy",
        way_out="upgrade the operator to v26.7.0 first, or drain the cluster for the switch",
        blocks=True,
    )


def _moved(was: Cluster, becomes: Cluster) -> Danger:
    """Driver pods are made in OPERATOR_NAMESPACE (gpu-operator internal/state/driver.go): elsewhere it makes others."""
    there, here = was.operator.namespace, becomes.operator.namespace
    return Danger(
        kind=Kind.NAMESPACE,
        cluster=becomes.name,
        message=f"the operator of cluster {becomes.name} moves from namespace {there} to {here}: driver pods are made "
        "anew there, and those that run go with the operator that made them",
        way_out="name the namespace that the operator is installed in, or drain the cluster for its move",
    )


def _operator(was: Cluster, becomes: Cluster) -> Iterator[Danger]:
    old, new = was.operator.release, becomes.operator.release
    if old.version == new.version:
        return
    told = []
    if old.os_tag is not new.os_tag:
        told.append("OS tags are composed by other rules")
    if old.driver_manager != new.driver_manager:
        told.append(f"the default driver manager is {_tag(new.driver_manager)}, not {_tag(old.driver_manager)}")
    of_objects = becomes.operator.driver_api is DriverApi.NVIDIADRIVER
    for name, what in (FEATURES | OF_OBJECTS if of_objects else FEATURES).items():
        if getattr(old, name) is not getattr(new, name):
            told.append(what if getattr(new, name) else f"no longer: {what}")
    if old.fields != new.fields:
        told.append(f"its CRDs are those of {new.fields}: they must be there before the objects")
    yield Danger(
        kind=Kind.OPERATOR,
        cluster=becomes.name,
        message=f"operator {old.version} -> {new.version}: "
        + ("; ".join(told) or "no known setting changes its meaning"),
        way_out="upgrade the operator by itself, ring by ring, before anything else",
    )


FEATURES = {
    "restart_only": "pods whose digest stays are restarted in place",
    "kernel_module_type": "kernelModuleType takes the place of useOpenKernelModules",
}
OF_OBJECTS = {
    "object_upgrade_policy": "each NVIDIADriver has an upgradePolicy of its own, so that slots add up",
    "owner_label": "nodes are labelled with the object that owns them, and two objects for one node stop all",
}


def _tag(reference: str) -> str:
    return reference.rpartition(":")[2]


def _claimed_twice(cluster: Cluster, found: Objects) -> Iterator[Danger]:
    """Objects arrive one by one: an old selector still stands when the new one that takes its nodes is there already.

    gpu-operator internal/validator v26.7.0: two objects for one node, and no NVIDIADriver is reconciled any more.
    """
    pairs = list(found.drivers())
    for pair in pairs:
        new = pair.becomes
        if new is None or (pair.was is not None and _selector(pair.was) == _selector(new)):
            continue
        for other in pairs:
            old = other.was
            if old is not None and old.name != new.name and _share(old, new):
                yield _twice(cluster, old, new, goes=other.becomes is None)
                break


def _twice(cluster: Cluster, old: DriverObject, new: DriverObject, *, goes: bool) -> Danger:
    until = f'"{old.name}" is pruned' if goes else f'"{old.name}" has its new selector'
    confirm = ", which waits for somebody to confirm it" if goes and cluster.protect else ""
    return Danger(
        kind=Kind.CLAIMED_TWICE,
        cluster=cluster.name,
        pool=new.name,
        message=f'until {until}{confirm}, NVIDIADriver "{old.name}" and "{new.name}" claim the same nodes: '
        "no NVIDIADriver of the cluster is reconciled meanwhile",
        way_out=f'narrow the selector of "{old.name}" in a commit of its own first, or let renamedFrom keep its name',
        blocks=goes,
    )


def _share(old: DriverObject, new: DriverObject) -> bool:
    """Whether one selector lies within the other. The default object never conflicts."""
    if old.spec.get("default") is True or new.spec.get("default") is True:
        return False
    was, becomes = _selector(old), _selector(new)
    return label.matches(was, becomes) or label.matches(becomes, was)


def _selector(one: DriverObject) -> dict[str, str]:
    found = one.spec.get("nodeSelector")
    return found if isinstance(found, dict) else {}
