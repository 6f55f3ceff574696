"""What would be rendered otherwise than it runs: told by path, both after the defaults of the CRD."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import json

from generator.adopt.cluster import Proposal
from generator.adopt.driverobject import plain
from generator.adopt.given import Given
from generator.adopt.note import Note
from generator.adopt.running import beyond_chart
from generator.declared.fleet import Cluster, Install
from generator.declared.layers import leaves
from generator.facts import crd
from generator.facts.release import DriverApi
from generator.operator.driver import carries_upgrade_policy, object_spec, policy_spec, upgrade_policy

ABSENT = "absent"


def differences(given: Given, proposal: Proposal, cluster: Cluster, told: Sequence[Note]) -> Iterator[Note]:
    """Every path that differs and that no note speaks of yet."""
    runs = proposal.running
    if runs.policy is not None and runs.enabled:
        yield from _policy(proposal, cluster, told)
    if cluster.operator.driver_api is DriverApi.NVIDIADRIVER and runs.enabled:
        pools = {pool.object_name: pool for pool in cluster.pools if pool.driver.managed}
        for one in given.objects.drivers:
            name = str(one.get("metadata", {}).get("name", ""))
            if name in pools:
                pool = pools[name]
                about = f"{cluster.name}/{pool.name}"
                wanted = _settled(plain(one.get("spec", {})), cluster)
                yield from _told(about, wanted, object_spec(cluster, pool), told)


def _policy(proposal: Proposal, cluster: Cluster, told: Sequence[Note]) -> Iterator[Note]:
    runs, release = proposal.running, cluster.operator.release
    wanted = dict(runs.policy or {})
    made = policy_spec(cluster, auto_upgrade=runs.auto_upgrade)
    if carries_upgrade_policy(cluster) and "upgradePolicy" in made:
        wanted["upgradePolicy"] = upgrade_policy(wanted.get("upgradePolicy", {}), auto_upgrade=runs.auto_upgrade)
    if runs.api is DriverApi.NVIDIADRIVER:
        idle = sorted(wanted.keys() - made.keys() - {"kernelModuleType"})
        if idle and not runs.from_values:
            message = "spec.driver of the ClusterPolicy has no effect beside NVIDIADriver objects, and is not kept"
            yield Note(cluster.name, f"{message}: {', '.join(idle)}")
        wanted = {key: value for key, value in wanted.items() if key in made}
    else:
        wanted.setdefault("usePrecompiled", False)
        wanted.setdefault("useNvidiaDriverCRD", False)
        wanted.setdefault("enabled", True)
    lacks = release.lacks("ClusterPolicy")
    wanted = crd.defaulted("ClusterPolicy", release.fields, {"driver": wanted}, lacks)["driver"]
    if cluster.operator.install is Install.HELM:
        wanted, made = beyond_chart(wanted, release), beyond_chart(made, release)
    yield from _told(cluster.name, wanted, made, told)


def _settled(spec: Mapping[str, Any], cluster: Cluster) -> dict[str, Any]:
    """The running spec with what its CRD and the operator fill in."""
    release = cluster.operator.release
    whole = {"usePrecompiled": False, **spec}
    if release.object_upgrade_policy:
        whole["upgradePolicy"] = upgrade_policy(spec.get("upgradePolicy", {}), auto_upgrade=True)
    return crd.defaulted("NVIDIADriver", release.fields, whole, release.lacks("NVIDIADriver"))


def _told(about: str, wanted: Mapping[str, Any], made: Mapping[str, Any], told: Sequence[Note]) -> Iterator[Note]:
    known = [note.message for note in told if note.about == about]
    runs, renders = dict(leaves(wanted)), dict(leaves(made))
    for path in sorted({*runs, *renders}, key=str):
        mine, other = _shown(runs, path), _shown(renders, path)
        name = f"spec.{'.'.join(map(str, path))}"
        if mine != other and not any(f"spec.{path[0]}" in message for message in known):
            yield Note(about, f"{name} is {mine} in the cluster and is rendered as {other}")


def _shown(values: Mapping[Any, Any], path: Any) -> str:
    return json.encode(values[path], order="deterministic").decode() if path in values else ABSENT
