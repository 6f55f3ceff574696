"""What a team runs on GPUs, as it is in effect: frozen values, with where each of them was said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from generator.declared.modelparts import Size
from generator.documents.places import Path
from generator.facts.cudachoice import By, Compatibility

if TYPE_CHECKING:  # what a need means is loaded by whoever reads one: fleets without workloads don't wait for it
    from generator.facts.cuda import Need

POD = "Pod"
# Kinds with a scale subresource that Kubernetes brings (pkg/registry: apps, core). By it the disruption controller
# finds out how many pods are expected; of a custom kind only its own CRD can tell.
SCALABLE = frozenset({"Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"})
UNSCALABLE = frozenset({"Job", "CronJob", "DaemonSet", POD})


class WorkloadBudget(Struct, frozen=True, kw_only=True):
    """One PodDisruptionBudget over a workload's pods. Of a rendered one drivergate is the owner.

    A `selector` of None covers no pod, an empty one every pod of the namespace. `file` and `path` lead to what says it:
    the Workloads document, or the manifest, whose place `said` is where the Workloads document names it.
    """

    rendered: bool
    name: str
    namespace: str
    min_available: int | str | None
    max_unavailable: int | str | None
    selector: Mapping[str, Any] | None
    unhealthy_pod_eviction_policy: str
    file: str
    path: Path
    said: Path


class Manifest(Struct, frozen=True, kw_only=True):
    """A budget that lies in a file of its own, not read yet."""

    file: str
    name: str
    selector: Mapping[str, Any] | None
    path: Path


class Workload(Struct, frozen=True, kw_only=True):
    """Pods of one owner that run on GPUs, in `pools` of `clusters` (of those that were read).

    `empty_dir` says whether a pod mounts one, which keeps it from being evicted unless that is asked for.
    `compatibility` is the workload's own; without it that of each cluster holds.
    """

    name: str
    team: str
    namespace: str
    owner_kind: str
    owner_name: str
    scalable: bool
    file: str
    path: Path
    pod_templates: tuple[str, ...] = ()
    pod_labels: Mapping[str, str] = {}
    replicas: Size | None = None
    resource: str = "nvidia.com/gpu"
    count: int = 1
    empty_dir: bool = False
    clusters: tuple[str, ...] = ()
    pools: tuple[str, ...] = ()
    node_selector_terms: tuple[Mapping[str, Any], ...] = ()
    cuda: Need | None = None
    compatibility: Compatibility | None = None
    affinity_by: By = By.LABELS
    budgets: tuple[WorkloadBudget, ...] = ()
    manifests: tuple[Manifest, ...] = ()

    @property
    def bare(self) -> bool:
        """Whether its pods have no owner that makes them anew."""
        return self.owner_kind == POD

    @property
    def rendered_budget(self) -> WorkloadBudget | None:
        """The budget that drivergate writes, if any: there is at most one."""
        return next((budget for budget in self.budgets if budget.rendered), None)
