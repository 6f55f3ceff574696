"""The overlay of chart values: driver keys only, to be listed last."""

from typing import Any

from generator.declared.fleet import Cluster, Install
from generator.facts.release import DriverApi
from generator.operator.driver import in_order, policy_spec


def chart_values(cluster: Cluster) -> dict[str, Any]:
    """The values for one cluster; empty where no chart is told anything."""
    operator = cluster.operator
    if operator.install is Install.OLM:
        return {}
    if operator.install is Install.MANIFEST:
        # Before v26.7 the chart can't be told to leave the ClusterPolicy alone: operator/chart-conflict says so.
        if not operator.release.optional_cluster_policy:
            return {}
        return {
            "clusterPolicy": {"deployCR": False},
            "driver": {"nvidiaDriverCRD": {"deployDefaultCR": False}},
        }
    driver = _as_values(policy_spec(cluster, auto_upgrade=True))
    if not driver["enabled"]:
        return {"driver": {"enabled": False, "nvidiaDriverCRD": {"enabled": False}}}
    if operator.driver_api is DriverApi.NVIDIADRIVER:
        kept = {key: driver[key] for key in ("enabled", "upgradePolicy") if key in driver}
        return {"driver": in_order({**kept, "nvidiaDriverCRD": {"deployDefaultCR": False, "enabled": True}})}
    driver["nvidiaDriverCRD"] = {"enabled": False}
    return {"driver": in_order(driver)}


def _as_values(spec: dict[str, Any]) -> dict[str, Any]:
    """spec.driver in the chart's words: the flag moves, and podDeletion is called gpuPodDeletion."""
    values = {key: value for key, value in spec.items() if key != "useNvidiaDriverCRD"}
    if policy := values.get("upgradePolicy"):
        renamed = {("gpuPodDeletion" if key == "podDeletion" else key): value for key, value in policy.items()}
        values["upgradePolicy"] = renamed
    return values
