"""The values that templates get: a small one for each of ours, and the documented `cluster` and `pool` for a user's.

Field names are a promise to users: docs/templates.md lists them.
"""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

from msgspec import Struct

from generator.declared.catalog import Catalog
from generator.declared.fleet import Cluster, Fleet, Install, Pool
from generator.declared.layers import over
from generator.declared.workload import Workload
from generator.facts.osname import os_tag
from generator.facts.release import DriverApi
from generator.operator.combination import references
from generator.operator.driver import in_order, object_spec, policy_spec, toleration
from generator.render.delivery import escaped, substitution
from generator.render.workload import WorkloadView, workload_view

SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
FLUX_PRUNE = "kustomize.toolkit.fluxcd.io/prune"
# The kinds may come from another Application, so a dry run must not need them (gitops 1.4).
ALWAYS = ("SkipDryRunOnMissingResource=true",)
PROTECTION = ("Delete=confirm", "Prune=confirm")
STRONGER = {"Delete=false": "Delete=confirm", "Prune=false": "Prune=confirm"}  # a base's own "never" stays


class PoolView(Struct, frozen=True, kw_only=True):
    """A pool as a template sees it."""

    name: str
    cluster: str
    object_name: str
    owner: str
    node_selector: Mapping[str, str]
    tolerations: tuple[Mapping[str, str], ...]
    min_nodes: int
    max_nodes: int
    gpu_family: str
    mode: str
    repository: str
    version: str
    os_id: str
    os_version: str
    os_tag: str
    arch: tuple[str, ...]
    kernels: tuple[str, ...]
    upcoming_kernels: tuple[str, ...]
    images: tuple[str, ...]


class ClusterView(Struct, frozen=True, kw_only=True):
    """A cluster as a template sees it."""

    name: str
    ring: str
    profile: str
    namespace: str
    operator_version: str
    install: str
    driver_api: str
    cluster_policy_name: str
    delivery: str
    pools: tuple[PoolView, ...]
    workloads: tuple[WorkloadView, ...]


class FleetView(Struct, frozen=True, kw_only=True):
    """The fleet as a template sees it."""

    name: str
    clusters: tuple[ClusterView, ...]


class ClusterValues:
    """Everything that the templates of one cluster are given, made when first asked for."""

    def __init__(
        self,
        cluster: Cluster,
        base: Mapping[str, Any] | None,
        catalog: Catalog | None = None,
        workloads: tuple[Workload, ...] = (),
    ) -> None:
        self.cluster, self.base, self.workloads = cluster, base, workloads
        self.catalog = catalog if cluster.delivery.image_digests else None

    @cached_property
    def view(self) -> ClusterView:
        """The documented value of a cluster."""
        operator = self.cluster.operator
        return ClusterView(
            name=self.cluster.name,
            ring=self.cluster.ring,
            profile=self.cluster.profile,
            namespace=operator.namespace,
            operator_version=operator.release.version,
            install=str(operator.install),
            driver_api=str(operator.driver_api),
            cluster_policy_name=operator.policy_name,
            delivery=_delivered_by(self.cluster),
            pools=tuple(self.pools.values()),
            workloads=tuple(self.workload_views.values()),
        )

    @cached_property
    def pools(self) -> dict[str, PoolView]:
        """The documented value of each pool."""
        return {pool.name: _pool(self.cluster, pool, self.images.get(pool.name, ())) for pool in self.cluster.pools}

    @cached_property
    def names(self) -> dict[str, dict[str, Any]]:
        """What a user's template is given for each pool: the fields of its value by their own names, and the whole."""
        return _flat("pool", self.pools)

    @cached_property
    def workload_views(self) -> dict[str, WorkloadView]:
        """The documented value of each workload."""
        return {workload.name: workload_view(self.cluster, workload) for workload in self.workloads}

    @cached_property
    def workload_names(self) -> dict[str, dict[str, Any]]:
        """The same as `names` for each workload."""
        return _flat("workload", self.workload_views)

    @cached_property
    def images(self) -> dict[str, tuple[str, ...]]:
        """The image references of each pool that needs an image, in the order of pool names."""
        pools = sorted(self.cluster.managed_pools, key=lambda pool: pool.name)
        found = {pool.name: references(self.cluster, pool) for pool in pools}
        return {name: made for name, made in found.items() if made}

    @property
    def listed(self) -> dict[str, tuple[str, ...]]:
        """The same as the ConfigMap lists them: with the digest that the catalog records, where that is asked for."""
        if self.catalog is None:
            return self.images
        catalog = self.catalog
        return {name: tuple(_pinned(one, catalog) for one in images) for name, images in self.images.items()}

    @cached_property
    def policy(self) -> dict[str, Any]:
        """The ClusterPolicy: the user's own with spec.driver put in, or nothing where a chart makes it."""
        if self.base is None or self.cluster.operator.install is Install.HELM:
            return {}
        metadata = self.base.get("metadata", {})
        spec = {**self.base.get("spec", {}), "driver": policy_spec(self.cluster, auto_upgrade=False)}
        flux = self.cluster.delivery.flux
        own = {**metadata.get("annotations", {}), **substitution(flux, {**metadata, "spec": spec})}
        annotations = annotated(own, protect=self.cluster.protect)
        metadata = {**metadata, "name": self.cluster.operator.policy_name, "annotations": annotations}
        whole: dict[str, Any] = escaped(flux, {**self.base, "metadata": metadata, "spec": spec})
        return whole

    def object(self, pool: Pool) -> dict[str, Any]:
        """name, annotations and spec of the pool's NVIDIADriver; an empty spec where it has none."""
        has_object = pool.driver.managed and self.cluster.operator.driver_api is DriverApi.NVIDIADRIVER
        spec, flux = object_spec(self.cluster, pool) if has_object else {}, self.cluster.delivery.flux
        annotations = _annotations(protect=pool.protect)
        if own := substitution(flux, spec):
            annotations = annotated(own, protect=pool.protect)
        return {"name": pool.object_name, "annotations": annotations, "spec": escaped(flux, spec)}


def _flat(whole: str, views: Mapping[str, Struct]) -> dict[str, dict[str, Any]]:
    """Each view's fields by their own names, but for the cluster's, and the view itself."""
    found = {}
    for name, view in views.items():
        fields = [field for field in view.__struct_fields__ if field != "cluster"]
        found[name] = {whole: view, **{field: getattr(view, field) for field in fields}}
    return found


def fleet_view(fleet: Fleet, bases: Mapping[str, Mapping[str, Any]]) -> FleetView:
    """The documented value of the fleet."""
    made = (
        ClusterValues(one, bases.get(one.operator.policy_base), workloads=fleet.workloads_of(one))
        for one in fleet.clusters
    )
    return FleetView(name=fleet.name, clusters=tuple(values.view for values in made))


def _delivered_by(cluster: Cluster) -> str:
    tools = {"argocd": cluster.delivery.argocd, "flux": cluster.delivery.flux}
    return next((name for name, settings in tools.items() if settings), "")


def _pinned(reference: str, catalog: Catalog) -> str:
    """A reference by tag with the tag's digest behind it: the form of a name that every registry client takes."""
    repository, _, tag = reference.rpartition(":")
    entry = catalog.find(repository, tag)
    return f"{reference}@{entry.digest}" if entry and entry.digest and not entry.gone else reference


@cache
def _annotations(*, protect: bool) -> dict[str, Any]:
    return annotated({}, protect=protect)


def annotated(own: Mapping[str, Any], *, protect: bool) -> dict[str, Any]:
    """Annotations of a driver object: sync options joined in one place, and Flux's own word for the same."""
    options = {option.strip() for option in str(own.get(SYNC_OPTIONS, "")).split(",") if option.strip()}
    mine = {*ALWAYS, *(PROTECTION if protect else ())} - {STRONGER[option] for option in options & STRONGER.keys()}
    keys = {option.partition("=")[0] for option in mine}
    options = {option for option in options if option.partition("=")[0] not in keys} | mine
    made = {SYNC_OPTIONS: ",".join(sorted(options))}
    if protect:
        made[FLUX_PRUNE] = "disabled"
    return dict(sorted(over(own, made).items()))


def _pool(cluster: Cluster, pool: Pool, images: tuple[str, ...]) -> PoolView:
    tag = os_tag(cluster.operator.release, pool.os.id, pool.os.version) if pool.os else ""
    return PoolView(
        name=pool.name,
        cluster=cluster.name,
        object_name=pool.object_name,
        owner=pool.owner,
        node_selector=in_order(pool.node_selector),
        tolerations=tuple(toleration(taint) for taint in pool.taints),
        min_nodes=pool.size.min if pool.size else 0,
        max_nodes=pool.size.max if pool.size else 0,
        gpu_family=pool.family,
        mode=str(pool.driver.mode),
        repository=pool.driver.repository,
        version=pool.driver.version,
        os_id=pool.os.id if pool.os else "",
        os_version=pool.os.version if pool.os else "",
        os_tag=tag if isinstance(tag, str) else "",
        arch=pool.arch,
        kernels=tuple(sorted(kernel.name for kernel in pool.kernels if not kernel.upcoming)),
        upcoming_kernels=tuple(sorted(kernel.name for kernel in pool.kernels if kernel.upcoming)),
        images=images,
    )


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
