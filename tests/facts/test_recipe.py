"""Expected arguments: facts/driver-images.md 2.2 and 2.6 (Dockerfiles and Makefiles of NVIDIA/gpu-driver-container)."""

from generator.facts.recipe import recipe


def test_ubuntu_by_branch_leaves_the_exact_version_open() -> None:
    made = recipe("ubuntu24.04", "6.8.0-44-generic", "580")
    assert made is not None
    assert (made.tool, made.folder) == ("docker build", "ubuntu24.04/precompiled")
    assert made.arguments == {"KERNEL_VERSION": "6.8.0-44-generic", "DRIVER_BRANCH": "580"}
    assert list(made.open_arguments) == ["DRIVER_VERSION"]
    assert "nvidia-utils-580-server" in made.open_arguments["DRIVER_VERSION"]


def test_ubuntu_by_version_leaves_nothing_open() -> None:
    made = recipe("ubuntu22.04", "5.15.0-173-generic", "535.104.05")
    assert made is not None
    assert made.arguments["DRIVER_BRANCH"] == "535"
    assert made.arguments["DRIVER_VERSION"] == "535.104.05"
    assert made.open_arguments == {}


def test_red_hat_builds_on_the_kernels_own_machine() -> None:
    made = recipe("rhcos4.15", "5.14.0-284.54.1.el9_2.aarch64+64k", "550.54.14")
    assert made is not None
    assert (made.tool, made.folder) == ("make image image-push", "rhel9/precompiled")
    assert made.arguments == {
        "KERNEL_VERSION": "5.14.0-284.54.1.el9_2.aarch64+64k",
        "OS_TAG": "rhcos4.15",
        "DRIVER_EPOCH": "1",
        "DRIVER_VERSION": "550.54.14",
        "BUILD_ARCH": "aarch64",
        "TARGET_ARCH": "aarch64",
    }
    assert set(made.open_arguments) == {"DRIVER_TOOLKIT_IMAGE", "RHEL_VERSION", "DRIVER_OPEN"}


def test_rhel_8_has_a_folder_of_its_own() -> None:
    made = recipe("rhcos4.13", "4.18.0-513.9.1.el8_9.x86_64", "580")
    assert made is not None
    assert made.folder == "rhel8/precompiled"
    assert "DRIVER_VERSION" in made.open_arguments


def test_what_the_driver_container_has_no_folder_for() -> None:
    assert recipe("debian12", "6.1.0-18-amd64", "550.90.07") is None
