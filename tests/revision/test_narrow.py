"""The part of a fleet that a check is about, where it is not about all of it."""

import pytest

from generator.declared.affected import Affected
from generator.declared.selection import EVERYTHING, NOTHING, exactly, named, selects
from generator.declared.shard import Shard
from generator.revision.declaration import AllButOtherShards
from generator.revision.narrow import Change, of_change, of_shard
from tests.testing.inventories import HEAD

INVENTORY = {
    "inventory/fleet.yaml": f"{HEAD}kind: Fleet\nname: f\n".encode(),
    **{f"inventory/{name}.yaml": f"{HEAD}kind: Cluster\nname: {name}\npools: {{}}\n".encode() for name in "abcd"},
}
FLOW = b"{apiVersion: drivergate.dev/v1alpha1, kind: Cluster, name: d, pools: {}}\n"


def affected(*clusters: str, gone: tuple[str, ...] = (), everything: str = "") -> Affected:
    return Affected(clusters=dict.fromkeys(clusters, "its file differs"), gone=gone, everything=everything, total=4)


def test_a_selection_knows_all_none_and_some() -> None:
    assert (exactly([]), named([])) == (NOTHING, EVERYTHING)
    assert exactly("ab") == named("ba")
    assert [selects(selection, "a") for selection in (EVERYTHING, NOTHING, exactly("ab"), exactly("b"))] == [
        True, False, True, False,
    ]  # fmt: skip


def test_a_change_is_about_what_it_affects_and_what_it_takes_away() -> None:
    found = of_change(Change("main", affected("a", gone=("x",))))
    assert found.clusters == found.part == exactly(("a", "x"))
    assert found.notes == ("judged are only the clusters that the change since main can affect: a",)
    assert not found.others_report


def test_a_change_of_all_and_a_change_of_none_say_so() -> None:
    every = of_change(Change("main", affected(everything="inventory/fleet.yaml is inherited by all")))
    assert every.clusters == EVERYTHING
    assert every.notes == (
        "all clusters are judged: of what changed since main, inventory/fleet.yaml is inherited by all",
    )
    none = of_change(Change("main", affected()))
    assert none.clusters == NOTHING
    assert none.notes == ("no cluster is judged: nothing that changed since main can affect one",)


def test_shards_share_the_clusters_by_name_and_the_first_reads_all() -> None:
    first, second = (of_shard(Shard(number, 2), INVENTORY, None) for number in (1, 2))
    assert (first.clusters, second.clusters) == (exactly("ac"), exactly("bd"))
    assert first.part == AllButOtherShards(frozenset("ac"), frozenset("bd"))
    assert second.part == exactly("bd")
    assert (first.others_report, second.others_report) == (False, True)
    assert first.notes == ("shard 1/2 judges 2 clusters, the others do the rest",)


def test_a_document_whose_name_is_no_line_of_its_own_is_read_by_its_own_shard_alone() -> None:
    files = {**INVENTORY, "inventory/d.yaml": FLOW}
    third, fourth = (of_shard(Shard(number, 4), files, None) for number in (3, 4))
    assert "inventory/d.yaml" not in third.files(files)
    assert "inventory/d.yaml" in fourth.files(files)


@pytest.mark.parametrize(("number", "mine"), [(1, exactly("b")), (2, exactly("d"))])
def test_shards_of_a_change_share_what_it_affects(number: int, mine: object) -> None:
    found = of_shard(Shard(number, 2), INVENTORY, Change("main", affected("b", "d")))
    assert found.clusters == found.part == mine
    assert len(found.notes) == 2
