"""From documents to the fleet: what contradicts itself is told once, and one mistake hides no other."""

import pytest

from generator.declared.build import build
from generator.declared.fleet import Cluster, Fleet, Install
from generator.declared.inventory import load
from generator.facts.release import DriverApi
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
    serious,
    told,
)
from tests.testing.judging import bytes_of, revision_of

B = POOL.replace("pool: a", "pool: b")
BOTH = '{branch: "580", version: "580.1.2"}'
PROFILES = f"""{FLEET}profiles:
  edge:
    operator: {{install: olm, driverApi: ClusterPolicy, clusterPolicyBase: bases/p.yaml}}
    driver: {{version: "580.126.20"}}
    protect: false
"""


def fleet(repository: dict[str, str]) -> Fleet:
    return revision_of(repository)[0].fleet


def one(repository: dict[str, str]) -> Cluster:
    (found,) = fleet(repository).clusters
    return found


def test_a_cluster_inherits_from_profile_and_defaults() -> None:
    made = one(files(more="profile: edge\noperator: {namespace: gpu}\n", fleet=PROFILES))
    assert made.operator.release.version == "v26.7.0"
    assert (made.operator.namespace, made.operator.install) == ("gpu", Install.OLM)
    assert made.operator.driver_api is DriverApi.CLUSTERPOLICY
    assert made.protect is False
    assert (made.pools[0].driver.version, made.pools[0].driver.is_branch) == ("580.126.20", False)
    assert made.pools[0].driver.repository == "nvcr.io/nvidia/driver"
    assert made.pools[0].protect is False


def test_what_nobody_sets_has_the_documented_default() -> None:
    made = one(files())
    assert (made.operator.namespace, made.operator.policy_name) == ("gpu-operator", "cluster-policy")
    assert (made.operator.install, made.operator.driver_api) == (Install.HELM, DriverApi.NVIDIADRIVER)
    assert (made.kube_context, made.protect, made.pools[0].driver.mode) == ("one", True, "precompiled")


@pytest.mark.parametrize(
    ("fleet_text", "pool", "more", "place"),
    [
        (FLEET.replace('branch: "580"', 'branch: "580", version: "580.1.2"'), POOL, "", Place(FLEET_FILE, 6, 62)),
        (
            f'{FLEET}profiles: {{unused: {{driver: {{branch: "580", version: "580.1.2"}}}}}}\n',
            POOL,
            "",
            Place(FLEET_FILE, 7, 45),
        ),
        (FLEET, POOL, f"driver: {BOTH}\n", Place(CLUSTER_FILE, 4, 25)),
        (FLEET, f"{POOL}, driver: {BOTH}", "", Place(CLUSTER_FILE, 5, 84)),
    ],
    ids=["defaults", "profile", "cluster", "pool"],
)
def test_both_alternatives_at_one_level_are_an_error(fleet_text: str, pool: str, more: str, place: Place) -> None:
    repository = files(pool, more=more, fleet=fleet_text)
    repository["inventory/two.yaml"] = cluster(name="two")
    finding = only(repository)
    assert (finding.rule, finding.place) == ("inventory/schema", place)
    assert "branch and driver.version are alternatives" in finding.message


def test_the_nearer_alternative_drops_the_other() -> None:
    made = one(files(f'{POOL}, driver: {{version: "580.126.20"}}', B))
    assert [(pool.driver.version, pool.driver.is_branch) for pool in made.pools] == [
        ("580.126.20", False),
        ("580", True),
    ]


def test_no_fleet_is_told_beside_what_else_is_missing() -> None:
    assert told(files(fleet=None)) == ["inventory/schema inventory", f"inventory/schema {CLUSTER_FILE}:3:7"]


def test_an_empty_inventory_says_so() -> None:
    assert only({}).message == "inventory/ holds no drivergate document"


def test_a_second_fleet_is_a_duplicate() -> None:
    repository = files()
    repository["inventory/x/fleet.yaml"] = FLEET
    finding = only(repository)
    assert (finding.rule, finding.place) == ("inventory/duplicate", Place("inventory/x/fleet.yaml", 3, 7))
    assert f"{FLEET_FILE}:3:7" in finding.message


@pytest.mark.parametrize(
    ("file", "kind"), [(FLEET_FILE, "Fleet"), (IMAGE_FILE, "NodeImage"), (CLUSTER_FILE, "Cluster")]
)
@pytest.mark.parametrize("broken", ["bogus: 1\n", "a: [\n", "x: &a {\n", "name: again\n"])
def test_one_broken_file_is_one_finding(file: str, kind: str, broken: str) -> None:
    repository = files()
    repository[file] += broken
    found = serious(repository)
    assert [one.place.file for one in found] == [file], kind
    assert told(repository) == told({**repository, "inventory/other/empty.yaml": cluster(name="other")})


def test_a_misspelt_kind_is_one_finding() -> None:
    finding = only(files(image=IMAGE.replace("NodeImage", "NodeImages")))
    assert (finding.place, finding.hint) == (Place(IMAGE_FILE, 2, 7), 'did you mean "NodeImage"?')


def test_a_broken_fleet_hides_no_mistake_of_a_pool() -> None:
    repository = files("taints: [x], nodes: {min: 2, max: 1}, nodeImage: none", fleet=f"{FLEET}bogus: 1\n")
    assert told(repository) == [
        f"inventory/schema {FLEET_FILE}:7:1",
        f"inventory/schema {CLUSTER_FILE}:5:16",
        f"inventory/schema {CLUSTER_FILE}:5:27",
    ]


@pytest.mark.parametrize("requires", ['">=0.1,<1"', '"==0.1.0"', '"~=0.1"', '"!=0.2"', '""'])
def test_a_satisfied_requires_is_silent(requires: str) -> None:
    assert told(files(fleet=f"{FLEET}requires: {requires}\n")) == []


@pytest.mark.parametrize("requires", ['">=9"', '"<0.1"', '"garbage"', '">="', "1"])
def test_requires_that_is_not_met_or_no_specifier(requires: str) -> None:
    finding = only(files(fleet=f"{FLEET}requires: {requires}\n"))
    assert (finding.rule, finding.place) == ("inventory/requires", Place(FLEET_FILE, 7, 11))
    assert finding.hint


def test_a_fleet_that_was_written_for_a_newer_version_says_so_beside_what_can_not_be_read() -> None:
    newer = files(fleet=f'{FLEET}requires: ">=9"\nsharding: {{by: cluster}}\n')
    assert [(one.rule, one.place.line) for one in serious(newer)] == [
        ("inventory/requires", 7),
        ("inventory/schema", 8),
    ]
    assert 'requires drivergate ">=9", this is' in serious(newer)[0].message


def test_requires_is_compared_with_the_version_that_runs() -> None:
    inventory = load(bytes_of(files(fleet=f'{FLEET}requires: ">=2"\n')))
    assert build(inventory, version="2.1.0").findings == ()
    assert [one.rule for one in build(inventory, version="1.9").findings] == ["inventory/requires"]


@pytest.mark.parametrize("version", ['"x"', "v26.7", "v1.0.0", "v23.9.2", "v26.7.0-rc1", '"v26.7.0\\n"'])
def test_a_release_that_is_none_or_too_old(version: str) -> None:
    repository = files(fleet=FLEET.replace("v26.7.0", version))
    repository["inventory/two.yaml"] = cluster(POOL, name="two")
    finding = only(repository)  # once, though two clusters inherit it
    assert (finding.rule, finding.place) == ("operator/unsupported-release", Place(FLEET_FILE, 5, 23))


def test_a_release_newer_than_any_known_is_worked_with() -> None:
    repository = files(fleet=FLEET.replace("v26.7.0", "v99.1.0"))
    assert told(repository) == []
    assert one(repository).operator.release.basis == "v26.7.0"


def test_a_cluster_without_an_operator_version() -> None:
    finding = only(files(fleet=FLEET.replace("  operator: {version: v26.7.0}\n", "")))
    assert (finding.rule, finding.place, finding.cluster) == ("inventory/schema", Place(CLUSTER_FILE, 3, 7), "one")


def test_a_profile_that_is_not_declared() -> None:
    finding = only(files(more="profile: egde\n", fleet=f"{FLEET}profiles: {{edge: {{}}}}\n"))
    assert (finding.place, finding.hint) == (Place(CLUSTER_FILE, 4, 10), 'did you mean "edge"?')


def test_cluster_names_that_differ_only_in_case() -> None:
    repository = files()
    repository["inventory/two.yaml"] = cluster(POOL, name="ONE")
    finding = only(repository)
    assert finding.rule == "inventory/name-clash"
    assert "inventory/two.yaml:3:7" in finding.message


def test_a_cluster_that_is_declared_twice() -> None:
    repository = files()
    repository["inventory/two.yaml"] = cluster(POOL)
    finding = only(repository)
    assert (finding.rule, finding.place) == ("inventory/duplicate", Place("inventory/two.yaml", 3, 7))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (f"{POOL}, renamedFrom: old", f"{B}, renamedFrom: old"),
        (POOL, f"{B}, renamedFrom: a"),
        (f"{POOL}, renamedFrom: b", B),
    ],
)
def test_two_pools_of_one_object_name(first: str, second: str) -> None:
    finding = only(files(first, second))
    assert (finding.rule, finding.pool, finding.place.line) == ("inventory/name-clash", "b", 6)
    assert f"{CLUSTER_FILE}:5:3" in finding.message


def test_pool_names_that_differ_only_in_case() -> None:
    repository = files()
    repository[CLUSTER_FILE] += f"  A: {{{B}}}\n"
    finding = only(repository)
    assert (finding.rule, finding.place) == ("inventory/name-clash", Place(CLUSTER_FILE, 6, 3))


@pytest.mark.parametrize("name", ["a/b", "..", "-x", '""', '"a\\nb"', "A", "é", "x" * 300, "a_b", '" "'])
def test_a_pool_s_name_is_that_of_an_object(name: str) -> None:
    repository = files()
    repository[CLUSTER_FILE] = repository[CLUSTER_FILE].replace("  a: {", f"  {name}: {{")
    finding = only(repository)
    assert (finding.rule, finding.place) == ("inventory/schema", Place(CLUSTER_FILE, 5, 3))


@pytest.mark.parametrize("name", ["con", "0", "a.b", "x" * 30])
def test_names_that_kubernetes_takes(name: str) -> None:
    repository = files()
    repository[CLUSTER_FILE] = repository[CLUSTER_FILE].replace("  a: {", f'  "{name}": {{')
    assert told(repository) == []


@pytest.mark.parametrize("name", ['"A B"', "a/b", '"a\\n"', "..", "x" * 300])
def test_renamed_from_is_an_object_s_name(name: str) -> None:
    finding = only(files(f"{POOL}, renamedFrom: {name}"))
    assert (finding.rule, finding.place) == ("inventory/schema", Place(CLUSTER_FILE, 5, 73))


def test_silences_of_fleet_and_cluster() -> None:
    silence = "silenced:\n  - {rule: image/missing, reason: later, pools: [a]}\n"
    named = f"{FLEET}silenced:\n  - {{rule: out/stray, reason: ours, level: warning, clusters: [one]}}\n"
    of_fleet, of_cluster = fleet(files(more=silence, fleet=named)).silences
    assert (of_fleet.rule, of_fleet.ignore, of_fleet.clusters) == ("out/stray", False, ("one",))
    assert (of_cluster.ignore, of_cluster.clusters, of_cluster.pools) == (True, ("one",), ("a",))


def test_a_silence_without_a_reason_is_refused() -> None:
    finding = only(files(more="silenced:\n  - {rule: image/missing}\n"))
    assert (finding.place, finding.message) == (Place(CLUSTER_FILE, 5, 5), '"reason" is missing in silenced.0')
