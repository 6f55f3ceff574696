"""The config of one driver image: what its build wrote down of driver, kernel and modules.

gpu-driver-container ubuntu24.04/precompiled/Dockerfile (ENV DRIVER_VERSION, DRIVER_BRANCH, KERNEL_VERSION,
TARGETARCH) and rhel9/precompiled/Dockerfile (ENV DRIVER_VERSION, DRIVER_OPEN, labels version and release).
"""

from collections.abc import Mapping

from msgspec import DecodeError, Struct, ValidationError, json

from generator.facts import driver, tag
from generator.observed.manifest import Unreadable, platform

_REQUIREMENT = "NVIDIA_REQUIRE_"


class ImageConfig(Struct, frozen=True, kw_only=True):
    """What an image says of itself, "" where it says nothing. `requirements` are its NVIDIA_REQUIRE_* by name."""

    platform: str
    driver_version: str
    branch: str
    kernel: str
    module_type: str
    requirements: Mapping[str, str]


class _Run(Struct):
    Env: list[str] | None = None
    Labels: dict[str, str] | None = None


class _Config(Struct):
    os: str = ""
    architecture: str = ""
    variant: str = ""
    config: _Run | None = None


def parse(body: bytes) -> ImageConfig | Unreadable:
    """The config of an OCI or Docker image."""
    try:
        found = json.decode(body, type=_Config)
    except (DecodeError, ValidationError, UnicodeDecodeError):
        return Unreadable("its config is cut off or no config")
    run = found.config or _Run()
    env = dict(line.split("=", 1) for line in run.Env or () if "=" in line)
    labels = run.Labels or {}
    version = _version(env, labels)
    return ImageConfig(
        platform=platform(found.os, found.architecture or env.get("TARGETARCH", ""), found.variant),
        driver_version=version,
        branch=_branch(env, version),
        kernel=env.get("KERNEL_VERSION", "") or _released(labels.get("release", "")),
        module_type=_module_type(env.get("DRIVER_OPEN", "")),
        requirements={name: env[name] for name in sorted(env) if name.startswith(_REQUIREMENT)},
    )


def _version(env: Mapping[str, str], labels: Mapping[str, str]) -> str:
    """The exact version; a branch there tells nothing that the tag doesn't."""
    told = (env.get("DRIVER_VERSION", ""), labels.get("version", ""))
    return next((text for text in told if driver.is_driver(text) and not driver.is_branch(text)), "")


def _branch(env: Mapping[str, str], version: str) -> str:
    told = env.get("DRIVER_BRANCH", "")
    return told if driver.is_branch(told) else driver.branch(version)


def _released(label: str) -> str:
    """The kernel of a label KERNEL-OS, which is a tag but for its driver."""
    found = tag.parse(f"580-{label}")
    return found.kernel if isinstance(found, tag.ImageTag) else ""


def _module_type(told: str) -> str:
    """Fixed at build for RHEL and RHCOS; Ubuntu's images hold both kinds and say nothing."""
    return {"true": "open", "false": "proprietary"}.get(told.lower(), "")
