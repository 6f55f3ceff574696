"""How a precompiled image is built: the driver container's own folder and build arguments for each OS.

Read in cloud-native-docs gpu-operator/precompiled-drivers.rst, corrected by the Dockerfiles and Makefiles of
NVIDIA/gpu-driver-container (ubuntu24.04/precompiled/Dockerfile, rhel9/precompiled/Makefile).
"""

import re
from collections.abc import Mapping

from msgspec import Struct

from generator.facts import driver as drivers
from generator.facts.kernel import architecture

CONTAINERS = "NVIDIA/gpu-driver-container"
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


class Recipe(Struct, frozen=True, kw_only=True):
    """One build. `open_arguments` are what has to be given too, and only whoever builds can know."""

    tool: str
    folder: str
    arguments: Mapping[str, str]
    open_arguments: Mapping[str, str]


def recipe(os_tag: str, kernel: str, driver: str, arch: str = "") -> Recipe | None:
    """The build of a kernel as `uname -r` prints it; None where the driver container has no folder for the OS."""
    if os_tag.startswith("ubuntu"):
        return _ubuntu(os_tag, kernel, driver)
    red_hat = re.search(r"\.el([0-9]+)", kernel)
    return _red_hat(os_tag, red_hat[1], kernel, driver, arch) if red_hat else None


def _ubuntu(os_tag: str, kernel: str, driver: str) -> Recipe:
    given = {"KERNEL_VERSION": kernel, "DRIVER_BRANCH": drivers.branch(driver)}
    if not drivers.is_branch(driver):
        return Recipe(
            tool="docker build",
            folder=f"{os_tag}/precompiled",
            arguments={**given, "DRIVER_VERSION": driver},
            open_arguments={},
        )
    package = f"nvidia-utils-{given['DRIVER_BRANCH']}-server"
    asked = {"DRIVER_VERSION": f"the version of {package} that apt has, or the build fails"}
    return Recipe(tool="docker build", folder=f"{os_tag}/precompiled", arguments=given, open_arguments=asked)


def _red_hat(os_tag: str, major: str, kernel: str, driver: str, arch: str) -> Recipe:
    machine = MACHINES.get(architecture(kernel) or arch, "x86_64")
    given = {"KERNEL_VERSION": kernel, "OS_TAG": os_tag, "DRIVER_EPOCH": "1"}
    asked = {
        "DRIVER_TOOLKIT_IMAGE": "the driver toolkit image of that kernel",
        "RHEL_VERSION": "the minor release that the kernel is of",
        "DRIVER_OPEN": "true for GPUs that need open kernel modules; false is the default",
    }
    if drivers.is_branch(driver):
        asked["DRIVER_VERSION"] = f"an exact version of {driver}"
    else:
        given["DRIVER_VERSION"] = driver
    return Recipe(
        tool="make image image-push",
        folder=f"rhel{major}/precompiled",
        arguments={**given, "BUILD_ARCH": machine, "TARGET_ARCH": machine},
        open_arguments=asked,
    )
