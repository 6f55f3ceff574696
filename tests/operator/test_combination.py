"""What must be built, and every reference that the operator will ask for."""

import pytest

from generator.declared.fleet import Cluster
from generator.facts.release import Release, known, resolve
from generator.operator.combination import combinations, references
from tests.testing.inventories import FLEET, IMAGE, POOL, files
from tests.testing.judging import revision_of

MANAGER = "nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.12.0"  # chart-values.yaml of v26.7.0
DRIVER = "nvcr.io/nvidia/driver"
TWO = IMAGE.replace("running:", '  "2026.05": 5.15.0-1112-aws\nrunning:') + 'upcoming: ["2026.05"]\n'


def made(pool: str, *, image: str = IMAGE, version: str = "v26.7.0", api: str = "NVIDIADriver") -> Cluster:
    fleet = FLEET.replace("{version: v26.7.0}", f"{{version: {version}, driverApi: {api}}}")
    (found,) = revision_of(files(pool, image=image, fleet=fleet))[0].fleet.clusters
    return found


def refs(pool: str, **how: str) -> tuple[str, ...]:
    found = made(pool, **how)
    return references(found, found.pools[0])


@pytest.mark.parametrize("api", ["NVIDIADriver", "ClusterPolicy"])
def test_running_and_upcoming_images_and_the_driver_manager(api: str) -> None:
    assert refs(POOL, image=TWO, api=api) == (
        MANAGER,
        f"{DRIVER}:580-5.15.0-1111-aws-ubuntu22.04",
        f"{DRIVER}:580-5.15.0-1112-aws-ubuntu22.04",
    )


def test_a_compiled_driver_has_no_kernel_in_its_name() -> None:
    pool = f"{POOL}, driver: {{mode: compiled, version: '580.126.20'}}"
    assert refs(pool) == (MANAGER, f"{DRIVER}:580.126.20-ubuntu22.04")


@pytest.mark.parametrize("version", known())
def test_the_driver_manager_is_that_of_the_release(version: str) -> None:
    release = resolve(version)
    assert isinstance(release, Release)
    assert refs(POOL, version=version)[0] == release.driver_manager


def test_a_driver_manager_of_one_s_own() -> None:
    spec = "{manager: {repository: registry.example.com/x, image: m, version: v1}}"
    assert refs(f"{POOL}, driver: {{spec: {spec}}}")[1] == "registry.example.com/x/m:v1"


@pytest.mark.parametrize(("enabled", "there"), [("true", True), ("false", False)])
@pytest.mark.parametrize("component", ["gds", "gdrcopy"])
def test_gds_and_gdrcopy_where_they_are_enabled(component: str, enabled: str, there: bool) -> None:
    spec = f"{{{component}: {{enabled: {enabled}, repository: r.example.com, image: x, version: v2}}}}"
    assert ("r.example.com/x:v2-ubuntu22.04" in refs(f"{POOL}, driver: {{spec: {spec}}}")) is there


@pytest.mark.parametrize("mode", ["preinstalled", "unmanaged"])
def test_a_host_s_own_driver_needs_no_image(mode: str) -> None:
    found = made(f"nodeImage: aws, driver: {{mode: {mode}}}")
    assert combinations(found, found.pools[0]) == ()
    assert references(found, found.pools[0]) == ()


def test_one_combination_for_each_kernel_and_architecture() -> None:
    found = made(POOL, image=TWO.replace("[amd64]", "[amd64, arm64]"))
    told = [(one.platform, one.tag, one.upcoming) for one in combinations(found, found.pools[0])]
    assert told == [
        ("linux/amd64", "580-5.15.0-1111-aws-ubuntu22.04", False),
        ("linux/arm64", "580-5.15.0-1111-aws-ubuntu22.04", False),
        ("linux/amd64", "580-5.15.0-1112-aws-ubuntu22.04", True),
        ("linux/arm64", "580-5.15.0-1112-aws-ubuntu22.04", True),
    ]


def test_a_kernel_that_names_its_architecture_is_of_that_one_alone() -> None:
    pool = (
        "os: {id: rhcos, version: '4.15'}, arch: [amd64, arm64], driver: {version: '550.54.14'}, "
        "kernels: [5.14.0-284.54.1.el9_2.aarch64+64k, 5.14.0-284.54.1.el9_2.x86_64]"
    )
    found = made(pool)
    assert [(one.platform, one.tag) for one in combinations(found, found.pools[0])] == [
        ("linux/arm64", "550.54.14-5.14.0-284.54.1.el9_2.aarch64_64k-rhcos4.15"),
        ("linux/amd64", "550.54.14-5.14.0-284.54.1.el9_2.x86_64-rhcos4.15"),
    ]
