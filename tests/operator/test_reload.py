"""The verdict on a change of driver settings, and the fields it names."""

from typing import Any

import pytest

from generator.facts.release import DriverApi, Release, resolve
from generator.operator.driverpod import Machine, NoPod, Unmade
from generator.operator.reload import Change, Effect, Verdict, verdict

UBUNTU = {
    "feature.node.kubernetes.io/kernel-version.full": "5.15.0-173-generic",
    "feature.node.kubernetes.io/system-os_release.ID": "ubuntu",
    "feature.node.kubernetes.io/system-os_release.VERSION_ID": "22.04",
}
COMPILED = {"repository": "nvcr.io/nvidia", "image": "driver", "version": "580.126.20", "usePrecompiled": False}


def release(version: str) -> Release:
    found = resolve(version)
    assert isinstance(found, Release)
    return found


def of_object(new: dict[str, Any], old: dict[str, Any], version: str = "v26.7.0") -> Verdict | Unmade:
    return verdict(DriverApi.NVIDIADRIVER, release(version), old, new, Machine(labels=UBUNTU))


@pytest.mark.parametrize(
    ("more", "effect"),
    [({"labels": {"team": "x"}}, Effect.RESTART_ONLY), ({"upgradePolicy": {"autoUpgrade": False}}, Effect.NONE)],
)
def test_before_v26_7_nothing_restarts_in_place(more: dict[str, Any], effect: Effect) -> None:
    """Facts 6.5 and 9: restart-only is new in v26.7.0."""
    now = of_object(COMPILED | more, COMPILED)
    assert isinstance(now, Verdict)
    assert now.effect is effect
    then = of_object(COMPILED | more, COMPILED, "v26.3.3")
    assert isinstance(then, Verdict)
    assert then.effect is (Effect.FULL_RELOAD if effect is Effect.RESTART_ONLY else Effect.NONE)


def test_before_v25_3_open_modules_are_another_field() -> None:
    """Until v25.3.0 brought kernelModuleType, useOpenKernelModules stood in the pod's template (facts 9)."""
    opened = COMPILED | {"useOpenKernelModules": True}
    assert of_object(opened, COMPILED, "v24.9.2") == Verdict(
        Effect.FULL_RELOAD, (Change("useOpenKernelModules", "absent", "true"),)
    )
    assert of_object(opened, COMPILED) == Verdict(Effect.NONE)


def test_the_fields_as_they_are_written_are_the_reason() -> None:
    new = {**COMPILED, "version": "595.91.07", "labels": {"team": "x"}, "rdma": {"enabled": True}}
    assert of_object(new, COMPILED) == Verdict(
        Effect.FULL_RELOAD,
        (Change("rdma.enabled", "absent", "true"), Change("version", '"580.126.20"', '"595.91.07"')),
    )


def test_another_root_of_the_host_is_a_reason_of_no_field() -> None:
    """gpu-operator internal/config: the host root is part of the digest; of an NVIDIADriver no field says it."""
    before, machine = Machine(labels=UBUNTU), Machine(labels=UBUNTU, host_root="/host")
    found = verdict(DriverApi.NVIDIADRIVER, release("v26.7.0"), COMPILED, COMPILED, machine, before=before)
    assert found == Verdict(Effect.FULL_RELOAD, (Change("hostPaths.rootFS", "absent", '"/host"'),))
    same = verdict(
        DriverApi.NVIDIADRIVER,
        release("v26.7.0"),
        COMPILED,
        COMPILED,
        Machine(labels=UBUNTU, host_root="/"),
        before=before,
    )
    assert same == Verdict(Effect.NONE)


def test_a_missing_config_map_stops_a_cluster_policy_alone() -> None:
    """Facts 9b: only logged for an NVIDIADriver, a hard error for a ClusterPolicy."""
    machine = Machine(labels=UBUNTU, config_maps=frozenset())
    config = {"kernelModuleConfig": {"name": "m"}}
    found = verdict(DriverApi.NVIDIADRIVER, release("v26.7.0"), COMPILED, COMPILED | config, machine)
    assert isinstance(found, Verdict)
    policies = ({"driver": COMPILED}, {"driver": COMPILED | config})
    refused = verdict(DriverApi.CLUSTERPOLICY, release("v26.7.0"), *policies, machine)
    assert refused == Unmade(NoPod.CONFIG_MAP_MISSING, 'there is no ConfigMap "m"')


def test_silence_about_the_client_token_means_two_things() -> None:
    """DriverLicensingConfigSpec.IsNLSEnabled: on in nvidiadriver_types.go, off in clusterpolicy_types.go (v26.7.0)."""
    silent, on = ({"licensingConfig": {"secretName": "s", **more}} for more in ({}, {"nlsEnabled": True}))
    assert of_object(COMPILED | on, COMPILED | silent) == Verdict(Effect.NONE)
    policies = ({"driver": COMPILED | silent}, {"driver": COMPILED | on})
    found = verdict(DriverApi.CLUSTERPOLICY, release("v26.7.0"), *policies, Machine(labels=UBUNTU))
    assert isinstance(found, Verdict)
    assert found.effect is Effect.FULL_RELOAD


def test_an_image_that_can_t_be_named_makes_no_pod() -> None:
    found = of_object(COMPILED | {"version": ""}, COMPILED)
    assert isinstance(found, Unmade)
    assert found.reason is NoPod.IMAGE
