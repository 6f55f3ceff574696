"""Rules about the names of the driver's objects, and about where its pods may run."""

from collections.abc import Iterator, Mapping
from typing import Any

from generator.declared.crds import plain
from generator.declared.fleet import Cluster, Install, Kernel, Mode, OsRelease, Pool, Taint
from generator.declared.modelparts import OBJECT_NAME
from generator.facts.kernel import sanitised
from generator.facts.release import DriverApi
from generator.finding import Place
from generator.operator.driver import toleration
from generator.operator.image import policy_daemonset
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.rule import Problem

MAX_LABEL, MAX_NAME = 63, 253
PER_ARCH = "split the pool, so that each has the kernels of one architecture and page size"
PER_OBJECT = "set operator.driverApi: NVIDIADriver, with a pool for each"
# The DaemonSet controller adds these itself: kubernetes pkg/controller/daemon/util AddOrUpdateDaemonPodTolerations.
OF_EVERY_DAEMONSET = frozenset(
    {
        ("node.kubernetes.io/not-ready", "NoExecute"),
        ("node.kubernetes.io/unreachable", "NoExecute"),
        ("node.kubernetes.io/disk-pressure", "NoSchedule"),
        ("node.kubernetes.io/memory-pressure", "NoSchedule"),
        ("node.kubernetes.io/pid-pressure", "NoSchedule"),
        ("node.kubernetes.io/unschedulable", "NoSchedule"),
    }
)
# What the operator's own manifests say where daemonsets.tolerations is empty.
DEFAULT_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}


def name_too_long(inputs: ClusterInputs) -> Iterator[Problem]:
    """Names that the API server, or the operator's owner label, doesn't take."""
    has_objects = inputs.cluster.operator.driver_api is DriverApi.NVIDIADRIVER
    for pool in inputs.cluster.managed_pools:
        if has_objects:
            yield from _object_name(inputs, pool)
        elif pool.driver.mode is Mode.PRECOMPILED:
            yield from _daemonset_names(inputs, pool)


def _object_name(inputs: ClusterInputs, pool: Pool) -> Iterator[Problem]:
    """From v26.7 on the operator writes the name into the owner label of nodes; what is no name, build.py tells."""
    name = pool.object_name
    if inputs.cluster.operator.release.owner_label and len(name) > MAX_LABEL:
        said = f'renamedFrom "{name}" of pool "{pool.name}"' if pool.renamed_from else f'pool name "{name}"'
        place = inputs.at(pool, *(("renamedFrom",) if pool.renamed_from else ()))
        message = f"{said} has {len(name)} characters, and the operator writes it into a node label, which holds 63"
        yield _problem(place, pool, message, f"give it a name of at most {MAX_LABEL} characters", name)


def _daemonset_names(inputs: ClusterInputs, pool: Pool) -> Iterator[Problem]:
    for kernel in pool.kernels:
        name = _daemonset(inputs.cluster, pool, kernel)
        if len(name) > MAX_NAME or not OBJECT_NAME.fullmatch(name):
            message = (
                f'the operator would name its DaemonSet for kernel "{kernel.name}" "{name}", which is no object name'
            )
            hint = "set operator.driverApi: NVIDIADriver, whose DaemonSets are named by a hash"
            yield _problem(inputs.kernel_place(kernel), pool, message, hint, kernel.name)


def kernel_name_collision(inputs: ClusterInputs) -> Iterator[Problem]:
    """Kernels that the operator gives one name: of two DaemonSets or node pools only one is left (facts 1.6)."""
    pools = [pool for pool in inputs.cluster.managed_pools if pool.driver.mode is Mode.PRECOMPILED]
    if inputs.cluster.operator.driver_api is DriverApi.CLUSTERPOLICY:
        yield from _collisions(inputs, pools)
        return
    for pool in pools:
        if len(pool.kernels) > 1:
            yield from _collisions(inputs, [pool])


def _collisions(inputs: ClusterInputs, pools: list[Pool]) -> Iterator[Problem]:
    seen: dict[tuple[OsRelease | None, str], tuple[Pool, Kernel]] = {}
    release = inputs.cluster.operator.release
    for pool in pools:
        for kernel in pool.kernels:
            other, first = seen.setdefault((pool.os, sanitised(kernel.name, release)), (pool, kernel))
            if first.name != kernel.name:
                yield _collision(inputs, (pool, kernel), (other, first))


def _collision(inputs: ClusterInputs, one: tuple[Pool, Kernel], other: tuple[Pool, Kernel]) -> Problem:
    (pool, kernel), (first_pool, first) = one, other
    name = sanitised(kernel.name, inputs.cluster.operator.release)
    whose = f'pool "{pool.name}"' if pool is first_pool else f'pools "{first_pool.name}" and "{pool.name}"'
    message = f'the operator names kernels "{first.name}" and "{kernel.name}" of {whose} both "{name}"'
    place, lost = inputs.kernel_place(kernel), "and one of them gets no driver"
    return _problem(place, pool, f"{message}, {lost}", PER_ARCH if pool is first_pool else PER_OBJECT, kernel.name)


def _daemonset(cluster: Cluster, pool: Pool, kernel: Kernel) -> str:
    os_id, version = (pool.os.id, pool.os.version) if pool.os else ("", "")
    return policy_daemonset(cluster.operator.release, kernel.name, os_id, version)


def taint_not_tolerated(inputs: ClusterInputs) -> Iterator[Problem]:
    """The ClusterPolicy knows tolerations for all operands only, in spec.daemonsets (not drivergate's to write)."""
    cluster = inputs.cluster
    if cluster.operator.driver_api is not DriverApi.CLUSTERPOLICY:
        return
    tolerations = _tolerations(inputs.base or {})
    for pool in cluster.managed_pools:
        for index, taint in enumerate(pool.taints):
            if not any(_tolerates(toleration, taint) for toleration in tolerations or (DEFAULT_TOLERATION,)):
                place = inputs.at(pool, "taints", index)
                message = f'taint "{taint}" of pool "{pool.name}" is tolerated by none of {_where(cluster)}'
                yield _problem(place, pool, message, _to_add(cluster, taint, tolerations), str(taint))


def _tolerations(base: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    spec = plain(base.get("spec"))
    daemonsets = spec.get("daemonsets") if isinstance(spec, dict) else None
    listed = daemonsets.get("tolerations") if isinstance(daemonsets, dict) else None
    return tuple(one for one in listed if isinstance(one, dict)) if isinstance(listed, list) else ()


def _tolerates(one: Mapping[str, Any], taint: Taint) -> bool:
    """As kubernetes pkg/apis/core/v1 ToleratesTaint; PreferNoSchedule keeps no pod away."""
    if taint.effect == "PreferNoSchedule" or (taint.key, taint.effect) in OF_EVERY_DAEMONSET:
        return True
    if one.get("effect") not in (None, "", taint.effect) or one.get("key") not in (None, "", taint.key):
        return False
    return one.get("operator") == "Exists" or (one.get("value") or "") == taint.value


def _where(cluster: Cluster) -> str:
    if cluster.operator.install is Install.HELM:
        return "the chart's daemonsets.tolerations (its default: nvidia.com/gpu)"
    return f"spec.daemonsets.tolerations in {cluster.operator.policy_base}"


def _to_add(cluster: Cluster, taint: Taint, tolerations: tuple[Mapping[str, Any], ...]) -> str:
    path = "daemonsets.tolerations of your own values"
    if cluster.operator.install is not Install.HELM:
        path = "spec.daemonsets.tolerations"
    beside = "" if tolerations else f", beside {_flow(DEFAULT_TOLERATION)}, which a list of your own replaces"
    return f"add to {path}: - {_flow(toleration(taint))}{beside}"


def _flow(one: Mapping[str, str]) -> str:
    shown = (f'{key}: "{value}"' if key == "value" else f"{key}: {value}" for key, value in one.items())
    return "{" + ", ".join(shown) + "}"


def _problem(place: Place, pool: Pool, message: str, hint: str, fact: str) -> Problem:
    return Problem(place=place, message=message, hint=hint, cluster=pool.cluster, pool=pool.name, fact=fact)
