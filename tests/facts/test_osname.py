import pytest

from generator.facts import osname
from generator.facts.osname import OsTagError
from generator.facts.release import Release, resolve


def tag(version, os_id, os_version):
    release = resolve(version)
    assert isinstance(release, Release)
    return osname.os_tag(release, os_id, os_version)


# gpu-operator TestGetOSTag, TestGetGPUNodeOSInfo (v26.7.0).
@pytest.mark.parametrize(
    ("os_id", "version", "expected"),
    [
        ("rhel", "9.4", "rhel9"),
        ("rhel", "8.10", "rhel8"),
        ("rocky", "9.4", "rocky9"),
        ("ol", "9.4", "ol9"),
        ("ubuntu", "24.04", "ubuntu24.04"),
        ("sles", "15-SP6", "sles15-SP6"),
        ("talos", "v1.12.6", "talosv1.12.6"),
        ("archlinux", "rolling", "archlinuxrolling"),
        ("rhcos", "4.14", "rhcos4.14"),
    ],
)
def test_os_tags_of_upstream_tests(os_id, version, expected):
    assert tag("v26.7.0", os_id, version) == expected


# controllers/state_manager.go getGPUNodeOSTag at v26.3.0 calls Atoi for every OS.
def test_the_release_that_refuses_every_version_that_is_no_number():
    assert isinstance(tag("v26.3.0", "talos", "v1.12.6"), OsTagError)
    assert tag("v26.3.0", "ubuntu", "24.04") == "ubuntu24.04"
    assert tag("v26.3.0", "rhel", "10.1") == "rhel10"
    assert tag("v26.3.1", "talos", "v1.12.6") == "talosv1.12.6"


def test_no_version_makes_it_raise():
    for version in ("9" * 5000, "", "-", "\u0669", "+9.1", "99999999999999999999.1"):
        for release in ("v24.9.2", "v26.3.0", "v26.3.3", "v26.7.0"):
            assert isinstance(tag(release, "rhel", version), str | OsTagError)
    assert isinstance(tag("v26.3.3", "rhel", "99999999999999999999.1"), OsTagError)


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("9.4", "9"),
        ("22.04", "22"),
        ("10", "10"),
        ("9.4.1", "9"),
        ("15-SP6", None),
        ("v1.9.0", None),
        ("", None),
    ],
)
def test_the_major_that_nfd_labels(version, expected):
    assert osname.major(version) == expected
