"""What nodes ask for by the objects that live in the cluster, which may not be git's: a sync is still to come."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from generator.audit.difference import Difference, What, difference
from generator.audit.judgement import Judgement, judge
from generator.audit.live import Live
from generator.declared.fleet import Cluster, Driver, Mode, Pool
from generator.facts import driver as drivers
from generator.facts.release import DriverApi, Unsupported, resolve
from generator.images.lookup import Listed
from generator.observed.node import Node
from generator.observed.operator import operator_release

UNBUILT = frozenset({What.NOT_BUILT, What.NO_REFERENCE})


class Synced:
    """A cluster as its own objects declare it."""

    def __init__(self, cluster: Cluster, live: Live, listed: Listed) -> None:
        self.cluster, self.listed = cluster, listed
        self.synced = as_synced(cluster, live)

    def differences(self, node: Node, declared: Judgement) -> Iterator[Difference]:
        """An image that the node asks for today and that is not built, if it isn't the one that git declares."""
        if self.synced is None:
            return
        today = judge(self.synced, node, self.listed)
        if today.reference and today.reference == declared.reference:
            return
        for found in today.differences:
            if found.what in UNBUILT:
                message = f"by the driver object that lives in the cluster {found.message}"
                hint = "let the sync bring what git declares, or build the image for what is there"
                yield difference(self.cluster, What.SYNCED_IMAGE, message, hint, pool=found.pool, node=node.name)


def as_synced(cluster: Cluster, live: Live) -> Cluster | None:
    """The cluster with the drivers of its live objects and the operator's release that runs; None without an object."""
    specs = _specs(cluster, live)
    if not specs:
        return None
    pools = tuple(_as_synced(pool, specs.get(pool.object_name)) for pool in cluster.pools)
    runs = operator_release(live.pods or ())
    release = resolve(runs) if runs else None
    operator = cluster.operator
    if release is not None and not isinstance(release, Unsupported):
        operator = replace(operator, release=release)
    return replace(cluster, pools=pools, operator=operator)


def _specs(cluster: Cluster, live: Live) -> dict[str, Mapping[str, Any]]:
    """The driver settings of live objects, by the object's name of each pool."""
    if cluster.operator.driver_api is DriverApi.NVIDIADRIVER:
        return {driver.name: driver.spec for driver in live.drivers or ()}
    for policy in live.policies or ():
        spec = policy.spec.get("driver")
        if policy.name == cluster.operator.policy_name and isinstance(spec, dict):
            return {pool.object_name: spec for pool in cluster.managed_pools}
    return {}


def _as_synced(pool: Pool, spec: Mapping[str, Any] | None) -> Pool:
    """The pool with the driver of a live object; as it is declared where that doesn't say which it is."""
    if spec is None or not pool.driver.managed:
        return pool
    version, repository, image = (spec.get(key) for key in ("version", "repository", "image"))
    if not isinstance(version, str) or not drivers.is_driver(version):
        return pool
    driver: Driver = replace(pool.driver, version=version, is_branch=drivers.is_branch(version))
    if isinstance(repository, str) and isinstance(image, str) and repository and image:
        driver = replace(driver, repository=f"{repository}/{image}")
    mode = Mode.PRECOMPILED if spec.get("usePrecompiled") is True else Mode.COMPILED
    return replace(pool, driver=replace(driver, mode=mode))
