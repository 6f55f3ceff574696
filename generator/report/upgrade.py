"""The upgrade of a cluster's nodes for people: a line for each state, one table, and why each node stands there."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import to_builtins

from generator.report.formats.text import sentence, table
from generator.upgrade.scene import Verdict
from generator.upgrade.simulation import ASSUMED
from generator.upgrade.state import State
from generator.upgrade.status import NodeStatus, Status
from generator.words import printable, shortened

NAMES = 5  # of nodes that stand there for the same reason
NO_STATE = "(no state)"
MEANS = {
    State.UNKNOWN: "the operator has not looked at it yet",
    State.UPGRADE_REQUIRED: "waits for a free slot; nothing is done to it",
    State.CORDON_REQUIRED: "is cordoned next",
    State.WAIT_FOR_JOBS: "is cordoned and waits until the selected pods end",
    State.POD_DELETION: "its GPU pods are evicted",
    State.DRAIN: "it is drained, since its GPU pods could not be evicted",
    State.NODE_MAINTENANCE: "the Maintenance Operator's, which the GPU operator doesn't use",
    State.POST_MAINTENANCE: "the Maintenance Operator's, which the GPU operator doesn't use",
    State.POD_RESTART: "its driver pod is replaced",
    State.VALIDATION: "the new driver is validated",
    State.UNCORDON: "is uncordoned next",
    State.DONE: "runs the driver that is wanted",
    State.FAILED: "stays cordoned and holds a slot until somebody acts",
}


def status_text(found: Status) -> str:
    """All of it."""
    return "".join(f"{printable(line)}\n" if line else "\n" for line in _lines(found))


def status_json(found: Status) -> dict[str, Any]:
    """The same for programs."""
    body: dict[str, Any] = to_builtins(found)
    return {**body, "stuck": found.stuck, "untold": found.untold}


def _lines(found: Status) -> Iterator[str]:
    if not found.nodes:
        yield "no GPU node and no node with an upgrade state is in the input"
    for count in found.states:
        meaning = MEANS[State(count.state)] if count.state in set(State) else "unknown to this release"
        yield f"{count.nodes} {count.state or NO_STATE}: {meaning}"
    yield from (f"slots: {one.slots}" for one in found.scopes)
    yield from (f"stops the operator: {one}" for one in found.stops)
    if found.off:
        yield f"no upgrade: {found.off}"
    yield from (f"note: {one}" for one in found.notes)
    if found.nodes:
        yield ""
        yield from table(_rows(found.nodes)).splitlines()
    for group in _groups(found.nodes):
        yield ""
        yield from _told(group)
    if found.assumed:
        yield ""
        yield f"assumed: {ASSUMED.format(found.release)}"
    if found.missing:
        yield ""
        yield f"not in the input: {', '.join(found.missing)}"


def _rows(nodes: Sequence[NodeStatus]) -> list[tuple[str, ...]]:
    head = ("NODE", "OBJECT", "STATE", "CORDONED", "READY", "DRIVER POD", "STANDS")
    return [head, *(_row(one) for one in nodes)]


def _row(one: NodeStatus) -> tuple[str, ...]:
    words = (one.node, one.scope or "-", one.state or NO_STATE, _yes(one.cordoned), _yes(one.ready), one.driver)
    return (*map(printable, words), str(one.verdict))


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def _groups(nodes: Sequence[NodeStatus]) -> Iterator[list[NodeStatus]]:
    """Nodes with one reason are told together, however many they are."""
    groups: dict[tuple[Any, ...], list[NodeStatus]] = {}
    for one in nodes:
        if one.verdict is not Verdict.DONE or one.why:
            groups.setdefault((one.state, one.verdict, one.why, one.command, one.missing), []).append(one)
    yield from groups.values()


def _told(group: Sequence[NodeStatus]) -> Iterator[str]:
    first = group[0]
    names = shortened([node.node for node in group], NAMES)
    yield f"{names}: {first.state or NO_STATE}, {first.verdict}"
    yield from (f"    {sentence(one)}" for one in first.why)
    if first.command:
        yield f"    try: {first.command}"
        yield f"         {sentence(first.effect)}"
    elif first.effect:
        yield f"    {sentence(first.effect)}"
    if first.missing:
        yield f"    cannot tell from this input: give {' and '.join(first.missing)}"
