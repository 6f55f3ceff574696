"""What a rule would refuse although the running ClusterPolicy shows that it holds: silenced, with that reason."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from generator.adopt.driverobject import plain
from generator.adopt.member import Member
from generator.adopt.running import Running
from generator.declared.fleet import Install, Taint
from generator.facts.release import DriverApi


def silenced(runs: Running, members: Iterable[Member]) -> list[Mapping[str, Any]]:
    """Entries of a cluster's `silenced`."""
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
    return member.managed and any(
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
