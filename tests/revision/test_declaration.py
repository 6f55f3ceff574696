"""What a state of the repository declares, as far as it is asked for."""

from collections.abc import Sequence

from generator.declared.selection import EVERYTHING, exactly
from generator.revision.declaration import AllButOtherShards, declare, pool_of, with_sources, without_catalogs
from tests.testing.inventories import CATALOG, FLEET, POOL, cluster, files, workload, workloads
from tests.testing.judging import DAY, bytes_of

TWO = bytes_of({**files(), "inventory/two.yaml": cluster(POOL, name="two")})
BROKEN = bytes_of({**files(), "inventory/two.yaml": cluster(POOL, name="two").replace("pools", "poolz")})


def names(found: object) -> list[str]:
    return [one.name for one in found.clusters]  # type: ignore[attr-defined]


def test_all_of_it_is_read_where_nothing_else_is_asked_for() -> None:
    declaration = declare(TWO, day=DAY)
    assert (names(declaration.fleet), declaration.selection) == (["one", "two"], EVERYTHING)
    assert declaration.findings == declaration.blocking == ()
    two = declaration.cluster("two")
    assert two is not None
    assert declaration.cluster("three") is None
    pool = pool_of(two, "a")
    assert pool is not None
    assert (pool.cluster, pool.name, pool_of(two, "b")) == ("two", "a", None)
    assert [*declaration.catalog().repositories] == ["nvcr.io/nvidia/driver"]


def test_a_cluster_that_is_not_asked_for_is_left_unread() -> None:
    declaration = declare(BROKEN, day=DAY, part=exactly(["one"]))
    assert names(declaration.fleet) == ["one"]
    assert declaration.blocking == ()
    assert declaration.inventory.unread == ("inventory/two.yaml",)
    (finding,) = declare(BROKEN, day=DAY).blocking
    assert finding.place.file == "inventory/two.yaml"


def test_one_shard_reads_all_for_the_rules_that_compare_clusters() -> None:
    declaration = declare(TWO, day=DAY, part=AllButOtherShards(frozenset({"one"}), frozenset({"two"})))
    assert names(declaration.fleet) == ["one"]
    assert declaration.whole is not None
    assert names(declaration.whole) == ["one", "two"]
    assert declaration.selection == exactly(["one"])


def test_budgets_of_manifests_come_through_the_door() -> None:
    on_file = workload("disruptionBudget: {existing: {file: bases/pdb.yaml}}")
    repository = bytes_of({**files(), "inventory/ml.yaml": workloads(on_file)})
    asked: list[str] = []

    def door(paths: Sequence[str]) -> dict[str, bytes]:
        asked.extend(paths)
        return {}

    assert declare(repository, day=DAY).findings == ()
    (finding,) = declare(repository, door, day=DAY).findings
    assert asked == ["bases/pdb.yaml"]
    assert finding.place.file == "inventory/ml.yaml"


def test_sources_are_compared_with_what_is_pinned() -> None:
    declaration = declare(TWO, day=DAY)
    assert with_sources(declaration, None) is declaration
    source = "sources: {ml: {url: 'https://git.example.com/ml.git', ref: main}}\n"
    sourced = declare(bytes_of(files(fleet=FLEET + source)), day=DAY)
    assert sourced.findings == ()
    assert [finding.rule for finding in with_sources(sourced, None).findings] == ["inventory/source"]


def test_catalogs_are_known_by_what_they_say() -> None:
    named = {"inventory/a.yaml": CATALOG.encode(), "inventory/b.yaml": cluster(POOL).encode()}
    assert [*without_catalogs(named)] == ["inventory/b.yaml"]
