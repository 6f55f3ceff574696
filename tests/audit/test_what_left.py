"""Nodes that keep running what left: audit names each of them before the change that hits it is merged.

They stay on the machine that they run, against what the declarations say of them. A change that the gate lets pass can
then hit them, and what shows it beforehand is an audit against the declaration that is synced.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from generator.audit.audit import audit
from generator.audit.difference import ERRORS, What
from generator.audit.leaving import remaining
from generator.audit.live import Live
from generator.observed.node import parse
from generator.observed.objects import Objects
from tests.model.adversary import Change, Declaration, Labels, Machine, Node, Pool, nodes_of
from tests.testing.command import call
from tests.testing.drawn import ALL_LABELS, DRIVERS, KERNELS, SELECTORS, Draw
from tests.testing.histories import Arrival, arrivals, catalog_of, files_of, fleet_of
from tests.testing.nodes import GPU, listed, nfd, node
from tests.testing.soak import sizes


def seen(labels: Labels, machine: Machine) -> dict[str, Any]:
    """The node as kubectl prints it."""
    kernel = machine.kernel
    return node("n1", {**GPU, **nfd("rhel", machine.system, kernel), **dict(labels)}, kernelVersion=kernel)


@cache
def named(declared: Declaration, labels: Labels, machine: Machine) -> frozenset[str]:
    """What tells of such a node where this is declared, whatever is built.

    "error": `audit` names it as an error; "size": it warns of the size of its pool; "gone": `audit --gone` names it.
    """
    (cluster,) = fleet_of(declared).clusters
    nodes = parse(listed([seen(labels, machine)]))
    assert isinstance(nodes, tuple)
    live = Live(Objects(nodes={only.name: only for only in nodes}, kinds=frozenset({"Node"})))
    found = set()
    differences = audit(cluster, catalog_of(frozenset(), passes_on=declared.passes_on), live).differences
    if "n1" in {difference.node for difference in differences if difference.what in ERRORS - {What.NOT_BUILT}}:
        found.add("error")
    if What.POOL_SIZE in {difference.what for difference in differences}:
        found.add("size")
    claiming = declared.pool_of(labels)
    pools = [pool for pool in cluster.pools if claiming is not None and pool.name == claiming.name]
    if all(answer.running == ("n1",) for answer in remaining(cluster, pools, live, [machine.kernel])):
        found.add("gone")
    return frozenset(found)


def lingering(changes: Iterator[Arrival], first: Declaration) -> Iterator[tuple[Arrival, Labels, Machine]]:
    """The nodes that a change hits although they run nothing that its base declares for them."""
    running = {labels: nodes_of(first, labels) for labels in ALL_LABELS}
    left: dict[Labels, frozenset[Node]] = dict.fromkeys(ALL_LABELS, frozenset())
    for arrived in changes:
        if arrived.errors:
            return
        for labels in ALL_LABELS:
            before, after = arrived.was.machines_of(labels), arrived.becomes.machines_of(labels)
            staying = set()
            for machine in {standing.machine for standing in running[labels] | left[labels]} - after:
                nodes = [standing for standing in running[labels] | left[labels] if standing.machine == machine]
                outcome = Change(arrived.was, arrived.becomes, labels).linger(nodes)
                staying |= outcome.nodes
                if machine not in before and outcome.missing(arrived.built):
                    yield arrived, labels, machine
            left[labels] = frozenset(staying)
            running[labels] = arrived.outcomes[labels].nodes


class Kind(Enum):
    """What left, of which a hit node still runs something."""

    KERNEL = "its kernel"
    SYSTEM = "its system"
    POOL = "its pool"
    NODES = "all nodes of its pool"
    COMPILED = "its kernel, under a driver that is compiled on the node"


def kind_of(declared: Declaration, labels: Labels, machine: Machine) -> Kind:
    pool = declared.pool_of(labels)
    if pool is None:
        return Kind.POOL
    if pool.system != machine.system:
        return Kind.SYSTEM
    if machine.kernel in pool.kernels:
        return Kind.NODES
    return Kind.KERNEL if pool.precompiled else Kind.COMPILED


WHAT_NAMES = {
    Kind.KERNEL: {"error", "gone"},
    Kind.SYSTEM: {"error", "gone"},
    Kind.POOL: {"error", "gone"},
    Kind.NODES: {"size", "gone"},
    Kind.COMPILED: {"gone"},
}


@pytest.mark.parametrize("histories", sizes(200, soak=10_000))
def test_a_node_that_keeps_what_left_is_named_before_it_is_hit(histories: int) -> None:
    """Two kinds are no error of an audit, and only `--gone` names such a node.

    A machine of a driver that is compiled on the node is an OS and an architecture, so that audit judges no kernel;
    when the driver is precompiled again, a kernel that left by then can be hit. And a pool that is declared with no
    node is judged for none: of a node that is there all the same audit warns by the size of the pool.
    """
    draw = Draw(3)
    hit: Counter[Kind] = Counter()
    for _ in range(histories):
        history = draw.history()
        changes = arrivals(history)
        for arrived, labels, machine in lingering(changes, history.declarations[0]):
            kind = kind_of(arrived.was, labels, machine)
            hit[kind] += 1
            assert WHAT_NAMES[kind] <= named(arrived.was, labels, machine), (arrived, labels, machine)
    print(dict(hit))
    assert hit.keys() >= {Kind.KERNEL, Kind.SYSTEM, Kind.POOL}


TAKEN = Pool("a", SELECTORS["a"], frozenset(KERNELS["9.4"][1:]), DRIVERS[0])
NEXT = replace(TAKEN, system="9.6", kernels=frozenset(KERNELS["9.6"]))
COMPILED = replace(NEXT, precompiled=False)
OTHER = replace(TAKEN, name="b", selector=SELECTORS["b"])


@pytest.mark.parametrize("declared", [TAKEN, NEXT, COMPILED, OTHER], ids=["kernel", "system", "compiled", "pool"])
def test_the_command_names_it(declared: Pool, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A node of the first kernel of RHEL 9.4, where that kernel, 9.4 or its pool is declared no more."""
    for path, text in files_of(Declaration((declared,))).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    kernel = KERNELS["9.4"][0]
    nodes = tmp_path / "nodes.json"
    nodes.write_bytes(listed([seen(ALL_LABELS[0], Machine("9.4", kernel))]))
    whole = call(capfd, "audit", "--nodes", str(nodes), "--format", "json", root=tmp_path)
    (cluster,) = whole.json["clusters"]
    of_node = {difference["what"] for difference in cluster["differences"] if difference["node"] == "n1"}
    assert (whole.code, bool(of_node & {"undeclared", "unclaimed"})) == (1, True)
    for value in (kernel, "rhel9.4"):
        assert call(capfd, "audit", "--nodes", str(nodes), "--gone", value, root=tmp_path).code == 1


def test_a_pool_that_declares_the_major_has_nodes_of_every_minor() -> None:
    whole = replace(TAKEN, system="9", precompiled=False)
    assert named(Declaration((whole,)), SELECTORS["a"], Machine("9.4", KERNELS["9.4"][1])) == {"gone"}
