"""Pods that the operator's pod deletion can't remove from a node, or never looks at (facts 6.4)."""

from collections.abc import Callable, Iterator, Sequence

from generator.declared.workload import Workload
from generator.facts import podselector
from generator.facts.deletable import Refusal
from generator.facts.gpupod import PREFIXES
from generator.revision.revision import Revision
from generator.rules.disruption.coverage import alone
from generator.rules.rule import Problem
from generator.rules.upgrade.upgrading import Upgraded, failed, is_evicted, kept, pools
from generator.words import and_more


def emptydir_will_fail(revision: Revision) -> Iterator[Problem]:
    """Pods with an emptyDir that pod deletion may not remove."""
    for workload, them in _kept(revision, Refusal.LOCAL_STORAGE):
        message = f"its pods mount an emptyDir, and podDeletion.deleteEmptyDir is false for {_pools(them)}"
        hint = "set upgradePolicy.podDeletion.deleteEmptyDir: true if what is in it may go"
        yield _problem(revision, workload, them, ("emptyDir",), _upgrade(message, workload, them), hint)


def unmanaged_pod_will_fail(revision: Revision) -> Iterator[Problem]:
    """Bare pods that pod deletion may not remove, since nobody would make them anew."""
    for workload, them in _kept(revision, Refusal.UNMANAGED):
        message = f"its pods have no owner, and podDeletion.force is false for {_pools(them)}"
        hint = "give the pods an owner, or set upgradePolicy.podDeletion.force: true if they may be lost"
        yield _problem(revision, workload, them, ("owner", "kind"), _upgrade(message, workload, them), hint)


def daemonset_pod_will_fail(revision: Revision) -> Iterator[Problem]:
    """GPU pods of DaemonSets, which pod deletion never removes; a drain passes over them."""
    for workload, found in _kept(revision, Refusal.DAEMONSET):
        them = [one for one in found if not one.policy.drains]
        if them:
            message = "its pods are a DaemonSet's, which pod deletion never removes"
            message += f", and drain.enable is false for {_pools(them)}"
            hint = "set upgradePolicy.drain: {enable: true, podSelector: …}, which passes over DaemonSets"
            yield _problem(revision, workload, them, ("owner", "kind"), _upgrade(message, workload, them), hint)


def resource_not_matched(revision: Revision) -> Iterator[Problem]:
    """Pods that hold a GPU under a name that the operator doesn't take for one."""
    for workload, found in _met(revision, lambda one, _: not is_evicted(one)):
        them = [one for one in found if not _waited_for(workload, one)]
        if them:
            message = f'gpu.resource "{workload.resource}" begins with none of {", ".join(PREFIXES)}'
            message += f": its pods are never evicted, and keep the driver of {_pools(them)} in use"
            hint = "select the pods in upgradePolicy.waitForCompletion.podSelector, or take them off the node yourself"
            yield _problem(revision, workload, them, ("gpu", "resource"), message, hint)


def _waited_for(workload: Workload, one: Upgraded) -> bool:
    """Whether the upgrade waits until they are gone; without a timeout it waits for ever."""
    wait = one.pool.driver.upgrade_policy.get("waitForCompletion") or {}
    selector = wait.get("podSelector") or ""
    return bool(selector) and podselector.selects(selector, workload.pod_labels)


def _kept(revision: Revision, why: Refusal) -> Iterator[tuple[Workload, Sequence[Upgraded]]]:
    return _met(revision, lambda workload, one: kept(workload, one) is why)


def _met(
    revision: Revision, test: Callable[[Workload, Upgraded], bool]
) -> Iterator[tuple[Workload, Sequence[Upgraded]]]:
    """Each workload with the upgraded them for which something holds of it."""
    known, clusters = pools(revision), {cluster.name: cluster for cluster in revision.fleet.clusters}
    for workload in revision.fleet.workloads:
        there = [clusters[name] for name in workload.clusters if name in clusters]
        found = [one for cluster in there for one in known.upgraded(cluster, workload) if test(workload, one)]
        if found:
            yield workload, found


def _pools(them: Sequence[Upgraded]) -> str:
    return f'pool "{them[0].name}"{and_more(len(them), 1)}'


def _upgrade(message: str, workload: Workload, them: Sequence[Upgraded]) -> str:
    return f"{message}: a node's upgrade {failed(workload, them[0])}"


def _problem(
    revision: Revision, workload: Workload, them: Sequence[Upgraded], path: tuple[str, ...], message: str, hint: str
) -> Problem:
    return Problem(
        place=revision.fleet.workload_place(workload, *path),
        message=f'workload "{workload.name}": {message}',
        hint=hint,
        cluster=alone(workload),
        pool=them[0].pool.name if len(them) == 1 and alone(workload) else "",
        workload=workload.name,
        fact=workload.resource,
    )
