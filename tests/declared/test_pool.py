"""Pools: their machine, their driver through all levels, and what a host's own driver drops."""

import pytest

from generator.declared.fleet import Mode, Pool, Size, Taint
from generator.finding import Place
from tests.testing.inventories import (
    CLUSTER_FILE,
    FLEET,
    FLEET_FILE,
    IMAGE,
    IMAGE_FILE,
    POOL,
    cluster,
    files,
    only,
    told,
)
from tests.testing.judging import revision_of

OWN = 'nodeSelector: {example.com/pool: a}, os: {id: ubuntu, version: "22.04"}, arch: [amd64]'


def pools(repository: dict[str, str]) -> tuple[Pool, ...]:
    return revision_of(repository)[0].fleet.clusters[0].pools


def pool(text: str, **changed: str) -> Pool:
    (made,) = pools(files(text, **changed))
    return made


def column(pool: str, part: str) -> int:
    """The column of the last place of a part in a pool's line."""
    return len("  a: {") + pool.rindex(part) + 1


def test_machine_of_a_node_image() -> None:
    image = IMAGE.replace('running: ["2026.04"]', 'running: ["2026.04"]\nupcoming: ["2026.05"]')
    image = image.replace("running:", '  "2026.05": 5.15.0-1112-aws\n  "2026.01": 5.15.0-1000-aws\nrunning:')
    made = pool(POOL, image=image)
    assert (str(made.os), made.arch, made.node_image) == ("ubuntu22.04", ("amd64",), "aws")
    assert [(one.name, one.upcoming, one.file) for one in made.kernels] == [
        ("5.15.0-1111-aws", False, IMAGE_FILE),
        ("5.15.0-1112-aws", True, IMAGE_FILE),
    ]


def test_a_release_that_runs_and_comes_is_running() -> None:
    image = IMAGE.replace('running: ["2026.04"]', 'running: ["2026.04"]\nupcoming: ["2026.04"]')
    assert [one.upcoming for one in pool(POOL, image=image).kernels] == [False]


def test_a_kernel_as_uname_prints_it_has_the_label_s_form() -> None:
    # NFD replaces what a label can't hold (node-feature-discovery source/kernel/version.go).
    text = 'os: {id: rhcos, version: "4.15"}, arch: [arm64], kernels: [5.14.0-284.54.1.el9_2.aarch64+64k]'
    (kernel,) = pool(text).kernels
    assert kernel.name == "5.14.0-284.54.1.el9_2.aarch64_64k"
    assert kernel.written == "5.14.0-284.54.1.el9_2.aarch64+64k"


@pytest.mark.parametrize("key", ["os: {id: a, version: b}", "arch: [amd64]", "kernels: [a]", "upcomingKernels: [a]"])
def test_node_image_and_own_machine_are_alternatives(key: str) -> None:
    finding = only(files(f"{POOL}, {key}"))
    assert finding.place == Place(CLUSTER_FILE, 5, 60)
    assert "alternatives" in finding.message


def test_all_own_machine_beside_a_node_image_is_one_mistake() -> None:
    finding = only(files(f"{OWN}, kernels: [x], nodeImage: aws"))
    assert finding.message == 'pool "a": nodeImage and os, arch, kernels are alternatives, and both are given'


@pytest.mark.parametrize("releases", ['running: ["2026.05"]', 'running: ["2026.04"]\nupcoming: ["2026.05"]'])
def test_a_release_without_a_kernel_is_told_once_for_all_its_pools(releases: str) -> None:
    repository = files(POOL, POOL.replace("pool: a", "pool: b"), image=IMAGE.replace('running: ["2026.04"]', releases))
    finding = only(repository)
    assert (finding.rule, finding.place.file) == ("inventory/schema", IMAGE_FILE)
    assert '"2026.05"' in finding.message
    assert finding.hint == 'did you mean "2026.04"?'


def test_a_node_image_that_no_pool_names_is_judged_too() -> None:
    repository = files() | {
        "inventory/x.yaml": IMAGE.replace("name: aws", "name: x").replace("[amd64]", "[amd64, amd64]")
    }
    finding = only(repository)
    assert (finding.rule, finding.place) == ("inventory/duplicate", Place("inventory/x.yaml", 5, 15))


@pytest.mark.parametrize(
    "text", ["kernels: [k, x, k]", "kernels: [x], upcomingKernels: [k, k]", "kernels: [k], arch: [amd64, amd64]"]
)
def test_what_is_listed_twice(text: str) -> None:
    whole = f"{OWN.replace(', arch: [amd64]', '') if 'arch' in text else OWN}, {text}"
    twice = "amd64]" if "arch" in text else "k]"
    assert told(files(whole)) == [f"inventory/duplicate {CLUSTER_FILE}:5:{column(whole, twice)}"]


@pytest.mark.parametrize("taints", ['"a=b:NoSchedule", "a=b:NoSchedule"', '"a:NoSchedule", "a=:NoSchedule"'])
def test_a_taint_that_is_listed_twice(taints: str) -> None:
    text = f"{POOL}, taints: [{taints}]"
    finding = only(files(text))
    assert (finding.rule, finding.place) == ("inventory/duplicate", Place(CLUSTER_FILE, 5, column(text, ', "a') + 2))
    assert finding.hint == "remove one of them, or correct it to what was meant: the other is taints.0"


def test_taints_of_one_key_may_differ_in_the_rest() -> None:
    """A node has one taint per key and effect (kubernetes pkg/apis/core/validation, validateNodeTaints)."""
    assert len(pool(f'{POOL}, taints: ["a=b:NoSchedule", "a=b:NoExecute", "a:PreferNoSchedule"]').taints) == 3


@pytest.mark.parametrize("where", ["pool", "cluster", "fleet"])
@pytest.mark.parametrize("written", ['"580.1"', '"580.126.20"', '"580.x"'])
def test_a_branch_with_a_dot_is_none(where: str, written: str) -> None:
    repository = {
        "pool": files(f"{POOL}, driver: {{branch: {written}}}"),
        "cluster": files(more=f"driver: {{branch: {written}}}\n"),
        "fleet": files(fleet=FLEET.replace('branch: "580"', f"branch: {written}")),
    }[where]
    finding = only(repository)
    assert finding.rule == "inventory/schema"
    assert finding.message.startswith(
        {"pool": "pools.a.", "cluster": "", "fleet": "defaults."}[where] + "driver.branch"
    )
    assert 'a driver branch such as "580"' in finding.hint
    assert "is set as version" in finding.hint


def test_a_node_image_that_is_not_there() -> None:
    finding = only(files("nodeImage: awss"))
    assert (finding.place, finding.hint) == (Place(CLUSTER_FILE, 5, 18), 'did you mean "aws"?')


def test_a_kernel_of_another_architecture() -> None:
    text = f"{OWN}, kernels: [4.18.0-513.9.1.el8_9.aarch64]"
    assert only(files(text)).place == Place(CLUSTER_FILE, 5, column(text, "4.18"))
    image = IMAGE.replace("5.15.0-1111-aws", "4.18.0-513.9.1.el8_9.aarch64")
    assert told(files(image=image)) == [f"inventory/schema {IMAGE_FILE}:7:14"]


def test_an_architecture_without_a_kernel_is_not_passed_over() -> None:
    text = f"{OWN.replace('[amd64]', '[amd64, arm64]')}, kernels: [4.18.0-513.9.1.el8_9.x86_64]"
    assert "no kernel is one of arm64" in only(files(text)).message


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("nodes: 1", "os and arch and kernels"),
        ("nodes: 1, driver: {mode: compiled}", "os and arch"),
        (OWN, "kernels"),
        ("os: {id: ubuntu, version: '22.04'}, kernels: [5.15.0-1111-aws]", "arch"),
    ],
)
def test_a_managed_driver_needs_its_machine(text: str, missing: str) -> None:
    finding = only(files(text))
    assert finding.message.startswith(f'pool "a": {missing} must be known')
    assert finding.place == Place(CLUSTER_FILE, 5, 3)


def test_a_node_image_without_a_release_is_told_where_it_is_named() -> None:
    finding = only(files(image=IMAGE.replace('["2026.04"]', "[]")))
    assert finding.place == Place(CLUSTER_FILE, 5, 55)
    assert IMAGE_FILE in finding.hint


@pytest.mark.parametrize("mode", ["preinstalled", "unmanaged"])
def test_a_host_s_own_driver_drops_what_it_would_inherit(mode: str) -> None:
    repository = files(f"driver: {{mode: {mode}}}", more="driver: {kernelModuleType: open, spec: {args: [a]}}\n")
    (made,) = pools(repository)
    assert told(repository) == []
    assert (made.driver.mode, made.driver.managed) == (Mode(mode), False)
    assert (made.driver.repository, made.driver.version, made.driver.is_branch) == ("", "", False)
    assert (made.driver.module_type, made.driver.upgrade_policy, made.driver.spec) == ("auto", {}, {})


@pytest.mark.parametrize("mode", ["preinstalled", "unmanaged"])
@pytest.mark.parametrize(
    "setting", ["repository: x", 'branch: "1"', "kernelModuleType: open", "upgradePolicy: {}", "spec: {}"]
)
def test_a_setting_beside_a_host_s_own_driver(mode: str, setting: str) -> None:
    finding = only(files(f"driver: {{mode: {mode}, {setting}}}"))
    assert finding.rule == "inventory/schema"
    assert finding.place == Place(CLUSTER_FILE, 5, 24 + len(mode))
    assert finding.hint


def test_a_version_beside_a_host_s_own_driver_is_noted() -> None:
    assert pool('driver: {mode: preinstalled, version: "580.126.20"}').driver.version == "580.126.20"


def test_such_a_mistake_of_a_cluster_is_told_once() -> None:
    repository = files("nodes: 1", "nodes: 2", more="driver: {mode: unmanaged, kernelModuleType: open}\n")
    finding = only(repository)
    assert (finding.place, finding.pool) == (Place(CLUSTER_FILE, 4, 27), "")


def test_a_pool_may_leave_an_inherited_host_mode() -> None:
    fleet = FLEET.replace("driver: {", "driver: {mode: preinstalled, ")
    repository = files(f"{POOL}, driver: {{mode: precompiled}}", fleet=fleet)
    assert told(repository) == []
    assert pools(repository)[0].driver.version == "580"
    assert told(files(fleet=fleet)) == [f"inventory/schema {FLEET_FILE}:6:{at}" for at in (32, 67)]


def test_upgrade_policies_merge_key_by_key() -> None:
    more = "driver: {upgradePolicy: {maxParallelUpgrades: 1, drain: {enable: true, force: true}}}\n"
    made = pool(f"{POOL}, driver: {{upgradePolicy: {{drain: {{force: false}}}}}}", more=more)
    assert made.driver.upgrade_policy == {"maxParallelUpgrades": 1, "drain": {"enable": True, "force": False}}


@pytest.mark.parametrize(
    ("written", "taint"),
    [
        ("nvidia.com/gpu=present:NoSchedule", Taint("nvidia.com/gpu", "present", "NoSchedule")),
        ("a:NoExecute", Taint("a", "", "NoExecute")),
        ("a=:PreferNoSchedule", Taint("a", "", "PreferNoSchedule")),
    ],
)
def test_taints_as_kubectl_writes_them(written: str, taint: Taint) -> None:
    assert pool(f'{POOL}, taints: ["{written}"]').taints == (taint,)


@pytest.mark.parametrize(
    "written",
    ["", "a", "a:Never", "=b:NoSchedule", "a/b/c:NoSchedule", "é:NoSchedule", "a=b c:NoSchedule", "-a:NoExecute"],
)
def test_what_is_no_taint(written: str) -> None:
    assert told(files(f'{POOL}, taints: ["{written}"]')) == [f"inventory/schema {CLUSTER_FILE}:5:69"]


@pytest.mark.parametrize(
    ("selector", "at"),
    [("{a/b/c: x}", 22), ("{é: x}", 22), ("{a: -x}", 25), (f"{{a: {'x' * 64}}}", 25), ('{"": x}', 22)],
)
def test_labels_are_those_of_kubernetes(selector: str, at: int) -> None:
    assert told(files(f"nodeSelector: {selector}, nodeImage: aws")) == [f"inventory/schema {CLUSTER_FILE}:5:{at}"]


def test_a_size_is_a_number_or_a_range() -> None:
    assert pool(f"{POOL}, nodes: 4").size == Size(4, 4)
    assert pool(f"{POOL}, nodes: {{min: 0, max: 9}}").size == Size(0, 9)
    assert told(files(f"{POOL}, nodes: {{min: 2, max: 1}}")) == [f"inventory/schema {CLUSTER_FILE}:5:67"]


def test_renamed_from_names_the_object() -> None:
    made = pool(f"{POOL}, renamedFrom: old")
    assert (made.name, made.object_name, made.renamed_from) == ("a", "old", "old")


def test_mistakes_of_several_pools_are_all_told() -> None:
    repository = {**files(), CLUSTER_FILE: cluster("nodeImage: x", POOL, "taints: [x], nodeImage: aws")}
    assert told(repository) == [f"inventory/schema {CLUSTER_FILE}:5:18", f"inventory/schema {CLUSTER_FILE}:7:16"]
