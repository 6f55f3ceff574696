"""Public cases of the area image-tag: how the name of an image is put together."""

import pytest

from tests.cases.inventory import FLEET, files, fleet, image, pool
from tests.cases.outcome import Result, hides, outcome, shows
from tests.testing.repository import CaseRepo

EL9 = "5.14.0-427.37.1.el9_4.x86_64"


def test_d06_a_version_that_carries_the_os_already(repo: CaseRepo) -> None:
    """NVIDIA/gpu-operator#1200."""
    said = repo.refused(files(pool("pool-a", 'mode: compiled, version: "565.57.01-ubuntu22.04"', kernels="")))
    shows(said, "565.57.01-ubuntu22.04", "[image/version-has-suffix]", "the OS ubuntu22.04")
    hides(said, "ubuntu22.04-ubuntu22.04")


def test_d06_a_version_that_carries_the_kernel_already(repo: CaseRepo) -> None:
    said = repo.refused(files(pool("pool-a", 'version: "535-5.15.0-118-generic"')))
    shows(said, "[image/version-has-suffix]", "the kernel 5.15.0-118-generic")


@pytest.mark.parametrize(
    ("operator", "os", "tag"),
    [
        ("v25.10.1", 'id: rhel, version: "9.4"', "rhel9.4"),
        ("v26.3.3", 'id: rhel, version: "9.4"', "rhel9.4"),
        ("v26.7.0", 'id: rhel, version: "9.4"', "rhel9"),
        ("v25.10.1", 'id: rocky, version: "9.5"', "rocky9.5"),
        ("v26.7.0", 'id: rocky, version: "9.5"', "rocky9"),
        ("v26.3.3", 'id: ol, version: "8.10"', "ol8.10"),
        ("v26.7.0", 'id: ol, version: "8.10"', "ol8"),
        ("v26.3.3", 'id: ubuntu, version: "22.04"', "ubuntu22.04"),
        ("v26.7.0", 'id: ubuntu, version: "22.04"', "ubuntu22.04"),
        ("v26.3.3", 'id: rhcos, version: "4.17"', "rhcos4.17"),
        ("v26.7.0", 'id: rhcos, version: "4.17"', "rhcos4.17"),
        # The operator's own rule for rocky came with v26.3 (tests/data/oracle, os_tags): the case says v26.7.
        ("v26.3.3", 'id: rocky, version: "9.5"', "rocky9"),
    ],
)
def test_d09_the_os_tag_is_a_rule_of_the_operators_release(operator: str, os: str, tag: str) -> None:
    """NVIDIA/gpu-operator#2471."""
    whole = f"580-{EL9}-{tag}"
    said = outcome(files(pool("rhel", 'branch: "580"', os=os, kernels=EL9), images=(whole,), operator=operator))
    assert said.result is Result.OK
    assert said.asked("rhel") == [f"nvcr.io/nvidia/driver:{whole}"]


def test_d09_the_whole_tag_of_the_new_style() -> None:
    one = pool("rhel", 'branch: "580"', os='id: rhel, version: "9.4"', kernels=EL9)
    said = outcome(files(one, images=(f"580-{EL9}-rhel9",)))
    shows(said.shown, "580-5.14.0-427.37.1.el9_4.x86_64-rhel9")


def test_d13_a_kernel_with_a_plus_sign() -> None:
    """kubernetes-sigs/kernel-module-management PR#77: the label form is taken, since no tag can hold a plus."""
    one = pool("cos", 'branch: "580"', os='id: cos, version: "121"', kernels='"6.1.112+"')
    said = outcome(files(one, images=("580-6.1.112-cos121",)))
    assert said.result is Result.OK
    assert said.asked("cos") == ["nvcr.io/nvidia/driver:580-6.1.112-cos121"]
    hides(said.shown, ":580-6.1.112\\+")


TWO = ("535.104.05-ubuntu22.04", "550.90.07-ubuntu22.04")
NEXT_TO_IT = ("535.104.5-ubuntu22.04", "550.90.07-ubuntu22.04")


def test_d20_leading_zeros_stay() -> None:
    """shannah/jdeploy#152."""
    said = outcome(files(pool("pool-a", 'mode: compiled, version: "535.104.05"', kernels=""), images=TWO))
    assert said.result is Result.OK
    assert said.asked("pool-a") == ["nvcr.io/nvidia/driver:535.104.05-ubuntu22.04"]
    shows(said.shown, "535.104.05-ubuntu22.04")
    hides(said.shown, "535.104.5-")


def test_d20_a_version_that_only_counts_the_same_is_no_match() -> None:
    said = outcome(files(pool("pool-a", 'mode: compiled, version: "535.104.05"', kernels=""), images=NEXT_TO_IT))
    assert said.result is Result.FINDINGS
    shows(said.of("image/missing")[0], "needs 535.104.05-ubuntu22.04")


@pytest.mark.parametrize("repository", ['""', "driver", '"registry.example.com/"'])
def test_d21_a_repository_without_a_path_or_an_image(repo: CaseRepo, repository: str) -> None:
    """NVIDIA/gpu-operator#219; drivergate takes repository and image as one name, as the catalog does."""
    said = repo.refused(files(pool("pool-a", f'branch: "535", repository: {repository}')))
    shows(said, "driver.repository", "[image/incomplete-reference]")


def test_d21_no_repository_at_all(repo: CaseRepo) -> None:
    without = fleet().replace("repository: nvcr.io/nvidia/driver, ", "")
    said = repo.refused({**files(pool("pool-a", 'branch: "535"')), FLEET: without})
    shows(said, "driver.repository is not set", "[image/incomplete-reference]")


def test_d21_no_version(repo: CaseRepo) -> None:
    said = repo.refused(files(pool("pool-a")))
    shows(said, "driver.branch or driver.version is not set", "[image/incomplete-reference]")


def test_d21_a_valid_render_carries_all_three() -> None:
    said = outcome(files(pool("a", 'branch: "535"'), images=("535-5.15.0-118-generic-ubuntu22.04",)))
    assert said.result is Result.OK
    shows(said.file("nvidiadriver-a.yaml"), "image: driver", "repository: nvcr.io/nvidia\n", 'version: "535"')


DIGEST = f"sha256:{1:064x}"


def test_d22_a_digest_with_precompiled(repo: CaseRepo) -> None:
    """NVIDIA/gpu-operator#219."""
    said = repo.refused(files(pool("pool-a", f'version: "{DIGEST}"')))
    shows(said, "digest", "[image/digest-with-precompiled]")


def test_d22_a_digest_without_precompiled_gets_no_suffix() -> None:
    one = pool("pool-a", f'mode: compiled, version: "{DIGEST}"', kernels="")
    built = image("580.126.20-ubuntu22.04", more=f', digest: "{DIGEST}"')
    said = outcome(files(one, images=(built,)))
    assert said.result is Result.OK
    assert said.asked("pool-a") == [f"nvcr.io/nvidia/driver@{DIGEST}"]
