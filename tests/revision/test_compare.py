"""Two revisions of a fleet: what is the same in both is read once, and what can't be read is not compared."""

from collections.abc import Mapping, Sequence

import pytest

from generator.declared.affected import Affected, Changed
from generator.declared.selection import EVERYTHING, NOTHING, Selection, exactly
from generator.revision.compare import Pair, State, Unreadable, before, compare, compared_clusters
from tests.testing.inventories import HEAD, cluster, files
from tests.testing.judging import DAY, bytes_of

CATALOG = f'{HEAD}kind: ImageCatalog\nrepository: r.example.com/driver\nimages:\n  - {{tag: "580-x-ubuntu22.04"}}\n'
BASE = {**files(), "inventory/images.yaml": CATALOG}


def state(repository: Mapping[str, str | bytes], label: str = "BASE") -> State:
    content = bytes_of(repository)

    def door(paths: Sequence[str]) -> dict[str, bytes]:
        return {path: content[path] for path in paths if path in content}

    return State(label=label, day=DAY, files=content, lock=None, door=door)


def compared(was: Mapping[str, str | bytes], becomes: Mapping[str, str | bytes]) -> Pair | Unreadable:
    return compare(state(was), state(becomes, "HEAD"), EVERYTHING)


def affected(*clusters: str, everything: str = "") -> Affected:
    return Affected(clusters=dict.fromkeys(clusters, "its file differs"), everything=everything, total=2)


@pytest.mark.parametrize(
    ("reached", "wanted", "both"),
    [
        (affected("a", "b"), EVERYTHING, exactly("ab")),
        (affected("a", "b"), exactly("b"), exactly("b")),
        (affected("a"), exactly("b"), NOTHING),
        (affected(everything="all inherit it"), exactly("b"), exactly("b")),
        (affected(everything="all inherit it"), EVERYTHING, EVERYTHING),
        (affected(), EVERYTHING, NOTHING),
    ],
)
def test_compared_are_the_clusters_that_are_reached_and_wanted(
    reached: Affected, wanted: Selection, both: Selection
) -> None:
    assert compared_clusters(reached, wanted) == both


def test_files_before_a_change_are_those_of_now_but_what_changed() -> None:
    now = {"same": b"1", "changed": b"2", "new": b"3"}
    changes = [Changed("changed", b"0", b"2"), Changed("new", None, b"3"), Changed("gone", b"4", None)]
    assert before(now, changes) == {"same": b"1", "changed": b"0", "gone": b"4"}
    assert now == {"same": b"1", "changed": b"2", "new": b"3"}


def test_a_catalog_that_is_the_same_in_both_is_one_value() -> None:
    pair = compared(BASE, BASE)
    assert isinstance(pair, Pair)
    assert pair.base.catalog is pair.head.catalog
    moved = compared({**BASE, "inventory/images.yaml": CATALOG.replace("580-", "595-")}, BASE)
    assert isinstance(moved, Pair)
    for side, tag in ((moved.base, "595-x-ubuntu22.04"), (moved.head, "580-x-ubuntu22.04")):
        assert [*(side.catalog.images("r.example.com/driver") or {})] == [tag]


def test_the_side_that_cannot_be_read_is_named() -> None:
    broken = {**BASE, "inventory/one.yaml": cluster("").replace("pools", "poolz")}
    for was, becomes, label in ((broken, BASE, "BASE"), (BASE, broken, "HEAD"), (broken, broken, "HEAD")):
        found = compared(was, becomes)
        assert isinstance(found, Unreadable)
        assert found.label == label
        assert {finding.place.file for finding in found.blocking} == {"inventory/one.yaml"}


def test_a_base_for_another_drivergate_is_compared_all_the_same() -> None:
    """`requires` says who may judge a revision; this drivergate renders both sides."""
    old = {path: text.replace("kind: Fleet\n", 'kind: Fleet\nrequires: "<0.0.1"\n') for path, text in files().items()}
    assert isinstance(compared(old, files()), Pair)
    found = compared(files(), old)
    assert isinstance(found, Unreadable)
    assert [finding.rule for finding in found.blocking] == ["inventory/requires"]
