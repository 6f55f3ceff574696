"""What is rendered of a workload: its budget, its nodeAffinity as a kustomize component, and its documented value."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from generator.declared.fleet import Cluster
from generator.declared.layers import over
from generator.declared.workload import Workload
from generator.operator.driver import in_order

# Where built-in kinds describe their pods (k8s.io/api, core/v1, apps/v1, batch/v1).
TEMPLATE = ("spec", "template")
API_VERSIONS = {
    "Pod": "v1",
    "ReplicationController": "v1",
    "Deployment": "apps/v1",
    "ReplicaSet": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "Job": "batch/v1",
    "CronJob": "batch/v1",
}


class WorkloadView(Struct, frozen=True, kw_only=True):
    """A workload as a template sees it, in one cluster."""

    name: str
    team: str
    cluster: str
    namespace: str
    owner_kind: str
    owner_name: str
    scalable: bool
    pod_labels: Mapping[str, str]
    min_replicas: int
    max_replicas: int
    resource: str
    count: int
    empty_dir: bool
    pools: tuple[str, ...]
    node_selector_terms: tuple[Mapping[str, Any], ...]


def workload_view(cluster: Cluster, workload: Workload) -> WorkloadView:
    """The documented value."""
    size = workload.replicas
    return WorkloadView(
        name=workload.name,
        team=workload.team,
        cluster=cluster.name,
        namespace=workload.namespace,
        owner_kind=workload.owner_kind,
        owner_name=workload.owner_name,
        scalable=workload.scalable,
        pod_labels=in_order(workload.pod_labels),
        min_replicas=size.min if size else 0,
        max_replicas=size.max if size else 0,
        resource=workload.resource,
        count=workload.count,
        empty_dir=workload.empty_dir,
        pools=tuple(pool.name for pool in cluster.pools_of(workload)),
        node_selector_terms=tuple(in_order(_terms(cluster, workload) or workload.node_selector_terms)),
    )


def component(cluster: Cluster, workload: Workload) -> dict[str, Any]:
    """`target` and `patch` of the component; both empty where there is nothing to say, or nobody says it to whom.

    A patch replaces the list of terms as a whole, so it holds all of them: applying it again changes nothing.
    """
    found, places = _terms(cluster, workload), pod_specs(workload)
    if not found or not places:
        return {"target": {}, "patch": {}}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(found)}}
    kind, name = workload.owner_kind, workload.owner_name
    # kustomize needs no apiVersion of a patch with a target; of a custom kind nobody says it.
    head = {"apiVersion": API_VERSIONS[kind]} if kind in API_VERSIONS else {}
    patch: dict[str, Any] = {**head, "kind": kind, "metadata": {"name": name}}
    for place in places:
        patch = over(patch, _nested(place, {"affinity": {"nodeAffinity": required}}))
    # kustomize takes kind and name of a target for anchored regular expressions (api/types/selector.go).
    return {"target": {"kind": kind, "name": name.replace(".", "\\.")}, "patch": in_order(patch)}


def _terms(cluster: Cluster, workload: Workload) -> tuple[Mapping[str, Any], ...]:
    """The nodeSelectorTerms of its need; what they take is loaded where there is one."""
    if workload.cuda is None:
        return ()
    from generator.operator.carries import workload_terms

    return workload_terms(cluster, workload)


def pod_specs(workload: Workload) -> tuple[tuple[str, ...], ...]:
    """The paths at which the owner describes its pods; none for a custom kind of which nobody says it."""
    match workload.owner_kind:
        case "Pod":
            return (("spec",),)
        case "CronJob":
            return (("spec", "jobTemplate", *TEMPLATE, "spec"),)
        case kind if kind in API_VERSIONS:
            return ((*TEMPLATE, "spec"),)
    return tuple((*path.split("."), "spec") for path in workload.pod_templates)


def _nested(path: tuple[str, ...], value: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(value)
    for step in reversed(path):
        made = {step: made}
    return made


def budget(workload: Workload) -> dict[str, Any]:
    """name, namespace and spec of the budget that is rendered; an empty spec where none is.

    One with an empty selector would cover every pod of the namespace, and is left to the rule that refuses it.
    """
    one = workload.rendered_budget
    if one is None or not any((one.selector or {}).values()):
        return {"name": "", "namespace": "", "spec": {}}
    numbers = {"minAvailable": one.min_available, "maxUnavailable": one.max_unavailable}
    spec = {
        **{key: value for key, value in numbers.items() if value is not None},
        "selector": one.selector,
        "unhealthyPodEvictionPolicy": one.unhealthy_pod_eviction_policy,
    }
    return {"name": one.name, "namespace": one.namespace, "spec": in_order(spec)}
