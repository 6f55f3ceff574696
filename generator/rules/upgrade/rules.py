"""Rules of the family upgrade/: what the declared upgrade policies do to a rollout."""

from collections.abc import Iterator, Mapping
from typing import Any

from generator.declared.fleet import Pool
from generator.facts.amount import rounded_up
from generator.facts.release import DriverApi
from generator.finding import Severity
from generator.operator.driver import automatic, carries_upgrade_policy
from generator.operator.slots import at_once
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.operator.crashes import user_objects
from generator.rules.rule import ClusterRule, JoiningRule, Problem, Rule, joining, of_workloads
from generator.rules.setting import said
from generator.rules.upgrade.held import held, hold_ended
from generator.rules.upgrade.ring import member, ring_order

# k8s-driver-manager's own eviction, which it leaves to the upgrade controller where that is on.
MANAGER_ENV = ("ENABLE_AUTO_DRAIN", "ENABLE_GPU_POD_EVICTION")
MANAGER_PREFIX = "DRAIN_"
POLICY = ("driver", "upgradePolicy")


def _automatic(inputs: ClusterInputs) -> Iterator[Pool]:
    """Pools that the operator upgrades itself."""
    for pool in inputs.cluster.managed_pools:
        if automatic(inputs.cluster, pool):
            yield pool


def _drained(inputs: ClusterInputs) -> Iterator[tuple[Pool, Mapping[str, Any]]]:
    """Pools whose nodes may be drained, with what is declared about it."""
    for pool in _automatic(inputs):
        drain = pool.driver.upgrade_policy.get("drain")
        if drain and drain.get("enable") is True:
            yield pool, drain


def drain_without_selector(inputs: ClusterInputs) -> Iterator[Problem]:
    """A drain without podSelector evicts whatever runs on the node, not only GPU work."""
    for pool, drain in _drained(inputs):
        if not drain.get("podSelector"):
            where = said(inputs, pool, *POLICY, "drain", "enable")
            message = "drain.enable is true and drain.podSelector is empty: every pod of the node is evicted"
            yield where.problem(message, "set drain.podSelector to the GPU workloads, or drain.enable: false")


def drain_before_pod_deletion(inputs: ClusterInputs) -> Iterator[Problem]:
    """Pod deletion comes first; with its strict defaults the first emptyDir turns it into a drain of the node."""
    for pool, _ in _drained(inputs):
        if "podDeletion" not in pool.driver.upgrade_policy:
            where = said(inputs, pool, *POLICY, "drain", "enable")
            message = (
                "drain.enable is true and podDeletion is not declared: its default deletes no pod with an emptyDir"
            )
            message += " and none without a controller, so that the node is drained instead"
            hint = "declare podDeletion with what your GPU pods need, for example deleteEmptyDir: true"
            yield where.problem(message, hint)


def no_slots(inputs: ClusterInputs) -> Iterator[Problem]:
    """gpu-operator vendor k8s-operator-libs pkg/upgrade GetUpgradesAvailable: with 0 no node is ever due."""
    for pool in _automatic(inputs):
        most = pool.driver.upgrade_policy.get("maxUnavailable", 1)
        if rounded_up(most, 100) == 0:
            where = said(inputs, pool, *POLICY, "maxUnavailable")
            shown = f'"{most}"' if isinstance(most, str) else most
            message = f"autoUpgrade is true and maxUnavailable is {shown}: no node is ever upgraded"
            yield where.problem(message, "allow at least 1, or set autoUpgrade: false", str(most))


def manager_env_ignored(inputs: ClusterInputs) -> Iterator[Problem]:
    """The driver manager reads the node's upgrade-enabled annotation and leaves eviction to the controller."""
    for pool in _automatic(inputs):
        manager = pool.driver.spec.get("manager")
        listed = manager.get("env") if isinstance(manager, Mapping) else None
        for index, one in enumerate(listed if isinstance(listed, list) else ()):
            name = str(one.get("name")) if isinstance(one, Mapping) else ""
            if name in MANAGER_ENV or name.startswith(MANAGER_PREFIX):
                where = said(inputs, pool, "driver", "spec", "manager", "env", index)
                message = f"{name} of driver.spec.manager.env has no effect while upgradePolicy.autoUpgrade is true"
                hint = "say it in driver.upgradePolicy, as drain or podDeletion, and remove the variable"
                yield where.problem(message, hint, name)


def pod_deletion_missing(inputs: ClusterInputs) -> Iterator[Problem]:
    """A ClusterPolicy has no default for podDeletion, and its absence stalls every later step (facts 6.4)."""
    cluster = inputs.cluster
    for api, driver, place in user_objects(inputs):
        policy = driver.get("upgradePolicy")
        unused = api is DriverApi.NVIDIADRIVER and not cluster.operator.release.object_upgrade_policy
        if unused or not isinstance(policy, dict) or policy.get("podDeletion") is not None:
            continue
        if policy.get("autoUpgrade") is True:
            message = f"the {api} of this template has upgradePolicy.autoUpgrade and no podDeletion"
            message += ', and the operator stops with "pod deletion spec should not be empty"'
            hint = "print podDeletion with force, timeoutSeconds and deleteEmptyDir"
            yield Problem(place=place, message=message, hint=hint, cluster=cluster.name)


def cluster_wide_unavailable(inputs: ClusterInputs) -> Iterator[Problem]:
    """From v26.7 on each NVIDIADriver counts its own slots, so that a cluster may lose their sum."""
    cluster = inputs.cluster
    if cluster.operator.driver_api is not DriverApi.NVIDIADRIVER or carries_upgrade_policy(cluster):
        return
    sized = [
        (pool.size.max, pool.driver.upgrade_policy)
        for pool in cluster.managed_pools
        if pool.size and automatic(cluster, pool)
    ]
    total, limits = sum(nodes for nodes, _ in sized), [policy.get("maxUnavailable", "25%") for _, policy in sized]
    worst = sum(_slots(policy, nodes) for nodes, policy in sized)
    allowed, most = max(((rounded_up(limit, total), limit) for limit in limits), key=lambda one: one[0], default=(0, 0))
    if worst > allowed:
        message = f"up to {worst} of the {total} GPU nodes of cluster {cluster.name} are upgraded at a time"
        message += (
            f": the slots of {len(sized)} pools add up, and the largest maxUnavailable, {most}, is {allowed} of {total}"
        )
        hint = "lower maxParallelUpgrades or maxUnavailable of single pools, or silence this if the sum is meant"
        place = inputs.at(cluster, "name")
        yield Problem(place=place, message=message, hint=hint, cluster=cluster.name, fact=str(worst))


def _slots(policy: Mapping[str, Any], nodes: int) -> int:
    """How many nodes of a pool may be upgraded at a time."""
    return at_once(nodes, policy.get("maxParallelUpgrades", 1), policy.get("maxUnavailable", "25%"))


E, U, W = Severity.ERROR, Severity.INVALID, Severity.WARNING
RULES: tuple[Rule, ...] = (
    ClusterRule(
        "upgrade/drain-without-selector", W, "a drain that evicts every pod of the node", drain_without_selector
    ),
    ClusterRule(
        "upgrade/drain-before-pod-deletion",
        W,
        "a drain that comes in place of a pod deletion nobody declared",
        drain_before_pod_deletion,
    ),
    ClusterRule("upgrade/no-slots", E, "an automatic upgrade that never starts", no_slots),
    ClusterRule(
        "upgrade/manager-env-ignored", W, "variables of the driver manager without effect", manager_env_ignored
    ),
    ClusterRule("upgrade/pod-deletion-missing", U, "an upgrade policy that stops the operator", pod_deletion_missing),
    ClusterRule(
        "upgrade/cluster-wide-unavailable",
        W,
        "slots of single pools that add up to more than one policy allows",
        cluster_wide_unavailable,
    ),
    JoiningRule(
        "upgrade/emptydir-will-fail",
        W,
        "pods with an emptyDir that pod deletion refuses",
        of_workloads("upgrade.emptying", "with_empty_dir"),
        joining("upgrade.emptying", "emptydir_will_fail"),
    ),
    JoiningRule(
        "upgrade/unmanaged-pod-will-fail",
        W,
        "pods without an owner that pod deletion refuses",
        of_workloads("upgrade.emptying", "unmanaged"),
        joining("upgrade.emptying", "unmanaged_pod_will_fail"),
    ),
    JoiningRule(
        "upgrade/daemonset-pod-will-fail",
        W,
        "GPU pods of a DaemonSet with drain off",
        of_workloads("upgrade.emptying", "of_daemonset"),
        joining("upgrade.emptying", "daemonset_pod_will_fail"),
    ),
    JoiningRule(
        "upgrade/resource-not-matched",
        W,
        "GPU pods that the operator never evicts",
        of_workloads("upgrade.emptying", "not_matched"),
        joining("upgrade.emptying", "resource_not_matched"),
    ),
    ClusterRule("upgrade/held", E, "a change of a driver that is held", held, needs_all=True),
    ClusterRule("upgrade/hold-ended", W, "a hold that is past its day and still holds", hold_ended),
    JoiningRule(
        "upgrade/ring-order",
        W,
        "a later ring has what an earlier one hasn't",
        member,
        ring_order,
        needs_all=True,
        fleet_wide=True,
    ),
)
