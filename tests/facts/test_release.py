import pytest
import yaml

from generator.facts import release
from generator.facts.release import OsTagRule, Release, Unsupported, resolve
from tests.testing.shared import operator_data


def found(version):
    answer = resolve(version)
    assert isinstance(answer, Release)
    return answer


# gpu-operator deployments/gpu-operator/values.yaml at each tag.
@pytest.mark.parametrize(
    ("version", "driver", "manager"),
    [
        ("v26.7.0", "595.91.07", "v0.12.0"),
        ("v26.3.3", "580.126.20", "v0.11.0"),
        ("v26.3.1", "580.126.20", "v0.10.0"),
        ("v25.10.1", "580.105.08", "v0.9.1"),
        ("v25.3.4", "580.82.07", "v0.8.1"),
        ("v25.3.0", "570.124.06", "v0.8.0"),
        ("v24.9.0", "550.127.05", "v0.7.0"),
    ],
)
def test_defaults_of_a_release(version, driver, manager):
    answer = found(version)
    assert answer.driver == driver
    assert answer.driver_manager == f"nvcr.io/nvidia/cloud-native/k8s-driver-manager:{manager}"


@pytest.mark.parametrize("version", ["v24.9.2", "v25.3.4", "v25.10.1", "v26.3.3", "v26.7.0"])
def test_defaults_are_those_of_the_chart(version):
    folder = operator_data()
    if folder is None:
        pytest.skip("operator data is absent")
    values = yaml.safe_load((folder / version / "chart-values.yaml").read_text())["driver"]
    answer = found(version)
    assert answer.driver == values["version"]
    manager = values["manager"]
    assert answer.driver_manager == f"{manager['repository']}/{manager['image']}:{manager['version']}"
    assert answer.kernel_module_type == ("kernelModuleType" in values)
    assert (answer.fields, answer.note, answer.missing_fields) == (version, "", {})


def test_a_release_without_facts_of_its_own_uses_those_of_its_minor():
    old, early = found("v24.9.0"), found("v26.3.0")
    assert (old.fields, old.basis, old.unknown) == ("v24.9.2", "v24.9.0", False)
    assert "v24.9.2" in old.note
    assert early.fields == "v26.3.3"
    assert early.missing_fields["NVIDIADriver"] == ("hostNetwork",)
    assert "driver.hostNetwork" in early.missing_fields["ClusterPolicy"]
    assert "NVIDIADriver" not in found("v26.3.1").missing_fields


@pytest.mark.parametrize(
    ("version", "basis", "unknown"),
    [
        ("v26.3.9", "v26.3.3", False),
        ("v25.12.0", "v25.10.1", False),
        ("v24.12.0", "v24.9.2", False),
        ("v26.7.1", "v26.7.0", True),
        ("v27.1.0", "v26.7.0", True),
    ],
)
def test_a_release_that_the_table_lacks(version, basis, unknown):
    answer = found(version)
    assert (answer.basis, answer.unknown, answer.fields) == (basis, unknown, found(basis).fields)
    assert version in answer.note
    assert basis in answer.note
    assert answer.os_tag is found(basis).os_tag


def test_the_v_may_be_left_out():
    assert found("26.7.0").version == "v26.7.0"
    assert found("26.7.0").written == "26.7.0"


@pytest.mark.parametrize(
    "text",
    ["", "v26.7", "26", "latest", "v26.07.0", "v26.7.0-rc.1", "v26.7.0 ", "vv26.7.0", "v26.7.0\n", "v٢٦.7.0"],
)
def test_garbage_is_refused(text):
    answer = resolve(text)
    assert isinstance(answer, Unsupported)
    assert text in answer.reason
    assert "v26.7.0" in answer.hint


@pytest.mark.parametrize("version", ["v24.6.2", "v23.9.2", "1.11.1"])
def test_older_ones_are_unsupported(version):
    answer = resolve(version)
    assert isinstance(answer, Unsupported)
    assert "v24.9.0" in answer.reason
    assert answer.written == version


# gpu-operator internal/state/nodepool.go getOSTag at each tag; v26.3.0 alone parses the major of every OS.
def test_rules_change_with_the_release():
    assert [found(version).os_tag for version in ("v25.10.1", "v26.3.0", "v26.3.1", "v26.7.0")] == [
        OsTagRule.FULL,
        OsTagRule.NUMERIC,
        OsTagRule.RHEL_FROM_10,
        OsTagRule.MAJOR,
    ]
    before, now = found("v26.3.3"), found("v26.7.0")
    for rule in (
        "complete_image_check",
        "major_pools",
        "owner_label",
        "default_object",
        "object_upgrade_policy",
        "restart_only",
        "optional_cluster_policy",
    ):
        assert (getattr(before, rule), getattr(now, rule)) == (False, True), rule
    assert (found("v24.9.2").sanitises_64k, found("v25.3.0").sanitises_64k) == (False, True)
    assert (found("v24.9.2").kernel_module_type, found("v25.3.0").kernel_module_type) == (False, True)


def test_known_releases_ascend():
    keys = [release.compare_key(found(version)) for version in release.known()]
    assert len(keys) == 15
    assert keys == sorted(set(keys))
