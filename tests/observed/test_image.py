"""What is under a tag, put together from its manifests and configs."""

from collections.abc import Mapping

import pytest

from generator.observed.image import BuiltImage, built
from generator.observed.manifest import Unreadable
from tests.testing.registry import images
from tests.testing.registry.images import Manifest

TAG = "580-6.8.0-106-generic-ubuntu24.04"
KERNEL = "6.8.0-106-generic"


def of(arch: str, version: str = "580.126.20", kernel: str = KERNEL, **env: str) -> Manifest:
    return images.image(images.config(arch, images.ubuntu_env(kernel, version) | {"TARGETARCH": arch} | env))


def seen(top: Manifest, *, without: tuple[str, ...] = ()) -> BuiltImage | Unreadable:
    there: dict[str, bytes] = {}

    def hold(one: Manifest) -> None:
        there[one.digest] = one.body
        there.update({images.digest(blob): blob for blob in one.blobs})
        for member in one.members:
            hold(member)

    hold(top)
    for digest in without:
        there.pop(digest)
    return built(TAG, top.media_type, top.digest, top.body, lambda _, digest: there.get(digest))


def image(top: Manifest, **given) -> BuiltImage:
    found = seen(top, **given)
    assert isinstance(found, BuiltImage)
    return found


@pytest.mark.parametrize("form", images.FORMS)
def test_each_form_tells_the_same(form: str) -> None:
    one = images.in_form(form)
    assert image(one) == BuiltImage(
        tag=TAG, platforms=("linux/amd64",), digest=one.digest, driver_version="580.126.20", kernel=KERNEL
    )


@pytest.mark.parametrize(
    ("amd", "arm", "lower"),
    [
        ("580.126.20", "580.126.09", "580.126.09"),
        ("580.95.05", "580.126.09", "580.95.05"),  # 95 before 126, and the zero stays
        ("580.142", "580.142.01", "580.142"),
    ],
)
def test_the_lower_driver_counts_and_is_told(amd: str, arm: str, lower: str) -> None:
    found = image(images.index({"linux/amd64": of("amd64", amd), "linux/arm64": of("arm64", arm)}))
    assert found.driver_version == lower
    assert found.notes == (f"the driver differs: {amd} on linux/amd64, {arm} on linux/arm64",)


def test_a_platform_that_does_not_tell_its_driver_leaves_it_untold() -> None:
    found = image(images.index({"linux/amd64": of("amd64"), "linux/arm64": of("arm64", "580")}))
    assert found.driver_version == ""
    assert found.notes == ("the driver differs: 580.126.20 on linux/amd64, not told on linux/arm64",)


def test_other_disagreements_leave_a_fact_untold() -> None:
    both = {
        "linux/amd64": of("amd64", DRIVER_OPEN="true"),
        "linux/arm64": of("arm64", kernel="6.8.0-107-generic", DRIVER_OPEN="false"),
    }
    found = image(images.index(both))
    assert (found.kernel, found.module_type) == ("", "")
    assert found.notes == (
        f"the kernel differs: {KERNEL} on linux/amd64, 6.8.0-107-generic on linux/arm64",
        "the module type differs: open on linux/amd64, proprietary on linux/arm64",
    )


def test_a_member_that_is_missing_is_no_platform() -> None:
    amd, arm = of("amd64"), of("arm64")
    both = images.index({"linux/amd64": amd, "linux/arm64": arm})
    for lacking in (arm.digest, images.digest(arm.blobs[0])):
        found = image(both, without=(lacking,))
        assert found.platforms == ("linux/amd64",)
        assert found.notes == ("linux/arm64 is listed, but not there",)


def test_an_index_that_is_wrong_about_its_member_is_told() -> None:
    found = image(images.index({"linux/arm64": of("amd64")}))
    assert found.notes == ("the index calls linux/arm64 what calls itself linux/amd64",)


def test_an_index_of_nothing_has_no_platform() -> None:
    found = image(images.index({}, attested=False))
    assert (found.platforms, found.driver_version) == ((), "")


@pytest.mark.parametrize(
    "broken",
    [
        images.image(images.config()[:-5]),
        images.index({"linux/amd64": images.image(b"[]")}),
        images.index({"linux/amd64": images.index({"linux/amd64": images.image()})}),
        images.index({"linux/amd64": Manifest(images.OCI_MANIFEST, b"{}")}),
        Manifest(images.OCI_MANIFEST, b"{}"),
    ],
)
def test_what_can_not_be_read_says_why(broken: Manifest) -> None:
    found = seen(broken)
    assert isinstance(found, Unreadable)
    assert found.reason


def test_a_single_image_without_its_config() -> None:
    one = of("amd64")
    assert seen(one, without=(images.digest(one.blobs[0]),)) == Unreadable("its config is missing")


def test_requirements_are_those_of_the_first_platform() -> None:
    requirements: Mapping[str, str] = {"NVIDIA_REQUIRE_CUDA": "cuda>=12.4"}
    assert image(of("amd64", **requirements)).requirements == requirements
