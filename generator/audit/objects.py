"""The operator's own objects as they live against those that are rendered, and what a first sync of them would do."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from generator.audit.difference import Difference, What, difference
from generator.audit.live import Live
from generator.declared.fleet import Cluster, Install, Pool
from generator.facts.release import DriverApi, Release, Unsupported, resolve
from generator.observed.driver import DriverObject
from generator.observed.operator import operator_release
from generator.operator.driver import object_spec, policy_spec
from generator.operator.driverpod import Unmade
from generator.operator.reload import Change, Effect, machine_of, verdict


class Adoption(Struct, frozen=True, kw_only=True):
    """What it would do to an object's nodes to put the rendered spec in place of the live one."""

    kind: str
    name: str
    pool: str
    effect: Effect | None
    changes: tuple[Change, ...] = ()
    why: str = ""


def adoptions(cluster: Cluster, live: Live) -> tuple[Adoption, ...]:
    """One for each driver object that is both rendered and live."""
    if cluster.operator.driver_api is DriverApi.CLUSTERPOLICY:
        return tuple(_policy(cluster, live))
    by_name = {one.name: one for one in live.drivers or ()}
    return tuple(
        _judged(cluster, pool, by_name[pool.object_name], object_spec(cluster, pool))
        for pool in cluster.managed_pools
        if pool.object_name in by_name
    )


def _policy(cluster: Cluster, live: Live) -> Iterator[Adoption]:
    """Only spec.driver is drivergate's; the rest of the object stays as it is."""
    pools = cluster.managed_pools
    policy = next((one for one in live.policies or () if one.name == cluster.operator.policy_name), None)
    if policy is not None and pools:
        rendered = {**policy.spec, "driver": policy_spec(cluster, auto_upgrade=False)}
        yield _judged(cluster, pools[0], policy, rendered)


def _judged(cluster: Cluster, pool: Pool, live: DriverObject, rendered: Mapping[str, Any]) -> Adoption:
    operator = cluster.operator
    found = verdict(operator.driver_api, operator.release, live.spec, rendered, machine_of(pool))
    if isinstance(found, Unmade):
        return Adoption(kind=live.kind, name=live.name, pool=pool.name, effect=None, why=found.message)
    return Adoption(kind=live.kind, name=live.name, pool=pool.name, effect=found.effect, changes=found.changes)


def differences(cluster: Cluster, live: Live, adopted: tuple[Adoption, ...]) -> Iterator[Difference]:
    """Objects that only one side has, policies that don't count, the operator's release, and reloads to come."""
    if live.drivers is not None:
        yield from _only_one_side(cluster, live.drivers)
    if live.policies is not None:
        yield from _counting(cluster, live.policies)
    yield from _release(cluster, live)
    for one in adopted:
        if one.effect is not Effect.NONE:
            yield _reload(cluster, one)


def _only_one_side(cluster: Cluster, drivers: tuple[DriverObject, ...]) -> Iterator[Difference]:
    if cluster.operator.driver_api is DriverApi.CLUSTERPOLICY:
        return
    rendered = {pool.object_name: pool for pool in cluster.managed_pools}
    there = {one.name for one in drivers}
    for name in sorted(there - rendered.keys()):
        hint = "declare its pool, or delete the object once its nodes have another"
        yield difference(cluster, What.OBJECT, f"NVIDIADriver {name} runs, and git has none of that name", hint)
    for name in sorted(rendered.keys() - there):
        message = f"NVIDIADriver {name} is rendered, and the cluster has none of that name"
        hint = "see whether Argo CD or Flux has synced the folder"
        yield difference(cluster, What.OBJECT, message, hint, pool=rendered[name].name)


def _counting(cluster: Cluster, policies: tuple[DriverObject, ...]) -> Iterator[Difference]:
    """Which ClusterPolicy counts (getSingletonClusterPolicy, v26.7.0: the oldest, of equals the smaller name)."""
    wanted = cluster.operator.policy_name
    names = [one.name for one in policies]
    if not policies:
        if cluster.operator.driver_api is DriverApi.CLUSTERPOLICY:
            message = f"no ClusterPolicy lives in the cluster, and {wanted} is declared"
            yield difference(cluster, What.POLICY, message, "see whether the operator is installed")
        return
    if wanted not in names:
        message = f"ClusterPolicy {wanted} is declared, and the cluster has {', '.join(names)}"
        yield difference(cluster, What.POLICY, message, f"set operator.clusterPolicyName: {names[0]}")
    elif len(policies) > 1 and _oldest_counts(cluster.operator.release) and names[0] != wanted:
        message = f"of {len(policies)} ClusterPolicies {names[0]} counts, being the oldest, and {wanted} is declared"
        yield difference(cluster, What.POLICY, message, f"delete {names[0]}, or declare it: {wanted} is ignored")
    elif len(policies) > 1:
        others = ", ".join(name for name in names if name != wanted)
        counts = "the oldest counts" if _oldest_counts(cluster.operator.release) else "the first that is seen counts"
        message = f"the cluster has more than one ClusterPolicy ({', '.join(names)}), of which {counts}"
        yield difference(cluster, What.POLICY, message, f"delete {others}")


def _oldest_counts(release: Release) -> bool:
    return release.optional_cluster_policy


def _release(cluster: Cluster, live: Live) -> Iterator[Difference]:
    runs, declared = operator_release(live.pods or ()), cluster.operator.release.version
    found = resolve(runs) if runs else None
    if found is None or isinstance(found, Unsupported) or found.version == declared:
        return
    message = (
        f"operator {found.version} runs, and {declared} is declared: image tags, fields and upgrades follow the release"
    )
    hint = "set operator.version to what runs" if cluster.operator.install is not Install.HELM else "sync the chart"
    yield difference(cluster, What.OPERATOR, message, hint)


def _reload(cluster: Cluster, one: Adoption) -> Difference:
    if one.effect is None:
        told, hint = f"can't be compared: {one.why}", "correct what the operator would refuse"
    else:
        fields = ", ".join(f"{each.path}: {each.was} -> {each.becomes}" for each in one.changes)
        reloads = one.effect is Effect.FULL_RELOAD
        word = "reloads the driver of its nodes" if reloads else "restarts the driver pods of its nodes in place"
        told, hint = f"as rendered {word} ({fields})", "write the live values into the pool's driver.spec"
    return difference(cluster, What.RELOAD, f"{one.kind} {one.name} {told}", hint, pool=one.pool)
