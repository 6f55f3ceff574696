"""A fleet split by cluster: every cluster is in one part, whatever the order of the files."""

import pytest

from generator.declared.selection import exactly
from generator.declared.shard import Shard, parse, share

CLUSTERS = {f"inventory/{name}.yaml": f"kind: Cluster\nname: {name}\n".encode() for name in "dbacefg"}
OTHERS = {"inventory/fleet.yaml": b"kind: Fleet\nname: a\n", "inventory/notes.md": b"kind: Cluster\nname: z\n"}
FLOW = {"inventory/flow.yaml": b"{kind: Cluster, name: x}\n", "inventory/none.yaml": b"kind: Cluster\npools: [\n"}


@pytest.mark.parametrize(
    "text", ["0/1", "2/1", "1/0", "1", "1/2/3", "", "a/b", "-1/2", "1/ 2", "01/2", "1/2\n", "\uff11/\uff12", "1/999999"]
)
def test_what_is_no_part(text: str) -> None:
    assert parse(text) is None


def test_a_part_is_counted_from_one() -> None:
    assert parse("2/5") == Shard(2, 5)
    assert str(Shard(2, 5)) == "2/5"


@pytest.mark.parametrize("count", [1, 2, 3, 7, 9])
def test_every_cluster_is_in_one_part(count: int) -> None:
    files = {**CLUSTERS, **OTHERS}
    shares = [share(Shard(number, count), files) for number in range(1, count + 1)]
    assert sorted(name for one in shares for name in one.clusters) == [*"abcdefg"]
    sizes = [len(one.clusters) for one in shares]
    assert max(sizes) - min(sizes) <= 1
    assert all(one.clusters | one.elsewhere == {*"abcdefg"} for one in shares)
    assert shares == [share(Shard(one, count), dict(reversed(files.items()))) for one in range(1, count + 1)]


def test_only_those_that_are_meant_are_split() -> None:
    shares = [share(Shard(number, 2), CLUSTERS, exactly({"a", "b", "c", "gone"})) for number in (1, 2)]
    assert [one.clusters for one in shares] == [{"a", "c"}, {"b", "gone"}]


def test_a_name_that_no_line_begins_with_is_found() -> None:
    shares = [share(Shard(number, 2), {**CLUSTERS, **FLOW}) for number in (1, 2)]
    assert ["x" in one.clusters for one in shares] == [False, True]
    assert [one.unseen for one in shares] == [{"inventory/flow.yaml"}, {"inventory/none.yaml"}]
