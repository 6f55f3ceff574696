"""Image configs as gpu-driver-container's Dockerfiles leave them (ubuntu24.04/precompiled, rhel9/precompiled)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.observed.imageconfig import ImageConfig, parse
from generator.observed.manifest import Unreadable
from tests.testing.registry import images

KERNEL = "5.14.0-427.37.1.el9_4.x86_64"


def told(env: dict[str, str], labels: dict[str, str] | None = None) -> ImageConfig:
    found = parse(images.config(env=env, labels=labels))
    assert isinstance(found, ImageConfig)
    return found


def test_ubuntu_tells_all_in_its_environment() -> None:
    env = images.ubuntu_env("6.8.0-106-generic", "580.126.20")
    assert told(env, {"version": "580-6.8.0-106-generic"}) == ImageConfig(
        platform="linux/amd64",
        driver_version="580.126.20",
        branch="580",
        kernel="6.8.0-106-generic",
        module_type="",
        requirements={},
    )


def test_rhel_tells_the_kernel_in_a_label() -> None:
    found = told({"DRIVER_VERSION": "580.159.04"}, {"version": "580.159.04", "release": f"{KERNEL}-rhel9.4"})
    assert (found.driver_version, found.branch, found.kernel) == ("580.159.04", "580", KERNEL)


def test_the_label_tells_the_version_where_the_environment_is_silent() -> None:
    assert told({}, {"version": "550.54.14"}).driver_version == "550.54.14"


@pytest.mark.parametrize(
    ("env", "labels"),
    [({"DRIVER_VERSION": "580"}, {"version": "580-6.8.0-106-generic"}), ({"DRIVER_VERSION": "latest"}, {}), ({}, None)],
)
def test_what_is_no_exact_version_is_none(env: dict[str, str], labels: dict[str, str] | None) -> None:
    assert told(env, labels).driver_version == ""


@pytest.mark.parametrize("version", ["535.104.05", "580.142", "455.28"])
def test_a_version_is_kept_as_written(version: str) -> None:
    assert told({"DRIVER_VERSION": version}).driver_version == version


@pytest.mark.parametrize(
    ("text", "expected"), [("true", "open"), ("True", "open"), ("false", "proprietary"), ("", ""), ("maybe", "")]
)
def test_the_module_type_of_a_rhel_build(text: str, expected: str) -> None:
    assert told({"DRIVER_OPEN": text}).module_type == expected


@pytest.mark.parametrize("release", ["", "1", "6.8.0-106-generic", "-rhel9.4", "a b-rhel9.4"])
def test_labels_without_a_kernel(release: str) -> None:
    assert told({}, {"release": release}).kernel == ""


def test_requirements_are_kept_by_name() -> None:
    """CUDA 12.4's base image (nvidia/cuda), shortened."""
    env = {"NVIDIA_REQUIRE_CUDA": "cuda>=12.4 brand=tesla,driver>=470,driver<471", "NVIDIA_VISIBLE_DEVICES": "all"}
    assert told(env).requirements == {"NVIDIA_REQUIRE_CUDA": "cuda>=12.4 brand=tesla,driver>=470,driver<471"}


def test_a_config_without_a_platform_may_name_it_in_its_environment() -> None:
    body = json.dumps({"os": "linux", "config": {"Env": ["TARGETARCH=arm64"]}}).encode()
    found = parse(body)
    assert isinstance(found, ImageConfig)
    assert found.platform == "linux/arm64"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"config": []}', b'{"config": {"Env": {}}}', b"\xff"])
def test_what_is_no_config(body: bytes) -> None:
    assert isinstance(parse(body), Unreadable)


@given(st.binary(max_size=200))
def test_any_bytes_are_answered(body: bytes) -> None:
    assert isinstance(parse(body), ImageConfig | Unreadable)


@given(st.dictionaries(st.text(max_size=9), st.text(max_size=20)), st.dictionaries(st.text(max_size=9), st.text()))
def test_any_environment_is_answered(env: dict[str, str], labels: dict[str, str]) -> None:
    assert isinstance(parse(images.config(env=env, labels=labels)), ImageConfig)
