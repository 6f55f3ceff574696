"""Expected answers: facts/driver-images.md 1.3, 2.3 and 4 (NVIDIA/gpu-driver-container at 06a208c)."""

import pytest

from generator.facts.packaged import Builder, verdict


@pytest.mark.parametrize(
    ("os_tag", "kernel", "driver", "arch", "builder"),
    [
        ("ubuntu24.04", "6.8.0-106-generic", "580", "amd64", Builder.PUBLISHED),
        ("ubuntu24.04", "6.8.0-106-generic", "580", "arm64", Builder.PUBLISHED),
        ("ubuntu24.04", "6.8.0-106-generic", "580.126.20", "amd64", Builder.OWN),  # 1.2: always the branch
        ("ubuntu24.04", "6.8.0-1046-azure-fde", "595", "amd64", Builder.PUBLISHED),
        ("ubuntu24.04", "6.8.0-1046-azure-fde", "595", "arm64", Builder.OWN),
        ("ubuntu22.04", "5.15.0-173-generic", "580", "arm64", Builder.OWN),
        ("ubuntu26.04", "7.0.0-1013-nvidia", "595", "amd64", Builder.PUBLISHED),
        ("ubuntu26.04", "7.0.0-1013-nvidia", "580", "amd64", Builder.OWN),
        ("ubuntu22.04", "5.15.0-173-generic", "535", "amd64", Builder.OWN),
        ("ubuntu22.04", "5.15.0-1061-gke", "580", "amd64", Builder.NOBODY),
        ("ubuntu24.04", "6.8.0-1010-nvidia-64k", "580", "arm64", Builder.NOBODY),
        ("ubuntu24.04", "6.17.0-1007-aws", "580", "amd64", Builder.NOBODY),
        ("ubuntu24.04", "6.8.0-106-generic", "610", "amd64", Builder.NOBODY),
        ("ubuntu24.04", "6.8.0-106-generic", "575.57.08", "amd64", Builder.NOBODY),
        ("rhcos4.15", "5.14.0-284.54.1.el9_2.aarch64_64k", "550.54.14", "arm64", Builder.OWN),
        ("debian12", "6.1.0-18-amd64", "550.90.07", "amd64", Builder.OWN),
    ],
)
def test_who_builds_an_image(os_tag: str, kernel: str, driver: str, arch: str, builder: Builder) -> None:
    found = verdict(os_tag, kernel, driver, arch)
    assert found.builder is builder
    assert found.reason
    assert found.source


def test_a_stopped_branch_says_when() -> None:
    """The git log of the driver container: 535 was dropped on 2026-05-29."""
    assert "2026-05-29" in verdict("ubuntu22.04", "5.15.0-173-generic", "535", "amd64").reason
