"""Which pools of a cluster the operator upgrades, by which policy, and what becomes of a node that can't be emptied."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from generator.declared.fleet import Cluster, Pool
from generator.declared.workload import Workload
from generator.facts import gpupod, podselector
from generator.facts.deletable import Flags, Refusal, Standing, kept_by_pod_deletion, verdict
from generator.operator import slots
from generator.operator.driver import automatic, carries_upgrade_policy, upgrade_policy


class Policy(Struct, frozen=True, kw_only=True):
    """An upgrade policy in effect. A timeout of 0 seconds is none: it waits for ever."""

    deletion: Flags
    timeout: int
    drains: bool
    drain: Flags
    drain_selector: str
    drain_timeout: int
    parallel: int
    unavailable: int | str


class Upgraded(Struct, frozen=True):
    """A pool whose nodes the operator upgrades, with the policy that rules them."""

    cluster: Cluster
    pool: Pool
    policy: Policy

    @property
    def name(self) -> str:
        """As it is said: cluster and pool."""
        return f"{self.cluster.name}/{self.pool.name}"


class Upgrades:
    """The pools of a cluster that the operator upgrades, with what several rules ask of them, worked out once."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    @cached_property
    def _by_name(self) -> dict[str, Upgraded]:
        """Not what brings its own driver."""
        return {
            pool.name: Upgraded(self.cluster, pool, policy_of(pool.driver.upgrade_policy))
            for pool in self.cluster.managed_pools
            if automatic(self.cluster, pool)
        }

    def of(self, workload: Workload) -> tuple[Upgraded, ...]:
        """Those that a workload runs on, sorted by name."""
        return tuple(self._by_name[name] for name in workload.pools if name in self._by_name)

    def at_once(self, pools: Sequence[Upgraded]) -> int | None:
        """How many nodes of some of these pools may be upgraded at a time, all in all.

        None where a size that decides it isn't declared.
        """
        nodes = nodes_of(upgraded.pool for upgraded in pools)
        if not nodes:
            return nodes
        if not carries_upgrade_policy(self.cluster):
            return sum(_at_once(upgraded.policy, upgraded.pool.size.max) for upgraded in pools if upgraded.pool.size)
        everywhere = self._managed_nodes
        return None if everywhere is None else min(_at_once(pools[0].policy, everywhere), nodes)

    @cached_property
    def _managed_nodes(self) -> int | None:
        """One policy counts the nodes of all pools."""
        return nodes_of(self.cluster.managed_pools)


def _at_once(policy: Policy, nodes: int) -> int:
    return slots.at_once(nodes, policy.parallel, policy.unavailable)


def nodes_of(pools: Iterable[Pool]) -> int | None:
    """The most nodes that pools may have; None where a pool doesn't say."""
    sizes = [pool.size for pool in pools]
    known = [size.max for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def policy_of(declared: Mapping[str, Any]) -> Policy:
    """The policy with every default that render writes out."""
    whole = upgrade_policy(declared, auto_upgrade=True)
    deletion, drain = whole["podDeletion"], whole["drain"]
    return Policy(
        deletion=_flags(deletion),
        timeout=deletion["timeoutSeconds"],
        drains=drain["enable"] is True,
        drain=_flags(drain),
        drain_selector=drain["podSelector"],
        drain_timeout=drain["timeoutSeconds"],
        parallel=whole["maxParallelUpgrades"],
        unavailable=whole["maxUnavailable"],
    )


def _flags(part: Mapping[str, Any]) -> Flags:
    return Flags(force=part["force"] is True, delete_empty_dir=part["deleteEmptyDir"] is True)


def is_evicted(workload: Workload) -> bool:
    """Whether the operator takes its pods for GPU pods, by the resource that they ask for."""
    return gpupod.is_gpu_resource(workload.resource)


def standing(workload: Workload) -> Standing:
    """A pod of the workload as pod deletion and drain see it."""
    return Standing(owner="" if workload.bare else workload.owner_kind, empty_dir=workload.empty_dir)


def kept(workload: Workload, upgraded: Upgraded) -> Refusal | None:
    """Why the operator's pod deletion can't remove its pods, if it looks at them at all."""
    return kept_by_pod_deletion(standing(workload), upgraded.policy.deletion) if is_evicted(workload) else None


def blocked(workload: Workload, upgraded: Upgraded) -> str:
    """What becomes of a node's upgrade while a budget lets a pod of the workload stay."""
    policy = upgraded.policy
    if policy.timeout == 0:
        return "waits for ever (podDeletion.timeoutSeconds is 0)"
    after = f"after podDeletion.timeoutSeconds {policy.timeout}"
    if not policy.drains:
        return f"ends in upgrade-failed {after}"
    return f"falls through to the drain {after}, {_drained(workload, policy, budget=True)}"


def failed(workload: Workload, policy: Policy) -> str:
    """What becomes of a node's upgrade where pod deletion fails at once."""
    if not policy.drains:
        return "ends in upgrade-failed at once"
    return f"falls through to the drain at once, {_drained(workload, policy, budget=False)}"


def _drained(workload: Workload, policy: Policy, *, budget: bool) -> str:
    found = verdict(standing(workload), policy.drain)
    if policy.drain_selector and not podselector.selects(policy.drain_selector, workload.pod_labels):
        return f'whose podSelector "{policy.drain_selector}" leaves these pods: they keep the driver in use'
    if found.refusal:
        return "which refuses these pods as well and ends in upgrade-failed"
    if not found.removed:
        return "which leaves them as pods of a DaemonSet"
    if not budget:
        return "which evicts every pod that its podSelector matches"
    if policy.drain_timeout == 0:
        return "which is blocked as well and waits for ever"
    return f"which is blocked as well and ends in upgrade-failed after {policy.drain_timeout} s more"
