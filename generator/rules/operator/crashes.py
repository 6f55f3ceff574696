"""Rule about settings that stop the operator itself: a nil pointer, or an upgrade controller that stalls."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from generator.declared.crds import plain
from generator.declared.fleet import Cluster, Pool
from generator.facts.podselector import selector_problem
from generator.facts.release import DriverApi
from generator.finding import Place
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.rule import Problem
from generator.rules.setting import said

PROBES = ("livenessProbe", "readinessProbe")
SELECTORS = ("waitForCompletion", "drain")
PERCENT = r"[0-9]+%"
STALLS = "which stops the operator's upgrade controller"


def crashes_operator(inputs: ClusterInputs) -> Iterator[Problem]:
    """What the inventory says, and what a user's own template prints."""
    yield from _declared(inputs)
    cluster = inputs.cluster
    for _, driver, place in user_objects(inputs):
        for message, hint in _in_object(cluster, driver):
            yield Problem(place=place, message=message, hint=hint, cluster=cluster.name)


def _declared(inputs: ClusterInputs) -> Iterator[Problem]:
    for pool in inputs.cluster.managed_pools:
        if inputs.cluster.operator.driver_api is DriverApi.CLUSTERPOLICY:
            yield from _probes(inputs, pool)
        for name in SELECTORS:
            selector = (pool.driver.upgrade_policy.get(name) or {}).get("podSelector")
            if selector and (problem := selector_problem(selector)):
                path = ("upgradePolicy", name, "podSelector")
                message = f'driver.{".".join(path)} "{selector}" is no label selector, {STALLS}: {problem}'
                hint = "write it as kubectl get pods --selector takes it"
                yield said(inputs, pool, "driver", *path).problem(message, hint, selector)


def _probes(inputs: ClusterInputs, pool: Pool) -> Iterator[Problem]:
    """Its driver DaemonSet has no such probe to change (controllers/object_controls.go, all releases)."""
    for name in PROBES:
        if name in pool.driver.spec:
            message = f"driver.spec.{name} in a ClusterPolicy is a nil pointer in the operator, which then crashes"
            where = said(inputs, pool, "driver", "spec", name, key=True)
            yield where.problem(message, "remove it; only startupProbe is used", name)


def user_objects(inputs: ClusterInputs) -> Iterator[tuple[DriverApi, Mapping[str, Any], Place]]:
    """ClusterPolicies and NVIDIADrivers that users' templates print: the driver's part of their spec."""
    kinds = set(DriverApi)
    for file in inputs.files:
        if file.template.ours or file.kind not in kinds or file.document is None:
            continue
        api, spec = DriverApi(file.kind), file.document.get("spec")
        driver = spec.get("driver") if api is DriverApi.CLUSTERPOLICY and isinstance(spec, dict) else spec
        if isinstance(driver, dict):
            yield api, {"kind": file.kind, **plain(driver)}, Place(file.template.file)


def _in_object(cluster: Cluster, driver: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    of_policy = driver["kind"] == DriverApi.CLUSTERPOLICY
    if of_policy and driver.get("useNvidiaDriverCRD") is not True:
        for name in PROBES:
            if driver.get(name) is not None:
                message = f"spec.driver.{name} of a ClusterPolicy is a nil pointer in the operator, which then crashes"
                yield message, "remove it; only startupProbe is used"
    policy = driver.get("upgradePolicy")
    if not isinstance(policy, dict):
        return
    # NVIDIA/gpu-operator pull 2419: fixed with the vendored upgrade library of v26.7.0.
    release, automatic = cluster.operator.release, policy.get("autoUpgrade") is True
    if of_policy and automatic and policy.get("drain") is None and not release.restart_only:
        message = f"upgradePolicy has autoUpgrade and no drain, which crashes operator {release.version}"
        yield message, "print drain with enable: false"
    for name in SELECTORS:
        selector = policy[name].get("podSelector") if isinstance(policy.get(name), dict) else None
        if isinstance(selector, str) and (problem := selector_problem(selector)):
            yield (
                f'upgradePolicy.{name}.podSelector "{selector}" is no label selector, {STALLS}: {problem}',
                "correct it",
            )
    most = policy.get("maxUnavailable")
    if isinstance(most, str) and not re.fullmatch(PERCENT, most):
        yield f'upgradePolicy.maxUnavailable "{most}" is no number and no percentage, {STALLS}', 'write 1 or "25%"'
