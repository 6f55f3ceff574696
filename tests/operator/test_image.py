import pytest

from generator.facts import reference
from generator.facts.release import DriverApi, Release, resolve
from generator.operator.image import ImageSpec, Refusal, Refused, declared_system, driver_image

DIGEST = "sha256:" + "ab12" * 16


def compose(api, version, system, *, release="v26.7.0", precompiled=False, repository="nvcr.io/nvidia", image="driver"):
    rules = resolve(release)
    assert isinstance(rules, Release)
    spec = ImageSpec(api=api, repository=repository, image=image, version=version, precompiled=precompiled)
    return driver_image(rules, spec, declared_system(*system))


# gpu-operator's own unit tests: TestGetImagePath, TestGetPrecompiledImagePath, TestResolveDriverTag.
@pytest.mark.parametrize(
    ("api", "version", "system", "precompiled", "expected"),
    [
        (DriverApi.NVIDIADRIVER, "535.104.05", ("ubuntu", "22.04"), False, "535.104.05-ubuntu22.04"),
        (
            DriverApi.NVIDIADRIVER,
            "535",
            ("ubuntu", "22.04", "5.4.0-150-generic"),
            True,
            "535-5.4.0-150-generic-ubuntu22.04",
        ),
        (DriverApi.CLUSTERPOLICY, "470.57.02", ("ubuntu", "22.04"), False, "470.57.02-ubuntu22.04"),
        (
            DriverApi.CLUSTERPOLICY,
            "470.57.02",
            ("ubuntu", "22.04", "5.4.0-generic"),
            True,
            "470.57.02-5.4.0-generic-ubuntu22.04",
        ),
    ],
)
def test_examples_of_upstream_tests(api, version, system, precompiled, expected):
    assert compose(api, version, system, precompiled=precompiled) == f"nvcr.io/nvidia/driver:{expected}"


def test_a_digest_stands_for_itself():
    found = compose(DriverApi.NVIDIADRIVER, DIGEST, ("ubuntu", "22.04"))
    assert found == f"nvcr.io/nvidia/driver@{DIGEST}"


def test_the_policy_composes_what_does_not_parse():
    system = ("ubuntu", "22.04", "5.15.0-173-generic")
    found = compose(DriverApi.CLUSTERPOLICY, DIGEST, system, precompiled=True)
    assert isinstance(found, str)
    assert not reference.parses(found)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"version": ""}, Refusal.INCOMPLETE),
        ({"version": "", "repository": "", "image": ""}, Refusal.EMPTY),
        ({"version": DIGEST}, Refusal.DIGEST_WITH_PRECOMPILED),
        ({"system": ("ubuntu", "22.04", "5.14.0-427.el9.aarch64+64k")}, Refusal.UNPARSEABLE),
        ({"system": ("ubuntu", "22.04")}, Refusal.NODE_SKIPPED),
    ],
)
def test_refusals_of_a_precompiled_driver(changed, reason):
    wanted = {"version": "580", "system": ("ubuntu", "22.04", "5.15.0-173-generic")} | changed
    found = compose(DriverApi.NVIDIADRIVER, precompiled=True, **wanted)
    assert isinstance(found, Refused)
    assert found.reason is reason
    assert found.message
