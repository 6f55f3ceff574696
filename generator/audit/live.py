"""What is known of one live cluster. What was not looked for is None: it can't be told, and is never told as absent."""

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from generator.observed.budget import LiveBudget
from generator.observed.driver import DriverObject
from generator.observed.node import Node
from generator.observed.objects import Objects
from generator.observed.pod import Pod

POD, BUDGET, DRIVER, POLICY = "Pod", "PodDisruptionBudget", "NVIDIADriver", "ClusterPolicy"

# What an audit lists. A user who may not list a useful kind sees the rest.
NEEDED_KINDS = ("Node", POD, DRIVER, POLICY)
USEFUL_KINDS = (BUDGET,)


class Live(Struct, frozen=True, dict=True):
    """The objects that were read of one cluster."""

    objects: Objects

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes by name."""
        return tuple(self.objects.nodes.values())

    @cached_property
    def pods(self) -> tuple[Pod, ...] | None:
        """Driver pods and the operator's validators."""
        if POD not in self.objects.kinds:
            return None
        return tuple(pod for pod in self.objects.pods.values() if pod.drives or pod.validates)

    @cached_property
    def driver_pods(self) -> Mapping[str, Pod]:
        """The driver pod of each node; of several the one that is not on its way out."""
        found: dict[str, Pod] = {}
        for pod in sorted(self.pods or (), key=lambda one: (not one.terminating, one.name)):
            if pod.drives and pod.node:
                found[pod.node] = pod
        return found

    @property
    def budgets(self) -> Mapping[str, LiveBudget] | None:
        """The PodDisruptionBudgets by namespace and name."""
        return self.objects.budgets if BUDGET in self.objects.kinds else None

    @property
    def drivers(self) -> tuple[DriverObject, ...] | None:
        """The NVIDIADriver objects by name."""
        return tuple(self.objects.drivers.values()) if DRIVER in self.objects.kinds else None

    @property
    def policies(self) -> tuple[DriverObject, ...] | None:
        """The ClusterPolicy objects, oldest first; of equals the smaller name (getSingletonClusterPolicy, v26.7.0)."""
        if POLICY not in self.objects.kinds:
            return None
        return tuple(sorted(self.objects.policies.values(), key=lambda one: (one.created, one.name)))
