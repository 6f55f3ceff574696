"""Which NVIDIADriver a node belongs to, and when the operator refuses them all.

gpu-operator internal/validator/validator.go and internal/nvidiadriver/nvidiadriver.go. The two disagree: the
validator looks at every node and at objects being deleted, the assignment at GPU nodes and live objects.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from generator.facts import label
from generator.facts.label import Node
from generator.facts.release import Release


class Conflict(StrEnum):
    """Why no NVIDIADriver of the cluster is reconciled."""

    SAME_NODE = "conflict"
    MULTIPLE_DEFAULT = "multiple_default"
    DEFAULT_WITH_SELECTOR = "default_with_selector"
    RESERVED_LABEL = "reserved_label"


class Driver(Struct, frozen=True, kw_only=True):
    """An NVIDIADriver object; `node_selector` is None where it is omitted, which is not the same as empty."""

    name: str
    node_selector: Mapping[str, str] | None = None
    default: bool = False
    deleting: bool = False


class Conflicting(Struct, frozen=True):
    """A conflict, the objects in it and, for SAME_NODE, the node."""

    reason: Conflict
    drivers: tuple[str, ...]
    node: str = ""


def effective_selector(driver: Driver) -> Mapping[str, str]:
    """An omitted selector stands for every GPU node, an empty one for every node."""
    return {label.GPU_PRESENT: "true"} if driver.node_selector is None else driver.node_selector


def validate(release: Release, drivers: Sequence[Driver], nodes: Sequence[Node]) -> Conflicting | None:
    """The verdict that every NVIDIADriver of the cluster gets, in the order of their names; None is good."""
    ordered = sorted(drivers, key=lambda driver: driver.name)
    if not release.default_object:
        return _same_node(ordered, nodes)
    problem = _spec_problem(ordered) or _multiple_default([driver for driver in ordered if not driver.deleting])
    return problem or _same_node([driver for driver in ordered if not driver.default], nodes)


def owners(drivers: Sequence[Driver], nodes: Sequence[Node]) -> dict[str, str | None] | Conflicting:
    """The owner label of each node afterwards (v26.7 on); a conflict changes no label at all.

    A node without GPUs keeps what it has.
    """
    live = [driver for driver in sorted(drivers, key=lambda driver: driver.name) if not driver.deleting]
    gpu_nodes = [node for node in nodes if node.labels.get(label.GPU_PRESENT) == "true"]
    claiming = [driver for driver in live if not driver.default]
    problem = _spec_problem(live) or _multiple_default(live) or _claimed_twice(claiming, gpu_nodes)
    if problem:
        return problem
    fallback = next((driver.name for driver in live if driver.default), None)
    owned = {node.name: next(iter(_claims(claiming, node)), fallback) for node in gpu_nodes}
    return {node.name: owned.get(node.name, node.labels.get(label.OWNER)) for node in nodes}


def _spec_problem(drivers: Sequence[Driver]) -> Conflicting | None:
    for driver in drivers:
        if driver.default and driver.node_selector:
            return Conflicting(Conflict.DEFAULT_WITH_SELECTOR, (driver.name,))
        if label.OWNER in (driver.node_selector or {}):
            return Conflicting(Conflict.RESERVED_LABEL, (driver.name,))
    return None


def _multiple_default(live: Sequence[Driver]) -> Conflicting | None:
    names = tuple(driver.name for driver in live if driver.default)
    return Conflicting(Conflict.MULTIPLE_DEFAULT, names) if len(names) > 1 else None


def _same_node(drivers: Sequence[Driver], nodes: Sequence[Node]) -> Conflicting | None:
    """The validator walks the objects and stops at the first node that a second one claims."""
    claimed: dict[str, str] = {}
    for driver in drivers:
        selector = effective_selector(driver)
        for node in nodes:
            if not label.matches(selector, node.labels):
                continue
            if node.name in claimed:
                return Conflicting(Conflict.SAME_NODE, (claimed[node.name], driver.name), node.name)
            claimed[node.name] = driver.name
    return None


def _claimed_twice(drivers: Sequence[Driver], nodes: Sequence[Node]) -> Conflicting | None:
    for node in nodes:
        names = _claims(drivers, node)
        if len(names) > 1:
            return Conflicting(Conflict.SAME_NODE, names, node.name)
    return None


def _claims(drivers: Sequence[Driver], node: Node) -> tuple[str, ...]:
    return tuple(driver.name for driver in drivers if label.matches(effective_selector(driver), node.labels))
