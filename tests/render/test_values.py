"""Chart values: driver keys only, and never an object that is ours made by the chart too."""

from typing import Any

import pytest

from generator.facts.release import known
from generator.render.values import chart_values
from tests.testing.inventories import FLEET, POOL, files
from tests.testing.judging import revision_of


def values(version: str, *, install: str = "helm", api: str = "NVIDIADriver", pool: str = POOL) -> dict[str, Any]:
    operator = f"{{version: {version}, install: {install}, driverApi: {api}}}"
    revision, _ = revision_of(files(pool, fleet=FLEET.replace("{version: v26.7.0}", operator)))
    (found,) = revision.fleet.clusters
    return chart_values(found)


@pytest.mark.parametrize("version", known())
def test_the_chart_makes_no_object_that_is_ours(version: str) -> None:
    driver = values(version)["driver"]
    assert driver["enabled"] is True
    assert driver["nvidiaDriverCRD"] == {"deployDefaultCR": False, "enabled": True}
    assert set(driver) - {"enabled", "nvidiaDriverCRD"} == (set() if version == "v26.7.0" else {"upgradePolicy"})


@pytest.mark.parametrize("version", known())
def test_the_chart_s_cluster_policy_in_the_chart_s_words(version: str) -> None:
    made = values(version, api="ClusterPolicy")
    assert set(made) == {"driver"}
    driver = made["driver"]
    assert (driver["repository"], driver["image"], driver["version"]) == ("nvcr.io/nvidia", "driver", "580")
    assert (driver["usePrecompiled"], driver["nvidiaDriverCRD"]["enabled"]) == (True, False)
    assert "useNvidiaDriverCRD" not in driver
    assert driver["upgradePolicy"]["gpuPodDeletion"]["timeoutSeconds"] == 300
    assert "podDeletion" not in driver["upgradePolicy"]
    assert driver["upgradePolicy"]["autoUpgrade"] is True  # the chart's own default


@pytest.mark.parametrize("version", known())
def test_without_a_managed_pool_no_driver_is_installed(version: str) -> None:
    driver = values(version, api="ClusterPolicy", pool="driver: {mode: preinstalled}")["driver"]
    assert driver == {"enabled": False, "nvidiaDriverCRD": {"enabled": False}}


@pytest.mark.parametrize("api", ["NVIDIADriver", "ClusterPolicy"])
@pytest.mark.parametrize("version", known())
def test_a_manifest_beside_a_chart(version: str, api: str) -> None:
    both_off = {"clusterPolicy": {"deployCR": False}, "driver": {"nvidiaDriverCRD": {"deployDefaultCR": False}}}
    assert values(version, install="manifest", api=api) == (both_off if version == "v26.7.0" else {})


def test_olm_has_no_values() -> None:
    assert values("v26.7.0", install="olm") == {}
