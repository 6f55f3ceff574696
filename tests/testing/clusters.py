"""Clusters and pools as values, to be asked about nodes."""

from typing import Any

from generator.declared.fleet import Cluster, Driver, Install, Mode, Operator, Pool
from generator.facts.release import DriverApi, Release, resolve


def cluster(
    *pools: Pool, release: str = "v26.7.0", api: DriverApi = DriverApi.NVIDIADRIVER, name: str = "c"
) -> Cluster:
    found = resolve(release)
    assert isinstance(found, Release)
    operator = Operator(
        release=found,
        namespace="gpu-operator",
        install=Install.HELM,
        policy_name="cluster-policy",
        policy_base="",
        driver_api=api,
    )
    return Cluster(name=name, file=f"inventory/{name}.yaml", operator=operator, pools=pools, levels=())


def pool(name: str, selector: dict[str, str] | None = None, *, default: bool = False, **driver: Any) -> Pool:
    settings = {"mode": Mode.PRECOMPILED, "repository": "nvcr.io/nvidia/driver", "version": "580", **driver}
    return Pool(
        name=name,
        cluster="c",
        driver=Driver(**settings),
        object_name=name,
        file="",
        levels=(),
        node_selector=selector or {},
        default=default,
    )
