"""Whose upgrade policy rules which nodes of a live cluster, and what keeps the operator from following it."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from generator.facts.label import OWNER
from generator.facts.label import Node as LabelledNode
from generator.facts.podselector import selector_problem
from generator.facts.release import Release
from generator.facts.selector import Conflicting, Driver, owners
from generator.facts.slots import BadMaxUnavailable, scaled
from generator.observed.driver import DriverObject
from generator.observed.objects import Objects
from generator.upgrade.machine import Controller
from generator.upgrade.policy import Policy, policy_of, policy_of_object
from generator.upgrade.world import Scope

PROBES = ("livenessProbe", "readinessProbe")


class Ruling(Struct, frozen=True, kw_only=True):
    """The controller, and why it moves no node (`off`), or stops each time (`stops`); `owners` are its nodes' scopes.

    `known` is False where no object told a policy: then the operator's defaults stand in for it.
    """

    controller: Controller
    owners: Mapping[str, str]
    off: str = ""
    stops: tuple[str, ...] = ()
    known: bool = True


def ruling(objects: Objects, release: Release) -> Ruling:
    """The policy of the oldest ClusterPolicy, or of each NVIDIADriver where the release has one per object."""
    policy = oldest(objects)
    driver = _driver(policy)
    uses_objects = driver.get("useNvidiaDriverCRD") is True or bool(objects.drivers)
    if uses_objects and release.object_upgrade_policy:
        return _per_object(objects, release, policy)
    written = driver.get("upgradePolicy")
    scope = Scope(name=policy.name if policy else "cluster-policy", policy=policy_of(written) if policy else DEFAULTED)
    return Ruling(
        controller=Controller(scopes=(scope,), restart_only=release.restart_only, needs_drain=not release.restart_only),
        owners=dict.fromkeys(objects.nodes, ""),
        off=_off(policy, scope.policy),
        stops=tuple(_stops(policy, scope, release)),
        known=policy is not None,
    )


# A ClusterPolicy that nobody showed: what the chart sets (chart-values.yaml driver.upgradePolicy).
DEFAULTED = policy_of(
    {
        "autoUpgrade": True,
        "maxParallelUpgrades": 1,
        "maxUnavailable": "25%",
        "podDeletion": {"force": False, "timeoutSeconds": 300, "deleteEmptyDir": False},
        "drain": {"enable": False, "timeoutSeconds": 300},
    }
)


def oldest(objects: Objects) -> DriverObject | None:
    """The ClusterPolicy that counts; the others are ignored (from v26.7 by age, facts 9)."""
    return min(objects.policies.values(), key=lambda one: (one.created, one.name), default=None)


def _driver(policy: DriverObject | None) -> Mapping[str, Any]:
    driver = policy.spec.get("driver") if policy else None
    return driver if isinstance(driver, Mapping) else {}


def _per_object(objects: Objects, release: Release, policy: DriverObject | None) -> Ruling:
    scopes = tuple(
        Scope(name=one.name, owner=one.name, policy=policy_of_object(_mapping(one.spec.get("upgradePolicy"))))
        for one in objects.drivers.values()
        if not one.deleting
    )
    return Ruling(
        controller=Controller(scopes=scopes, restart_only=release.restart_only),
        owners=owned(objects),
        off=_switched_off(policy),
        stops=tuple(reason for scope in scopes for reason in _stops(policy, scope, release)),
        known=bool(scopes),
    )


def owned(objects: Objects) -> dict[str, str]:
    """The NVIDIADriver of each node: by its owner label, else as the operator would give it."""
    drivers = [_selecting(one) for one in objects.drivers.values()]
    nodes = list(objects.nodes.values())
    given = owners(drivers, [LabelledNode(node.name, node.labels) for node in nodes])
    fresh: Mapping[str, str | None] = {} if isinstance(given, Conflicting) else given
    return {node.name: node.labels.get(OWNER) or fresh.get(node.name) or "" for node in nodes}


def _selecting(one: DriverObject) -> Driver:
    selector = one.spec.get("nodeSelector")
    return Driver(
        name=one.name,
        node_selector=selector if isinstance(selector, Mapping) else None,
        default=one.spec.get("default") is True,
        deleting=one.deleting,
    )


def _mapping(value: Any) -> Mapping[str, Any] | None:
    return value if isinstance(value, Mapping) else None


def _off(policy: DriverObject | None, read: Policy) -> str:
    if reason := _switched_off(policy):
        return reason
    return (
        "" if read.automatic else f"upgradePolicy.autoUpgrade of ClusterPolicy {policy.name if policy else ''} is off"
    )


def _switched_off(policy: DriverObject | None) -> str:
    """What takes every node from the upgrade controller (controllers/upgrade_controller.go)."""
    if policy is None:
        return ""
    if _driver(policy).get("enabled") is False:
        return f"the managed driver is disabled: driver.enabled of ClusterPolicy {policy.name} is false"
    sandbox = _mapping(policy.spec.get("sandboxWorkloads")) or {}
    if sandbox.get("enabled") is True and _driver(policy).get("useNvidiaDriverCRD") is not True:
        return f"sandboxWorkloads.enabled of ClusterPolicy {policy.name} is true"
    return ""


def _stops(policy: DriverObject | None, scope: Scope, release: Release) -> Iterator[str]:
    """Settings that crash or stall this release (facts 6.4, 9b)."""
    read, name = scope.policy, f"upgradePolicy of {scope.name}"
    if not read.automatic:
        return
    if not release.restart_only and read.drain is None:
        yield f"{name} has autoUpgrade and no drain, which crashes operator {release.version}"
    if read.pod_deletion is None:
        yield f'{name} has no podDeletion: every step after it stops with "pod deletion spec should not be empty"'
    if isinstance(scaled(read.max_unavailable, 1), BadMaxUnavailable):
        yield f'{name}: maxUnavailable "{read.max_unavailable}" is no number and no percentage'
    if read.wait_selector and (problem := selector_problem(read.wait_selector)):
        yield f'{name}: waitForCompletion.podSelector "{read.wait_selector}" is no label selector: {problem}'
    if read.drain and read.drain.pod_selector and (problem := selector_problem(read.drain.pod_selector)):
        yield f'{name}: drain.podSelector "{read.drain.pod_selector}" is no label selector: {problem}'
    driver = _driver(policy)
    if not scope.owner:
        for probe in PROBES:
            if driver.get(probe) is not None and driver.get("useNvidiaDriverCRD") is not True:
                yield f"driver.{probe} of ClusterPolicy {scope.name} is a nil pointer in the operator, which crashes"
