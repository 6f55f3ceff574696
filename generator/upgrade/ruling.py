"""Whose upgrade policy rules which nodes of a live cluster, and what keeps the operator from following it."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from generator.facts.label import OWNER
from generator.facts.label import Node as LabelledNode
from generator.facts.podselector import selector_problem
from generator.facts.release import Release
from generator.observed.driver import DriverObject
from generator.observed.objects import DRIVER_KINDS, Objects
from generator.operator.selector import Conflict, Conflicting, Driver, owners, validate
from generator.operator.slots import BadMaxUnavailable, scaled
from generator.upgrade.machine import Controller
from generator.upgrade.policy import Policy, policy_of, policy_of_object
from generator.upgrade.world import Scope

PROBES = ("livenessProbe", "readinessProbe")


class Ruling(Struct, frozen=True, kw_only=True):
    """The controller, and why it moves no node (`off`), or stops each time (`stops`); `owners` are its nodes' scopes.

    `known` is False where no object told a policy: then the operator's defaults stand in for it. `notes` say what else
    there is to know of the objects, `conflict` why the operator gives no node to any NVIDIADriver.
    """

    controller: Controller
    owners: Mapping[str, str]
    off: str = ""
    stops: tuple[str, ...] = ()
    known: bool = True
    notes: tuple[str, ...] = ()
    conflict: str = ""

    @property
    def stopping(self) -> tuple[str, ...]:
        """What stops the operator: its upgrades, or any update of a driver."""
        return (*self.stops, *((self.conflict,) if self.conflict else ()))


def ruling(objects: Objects, release: Release) -> Ruling:
    """The policy of the oldest ClusterPolicy, or of each NVIDIADriver where the release has one per object."""
    policy = oldest(objects)
    driver = _driver(policy)
    if _uses_objects(objects, policy) and release.object_upgrade_policy:
        return _per_object(objects, release, policy)
    written = driver.get("upgradePolicy")
    scope = Scope(name=policy.name if policy else "cluster-policy", policy=policy_of(written) if policy else DEFAULTED)
    return Ruling(
        controller=Controller(scopes=(scope,), restart_only=release.restart_only, needs_drain=not release.restart_only),
        owners=dict.fromkeys(objects.nodes, ""),
        off=_nothing(objects) or _off(policy, scope.policy),
        stops=tuple(_stops(policy, scope, release)),
        known=policy is not None or bool(_nothing(objects)),
        notes=tuple(_notes(objects, policy, release)),
        conflict=_conflict(objects, release) if _uses_objects(objects, policy) else "",
    )


def _nothing(objects: Objects) -> str:
    """Why there is nothing to follow: it was looked for, and isn't there."""
    asked = objects.kinds.issuperset(DRIVER_KINDS) and not objects.policies and not objects.drivers
    return "the cluster has neither a ClusterPolicy nor an NVIDIADriver" if asked else ""


def _uses_objects(objects: Objects, policy: DriverObject | None) -> bool:
    """An NVIDIADriver beside a ClusterPolicy that doesn't ask for it is disabled (nvidiadriver_controller.go)."""
    if policy is None:
        return bool(objects.drivers)
    return _driver(policy).get("useNvidiaDriverCRD") is True


def _notes(objects: Objects, policy: DriverObject | None, release: Release) -> Iterator[str]:
    if len(objects.policies) > 1 and policy is not None:
        names = " and ".join(sorted(objects.policies))
        why = "being the oldest" if release.optional_cluster_policy else "if the operator saw it first"
        yield f"of the ClusterPolicies {names} only {policy.name} counts, {why}"
    if objects.drivers and policy is not None and not _uses_objects(objects, policy):
        names = ", ".join(objects.drivers)
        yield f"{names}: disabled, since driver.useNvidiaDriverCRD of ClusterPolicy {policy.name} is not true"


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
    given = owners(_selecting(objects), _labelled(objects))
    fresh: Mapping[str, str | None] = {} if isinstance(given, Conflicting) else given
    return Ruling(
        controller=Controller(scopes=scopes, restart_only=release.restart_only),
        owners={node.name: node.labels.get(OWNER) or fresh.get(node.name) or "" for node in objects.nodes.values()},
        off=_switched_off(policy),
        stops=tuple(reason for scope in scopes for reason in _stops(policy, scope, release)),
        known=bool(scopes) or "NVIDIADriver" in objects.kinds,
        notes=tuple(_notes(objects, policy, release)),
        conflict=_conflict(objects, release),
    )


def _conflict(objects: Objects, release: Release) -> str:
    """Why the operator reconciles no NVIDIADriver; "" where it does. It looks at every node and at objects that go."""
    found = validate(release, _selecting(objects), _labelled(objects))
    if found is None:
        return ""
    names = " and ".join(found.drivers)
    why = {
        Conflict.SAME_NODE: f"both claim {found.node}",
        Conflict.MULTIPLE_DEFAULT: "are both the default",
        Conflict.DEFAULT_WITH_SELECTOR: "is the default and has a nodeSelector",
        Conflict.RESERVED_LABEL: f"selects by the operator's own label {OWNER}",
    }[found.reason]
    return f"NVIDIADriver {names} {why}: the operator updates no driver of the cluster until that is mended"


def _labelled(objects: Objects) -> list[LabelledNode]:
    return [LabelledNode(node.name, node.labels) for node in objects.nodes.values()]


def _selecting(objects: Objects) -> list[Driver]:
    """The NVIDIADrivers as the operator's validator and its assignment of nodes see them."""
    drivers = []
    for driver in objects.drivers.values():
        selector = driver.spec.get("nodeSelector")
        drivers.append(
            Driver(
                name=driver.name,
                node_selector=selector if isinstance(selector, Mapping) else None,
                default=driver.spec.get("default") is True,
                deleting=driver.deleting,
            )
        )
    return drivers


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
    read, name, driver = scope.policy, f"upgradePolicy of {scope.name}", _driver(policy)
    if not scope.owner and driver.get("useNvidiaDriverCRD") is not True:
        for probe in (one for one in PROBES if driver.get(one) is not None):
            yield f"driver.{probe} of ClusterPolicy {scope.name} is a nil pointer in the operator, which crashes"
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
