import pytest

from generator.finding import Finding
from tests.testing.judging import findings

FLEET = """\
apiVersion: drivergate.dev/v1alpha1
kind: Fleet
name: test
defaults:
  operator: {version: v26.7.0, driverApi: %s}
  driver: {repository: nvcr.io/nvidia/driver}
"""
CLUSTER = """\
apiVersion: drivergate.dev/v1alpha1
kind: Cluster
name: c
pools:
  p:
    nodeSelector: {example.com/pool: p}
    gpu: {family: "%s"}
    os: {id: %s, version: "%s"}
    arch: [amd64]
    kernels: [5.15.0-1-generic]
    driver: {%s}
"""


def judged(
    driver: str, family: str, *, os: tuple[str, str] = ("ubuntu", "24.04"), api: str = "NVIDIADriver"
) -> list[Finding]:
    given = {"inventory/fleet.yaml": FLEET % api, "inventory/c.yaml": CLUSTER % (family, *os, driver)}
    return [one for one in findings(given) if one.rule.startswith("gpu/")]


def rules(driver: str, family: str, **more: object) -> list[str]:
    return [one.rule for one in judged(driver, family, **more)]  # type: ignore[arg-type]


# NVIDIA's deprecation notice and the tables of docs.nvidia.com/datacenter/tesla/drivers (driver_branches.yaml).
@pytest.mark.parametrize(
    ("driver", "family", "edge"),
    [
        ("branch: '595'", "volta", "580 is the last one"),
        ("branch: '590'", "pascal", "580 is the last one"),
        ("version: 580.126.20", "maxwell", ""),
        ("branch: '580'", "volta", ""),
        ("branch: '535'", "blackwell", "570 is the first one"),
        ("branch: '570'", "blackwell", ""),
        ("branch: '510'", "kepler", "470 is the last one"),
        ("mode: preinstalled, version: 595.91.07", "volta", "580 is the last one"),
        ("mode: unmanaged, version: 595.91.07", "volta", ""),
        ("mode: compiled, version: 'sha256:%s'" % (64 * "0"), "volta", ""),
        ("branch: '999'", "hopper", ""),
        ("branch: custom", "volta", ""),
    ],
)
def test_a_branch_drives_the_family(driver, family, edge) -> None:
    found = [one for one in judged(driver, family) if one.rule == "gpu/branch-dropped"]
    assert len(found) == bool(edge)
    for one in found:
        assert edge in one.message
        assert f"has {family} GPUs" in one.message
        assert (one.cluster, one.pool, one.place.line) == ("c", "p", 11)


def test_a_branch_that_drives_nothing_of_the_pool_is_told_alone() -> None:
    assert rules("branch: '535', kernelModuleType: proprietary", "blackwell") == ["gpu/branch-dropped"]
    assert rules("branch: '595', kernelModuleType: open", "volta") == ["gpu/branch-dropped"]


# docs.nvidia.com driver installation guide, "Kernel modules"; auto: ubuntu24.04/precompiled/nvidia-driver, before 560.
@pytest.mark.parametrize(
    ("driver", "family", "rule"),
    [
        ("branch: '580', kernelModuleType: proprietary", "blackwell", "gpu/open-module-required"),
        ("branch: '580', kernelModuleType: open", "blackwell", None),
        ("branch: '580'", "blackwell", None),
        ("branch: '550'", "grace-hopper", "gpu/open-module-required"),
        ("branch: '560'", "grace-hopper", None),
        ("branch: '580', kernelModuleType: proprietary", "hopper", None),
        ("branch: '580', kernelModuleType: open", "volta", "gpu/open-module-unsupported"),
        ("branch: '580', kernelModuleType: open", "turing", None),
        ("branch: '510', kernelModuleType: open", "ampere", "gpu/open-module-unsupported"),
        ("branch: '580'", "volta", None),
        ("branch: '580', kernelModuleType: proprietary", "pascal", None),
    ],
)
def test_the_kernel_modules_fit_the_family(driver, family, rule) -> None:
    assert rules(driver, family) == ([rule] if rule else [])


def test_ubuntu_26_04_falls_back_to_open_modules_on_every_branch() -> None:
    """gpu-driver-container ubuntu26.04/precompiled/nvidia-driver, _resolve_kernel_type_from_driver_branch."""
    resolute = ("ubuntu", "26.04")
    assert rules("branch: '580'", "volta", os=resolute) == ["gpu/open-module-unsupported"]
    assert rules("branch: '580', kernelModuleType: proprietary", "volta", os=resolute) == []
    assert rules("branch: '550'", "grace-hopper", os=resolute) == []


def test_an_image_that_is_built_with_open_modules_needs_no_fallback() -> None:
    kernel = "5.14.0-284.54.1.el9_2.x86_64"
    given = {
        "inventory/fleet.yaml": FLEET % "NVIDIADriver",
        "inventory/c.yaml": (CLUSTER % ("grace-hopper", "rhcos", "4.15", "version: 550.54.14")).replace(
            "5.15.0-1-generic", kernel
        ),
        "inventory/catalog.yaml": "apiVersion: drivergate.dev/v1alpha1\nkind: ImageCatalog\n"
        f'repository: nvcr.io/nvidia/driver\nimages:\n  - {{tag: "550.54.14-{kernel}-rhcos4.15", moduleType: open}}\n',
    }
    assert [one.rule for one in findings(given) if one.rule.startswith("gpu/")] == []
    given["inventory/catalog.yaml"] = given["inventory/catalog.yaml"].replace(", moduleType: open", "")
    assert [one.rule for one in findings(given) if one.rule.startswith("gpu/")] == ["gpu/open-module-required"]


# gpu-operator api/nvidia/v1alpha1/nvidiadriver_types.go IsOpenKernelModulesRequired: semver, "v" or not, digest.
@pytest.mark.parametrize(
    ("version", "module_type", "required"),
    [
        ("2.17.5", "auto", True),
        ("v2.17.5", "proprietary", True),
        ("2.29.4", "auto", True),
        ("v3", "auto", True),
        ("2.17.10", "auto", True),
        ("sha256:" + 64 * "a", "auto", True),
        ("2.17.5", "open", False),
        ("2.17.4", "auto", False),
        ("2.16.1", "auto", False),
        ("v2.17.5-rc1", "auto", False),
        ("02.29.4", "auto", False),
        ("latest", "auto", False),
    ],
)
def test_gds_from_2_17_5_wants_open_modules_by_name(version, module_type, required) -> None:
    spec = f"spec: {{gds: {{enabled: true, version: '{version}'}}}}"
    driver = f"mode: compiled, version: 580.126.20, kernelModuleType: {module_type}, {spec}"
    found = judged(driver, "ampere")
    assert [one.rule for one in found] == ["gpu/open-module-required"] * required
    assert all(version in one.message and module_type in one.message for one in found)
    assert rules(driver, "ampere", api="ClusterPolicy") == []


def test_gds_that_is_off_or_precompiled_wants_nothing() -> None:
    compiled = "mode: compiled, version: 580.126.20, spec: {gds: {enabled: %s, version: '2.29.4'}}"
    assert rules(compiled % "false", "ampere") == []
    assert rules("branch: '580', spec: {gds: {enabled: true, version: '2.29.4'}}", "ampere") == []
    assert rules("mode: compiled, version: 580.126.20, spec: {gds: none}", "ampere") == []


def test_one_pool_that_needs_open_modules_twice_is_told_once() -> None:
    spec = "spec: {gds: {enabled: true, version: '2.29.4'}}"
    driver = f"mode: compiled, version: 580.126.20, kernelModuleType: proprietary, {spec}"
    assert rules(driver, "blackwell") == ["gpu/open-module-required"]


@pytest.mark.parametrize(
    ("family", "hint"),
    [("Blackwell", '"blackwell"'), ("amper", '"ampere"'), ("grace_hopper", '"grace-hopper"'), ("H100", "hopper")],
)
def test_a_family_that_is_not_known_is_told_with_those_that_are(family, hint) -> None:
    (found,) = judged("branch: '595'", family)
    assert found.rule == "gpu/unknown-family"
    assert f'"{family}"' in found.message
    assert hint in found.hint
    assert str(found.place) == "inventory/c.yaml:7:19"
