"""What a declared budget allows when every pod is healthy: the disruption controller's count over declared replicas."""

from collections.abc import Iterable, Iterator, Sequence

from generator.declared.coverage import Covering
from generator.declared.fleet import Pool
from generator.declared.modelparts import Size
from generator.declared.workload import Workload, WorkloadBudget
from generator.facts.amount import rounded_up
from generator.facts.budget import Budget, Count, Status, needs_scale, settled
from generator.finding import Severity
from generator.operator.upgraded import blocked, is_evicted, kept
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.disruption.coverage import number_place, problem_of
from generator.rules.rule import Problem
from generator.words import counted

_DAEMONSET = "DaemonSet"


def facts_of(budget: WorkloadBudget) -> Budget:
    """The budget as the facts know it."""
    return Budget(
        name=budget.name,
        min_available=budget.min_available,
        max_unavailable=budget.max_unavailable,
        selector=budget.selector,
        always_allow=budget.unhealthy_pod_eviction_policy == "AlwaysAllow",
    )


def replicas_of(workload: Workload, pools: Iterable[Pool]) -> Size | None:
    """How many pods it has in a cluster; a DaemonSet one on each node of its pools there."""
    if workload.replicas is not None or workload.owner_kind != _DAEMONSET:
        return workload.replicas
    return _sum([pool.size for pool in pools])


def sum_of(inputs: ClusterInputs, covered: Iterable[Workload]) -> Size | None:
    """The pods of several workloads; None where one doesn't say how many it has."""
    return _sum([replicas_of(workload, inputs.cluster.pools_of(workload)) for workload in covered])


def _sum(sizes: Sequence[Size | None]) -> Size | None:
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        return None
    return Size(sum(size.min for size in known), sum(size.max for size in known))


def computable(budget: Budget, covered: Sequence[Workload]) -> bool:
    """Whether the controller can compute the budget, and expects anybody: else disruption/unscalable-owner."""
    return not needs_scale(budget) or (
        all(workload.scalable or workload.bare for workload in covered)
        and any(workload.scalable for workload in covered)
    )


def of_daemonsets(covered: Iterable[Workload]) -> bool:
    """Whether nobody ever asks the budget: drains pass over DaemonSets, and pod deletion can't remove their pods."""
    return all(workload.owner_kind == _DAEMONSET for workload in covered)


def room(budget: Budget, covered: Iterable[Workload], pods: int) -> Status:
    """The status while so many pods are healthy; bare ones beside others are counted, and expected by nobody."""
    bare = sum(workload.replicas.min for workload in covered if workload.bare and workload.replicas)
    return settled(budget, Count(pods=pods, healthy=pods, expected=max(pods - bare, 0)))


def no_room(inputs: ClusterInputs) -> Iterator[Problem]:
    """Budgets that let nothing go even when all is well."""
    for covering in inputs.budgets:
        budget, covered = facts_of(covering.budget), covering.covered
        if not covering.is_judged or not computable(budget, covered) or of_daemonsets(covered):
            continue
        replicas = sum_of(inputs, covered)
        if replicas is None:
            if _never(budget):
                message = f"{_asked(budget, 'any number of pods')}: nothing may be evicted{_then(inputs, covering)}"
                yield problem_of(covering, number_place(inputs, covering.budget), message, "set maxUnavailable: 1")
        elif replicas.max == 0:
            yield from _without_pods(inputs, covering, budget)
        else:
            status = room(budget, covered, max(replicas.min, 1))
            if status.allowed == 0:
                asked = _asked(budget, _pods(covered, replicas), status)
                message = f"{asked}: nothing may be evicted{_then(inputs, covering)}"
                hint = _hint(budget, covered, max(replicas.min, 1))
                yield problem_of(covering, number_place(inputs, covering.budget), message, hint)


def _never(budget: Budget) -> bool:
    """Whether it lets nothing go whatever the number of pods."""
    if budget.max_unavailable is not None:
        return rounded_up(budget.max_unavailable, 1) == 0
    least = budget.min_available
    return least is None or (isinstance(least, str) and rounded_up(least, 100) == 100)


def _without_pods(inputs: ClusterInputs, covering: Covering, budget: Budget) -> Iterator[Problem]:
    """A budget that outlives its pods blocks nothing yet, and everything from the first pod on."""
    if settled(budget, Count(pods=1, healthy=1, expected=1)).allowed == 0:
        message = f"{_asked(budget, '0 replicas')}: the first pod that runs can't be evicted"
        hint = "remove the budget while the workload has no replicas, or set maxUnavailable: 1"
        yield problem_of(covering, number_place(inputs, covering.budget), message, hint, Severity.WARNING)


def _pods(covered: Sequence[Workload], replicas: Size) -> str:
    pods = max(replicas.min, 1)
    fewest = counted(pods, "pod")
    if len(covered) > 1:
        fewest += f" of workloads {', '.join(sorted(each.name for each in covered))}"
    return f"{fewest} (the fewest of {replicas.min} to {replicas.max})" if replicas.min < replicas.max else fewest


def _asked(budget: Budget, pods: str, status: Status | None = None) -> str:
    if budget.max_unavailable is not None:
        shown = quoted(budget.max_unavailable)
        return (
            f"maxUnavailable {shown} of {pods} is 0"
            if isinstance(budget.max_unavailable, str)
            else "maxUnavailable is 0"
        )
    if budget.min_available is None:
        return "it gives neither minAvailable nor maxUnavailable"
    told = f"minAvailable {quoted(budget.min_available)} of {pods}"
    if status is None or not isinstance(budget.min_available, str):
        return told
    exact = int(budget.min_available[:-1]) * status.expected % 100 == 0
    return f"{told} {'is' if exact else 'rounds up to'} {status.desired}"


def quoted(value: int | str) -> str:
    """A number or percentage as YAML has it."""
    return f'"{value}"' if isinstance(value, str) else str(value)


def _then(inputs: ClusterInputs, covering: Covering) -> str:
    """What the first upgrade comes to that meets it."""
    if not is_evicted(covering.workload):
        return ""
    met = next(
        (upgraded for upgraded in inputs.upgrades.of(covering.workload) if not kept(covering.workload, upgraded)), None
    )
    return "" if met is None else f', and a node\'s upgrade in pool "{met.name}" {blocked(covering.workload, met)}'


def _hint(budget: Budget, covered: Iterable[Workload], pods: int) -> str:
    alternative = f"minAvailable {pods - 1} at most"
    if not all(workload.scalable for workload in covered):
        return f"set {alternative}, since without a scale subresource only a number of minAvailable works"
    if budget.max_unavailable is not None or pods == 1 < rounded_up(budget.min_available or 0, 1):
        return "set maxUnavailable: 1"
    if pods == 1:
        return "run a second replica, or set maxUnavailable: 1 and let the only one go"
    return f"set maxUnavailable: 1, or {alternative}"
