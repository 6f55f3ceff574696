"""One cluster's entry: its pools from nodes, their drivers from what runs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from generator.adopt.driverlayer import Taken, own_policy, taken
from generator.adopt.driverobject import Objects, plain
from generator.adopt.machine import Machine, is_gpu_node, machine
from generator.adopt.note import Note, some
from generator.adopt.pools import Pool, claimed, object_name, pool_of, pools_of
from generator.adopt.running import Running, owned_by_tools, running
from generator.adopt.shared import apart, shared
from generator.declared.fleet import Install, Mode, Taint
from generator.facts import label
from generator.facts.branch import OpenModules, reach
from generator.facts.driver import branch
from generator.facts.release import DriverApi
from generator.observed.node import Node

ASSUMED = {"repository": "nvcr.io/nvidia/driver", "mode": "precompiled", "branch": "580"}


class Given(Struct, frozen=True, kw_only=True):
    """What is known of one cluster."""

    name: str
    nodes: tuple[Node, ...]
    objects: Objects = Objects()
    operator: str | None = None
    pool_label: str | None = None


class Member(Struct, frozen=True, kw_only=True):
    """A pool with what is said of its driver there; an empty layer where the cluster's is its own."""

    pool: Pool
    driver: Mapping[str, Any]
    taints: tuple[Taint, ...]
    object_name: str = ""


class Absent(Struct, frozen=True):
    """An NVIDIADriver that no node matches now: OS and kernels of its nodes can't be told."""

    name: str
    entry: Mapping[str, Any]


class Proposal(Struct, frozen=True, kw_only=True):
    """One cluster as it would be declared."""

    name: str
    running: Running
    driver: Mapping[str, Any]
    members: tuple[Member, ...]
    absent: tuple[Absent, ...]
    silenced: tuple[Mapping[str, Any], ...]
    notes: tuple[Note, ...]


def propose(given: Given, *, full: bool) -> Proposal:
    """The cluster's entry. `full` writes out what drivergate would say anyway, against a fleet's own defaults."""
    runs = running(given.name, given.objects, given.operator)
    gpus = [machine(node) for node in given.nodes if is_gpu_node(node)]
    notes = [*_of_nodes(given, gpus), *runs.notes]
    if given.objects.drivers and runs.api is DriverApi.NVIDIADRIVER and runs.enabled:
        members, absent, told = _by_object(given, runs, gpus, full=full)
    else:
        members, told = _by_label(given, runs, gpus, full=full)
        absent = []
        if given.objects.drivers:
            names = some(str(one.get("metadata", {}).get("name")) for one in given.objects.drivers)
            told.append(Note(given.name, f"the operator doesn't look at NVIDIADriver objects here: {names}"))
    notes += told
    layers = [one.driver for one in members if one.pool.mode is None]
    common = shared(layers)
    members = [_with(one, apart(one.driver, common)) if one.pool.mode is None else one for one in members]
    return Proposal(
        name=given.name,
        running=runs,
        driver=common,
        members=tuple(sorted(members, key=lambda one: one.pool.name)),
        absent=tuple(absent),
        silenced=tuple(_silenced(runs, members)),
        notes=tuple(notes),
    )


def _of_nodes(given: Given, gpus: Sequence[Machine]) -> list[Note]:
    others = len(given.nodes) - len(gpus)
    notes = []
    if not gpus:
        message = f"none of {len(given.nodes)} nodes shows a GPU"
        notes.append(Note(given.name, message, "see that node-feature-discovery runs, then run this again"))
    elif others:
        notes.append(Note(given.name, f"{others} of {len(given.nodes)} nodes show no GPU and are left out"))
    if any("kubernetes.azure.com/agentpool" in one.labels for one in gpus if one.mode is None):
        message = "AKS installs a GPU driver of its own unless a pool was made without one (--gpu-driver none)"
        notes.append(Note(given.name, message, "declare such pools as mode: preinstalled"))
    return notes


def _by_label(given: Given, runs: Running, gpus: Sequence[Machine], *, full: bool) -> tuple[list[Member], list[Note]]:
    """Pools by the nodes' labels, with the one driver that rules them all, or an assumed one."""
    first = [given.pool_label] if given.pool_label else []
    found = pools_of(given.name, runs.release, gpus, first)
    notes = list(found.notes)
    one: Taken | None = None
    if not runs.enabled:
        message = "driver.enabled is false: the operator brings no driver, so every pool is preinstalled"
        notes.append(Note(given.name, message))
    elif runs.policy is not None and any(pool.mode is None for pool in found.pools):
        if runs.api is DriverApi.NVIDIADRIVER:
            message = "NVIDIADriver objects rule, and none is given: the driver is an assumption"
            notes.append(Note(given.name, message, "add them to --from-driver"))
        else:
            auto = runs.auto_upgrade
            one = taken(given.name, runs.api, runs.release, runs.policy, auto_upgrade=auto, full=full)
            notes += one.notes
    members = []
    assumed: dict[str, list[str]] = {}
    for pool in found.pools:
        if pool.mode is not None or not runs.enabled:
            members.append(_host(pool if runs.enabled else _preinstalled(pool)))
        elif one is not None:
            members.append(Member(pool=pool, driver=one.driver, taints=pool.taints))
        else:
            driver, message = _assumed(pool)
            members.append(Member(pool=pool, driver=driver, taints=pool.taints))
            assumed.setdefault(message, []).append(pool.name)
    hint = "give its objects with --from-driver, or correct driver"
    notes += [Note(given.name, f"{message} (pools {some(names)})", hint) for message, names in assumed.items()]
    return members, notes


def _by_object(
    given: Given, runs: Running, gpus: Sequence[Machine], *, full: bool
) -> tuple[list[Member], list[Absent], list[Note]]:
    """A pool for each NVIDIADriver, and pools for the nodes that none of them claims."""
    members: list[Member] = []
    absent: list[Absent] = []
    notes: list[Note] = []
    taken_by: dict[str, str] = {}
    names: set[str] = set()
    upgrade = _cluster_policy(runs, full=full)
    selecting = [one for one in given.objects.drivers if not plain(one.get("spec", {})).get("default")]
    defaults = [one for one in given.objects.drivers if one not in selecting]
    for one in selecting:
        spec, name = plain(one.get("spec", {})), str(one.get("metadata", {}).get("name", ""))
        selector = spec.get("nodeSelector")
        if selector == {}:
            message = "spec.nodeSelector {} matches every node, GPUs or not; a pool without a selector means GPU nodes"
            notes.append(Note(f"{given.name}/{name}", message))
        nodes = list(claimed(selector or {label.GPU_PRESENT: "true"} if selector != {} else {}, gpus))
        for node in nodes:
            if node.name in taken_by:
                message = f"node {node.name} is claimed by {taken_by[node.name]} too: the operator refuses both"
                notes.append(Note(f"{given.name}/{name}", message, "make the two nodeSelectors disjoint"))
        nodes = [node for node in nodes if node.name not in taken_by]
        taken_by |= {node.name: name for node in nodes}
        _add(given, runs, one, nodes, upgrade, members, absent, notes, names, full=full)
    free = [node for node in gpus if node.name not in taken_by]
    for one in defaults:
        mine = [node for node in free if node.mode is None]
        free = [node for node in free if node.mode is not None]
        _add(given, runs, one, mine, upgrade, members, absent, notes, names, full=full)
    keys = Counter(key for one in selecting for key in plain(one.get("spec", {})).get("nodeSelector", {}))
    first = [given.pool_label] if given.pool_label else []
    first += [key for key, _ in keys.most_common() if not label.is_circular(key) and key != label.GPU_PRESENT]
    rest = None
    if free:
        claimed_now = [node for node in gpus if node not in free]
        rest = pools_of(
            given.name,
            runs.release,
            free,
            first,
            others=claimed_now,
            taken=frozenset(names),
            default=bool(defaults),
        )
    for pool in rest.pools if rest else ():
        if pool.mode is None:
            message = f"no NVIDIADriver selects its nodes ({some(node.name for node in pool.machines)}): mode unmanaged"
            notes.append(Note(f"{given.name}/{pool.name}", message, "declare its driver where it should have one"))
        members.append(_host(pool if pool.mode else _unmanaged(pool)))
    return members, absent, [*notes, *(rest.notes if rest else ())]


def _add(
    given: Given,
    runs: Running,
    one: Mapping[str, Any],
    nodes: Sequence[Machine],
    upgrade: Mapping[str, Any],
    members: list[Member],
    absent: list[Absent],
    notes: list[Note],
    names: set[str],
    *,
    full: bool,
) -> None:
    """The pool of one NVIDIADriver, or its entry without a machine where it has no node."""
    spec, metadata = plain(one.get("spec", {})), one.get("metadata", {})
    written = str(metadata.get("name", ""))
    name = object_name(written) or "pool"
    about = f"{given.name}/{name}"
    notes += _metadata(about, metadata)
    made = taken(about, DriverApi.NVIDIADRIVER, runs.release, spec, auto_upgrade=True, full=full)
    driver = {**made.driver, **({"upgradePolicy": upgrade} if upgrade else {})}
    notes += made.notes
    names.add(name)
    selector, default = dict(spec.get("nodeSelector") or {}), bool(spec.get("default"))
    working = [node for node in nodes if node.mode is None]
    if not any(node.os and node.kernel for node in working):
        entry: dict[str, Any] = {"default": True} if default else {"nodeSelector": selector} if selector else {}
        entry |= {"taints": [str(taint) for taint in made.taints]} if made.taints else {}
        absent.append(Absent(name, {**entry, "nodes": 0, "driver": driver}))
        message = "no node matches it now, so OS and kernels are not known: it is a comment to be completed"
        notes.append(Note(about, message, "complete it before Argo CD or Flux prunes what is not rendered"))
        return
    pool, said = pool_of(about, name, selector, nodes, default=default)
    notes += said
    real = {taint for taint in pool.taints if not any(_tolerates(toleration, taint) for toleration in made.taints)}
    real = {taint for taint in real if taint.key != "nvidia.com/gpu" or taint.effect != "NoSchedule"}
    if real:
        message = f"nodes have taints that the object doesn't tolerate: {', '.join(sorted(map(str, real)))}"
        notes.append(Note(about, message, "add them to taints where its driver should reach these nodes"))
    members.append(Member(pool=pool, driver=driver, taints=made.taints, object_name=written if written != name else ""))


def _tolerates(toleration: Taint, taint: Taint) -> bool:
    """A toleration without a value is one of any value."""
    same = toleration.key == taint.key and toleration.effect == taint.effect
    return same and toleration.value in {"", taint.value}


def _metadata(about: str, metadata: Mapping[str, Any]) -> list[Note]:
    """Labels and annotations that people gave an object, and whether it is a chart's to delete."""
    notes = []
    if any(key.startswith("meta.helm.sh/") for key in metadata.get("annotations", {})):
        message = "the chart made this object, and Helm deletes it once its values say deployDefaultCR: false"
        hint = f"first: kubectl annotate nvidiadriver {metadata.get('name')} helm.sh/resource-policy=keep"
        notes.append(Note(about, message, hint))
    for part in ("labels", "annotations"):
        own = [
            key
            for key in metadata.get(part, {})
            if not owned_by_tools(key)
            and not key.startswith(("argocd.argoproj.io/", "kustomize.toolkit.fluxcd.io/", "helm.sh/"))
            and not key.startswith("app.kubernetes.io/")
        ]
        if own:
            hint = "override the template nvidiadriver-{pool}.yaml.j2 to keep them"
            notes.append(Note(about, f"metadata.{part} can't be said: {', '.join(sorted(own))}", hint))
    return notes


def _cluster_policy(runs: Running, *, full: bool) -> dict[str, Any]:
    """The upgradePolicy that a ClusterPolicy gives all objects, before v26.7."""
    if runs.policy is None or runs.release.object_upgrade_policy:
        return {}
    return own_policy(runs.policy.get("upgradePolicy", {}), auto_upgrade=runs.auto_upgrade, full=full)


def _assumed(pool: Pool) -> tuple[dict[str, Any], str]:
    """A driver where nothing is told: the branch that is loaded, else a common one; and what was assumed."""
    loaded = {branch(one.driver_version) for one in pool.machines if one.driver_version}
    driver: dict[str, Any] = dict(ASSUMED)
    message = f"the driver is assumed: precompiled {driver['branch']}"
    if len(loaded) == 1:
        driver["branch"] = loaded.pop()
        message = f"the driver is assumed: precompiled {driver['branch']}, the branch that is loaded"
    if pool.family is not None and reach(pool.family).open_modules is OpenModules.REQUIRED:
        driver["kernelModuleType"] = "open"
    return driver, message


def _host(pool: Pool) -> Member:
    driver: dict[str, Any] = {"mode": str(pool.mode)}
    if pool.driver_version:
        driver["version"] = pool.driver_version
    return Member(pool=pool, driver=driver, taints=pool.taints)


def _preinstalled(pool: Pool) -> Pool:
    from msgspec.structs import replace

    versions = {one.driver_version for one in pool.machines}
    return (
        pool
        if pool.mode
        else replace(pool, mode=Mode.PREINSTALLED, driver_version=versions.pop() if len(versions) == 1 else "")
    )


def _unmanaged(pool: Pool) -> Pool:
    from msgspec.structs import replace

    return replace(pool, mode=Mode.UNMANAGED)


def _with(member: Member, driver: Mapping[str, Any]) -> Member:
    from msgspec.structs import replace

    return replace(member, driver=driver)


def _silenced(runs: Running, members: Iterable[Member]) -> list[Mapping[str, Any]]:
    """What a rule would refuse although the running ClusterPolicy shows that it holds."""
    found: list[Mapping[str, Any]] = []
    if runs.base is not None and not runs.release.optional_cluster_policy and runs.install is Install.MANIFEST:
        reason = "the running ClusterPolicy is not a chart's: the operator is installed without one"
        found.append({"rule": "operator/chart-conflict", "reason": reason})
    if runs.install is Install.HELM and runs.api is DriverApi.CLUSTERPOLICY and runs.whole is not None:
        daemonsets = plain(runs.whole.get("spec", {})).get("daemonsets", {})
        listed = [one for one in daemonsets.get("tolerations", ()) if isinstance(one, Mapping)]
        pools = [one.pool.name for one in members if _needs_own(one) and _all_tolerated(one.taints, listed)]
        if pools:
            reason = "daemonsets.tolerations of the running ClusterPolicy, so of the chart's own values, tolerate them"
            found.append({"rule": "operator/taint-not-tolerated", "pools": pools, "reason": reason})
    return found


def _needs_own(member: Member) -> bool:
    """Whether the pool has a taint that the chart's own toleration is not for."""
    return member.pool.mode is None and any(
        (taint.key, taint.effect) != ("nvidia.com/gpu", "NoSchedule") and taint.effect != "PreferNoSchedule"
        for taint in member.taints
    )


def _all_tolerated(taints: Iterable[Taint], tolerations: Sequence[Mapping[str, Any]]) -> bool:
    """Kubernetes pkg/apis/core/v1 ToleratesTaint, for each of the taints."""
    return all(
        taint.effect == "PreferNoSchedule"
        or any(
            one.get("effect") in {None, "", taint.effect}
            and one.get("key") in {None, "", taint.key}
            and (one.get("operator") == "Exists" or str(one.get("value", "")) == taint.value)
            for one in tolerations
        )
        for taint in taints
    )
