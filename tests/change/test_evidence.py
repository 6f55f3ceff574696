"""What an audit proves: the kernels that no node runs, where no other node can come up with them."""

from datetime import date

import pytest

from generator.change.evidence import Seen, seen, without_idle
from generator.declared.fleet import Fleet
from generator.observed.evidence import SeenCluster, SeenFleet, SeenNode
from tests.testing.inventories import HEAD, files
from tests.testing.judging import revision_of

OLD, NEW = "5.15.0-173-generic", "5.15.0-177-generic"
PINNED = f'nodeSelector: {{x/y: a}}, os: {{id: ubuntu, version: "22.04"}}, arch: [amd64], kernels: [{OLD}, {NEW}]'
IMAGE = f"""{HEAD}kind: NodeImage
name: aws
os: {{id: ubuntu, version: "22.04"}}
arch: [amd64]
kernels: {{"202604.1": {OLD}, "202605.1": {NEW}}}
running: ["202604.1", "202605.1"]
"""
STREAM = "nodeSelector: {x/y: a}, nodeImage: aws"
TODAY = date(2026, 3, 31)
RELEASES = {"aws": {"202604.1": OLD, "202605.1": NEW}}


def fleet(pool: str, more: str = "") -> Fleet:
    revision, problems = revision_of(files(pool, more=more, image=IMAGE))
    assert problems == ()
    return revision.fleet


def node(name: str, *, pool: str = "a", kernel: str = NEW, uname: str = NEW, release: str = "") -> SeenNode:
    return SeenNode(name, pool=pool, kernel=kernel, uname=uname, release=release)


def proven(declared: Fleet, *nodes: SeenNode, time: str = "2026-03-31T06:00:00Z") -> Seen:
    audit = SeenFleet((SeenCluster("one", nodes),), time, "audit.json")
    return seen(declared, RELEASES, [audit], TODAY)


def left(declared: Fleet, found: Seen) -> list[str]:
    (cluster,) = without_idle(declared, found).clusters
    return [kernel.name for kernel in cluster.pools[0].kernels]


def test_a_kernel_that_no_node_of_a_fixed_number_runs_is_left_out() -> None:
    declared = fleet(f"{PINNED}, nodes: 2")
    found = proven(declared, node("n1"), node("n2"))
    assert left(declared, found) == [NEW]
    assert found.notes == (f"by audit.json of 2026-03-31T06:00:00Z, none of 2 nodes of one/a runs {OLD}",)


@pytest.mark.parametrize(
    "nodes",
    [
        (node("n1"),),  # the other may be on its way out, or in
        (node("n1"), node("n2", kernel=OLD)),  # NFD's label is what the operator goes by
        (node("n1"), node("n2", uname=OLD)),  # and the kubelet's word is what it will be
        (node("n1"), node("n2", kernel="", uname="")),
        (node("n1"), node("n2"), node("n3", pool="", kernel=OLD, uname=OLD)),  # of no pool: it may be one of these
        (),
    ],
)
def test_what_was_not_seen_of_every_node_proves_nothing(nodes: tuple[SeenNode, ...]) -> None:
    declared = fleet(f"{PINNED}, nodes: 2")
    found = proven(declared, *nodes)
    assert (left(declared, found), found.notes) == ([OLD, NEW], ())


def test_a_pool_that_may_grow_proves_nothing_by_its_nodes() -> None:
    declared = fleet(f"{PINNED}, nodes: {{min: 2, max: 4}}")
    assert left(declared, proven(declared, node("n1"), node("n2"))) == [OLD, NEW]


def test_but_by_the_release_that_its_node_image_is_labelled_with() -> None:
    declared = fleet(f"{STREAM}, nodes: {{min: 2, max: 4}}")
    new = [node("n1", release="202605.1"), node("n2", release="202605.1")]
    assert left(declared, proven(declared, *new)) == [NEW]
    for other in ("", "202604.1", "202699.1"):
        assert left(declared, proven(declared, new[0], node("n2", release=other))) == [OLD, NEW]


def test_nodes_that_run_nothing_declared_prove_nothing() -> None:
    declared = fleet(f"{PINNED}, nodes: 1")
    other = "5.15.0-999-generic"
    found = proven(declared, node("n1", kernel=other, uname=other))
    assert (left(declared, found), found.notes) == ([OLD, NEW], ())


@pytest.mark.parametrize(
    ("time", "more", "counts"),
    [
        ("2026-03-31T23:59:59Z", "", True),
        ("2026-03-30T00:00:00Z", "", True),
        ("2026-03-29T23:59:59Z", "", False),
        ("2026-04-01T00:00:00Z", "", False),  # after what is judged
        ("2026-03-28T12:00:00Z", "observedMaxAge: 3d\n", True),
        ("2026-03-30T12:00:00Z", "observedMaxAge: 0d\n", False),
    ],
)
def test_an_audit_counts_on_its_day_and_so_long_as_the_cluster_allows(time: str, more: str, counts: bool) -> None:
    declared = fleet(f"{PINNED}, nodes: 1", more)
    found = proven(declared, node("n1"), time=time)
    assert left(declared, found) == ([NEW] if counts else [OLD, NEW])
    (note,) = found.notes
    assert ("is no evidence for one" in note) is not counts
