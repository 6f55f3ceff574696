"""Every effective value of a cluster or a pool, in the order of the model, with the level and place it came from."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from generator.declared import model
from generator.declared.delivery import settings as settings_of
from generator.declared.fleet import Cluster, Fleet, Install, Kernel, Pool
from generator.declared.inventory import Inventory
from generator.declared.layers import Level, below, merged, origin
from generator.declared.modelparts import Shape
from generator.documents.places import Path
from generator.documents.scalar import Ambiguous, is_null
from generator.documents.texts import Texts
from generator.finding import Place
from generator.operator.driver import carries_upgrade_policy, upgrade_policy

NODE_IMAGE, OWN_DEFAULT = "node image", "drivergate's default"
HOST_DRIVER = frozenset({"preinstalled", "unmanaged"})


class Origin(Struct, frozen=True):
    """Which level says a value, and where. What drivergate itself decides stands in no file."""

    level: str
    place: Place


class Effective(Struct, frozen=True):
    """One effective value."""

    value: str | int | bool | None
    origin: Origin


Tree = Effective | dict[str, Any] | list[Any]


def of_cluster(fleet: Fleet, cluster: Cluster) -> dict[str, Tree]:
    """What holds for the cluster, and for those of its pools that say nothing else."""
    texts, operator = fleet.texts, cluster.operator
    says = _Says(texts, cluster.levels)
    top = {"ring": cluster.ring, "kubeContext": cluster.kube_context, "profile": cluster.profile}
    values: dict[str, Tree] = {
        key: Effective(value, _own_origin(texts, cluster, key)) for key, value in top.items() if value
    }
    settings = {
        "version": operator.release.written,
        "namespace": operator.namespace,
        "install": str(operator.install),
        "clusterPolicyName": operator.policy_name,
        "clusterPolicyBase": operator.policy_base,
        "driverApi": str(operator.driver_api),
    }
    values["operator"] = says.tree({key: value for key, value in settings.items() if value}, ("operator",))
    values["driver"] = says.driver(merged(below(cluster.levels, "driver")), cluster)
    settings = {"compatibility": str(cluster.cuda.compatibility), "labels": str(cluster.cuda.labels)}
    values["cuda"] = says.tree(settings, ("cuda",))
    values["protect"] = says.tree(cluster.protect, ("protect",))
    values["observedMaxAge"] = says.tree(f"{cluster.observed_max_age}d", ("observedMaxAge",))
    values |= says.all({"delivery": settings_of(cluster.delivery)})
    values["pools"] = [Effective(pool.name, Origin("cluster", fleet.at(pool))) for pool in cluster.pools]
    return values


def of_pool(fleet: Fleet, cluster: Cluster, pool: Pool, images: Mapping[str, Level]) -> dict[str, Tree]:
    """What holds for the pool. `images` are the node images by name, as levels."""
    says, own = _Says(fleet.texts, pool.levels), pool.levels[0].value
    plain = {
        "owner": pool.owner,
        "nodeSelector": pool.node_selector,
        "default": pool.default,
        "taints": [str(taint) for taint in pool.taints],
        "nodes": own.get("nodes"),
        "gpu": own.get("gpu"),
        "secureBoot": pool.secure_boot,
        "nodeImage": pool.node_image,
    }
    values = says.all(plain)
    machine = _Says(fleet.texts, (images[pool.node_image],)) if pool.node_image else says
    os = {"id": pool.os.id, "version": pool.os.version} if pool.os else None
    values |= machine.all({"os": os, "arch": list(pool.arch)})
    for key, upcoming in (("kernels", False), ("upcomingKernels", True)):
        if kernels := [kernel for kernel in pool.kernels if kernel.upcoming is upcoming]:
            values[key] = [Effective(kernel.name, kernel_origin(fleet, pool, kernel)) for kernel in kernels]
    values |= says.all({"kernelSource": "floating" if pool.floating else "pinned"})
    values["driver"] = says.driver(_settings(pool), cluster)
    return values | says.all({"protect": pool.protect, "renamedFrom": pool.renamed_from, "hold": own.get("hold")})


class _Says:
    """Finds who says a value, among some levels."""

    def __init__(self, texts: Texts, levels: tuple[Level, ...]) -> None:
        self.texts, self.levels = texts, levels

    def all(self, values: Mapping[str, Any]) -> dict[str, Tree]:
        """Those that are set at all."""
        return {key: self.tree(value, (key,)) for key, value in values.items() if value not in (None, "", {}, [])}

    def tree(self, value: Any, path: Path) -> Tree:
        if isinstance(value, Mapping):
            return {key: self.tree(inner, (*path, key)) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.tree(inner, (*path, index)) for index, inner in enumerate(value)]
        return Effective(_plain(value), self.origin(path))

    def origin(self, path: Path) -> Origin:
        where = origin(self.levels, path)
        if where is None:
            return Origin(OWN_DEFAULT, Place(""))
        level, whole = where
        return Origin(level.name, self.texts.value(level.file, whole))

    def driver(self, settings: Mapping[str, Any], cluster: Cluster) -> Tree:
        """Driver settings in full; a host's own driver has no more than its version."""
        full: dict[str, Any] = {"mode": "precompiled", **settings}
        if full["mode"] in HOST_DRIVER:
            full = {key: full[key] for key in ("mode", "version") if key in full}
        else:
            policy = upgrade_policy(full.get("upgradePolicy", {}), auto_upgrade=_auto_upgrade(cluster))
            full = {"kernelModuleType": "auto", **full, "upgradePolicy": _policy_in_order(policy)}
        return self.tree(_in_order(full, model.DriverLayer), ("driver",))


def _settings(pool: Pool) -> dict[str, Any]:
    """A pool's driver as the inventory would write it."""
    driver = pool.driver
    settings = {
        "mode": str(driver.mode),
        "repository": driver.repository,
        "branch" if driver.is_branch else "version": driver.version,
        "kernelModuleType": driver.module_type,
        "upgradePolicy": driver.upgrade_policy,
        "spec": driver.spec,
    }
    return {key: value for key, value in settings.items() if value}


def _auto_upgrade(cluster: Cluster) -> bool:
    """What silence means: the CRD's own default is false in a ClusterPolicy, and the chart's and the objects' true."""
    return not carries_upgrade_policy(cluster) or cluster.operator.install is Install.HELM


def _policy_in_order(policy: Mapping[str, Any]) -> dict[str, Any]:
    inner: dict[str, type[Shape]] = {
        "waitForCompletion": model.WaitForCompletion,
        "podDeletion": model.PodDeletion,
        "drain": model.Drain,
    }
    return {
        key: _in_order(value, inner[key]) if key in inner else value
        for key, value in _in_order(policy, model.UpgradePolicy).items()
    }


def _in_order(value: Mapping[str, Any], shape: type[Shape]) -> dict[str, Any]:
    return {key: value[key] for key in shape.__struct_encode_fields__ if key in value}


def _own_origin(texts: Texts, cluster: Cluster, key: str) -> Origin:
    """Where the cluster's own file says one of its keys."""
    root = texts.places(cluster.file).root
    if root is None or key not in root.inner:
        return Origin(OWN_DEFAULT, Place(""))
    return Origin("cluster", texts.value(cluster.file, (key,)))


def kernel_origin(fleet: Fleet, pool: Pool, kernel: Kernel) -> Origin:
    """Where one of the pool's kernels was declared."""
    return Origin(NODE_IMAGE if pool.node_image else "pool", fleet.kernel_place(kernel))


def _plain(value: Any) -> str | int | bool | None:
    """A scalar of the user's own driver spec may be one that YAML readers disagree about: its text, then."""
    if isinstance(value, Ambiguous):
        return None if is_null(value) else value.text
    assert value is None or isinstance(value, (str, int))
    return value


def node_image_levels(inventory: Inventory) -> dict[str, Level]:
    """The node images by name, each as the level that says what its pools have from it."""
    return {image.shape.name: Level(NODE_IMAGE, image.file, (), image.tree) for image in inventory.node_images}
