"""Cases D.. are those of the public case collection; their sources are named beside them."""

import pytest
from msgspec.structs import replace

from generator.finding import Finding
from generator.images.nearest import Nearest
from generator.rules.image import rules as image
from tests.testing.judging import findings, revision_of

UBUNTU = ("ubuntu", "22.04")
REPOSITORY = "nvcr.io/nvidia/driver"
DIGEST = "sha256:" + 64 * "5"


def pool(
    driver: str,
    *kernels: str,
    name: str = "pool-a",
    os: tuple[str, str] = UBUNTU,
    arch: str = "amd64",
    family: str = "",
    upcoming: str = "",
) -> str:
    lines = [
        f"  {name}:",
        f"    nodeSelector: {{example.com/pool: {name}}}",
        f'    os: {{id: {os[0]}, version: "{os[1]}"}}',
        f"    arch: [{arch}]",
        f"    kernels: [{', '.join(kernels)}]",
        f"    driver: {driver}",
    ]
    lines += [f"    upcomingKernels: [{upcoming}]"] if upcoming else []
    lines += [f"    gpu: {{family: {family}}}"] if family else []
    return "\n".join(lines) + "\n"


def catalog(*images: str, repository: str = REPOSITORY) -> str:
    rows = "".join(f"  - {row if row[0] == '{' else built(row)}\n" for row in images)
    head = f"apiVersion: drivergate.dev/v1alpha1\nkind: ImageCatalog\nrepository: {repository}\n"
    return f"{head}images:\n{rows}" if images else f"{head}images: []\n"


def built(tag: str, *facts: str) -> str:
    return f'{{tag: "{tag}", {", ".join(facts or ("platforms: [linux/amd64]",))}}}'


def files(
    pools: str, *images: str, operator: str = "v26.7.0", api: str = "NVIDIADriver", repository: str = REPOSITORY
) -> dict[str, str]:
    return {
        "inventory/fleet.yaml": "apiVersion: drivergate.dev/v1alpha1\nkind: Fleet\nname: test\ndefaults:\n"
        f"  operator: {{version: {operator}, driverApi: {api}}}\n  driver: {{repository: {REPOSITORY}}}\n",
        "inventory/c.yaml": f"apiVersion: drivergate.dev/v1alpha1\nkind: Cluster\nname: c\npools:\n{pools}",
        "inventory/catalog.yaml": catalog(*images, repository=repository),
    }


def judged(given: dict[str, str]) -> list[Finding]:
    return [one for one in findings(given) if one.rule.startswith("image/")]


def rules(given: dict[str, str]) -> list[str]:
    return sorted(one.rule for one in judged(given))


def only(given: dict[str, str]) -> Finding:
    (found,) = judged(given)
    return found


def test_a_miss_names_pool_tag_platform_what_is_nearest_and_the_way_out() -> None:
    """D01, NVIDIA/gpu-operator#910."""
    found = only(files(pool('{branch: "535"}', "5.15.0-118-generic"), "535-5.15.0-117-generic-ubuntu22.04"))
    assert (found.rule, found.cluster, found.pool) == ("image/missing", "c", "pool-a")
    assert found.fact == "535-5.15.0-118-generic-ubuntu22.04"
    assert str(found.place) == "inventory/c.yaml:9:15"
    assert 'pool "c/pool-a" needs 535-5.15.0-118-generic-ubuntu22.04 for linux/amd64' in found.message
    assert "535-5.15.0-117-generic-ubuntu22.04 below and none above" in found.message
    assert "KERNEL_VERSION=5.15.0-118-generic, DRIVER_BRANCH=535" in found.hint
    assert "roll the pool" in found.hint


def test_kernels_are_near_by_number_and_within_one_flavour() -> None:
    """D02, NVIDIA/gpu-operator#682: -97 is below -100, and -88 below that."""
    near = ("535-5.15.0-97-generic-ubuntu22.04", "535-5.15.0-88-generic-ubuntu22.04")
    others = ("535-5.15.0-99-aws-ubuntu22.04", "535-5.15.0-99-generic-ubuntu24.04", "550-5.15.0-99-generic-ubuntu22.04")
    found = only(
        files(pool('{branch: "535"}', "5.15.0-100-generic"), *near, *others, "535-5.15.0-101-generic-ubuntu22.04")
    )
    assert f"{near[0]} below and 535-5.15.0-101-generic-ubuntu22.04 above" in found.message


def test_the_same_kernel_of_other_branches_and_systems_is_named_up_to_four() -> None:
    tags = [f"{branch}-5.15.0-100-generic-ubuntu22.04" for branch in (470, 515, 525, 550, 570, 580)]
    found = only(files(pool('{branch: "535"}', "5.15.0-100-generic"), *tags))
    assert f"the same kernel has {', '.join(tags[:4])} and 2 more" in found.message


def test_what_is_gone_or_of_another_platform_is_not_near() -> None:
    rows = (
        built("580-6.8.0-110-generic-ubuntu24.04", "platforms: [linux/amd64]"),
        built("580-6.8.0-111-generic-ubuntu24.04", "platforms: [linux/arm64]", "gone: true"),
        built("580-6.8.0-86-generic-ubuntu24.04", "platforms: [linux/amd64, linux/arm64]"),
        built("595-6.8.0-120-generic-ubuntu24.04", "platforms: [linux/amd64]"),
    )
    given = files(pool('{branch: "580"}', "6.8.0-120-generic", os=("ubuntu", "24.04"), arch="arm64"), *rows)
    message = only(given).message
    assert "580-6.8.0-86-generic-ubuntu24.04 below and none above" in message
    assert "the same kernel" not in message


def test_two_platforms_of_one_missing_tag_are_one_finding() -> None:
    row = built("580-6.8.0-86-generic-ubuntu24.04", "platforms: [linux/amd64, linux/arm64]")
    wanted = pool('{branch: "580"}', "6.8.0-120-generic", os=("ubuntu", "24.04"), arch="amd64, arm64")
    found = only(files(wanted, row, "580-6.8.0-110-generic-ubuntu24.04"))
    assert "for linux/amd64 and linux/arm64" in found.message
    assert "580-6.8.0-86-generic-ubuntu24.04 below" in found.message


def test_an_exact_version_is_missed_as_written_and_the_branch_is_only_named() -> None:
    """D04, NVIDIA/gpu-operator#933."""
    wanted = pool('{version: "550.90.07"}', "5.15.0-1061-gke")
    found = {one.rule: one for one in judged(files(wanted, "550-5.15.0-1076-aws-ubuntu22.04"))}
    assert sorted(found) == ["image/branch-expected", "image/missing"]
    assert found["image/missing"].fact == "550.90.07-5.15.0-1061-gke-ubuntu22.04"
    assert "keyed by branch 550" in found["image/branch-expected"].message
    assert 'driver.branch: "550"' in found["image/branch-expected"].hint
    assert found["image/missing"].hint == (
        'set driver.branch: "550" in place of the version, build 550-5.15.0-1061-gke-ubuntu22.04 (docker build '
        "ubuntu22.04/precompiled of NVIDIA/gpu-driver-container with KERNEL_VERSION=5.15.0-1061-gke, DRIVER_BRANCH=550 "
        "and DRIVER_VERSION=550.90.07) and add its line to the catalog"
    )


@pytest.mark.parametrize("upcoming", ["", "5.15.0-1061-gke"])
def test_what_is_missed_by_its_exact_version_is_got_by_the_branch(upcoming: str) -> None:
    """NVIDIA/gpu-operator#933: the precompiled images of Ubuntu are named by branch only."""
    running = "5.15.0-1061-gke" if not upcoming else "5.15.0-1060-gke"
    wanted = pool('{version: "550.90.07"}', running, upcoming=upcoming)
    own = [] if not upcoming else ["550.90.07-5.15.0-1060-gke-ubuntu22.04"]
    found = judged(files(wanted, "550-5.15.0-1061-gke-ubuntu22.04", "550-5.15.0-1059-gke-ubuntu22.04", *own))
    assert {one.rule for one in found} >= {"image/upcoming-missing" if upcoming else "image/missing"}
    for one in found:
        assert one.hint.startswith('set driver.branch: "550" in place of the version; ')
    missing = next(one for one in found if one.rule != "image/branch-expected")
    assert missing.hint.endswith("550-5.15.0-1061-gke-ubuntu22.04 is built")


@pytest.mark.parametrize(
    ("os", "line", "hint"),
    [
        (("Ubuntu", "22.04"), "22.04", 'correct os.id "Ubuntu": did you mean "ubuntu"?'),
        (("ubunut", "22.04"), "22.04", 'correct os.id "ubunut": did you mean "ubuntu"?'),
        (("RHEL", "9.4"), "9.4", 'correct os.id "RHEL": did you mean "rhel"?'),
        # node-feature-discovery source/system/system.go takes ID and VERSION_ID of os-release(5).
        (("ubuntu", "jammy"), "jammy", 'write os.version as NFD\'s VERSION_ID has it, in digits ("22.04")'),
    ],
)
@pytest.mark.parametrize("driver", ['{branch: "580"}', '{mode: compiled, version: "580.126.20"}'])
def test_an_os_that_nfd_labels_otherwise_is_told_where_it_is_written(driver, os, line, hint) -> None:
    found = only(files(pool(driver, "5.15.0-1-generic", os=os), "580-5.15.0-2-generic-ubuntu22.04"))
    assert (found.rule, found.place.line, found.hint) == ("image/missing", 7, hint)


@pytest.mark.parametrize(
    "os", [("scos", "9.0"), ("fedora", "43"), ("ubuntu-core", "24"), ("talos", "v1.6.1"), ("x", "y")]
)
def test_the_id_of_another_system_is_free_text(os) -> None:
    found = only(files(pool('{branch: "580"}', "5.15.0-1-generic", os=os), "580-5.15.0-2-generic-ubuntu22.04"))
    assert (found.rule, found.place.line) == ("image/missing", 9)
    assert f"no images are published for {os[0]}" in found.hint


@pytest.mark.parametrize(
    ("driver", "os", "tags"),
    [
        ('{branch: "550"}', UBUNTU, ["550-5.15.0-1-aws-ubuntu22.04"]),
        ('{version: "550.90.07"}', UBUNTU, ["550.54.15-5.15.0-1-aws-ubuntu22.04"]),
        ('{version: "550.90.07"}', UBUNTU, ["550-5.15.0-1-aws-ubuntu24.04"]),
        ('{version: "550.90.07"}', ("rhcos", "4.16"), ["550-5.15.0-1-aws-rhcos4.16"]),
    ],
)
def test_a_branch_is_expected_only_where_the_images_of_that_ubuntu_have_one(driver, os, tags) -> None:
    assert rules(files(pool(driver, "5.15.0-1061-gke", os=os), *tags)) == ["image/missing"]


def test_a_built_private_flavour_is_no_finding() -> None:
    """D05, NVIDIA/gpu-operator#1220."""
    assert judged(files(pool('{branch: "550"}', "5.15.0-1061-gke"), "550-5.15.0-1061-gke-ubuntu22.04")) == []


@pytest.mark.parametrize(
    ("driver", "kernels"),
    [
        ('{mode: compiled, version: "565.57.01-ubuntu22.04"}', ()),  # D06, NVIDIA/gpu-operator#1200
        ('{version: "580-6.8.0-106-generic"}', ("6.8.0-106-generic",)),
        ('{branch: "580-6.8.0-106-generic-ubuntu24.04"}', ("6.8.0-106-generic",)),
        # driver-container documentation: "-server" and "-open" are Canonical's; xxxx is a placeholder
        ('{branch: "535-server"}', ("5.15.0-105-generic",)),
        ('{branch: "580-open"}', ("6.8.0-106-generic",)),
        ('{branch: "535-5.15.0-xxxx-aws"}', ("5.15.0-105-generic",)),
    ],
)
@pytest.mark.parametrize("api", ["NVIDIADriver", "ClusterPolicy"])
def test_a_suffix_is_told_once_and_never_as_a_miss(driver, kernels, api) -> None:
    found = only(files(pool(driver, *kernels), api=api))
    assert found.rule == "image/version-has-suffix"
    assert f'"{found.fact}"' in found.message
    assert "ubuntu22.04-ubuntu22.04" not in found.message + found.hint


def test_a_suffix_of_a_listed_image_is_no_mistake() -> None:
    listed = '{tag: "580.126.20-r2-ubuntu22.04", platforms: [linux/amd64]}'
    assert judged(files(pool('{mode: compiled, version: "580.126.20-r2"}'), listed)) == []


def test_one_inherited_suffix_is_one_finding() -> None:
    given = files(pool("{}", "5.15.0-1-generic") + pool("{}", "5.15.0-2-generic", name="pool-b"))
    given["inventory/fleet.yaml"] = given["inventory/fleet.yaml"].replace("driver: {", "driver: {branch: 580-server, ")
    assert str(only(given).place) == "inventory/fleet.yaml:6:20"


def test_a_compiled_miss_names_other_systems_and_versions() -> None:
    """D10, NVIDIA/gpu-operator#1895: the minor counts before v26.7."""
    wanted = pool('{mode: compiled, version: "580.82.07"}', os=("rhel", "9.7"))
    tags = ("580.82.07-rhel9.6", "580.105.08-rhel9.7", "580.65.06-rhel9.7")
    found = only(files(wanted, *tags, operator="v25.10.1"))
    assert found.fact == "580.82.07-rhel9.7"
    assert "580.65.06-rhel9.7 below and 580.105.08-rhel9.7 above" in found.message
    assert "the same version has 580.82.07-rhel9.6" in found.message
    assert str(found.place) == "inventory/c.yaml:10:39"


def test_a_system_without_public_images_may_bring_its_driver() -> None:
    """D17, NVIDIA/gpu-operator#647: the v of the version is kept."""
    wanted = pool('{mode: compiled, version: "535.129.03"}', os=("talos", "v1.6.1"))
    found = only(files(wanted, "535.129.03-ubuntu22.04"))
    assert found.fact == "535.129.03-talosv1.6.1"
    assert "driver.mode: preinstalled" in found.hint
    assert "driver.enabled=false" in found.hint


def test_a_red_hat_kernel_is_built_in_its_own_folder() -> None:
    """D09, NVIDIA/gpu-operator#2471: rhel9 from v26.7 on, and what was built as rhel9.4 is told."""
    kernel = "5.14.0-427.37.1.el9_4.x86_64"
    given = files(pool('{branch: "580"}', kernel, os=("rhel", "9.4")), f"580-{kernel}-rhel9.4")
    assert f"needs 580-{kernel}-rhel9 " in only(given).message
    assert f"the same kernel has 580-{kernel}-rhel9.4" in only(given).message
    assert "rhel9/precompiled" in only(given).hint
    older = files(pool('{branch: "580"}', kernel, os=("rhel", "9.4")), f"580-{kernel}-rhel9.4", operator="v26.3.3")
    assert judged(older) == []


@pytest.mark.parametrize(
    ("platforms", "arch", "rule"),
    [
        ("[linux/amd64]", "arm64", "image/missing-platform"),  # D18, NVIDIA/gpu-driver-container PR#1010
        ("[linux/arm64]", "amd64", "image/missing-platform"),
        ("[linux/amd64, linux/arm64]", "arm64", None),
        ("[linux/arm64/v8]", "arm64", None),
        ("[linux/amd64]", "amd64, arm64", "image/missing-platform"),
        (None, "amd64", "image/platform-unknown"),
        (None, "arm64", "image/missing-platform"),
    ],
)
def test_a_tag_must_hold_the_platform(platforms, arch, rule) -> None:
    tag = "595-7.0.0-14-generic-ubuntu26.04"
    row = built(tag, f"platforms: {platforms}") if platforms else f'{{tag: "{tag}"}}'
    given = files(pool('{branch: "595"}', "7.0.0-14-generic", os=("ubuntu", "26.04"), arch=arch), row)
    assert rules(given) == ([rule] if rule else [])


def test_the_missing_platform_alone_is_named() -> None:
    tag = "595-7.0.0-14-generic-ubuntu26.04"
    given = files(pool('{branch: "595"}', "7.0.0-14-generic", os=("ubuntu", "26.04"), arch="amd64, arm64"), tag)
    assert (
        f"needs {tag} for linux/arm64, and it is built for linux/amd64 only (inventory/catalog.yaml:5)"
        in only(given).message
    )


def test_a_kernel_that_names_its_machine_needs_no_recorded_platform() -> None:
    kernel = "5.14.0-284.54.1.el9_2.aarch64"
    given = files(
        pool('{version: "550.54.14"}', f"{kernel}+64k", os=("rhcos", "4.15"), arch="arm64"),
        f'{{tag: "550.54.14-{kernel}_64k-rhcos4.15"}}',
    )
    assert judged(given) == []


def test_a_longer_flavour_is_another_kernel() -> None:
    """D19, NVIDIA/gpu-driver-container PR#971."""
    row = built("580-6.8.0-1040-nvidia-ubuntu24.04", "platforms: [linux/amd64, linux/arm64]")
    found = only(files(pool('{branch: "580"}', "6.8.0-1040-nvidia-64k", os=("ubuntu", "24.04"), arch="arm64"), row))
    assert (found.rule, found.fact) == ("image/missing", "580-6.8.0-1040-nvidia-64k-ubuntu24.04")


def test_tags_are_the_same_byte_for_byte() -> None:
    """D20, shannah/jdeploy#152."""
    given = files(pool('{mode: compiled, version: "535.104.05"}'), "535.104.5-ubuntu22.04")
    assert only(given).fact == "535.104.05-ubuntu22.04"
    assert judged(files(pool('{mode: compiled, version: "535.104.05"}'), "535.104.05-ubuntu22.04")) == []


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        (None, "image/upcoming-missing"),
        ("platforms: [linux/arm64]", "image/upcoming-missing"),
        ("platforms: [linux/amd64], gone: true", "image/upcoming-missing"),
        ("platforms: [linux/amd64]", None),
    ],
)
def test_an_upcoming_kernel_is_warned_of(row, rule) -> None:
    rows = [built("580-5.15.0-177-generic-ubuntu22.04", row)] if row else []
    wanted = pool('{branch: "580"}', "5.15.0-173-generic", upcoming="5.15.0-177-generic")
    found = judged(files(wanted, "580-5.15.0-173-generic-ubuntu22.04", *rows))
    assert [(one.rule, str(one.severity)) for one in found] == ([(rule, "warning")] if rule else [])


def test_what_is_gone_counts_as_missing() -> None:
    row = built("580-5.15.0-173-generic-ubuntu22.04", "platforms: [linux/amd64]", "gone: true")
    found = only(files(pool('{branch: "580"}', "5.15.0-173-generic"), row))
    assert (found.rule, str(found.severity)) == ("image/gone", "error")
    assert "inventory/catalog.yaml:5" in found.message
    assert found.hint == (
        "push it again and remove `gone: true` from inventory/catalog.yaml:5, "
        "or roll the pool to a kernel that is built"
    )


@pytest.mark.parametrize(
    ("wanted", "tag", "way"),
    [
        (
            pool('{branch: "580"}', "5.15.0-173-generic", upcoming="5.15.0-177-generic"),
            "580-5.15.0-177-generic-ubuntu22.04",
            "before the roll",
        ),
        (
            pool('{mode: compiled, version: "580.126.20"}'),
            "580.126.20-ubuntu22.04",
            "or set a driver.version that is built for ubuntu22.04",
        ),
    ],
)
def test_what_is_gone_is_pushed_again(wanted, tag, way) -> None:
    row = built(tag, "platforms: [linux/amd64]", "gone: true")
    found = only(files(wanted, row, "580-5.15.0-173-generic-ubuntu22.04"))
    assert found.hint == f"push it again and remove `gone: true` from inventory/catalog.yaml:5, {way}"


def test_an_image_that_was_built_under_its_exact_version_is_expected_under_no_other() -> None:
    gone = built("580.126.20-5.15.0-173-generic-ubuntu22.04", "platforms: [linux/amd64]", "gone: true")
    given = files(pool('{version: "580.126.20"}', "5.15.0-173-generic"), gone, "580-5.15.0-173-generic-ubuntu22.04")
    assert rules(given) == ["image/gone"]


def test_a_repository_without_a_catalog_is_said_to_have_none() -> None:
    wanted = pool("{branch: '580', repository: nvcr.io/nvidia/drivers}", "5.15.0-173-generic")
    found = only(files(wanted, "580-5.15.0-173-generic-ubuntu22.04"))
    assert "no catalog lists images of nvcr.io/nvidia/drivers" in found.message
    assert 'did you mean "nvcr.io/nvidia/driver"' in found.hint


def test_a_digest_is_looked_up_as_a_digest() -> None:
    wanted = pool(f'{{mode: compiled, version: "{DIGEST}"}}')
    row = built("580.126.20-ubuntu22.04", "platforms: [linux/amd64]", f'digest: "{DIGEST}"')
    assert judged(files(wanted, row)) == []
    assert only(files(wanted, "580.126.20-ubuntu22.04")).fact == DIGEST


@pytest.mark.parametrize("api", ["NVIDIADriver", "ClusterPolicy"])
@pytest.mark.parametrize(
    ("driver", "rule", "words"),
    [
        (f'{{version: "{DIGEST}"}}', "image/digest-with-precompiled", "digest"),  # D22, NVIDIA/gpu-operator#219
        ("{branch: '580', repository: ''}", "image/incomplete-reference", "driver.repository is not set"),  # D21
        ("{branch: '580', repository: driver}", "image/incomplete-reference", '"driver" has no path'),
        ("{branch: '580', repository: nvcr.io/nvidia/}", "image/incomplete-reference", "has no image"),
        ("{}", "image/incomplete-reference", "driver.branch or driver.version is not set"),
        ("{branch: '580+x'}", "image/illegal-tag", '"580+x" holds "+"'),
        ("{branch: '58 0'}", "image/illegal-tag", '"58 0"'),
        (f"{{version: '580.{126 * '1'}'}}", "image/illegal-tag", "has 130 characters"),
        ("{branch: '580', repository: nvcr.io/NVIDIA/driver}", "image/illegal-tag", '"nvcr.io/NVIDIA/driver"'),
        (
            "{branch: '580', repository: 'nvcr.io/nvidia/driver:580'}",
            "image/illegal-tag",
            '"nvcr.io/nvidia/driver:580"',
        ),
        ("{mode: compiled, version: 'sha256:abc'}", "image/illegal-tag", '"sha256:abc" is no digest'),
    ],
)
def test_a_reference_that_cannot_be_asked_for_is_one_finding(api, driver, rule, words) -> None:
    found = only(files(pool(driver, "5.15.0-173-generic"), api=api))
    assert (found.rule, str(found.severity)) == (rule, "invalid")
    assert words in found.message


@pytest.mark.parametrize(
    ("os", "operator", "words"),
    [
        (("rhel", "nine"), "v26.3.3", 'refuses version "nine" of rhel'),  # oracle os_tags.jsonl: an error in v26.3
        (("rhel", "9b.1"), "v26.7.0", "VERSION_ID.major"),
        (("ubuntu", "22 04"), "v26.7.0", '"ubuntu22 04"'),
    ],
)
def test_an_operating_system_that_makes_no_tag_is_told_where_it_is_declared(os, operator, words) -> None:
    found = only(files(pool('{branch: "580"}', "5.14.0-427.el9.x86_64", os=os), operator=operator))
    assert (found.rule, found.place.line) == ("image/illegal-tag", 7)
    assert words in found.message


KERNEL = "5.14.0-570.12.1.el9_6.x86_64"
TAG = f"580.173.02-{KERNEL}-rhel9"


@pytest.mark.parametrize(
    ("holds", "asked", "family", "rule"),
    [
        ("open", "open", "", None),
        ("open", "auto", "hopper", None),
        ("proprietary", "open", "hopper", "image/module-type"),
        ("open", "proprietary", "", "image/module-type"),
        ("proprietary", "auto", "blackwell", "image/module-type"),
        ("open", "auto", "volta", "image/module-type"),
        ("open", "proprietary", "blackwell", None),  # gpu/open-module-required says it
    ],
)
def test_the_modules_of_an_image_fit_the_pool(holds, asked, family, rule) -> None:
    wanted = pool(f"{{version: '580.173.02', kernelModuleType: {asked}}}", KERNEL, os=("rhel", "9.6"), family=family)
    row = built(TAG, "platforms: [linux/amd64]", f"moduleType: {holds}")
    assert rules(files(wanted, row)) == ([rule] if rule else [])


def test_every_repository_is_walked_through_once_however_many_images_are_missing() -> None:
    kernels = [f"5.15.0-{number}-generic" for number in range(100, 160)]
    revision, _ = revision_of(files(pool('{branch: "580"}', *kernels), "580-5.15.0-99-generic-ubuntu22.04"))
    looked = []

    class Counting(dict):  # type: ignore[type-arg]
        def items(self):
            looked.append(1)
            return super().items()

    listed = {name: Counting(entries) for name, entries in revision.catalog.repositories.items()}
    counted = replace(revision, catalog=replace(revision.catalog, repositories=listed))
    (inputs,) = counted.clusters
    assert len(list(image.missing(inputs))) == 60
    assert looked == [1]
    assert Nearest(counted.catalog).repository("none") is None
