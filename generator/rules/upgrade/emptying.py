"""Pods that the operator's pod deletion can't remove from a node, or never looks at."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from generator.declared.workload import Workload
from generator.facts import podselector
from generator.facts.deletable import Refusal
from generator.facts.gpupod import PREFIXES
from generator.operator.upgraded import Policy, Upgraded, failed, is_evicted, kept
from generator.revision.cluster_inputs import ClusterInputs
from generator.revision.fleet_inputs import FleetInputs
from generator.rules.disruption.coverage import alone
from generator.rules.rule import Problem
from generator.words import and_more


class Left(Struct, frozen=True):
    """A workload whose pods stay on the nodes of a pool that is upgraded, and the policy that rules them."""

    workload: Workload
    cluster: str
    pool: str
    policy: Policy


def with_empty_dir(inputs: ClusterInputs) -> Iterator[Left]:
    """Pods with an emptyDir that pod deletion may not remove."""
    return _left(inputs, lambda workload, upgraded: kept(workload, upgraded) is Refusal.LOCAL_STORAGE)


def unmanaged(inputs: ClusterInputs) -> Iterator[Left]:
    """Bare pods that pod deletion may not remove, since nobody would make them anew."""
    return _left(inputs, lambda workload, upgraded: kept(workload, upgraded) is Refusal.UNMANAGED)


def of_daemonset(inputs: ClusterInputs) -> Iterator[Left]:
    """GPU pods of DaemonSets, which pod deletion never removes; a drain passes over them."""

    def stays(workload: Workload, upgraded: Upgraded) -> bool:
        return kept(workload, upgraded) is Refusal.DAEMONSET and not upgraded.policy.drains

    return _left(inputs, stays)


def not_matched(inputs: ClusterInputs) -> Iterator[Left]:
    """Pods that hold a GPU under a name that the operator doesn't take for one."""
    return _left(inputs, lambda workload, upgraded: not is_evicted(workload) and not _waited_for(workload, upgraded))


def _left(inputs: ClusterInputs, stays: Callable[[Workload, Upgraded], bool]) -> Iterator[Left]:
    for workload in inputs.workloads:
        for upgraded in inputs.upgrades.of(workload):
            if stays(workload, upgraded):
                yield Left(workload, inputs.cluster.name, upgraded.pool.name, upgraded.policy)


def _waited_for(workload: Workload, upgraded: Upgraded) -> bool:
    """Whether the upgrade waits until they are gone; without a timeout it waits for ever."""
    wait = upgraded.pool.driver.upgrade_policy.get("waitForCompletion") or {}
    selector = wait.get("podSelector") or ""
    return bool(selector) and podselector.selects(selector, workload.pod_labels)


def emptydir_will_fail(fleet: FleetInputs, left: Sequence[Left]) -> Iterator[Problem]:
    """One for each workload that mounts an emptyDir."""
    for workload, pools in _by_workload(left):
        message = f"its pods mount an emptyDir, and podDeletion.deleteEmptyDir is false for {_named(pools)}"
        hint = "set upgradePolicy.podDeletion.deleteEmptyDir: true if what is in it may go"
        yield _problem(fleet, pools, ("emptyDir",), _upgrade(message, workload, pools), hint)


def unmanaged_pod_will_fail(fleet: FleetInputs, left: Sequence[Left]) -> Iterator[Problem]:
    """One for each workload of bare pods."""
    for workload, pools in _by_workload(left):
        message = f"its pods have no owner, and podDeletion.force is false for {_named(pools)}"
        hint = "give the pods an owner, or set upgradePolicy.podDeletion.force: true if they may be lost"
        yield _problem(fleet, pools, ("owner", "kind"), _upgrade(message, workload, pools), hint)


def daemonset_pod_will_fail(fleet: FleetInputs, left: Sequence[Left]) -> Iterator[Problem]:
    """One for each workload of a DaemonSet."""
    for workload, pools in _by_workload(left):
        message = "its pods are a DaemonSet's, which pod deletion never removes"
        message += f", and drain.enable is false for {_named(pools)}"
        hint = "set upgradePolicy.drain: {enable: true, podSelector: …}, which passes over DaemonSets"
        yield _problem(fleet, pools, ("owner", "kind"), _upgrade(message, workload, pools), hint)


def resource_not_matched(fleet: FleetInputs, left: Sequence[Left]) -> Iterator[Problem]:
    """One for each workload whose resource the operator does not know."""
    for workload, pools in _by_workload(left):
        message = f'gpu.resource "{workload.resource}" begins with none of {", ".join(PREFIXES)}'
        message += f": its pods are never evicted, and keep the driver of {_named(pools)} in use"
        hint = "select the pods in upgradePolicy.waitForCompletion.podSelector, or take them off the node yourself"
        yield _problem(fleet, pools, ("gpu", "resource"), message, hint)


def _by_workload(left: Sequence[Left]) -> Iterator[tuple[Workload, list[Left]]]:
    """Each workload, by name and team, with the pools of all its clusters."""
    pools: dict[tuple[str, str], list[Left]] = {}
    for pool in left:
        pools.setdefault((pool.workload.name, pool.workload.team), []).append(pool)
    for key in sorted(pools):
        yield pools[key][0].workload, pools[key]


def _named(pools: Sequence[Left]) -> str:
    return f'pool "{pools[0].cluster}/{pools[0].pool}"{and_more(len(pools), 1)}'


def _upgrade(message: str, workload: Workload, pools: Sequence[Left]) -> str:
    return f"{message}: a node's upgrade {failed(workload, pools[0].policy)}"


def _problem(fleet: FleetInputs, pools: Sequence[Left], path: tuple[str, ...], message: str, hint: str) -> Problem:
    workload = pools[0].workload
    return Problem(
        place=fleet.workload_place(workload, *path),
        message=f'workload "{workload.name}": {message}',
        hint=hint,
        cluster=alone(workload),
        pool=pools[0].pool if len(pools) == 1 and alone(workload) else "",
        workload=workload.name,
        fact=workload.resource,
    )
