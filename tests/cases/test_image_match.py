"""Public cases of the area image-match: the image that a node asks for is built, or it is not."""

import pytest

from tests.cases.inventory import files, image, pool
from tests.cases.outcome import Result, hides, outcome, shows


def test_d01_a_kernel_one_patch_ahead_of_what_is_built() -> None:
    """NVIDIA/gpu-operator#910."""
    one = pool("pool-a", 'branch: "535"', kernels="5.15.0-118-generic")
    said = outcome(files(one, images=("535-5.15.0-117-generic-ubuntu22.04",)))
    assert said.result is Result.FINDINGS
    (missing,) = said.of("image/missing")
    shows(missing, '"east/pool-a"', "535-5.15.0-118-generic-ubuntu22.04", "nearest built", "5.15.0-117-generic")
    hides(said.shown, "image: .*535-5.15.0-117-generic")
    assert said.asked("pool-a") == ["nvcr.io/nvidia/driver:535-5.15.0-118-generic-ubuntu22.04"]


@pytest.mark.parametrize("around", [("97", "88"), ("88", "97")])
def test_d02_the_closest_kernel_is_found_by_number(around: tuple[str, str]) -> None:
    """NVIDIA/gpu-operator#682: as text, 100 stands before 88 and 97."""
    one = pool("pool-a", 'branch: "535"', kernels="5.15.0-100-generic")
    tags = tuple(f"535-5.15.0-{number}-generic-ubuntu22.04" for number in around)
    said = outcome(files(one, images=tags))
    assert said.result is Result.FINDINGS
    (missing,) = said.of("image/missing")
    shows(missing, "535-5.15.0-100-generic-ubuntu22.04")
    shows(missing, "nearest built are 535-5.15.0-97-generic-ubuntu22.04 below and none above")


def test_d02_a_later_kernel_is_above() -> None:
    one = pool("pool-a", 'branch: "535"', kernels="5.15.0-97-generic")
    tags = ("535-5.15.0-100-generic-ubuntu22.04", "535-5.15.0-88-generic-ubuntu22.04")
    (missing,) = outcome(files(one, images=tags)).of("image/missing")
    shows(missing, "535-5.15.0-88-generic-ubuntu22.04 below and 535-5.15.0-100-generic-ubuntu22.04 above")


def test_d04_an_exact_version_where_tags_are_keyed_by_branch() -> None:
    """NVIDIA/gpu-operator#933."""
    one = pool("gke", 'version: "550.90.07"', kernels="5.15.0-1061-gke")
    said = outcome(files(one, images=("550-5.15.0-1076-aws-ubuntu22.04",)))
    assert said.result is Result.FINDINGS
    shows(said.of("image/missing")[0], "550.90.07-5.15.0-1061-gke-ubuntu22.04")
    (note,) = said.of("image/branch-expected")
    shows(note, "keyed by branch 550", 'driver.branch: "550"')
    shows(said.file("nvidiadriver-gke.yaml"), 'version: "550.90.07"')


def test_d05_a_flavour_that_nobody_publishes_is_fine_once_it_is_built() -> None:
    """NVIDIA/gpu-operator#1220."""
    one = pool("gke", 'branch: "550"', kernels="5.15.0-1061-gke")
    said = outcome(files(one, images=("550-5.15.0-1061-gke-ubuntu22.04",)))
    assert said.result is Result.OK
    shows(said.file("nvidiadriver-gke.yaml"), 'version: "550"', "usePrecompiled: true")
    assert said.asked("gke") == ["nvcr.io/nvidia/driver:550-5.15.0-1061-gke-ubuntu22.04"]
    shows(said.shown, "550-5.15.0-1061-gke-ubuntu22.04")
    hides(said.shown, "unsupported flavour")


OLD = pool("old", 'version: "570.172.08"', os='id: gardenlinux, version: "1592.11"', kernels="6.6.95-cloud-amd64")
NEW = pool("new", 'version: "570.172.08"', os='id: gardenlinux, version: "1877.2"', kernels="6.12.40-cloud-amd64")


@pytest.mark.parametrize("pools", [(OLD, NEW), (NEW, OLD)], ids=["old first", "new first"])
def test_d07_two_pools_never_share_an_image(pools: tuple[str, str]) -> None:
    """NVIDIA/gpu-operator#1622."""
    old = "570.172.08-6.6.95-cloud-amd64-gardenlinux1592.11"
    new = "570.172.08-6.12.40-cloud-amd64-gardenlinux1877.2"
    said = outcome(files(*pools, images=(new, old)))
    assert said.result is Result.OK
    shows(said.shown, "570.172.08-6.6.95-cloud-amd64-gardenlinux1592.11")
    shows(said.shown, "570.172.08-6.12.40-cloud-amd64-gardenlinux1877.2")
    assert said.asked("old") == [f"nvcr.io/nvidia/driver:{old}"]
    assert said.asked("new") == [f"nvcr.io/nvidia/driver:{new}"]


def test_d10_a_minor_of_the_os_that_is_not_built() -> None:
    """NVIDIA/gpu-operator#1895; operator v25.10 keeps the minor."""
    one = pool("rhel", 'mode: compiled, version: "580.82.07"', os='id: rhel, version: "9.7"', kernels="")
    said = outcome(files(one, images=("580.82.07-rhel9.6",), operator="v25.10.1"))
    assert said.result is Result.FINDINGS
    shows(said.of("image/missing")[0], "580.82.07-rhel9.7", "580.82.07-rhel9.6")
    assert said.asked("rhel") == ["nvcr.io/nvidia/driver:580.82.07-rhel9.7"]


def test_d17_an_os_with_an_odd_version() -> None:
    """NVIDIA/gpu-operator#647."""
    one = pool("talos", 'mode: compiled, version: "535.129.03"', os='id: talos, version: "v1.6.1"', kernels="")
    said = outcome(files(one, images=("535.129.03-ubuntu22.04",)))
    assert said.result is Result.FINDINGS
    assert said.rules == {"image/missing", "branch/end-of-life"}
    shows(said.of("image/missing")[0], "535.129.03-talosv1.6.1", "driver.enabled=false")
    hides(said.shown, "Traceback")


def test_d18_a_tag_that_is_built_for_another_platform_only() -> None:
    """NVIDIA/gpu-driver-container PR#1010."""
    ubuntu = 'id: ubuntu, version: "26.04"'
    one = pool("arm", 'branch: "595"', os=ubuntu, arch="arm64", kernels="7.0.0-14-generic")
    said = outcome(files(one, images=("595-7.0.0-14-generic-ubuntu26.04",)))
    assert said.result is Result.FINDINGS
    assert said.rules == {"image/missing-platform"}
    shows(said.report, '"east/arm"', "linux/arm64", "it is built for linux/amd64 only")


def test_d19_a_flavour_whose_name_begins_like_another() -> None:
    """NVIDIA/gpu-driver-container PR#971."""
    ubuntu = 'id: ubuntu, version: "24.04"'
    one = pool("gb", 'branch: "580"', os=ubuntu, arch="arm64", kernels="6.8.0-1040-nvidia-64k")
    built = image("580-6.8.0-1040-nvidia-ubuntu24.04", "linux/amd64, linux/arm64")
    said = outcome(files(one, images=(built,)))
    assert said.result is Result.FINDINGS
    shows(said.of("image/missing")[0], "needs 580-6.8.0-1040-nvidia-64k-ubuntu24.04 for linux/arm64")
    assert said.asked("gb") == ["nvcr.io/nvidia/driver:580-6.8.0-1040-nvidia-64k-ubuntu24.04"]
