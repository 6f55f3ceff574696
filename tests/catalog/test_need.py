"""What a fleet needs of a repository, and what it can come to need."""

import pytest

from generator.catalog.need import needs, wishes
from generator.declared.build import build
from generator.declared.entry import Entry
from generator.declared.fleet import Fleet
from generator.declared.inventory import load
from tests.testing.inventories import FLEET, cluster

DRIVER = "nvcr.io/nvidia/driver"
UBUNTU = 'os: {id: ubuntu, version: "24.04"}, arch: [amd64], kernels: [6.8.0-1050-aws]'
RHEL = 'os: {id: rhel, version: "9.6"}, arch: [arm64], kernels: [5.14.0-570.12.1.el9_6.aarch64]'


def fleet(*pools: str, top: str = "") -> Fleet:
    selected = [f"nodeSelector: {{example.com/pool: p{index}}}, {pool}" for index, pool in enumerate(pools)]
    files = {"inventory/fleet.yaml": FLEET + top, "inventory/one.yaml": cluster(*selected)}
    built = build(load({path: text.encode() for path, text in files.items()}), version="0.1.0")
    assert built.findings == ()
    return built.fleet


@pytest.mark.parametrize(
    ("tag", "takes"),
    [
        ("580-6.8.0-1050-aws-ubuntu24.04", True),
        ("580-6.8.0-1099-azure-ubuntu24.04", True),  # any kernel: the next one may be of another flavour
        ("580.126.20-6.8.0-1050-aws-ubuntu24.04", True),
        ("580-5.15.0-173-generic-ubuntu22.04", False),
        ("595-6.8.0-1050-aws-ubuntu24.04", False),
        ("580.126.20-ubuntu24.04", False),  # compiled, and no pool compiles
        ("17028ae9-580-6.8.0-1044-aws-ubuntu24.04", False),  # a build of a pipeline (driver-images.md 1.8)
        ("base-noble-6.8-generic-580", False),
        ("latest", False),
    ],
)
def test_branches_and_systems(tag: str, *, takes: bool) -> None:
    assert wishes(fleet(UBUNTU))[DRIVER].takes(tag) is takes


@pytest.mark.parametrize(
    ("tag", "takes"),
    [
        # The same node under v26.7 and before it (driver-images.md 1.4), so that the next release finds its images.
        ("580.159.04-5.14.0-570.12.1.el9_6.aarch64-rhel9", True),
        ("580.159.04-5.14.0-570.12.1.el9_6.aarch64-rhel9.6", True),
        ("580.159.04-5.14.0-570.12.1.el9_6.aarch64_64k-rhel9", True),
        ("580.159.04-5.14.0-570.12.1.el9_6.x86_64-rhel9", False),  # the kernel names another machine
        ("580.159.04-5.14.0-570.12.1.el9_6.aarch64-rhel9.4", False),
    ],
)
def test_systems_by_each_of_their_names_and_the_machine_in_a_kernel(tag: str, *, takes: bool) -> None:
    wish = wishes(fleet(f'{RHEL}, driver: {{version: "580.126.20"}}'))[DRIVER]
    assert wish.takes(tag) is takes


def test_a_name_of_ones_own_is_taken_as_it_is() -> None:
    """The operator only concatenates, so any text in `version` works."""
    wish = wishes(fleet(f"{UBUNTU}, driver: {{version: nightly}}"))[DRIVER]
    assert wish.takes("nightly-6.8.0-1050-aws-ubuntu24.04")
    assert not wish.takes("nightly-6.8.0-1053-aws-ubuntu24.04")


def test_an_image_that_is_asked_for_by_digest() -> None:
    digest = "sha256:" + "a" * 64
    compiled = f'{UBUNTU.partition(", kernels")[0]}, driver: {{mode: compiled, version: "{digest}"}}'
    wish = wishes(fleet(compiled))[DRIVER]
    assert wish.asks_for(Entry("580.126.20-ubuntu24.04", digest=digest))
    assert not wish.asks_for(Entry("580.126.20-ubuntu24.04"))


def test_host_drivers_need_nothing() -> None:
    assert (
        wishes(fleet(f'{UBUNTU.partition(", kernels")[0]}, driver: {{mode: preinstalled, version: "580.1.2"}}')) == {}
    )


def test_chains_of_mirrors() -> None:
    """A proxy is its upstream; a copy, and what it is of, are both of interest; only the copy is needed."""
    mirrors = (
        "mirrors:\n"
        f"  edge.example.com/driver: {{of: {DRIVER}, kind: proxy}}\n"
        f"  {DRIVER}: {{of: ghcr.io/nvidia/driver, kind: copy}}\n"
    )
    found = fleet(f"{UBUNTU}, driver: {{repository: edge.example.com/driver}}", top=mirrors)
    assert [*wishes(found)] == ["ghcr.io/nvidia/driver", DRIVER]
    assert [*needs(found)] == [DRIVER]


def test_who_needs_an_image() -> None:
    later = UBUNTU.replace("kernels", "kernels: [6.8.0-1049-aws], upcomingKernels")
    (needed,) = needs(fleet(UBUNTU, later)).values()
    assert [(tag, need.upcoming) for tag, need in needed.items()] == [
        ("580-6.8.0-1049-aws-ubuntu24.04", False),
        ("580-6.8.0-1050-aws-ubuntu24.04", False),  # one of the two runs it today
    ]
    users = needed["580-6.8.0-1050-aws-ubuntu24.04"].users
    assert [(user.pool, user.upcoming, user.platform) for user in users] == [
        ("a", False, "linux/amd64"),
        ("b", True, "linux/amd64"),
    ]
