"""Rule about what doesn't go with a precompiled driver."""

from collections.abc import Iterator, Mapping
from typing import Any

from generator.declared.fleet import Mode, Pool
from generator.facts.release import DriverApi
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.rule import Problem
from generator.rules.setting import Said, said

COMPONENTS = ("gdrcopy", "gds")
VGPU = frozenset({"vgpu", "vgpu-host-manager"})


def unsupported_with_precompiled(inputs: ClusterInputs) -> Iterator[Problem]:
    """gpu-operator internal/validator and controllers/object_controls.go; vGPU drivers are never precompiled."""
    cluster, base = inputs.cluster, inputs.base
    pools = [pool for pool in cluster.managed_pools if pool.driver.mode is Mode.PRECOMPILED]
    for pool in pools:
        yield from _in_spec(inputs, pool)
    if pools and base is not None and cluster.operator.driver_api is DriverApi.CLUSTERPOLICY:
        yield from _in_base(inputs, base)


def _in_spec(inputs: ClusterInputs, pool: Pool) -> Iterator[Problem]:
    spec = pool.driver.spec
    for name in COMPONENTS:
        if isinstance(found := spec.get(name), Mapping) and found.get("enabled") is True:
            where = said(inputs, pool, "driver", "spec", name, "enabled")
            yield _not_precompiled(where, f"driver.spec.{name}.enabled is true")
    if isinstance(kind := spec.get("driverType"), str) and kind in VGPU:
        where = said(inputs, pool, "driver", "spec", "driverType")
        yield _not_precompiled(where, f"driver.spec.driverType is {kind}")


def _in_base(inputs: ClusterInputs, base: Mapping[str, Any]) -> Iterator[Problem]:
    """With the ClusterPolicy API both lie beside spec.driver, in the user's own base."""
    cluster = inputs.cluster
    for name in COMPONENTS:
        found = (base.get("spec") or {}).get(name)
        if isinstance(found, Mapping) and found.get("enabled") is True:
            place = inputs.texts.value(cluster.operator.policy_base, ("spec", name, "enabled"))
            yield _not_precompiled(Said(place, cluster.name), f"spec.{name}.enabled is true")


def _not_precompiled(where: Said, what: str) -> Problem:
    message = f"{what} with mode precompiled, and the operator refuses the two together"
    return where.problem(message, "disable it, or set driver.mode: compiled for its pools", what)
