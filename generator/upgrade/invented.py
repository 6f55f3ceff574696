"""The inventory as if a cluster had been looked at: its pools' nodes, the pods of its workloads, and their budgets."""

from collections.abc import Iterator

from generator.declared.fleet import Cluster, Fleet, Install, Pool
from generator.declared.workload import Workload, WorkloadBudget
from generator.facts import label
from generator.facts.budget import Budget
from generator.facts.release import DriverApi
from generator.observed.budget import LiveBudget
from generator.observed.driver import DriverObject, Scale
from generator.observed.node import Node
from generator.observed.objects import Objects
from generator.observed.pod import APP, DRIVER_APP, VALIDATOR_APP, Container, Owner, Pod
from generator.operator.driver import object_spec, policy_spec

# What owns the pods of an owner: those of a Deployment are of a ReplicaSet.
POD_OWNERS = {"Deployment": "ReplicaSet", "CronJob": "Job"}
EVERYTHING = frozenset({"Node", "Pod", "PodDisruptionBudget", "ClusterPolicy", "NVIDIADriver", "DaemonSet"})


def invented(fleet: Fleet, cluster: Cluster) -> Objects:
    """Every pool at its largest, every workload with all its pods, spread over its pools' nodes."""
    nodes = {node.name: node for pool in cluster.managed_pools for node in _nodes(cluster, pool)}
    workloads = fleet.workloads_of(cluster)
    pods = [pod for node in nodes.values() for pod in _of_operator(cluster, node.name)]
    pods += [pod for workload in workloads for pod in _pods(cluster, workload)]
    budgets = [budget for workload in workloads for budget in _budgets(workload)]
    scales = [scale for workload in workloads if (scale := _scale(workload))]
    return Objects(
        nodes=nodes,
        pods={pod.key: pod for pod in pods},
        budgets={one.key: one for one in budgets},
        drivers={one.name: one for one in _objects(cluster)},
        policies={cluster.operator.policy_name: _policy(cluster)},
        scales={one.key: one for one in scales},
        kinds=EVERYTHING,
    )


def _names(pool: Pool) -> list[str]:
    most = pool.size.max if pool.size else 1
    digits = len(str(most))
    return [f"{pool.name}-{number:0{digits}}" for number in range(1, most + 1)]


def _nodes(cluster: Cluster, pool: Pool) -> Iterator[Node]:
    labels = {label.GPU_PRESENT: "true"}
    if cluster.operator.driver_api is DriverApi.NVIDIADRIVER:
        labels[label.OWNER] = pool.object_name
    return (Node(name=name, labels=labels, ready="True") for name in _names(pool))


def _of_operator(cluster: Cluster, node: str) -> Iterator[Pod]:
    """A driver pod that runs, and a validator that is Ready."""
    space = cluster.operator.namespace
    for app in (DRIVER_APP, VALIDATOR_APP):
        yield Pod(
            namespace=space,
            name=f"{app}-{node}",
            node=node,
            phase="Running",
            ready=True,
            labels={APP: app},
            owner=Owner("DaemonSet", app),
            owned=True,
            containers=(Container(name=app, ready=True),),
        )


def _pods(cluster: Cluster, workload: Workload) -> Iterator[Pod]:
    places = [name for pool in cluster.managed_pools if pool.name in workload.pools for name in _names(pool)]
    if not places:
        return
    number = len(places) if workload.owner_kind == "DaemonSet" else (workload.replicas.max if workload.replicas else 1)
    kind = POD_OWNERS.get(workload.owner_kind, workload.owner_kind)
    owner = None if workload.bare else Owner(kind, workload.owner_name or workload.name)
    for index in range(number):
        yield Pod(
            namespace=workload.namespace,
            name=f"{workload.name}-{index}",
            node=places[index % len(places)],
            phase="Running",
            ready=True,
            labels=workload.pod_labels,
            owner=owner,
            owned=owner is not None,
            empty_dir=workload.empty_dir,
            resources=frozenset({workload.resource}),
            wants={workload.resource: workload.count},
        )


def _scale(workload: Workload) -> Scale | None:
    """What an owner with a scale asks for."""
    if not workload.scalable:
        return None
    kind = POD_OWNERS.get(workload.owner_kind, workload.owner_kind)
    replicas = workload.replicas.max if workload.replicas else 1
    return Scale(kind=kind, namespace=workload.namespace, name=workload.owner_name or workload.name, replicas=replicas)


def _budgets(workload: Workload) -> Iterator[LiveBudget]:
    """Budgets of others needn't say their names: they are told apart by the workload's."""
    for number, one in enumerate(workload.budgets, start=1):
        yield _budget(one, one.name or (workload.name if number == 1 else f"{workload.name}-{number}"))


def _budget(one: WorkloadBudget, name: str) -> LiveBudget:
    budget = Budget(
        name=name,
        min_available=one.min_available,
        max_unavailable=one.max_unavailable,
        selector=one.selector,
        always_allow=one.unhealthy_pod_eviction_policy == "AlwaysAllow",
    )
    return LiveBudget(namespace=one.namespace, budget=budget)


def _objects(cluster: Cluster) -> Iterator[DriverObject]:
    if cluster.operator.driver_api is DriverApi.NVIDIADRIVER:
        for pool in cluster.managed_pools:
            yield DriverObject(kind="NVIDIADriver", name=pool.object_name, spec=object_spec(cluster, pool))


def _policy(cluster: Cluster) -> DriverObject:
    spec = policy_spec(cluster, auto_upgrade=cluster.operator.install is Install.HELM)
    return DriverObject(kind="ClusterPolicy", name=cluster.operator.policy_name, spec={"driver": spec})
