"""Where the nodes of a pool can go in a change: by the labels that they are known to bear."""

import pytest

from generator.change.nodes import Followers, Machine, followers, machines
from generator.declared.fleet import Cluster
from tests.testing.judging import revision_of
from tests.testing.pools import inventory, pool

POLICY = "version: v26.7.0, driverApi: ClusterPolicy"


def cluster(*pools: str, operator: str = "version: v26.7.0") -> Cluster:
    revision, problems = revision_of(inventory(*pools, operator=operator))
    assert [str(problem) for problem in problems] == []
    (only,) = revision.fleet.clusters
    return only


def after(was: Cluster, name: str, becomes: Cluster) -> Followers:
    (earlier,) = [pool for pool in was.pools if pool.name == name]
    return followers(was, earlier, becomes)


def names(found: Followers) -> list[str]:
    return [pool.name for pool in found.pools]


A = pool("a")
A_IN_EAST = pool("east", selector="{example.com/pool: a, zone: east}")
A_IN_WEST = pool("west", selector="{example.com/pool: a, zone: west}")
BY_GPU = pool("b", selector="{gpu: h100}")
DEFAULT = pool("rest", "default: true", selector="")


@pytest.mark.parametrize(
    ("was", "becomes", "expected"),
    [
        ([A], [A], ["a"]),
        ([A], [pool("renamed", selector="{example.com/pool: a}")], ["renamed"]),
        # Half of its labels are enough for every node of it; one more label may be on any of them.
        ([pool("a", selector="{example.com/pool: a, zone: east}")], [A], ["a"]),
        ([A], [A_IN_EAST, A_IN_WEST], ["east", "west"]),
        # Another value of the same label is on none of its nodes.
        ([A], [pool("other")], []),
        # What a sibling selected before were not this pool's nodes: two objects for one node are refused.
        ([A, BY_GPU], [A_IN_EAST, BY_GPU], ["east"]),
        ([A, BY_GPU], [pool("other"), BY_GPU], []),
        # A new selector by a label that nothing was selected by may match any node.
        ([A], [BY_GPU], ["b"]),
        # The default object takes what no other claims.
        ([A, DEFAULT], [A, DEFAULT], ["a"]),
        ([A, DEFAULT], [DEFAULT], ["rest"]),
        ([A], [A_IN_EAST, DEFAULT], ["east", "rest"]),
    ],
)
def test_nodes_follow_labels(was: list[str], becomes: list[str], expected: list[str]) -> None:
    assert names(after(cluster(*was), "a", cluster(*becomes))) == expected


def test_nodes_of_a_default_were_claimed_by_no_other() -> None:
    was = cluster(A, DEFAULT)
    assert names(after(was, "rest", cluster(A, DEFAULT))) == ["rest"]
    # A new pool may take some of them; pool a keeps what was its own.
    new = pool("new")
    assert names(after(was, "rest", cluster(A, new, DEFAULT))) == ["new", "rest"]


def test_a_policy_drives_nodes_that_no_pool_declares() -> None:
    was, becomes = cluster(A, pool("b"), operator=POLICY), cluster(pool("b"), operator=POLICY)
    found = after(was, "a", becomes)
    assert (names(found), found.loads and found.loads.name, found.unclaimed) == ([], "b", False)


def test_an_object_that_goes_leaves_its_nodes_unclaimed() -> None:
    assert after(cluster(A, pool("b")), "a", cluster(pool("b"))).unclaimed


def test_machines_are_those_that_run() -> None:
    declared = cluster(pool("a", "upcomingKernels: [5.15.0-177-generic]", arch="[amd64, arm64]"))
    assert machines(declared.pools[0]) == tuple(
        Machine("ubuntu", "22.04", "5.15.0-173-generic", arch) for arch in ("amd64", "arm64")
    )


def test_a_machine_of_a_compiled_driver_needs_no_kernel() -> None:
    declared = cluster(pool("a", 'driver: {mode: compiled, version: "580.126.20"}', kernels=""))
    assert machines(declared.pools[0]) == (Machine("ubuntu", "22.04", "", "amd64"),)
