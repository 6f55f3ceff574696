"""The chart's keys against the values.yaml that NVIDIA ships, and how ClusterPolicy fields get to them."""

from typing import Any

import pytest
import yaml

from generator.facts import chart, crd
from tests.model import chart as charts
from tests.testing import shared


@pytest.fixture(params=crd.RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def shipped(release: str) -> dict[str, Any]:
    folder = shared.operator_data()
    if folder is None:
        pytest.skip("no operator data: set DRIVERGATE_OPERATOR_DATA")
    values: dict[str, Any] = yaml.load((folder / release / "chart-values.yaml").read_text(), yaml.CSafeLoader)
    return values


def paths(value: Any, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    if not isinstance(value, dict) or not value:
        return {path}
    return {found for key, below in value.items() for found in paths(below, (*path, key))}


# What templates/clusterpolicy.yaml of every release reads though values.yaml doesn't list it.
PROBE = {"failureThreshold", "initialDelaySeconds", "periodSeconds", "successThreshold", "timeoutSeconds"}
UNLISTED = {
    ("driver", "args"),
    ("driver", "startupProbe", "successThreshold"),
    *(("driver", probe, field) for probe in ("livenessProbe", "readinessProbe") for field in PROBE),
    ("driver", "resources", "limits"),
    ("driver", "resources", "requests"),
}


def test_keys_are_those_of_the_real_values(release: str) -> None:
    values = shipped(release)
    assert charts.missing_keys(release, values) == ()
    assert set(charts.key_names(release)) == set(values)
    known = paths(chart.keys_of(release)["driver"], ("driver",))
    real = {path for path in paths(values["driver"], ("driver",)) if path != ("driver", "resources")}
    # licensingConfig is handed on whole, so the old name of its source passes too where the CRD has it.
    late = {("driver", "licensingConfig", "configMapName")} - real
    assert known == real | UNLISTED | late


def test_every_driver_field_has_a_key_but_these(release: str) -> None:
    """gpu-operator.md section 5: the manager's imagePullSecrets are not mapped."""
    gone = [] if release == "v24.9.2" else [("useOpenKernelModules",)]
    assert list(charts.unmapped_fields(release)) == [("manager", "imagePullSecrets"), *gone]


@pytest.mark.parametrize(
    ("field", "keys"),
    [
        (("version",), ("driver", "version")),
        (("useNvidiaDriverCRD",), ("driver", "nvidiaDriverCRD", "enabled")),
        (("upgradePolicy", "podDeletion"), ("driver", "upgradePolicy", "gpuPodDeletion")),
        (("upgradePolicy", "podDeletion", "force"), ("driver", "upgradePolicy", "gpuPodDeletion", "force")),
        (("upgradePolicy", "drain", "enable"), ("driver", "upgradePolicy", "drain", "enable")),
        (("resources", "limits", "cpu"), ("driver", "resources", "limits", "cpu")),
        (("repoConfig", "configMapName"), ("driver", "repoConfig", "configMapName")),
        (("manager", "imagePullSecrets"), None),
        (("manager", "env"), ("driver", "manager", "env")),
        (("upgradePolicy", "gpuPodDeletion"), ("driver", "upgradePolicy", "gpuPodDeletion")),
    ],
)
def test_values_path(field: tuple[str, ...], keys: tuple[str, ...] | None) -> None:
    assert chart.values_path("v26.7.0", field) == keys


def test_the_crds_own_name_is_no_key() -> None:
    overlay = {"driver": {"upgradePolicy": {"podDeletion": {"force": True}}}}
    assert charts.missing_keys("v26.7.0", overlay) == (("driver", "upgradePolicy", "podDeletion"),)


def test_keys_by_release() -> None:
    """`clusterPolicy.deployCR` came with v26.7, kernelModuleType with v25.3, hostNetwork with v26.3.1."""
    overlay = {
        "clusterPolicy": {"deployCR": False},
        "driver": {
            "kernelModuleType": "open",
            "hostNetwork": True,
            "nvidiaDriverCRD": {"enabled": True, "deployDefaultCR": False},
        },
    }
    assert charts.missing_keys("v26.7.0", overlay) == ()
    assert charts.missing_keys("v26.3.3", overlay) == (("clusterPolicy",),)
    assert charts.missing_keys("v24.9.2", overlay) == (
        ("clusterPolicy",),
        ("driver", "kernelModuleType"),
        ("driver", "hostNetwork"),
    )
    lacking = frozenset({"driver.hostNetwork"})
    assert charts.missing_keys("v26.3.3", overlay, lacking) == (("clusterPolicy",), ("driver", "hostNetwork"))
    assert chart.values_path("v26.3.3", ("hostNetwork",), lacking) is None


def test_open_and_closed_keys() -> None:
    overlay = {
        "toolkit": {"anything": 1},
        "toolkitt": {},
        "driver": {"resources": {"limits": {"x": 1}}, "env": [{"name": "A"}], "version": {"a": 1}},
    }
    assert charts.missing_keys("v26.7.0", overlay) == (("toolkitt",), ("driver", "version", "a"))


def test_key_names() -> None:
    assert charts.key_names("v26.7.0", ("driver", "rdma")) == ("enabled", "useHostMofed")
    assert charts.key_names("v26.7.0", ("driver", "version")) == ()
    assert chart.has_key("v26.7.0", ("driver", "resources", "limits", "any"))
    assert not chart.has_key("v26.7.0", ("driver", "versoin"))
