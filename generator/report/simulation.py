"""A replayed upgrade for people: a line for each node, who is evicted when, where it stalls and on what."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import to_builtins

from generator.report.formats.text import sentence, table
from generator.upgrade.event import Event, Kind
from generator.upgrade.simulation import Lane, Simulation, Stall
from generator.words import printable, shortened

NAMES = 5  # of nodes that stall on the same thing
TOLD = {
    Kind.EVICTED: "{node} evicts {detail}",
    Kind.EVICTION_REFUSED: "{node} can't evict {detail}: {why}",
    Kind.HELD: "{detail} stays on {node} after its eviction: {why}",
    Kind.CANNOT_LEAVE: "{node} can't evict {detail}: {why}",
    Kind.TIMED_OUT: "{node} gives up after {seconds} s: {what}",
    Kind.POD_STARTED: "{detail} starts again {where}",
    Kind.ERROR: "the operator stops: {detail} ({why})",
}
STAYS = {
    "local-storage": "it has an emptyDir, needs deleteEmptyDir",
    "unmanaged": "it has no controller, needs force",
    "daemonset": "it is of a DaemonSet",
    "not-found": "its DaemonSet is gone, needs force",
    "mirror": "it is a static pod",
}


def simulation_text(found: Simulation, *, events: bool = True) -> str:
    """All of it, or without the single events."""
    return "".join(f"{printable(line)}\n" if line else "\n" for line in _lines(found, events=events))


def simulation_json(found: Simulation) -> dict[str, Any]:
    """The same for programs."""
    body: dict[str, Any] = to_builtins(found)
    return {**body, "done": found.done}


def clock(seconds: int) -> str:
    """Hours, minutes and seconds: 1:02:05."""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def headline(found: Simulation) -> str:
    """How it ends, in one sentence."""
    if not found.lanes:
        return "no GPU node is in the input"
    if found.off:
        return f"no node is upgraded: {found.off}"
    start = "the upgrade under way" if found.resumed else "an upgrade of every node"
    if found.done:
        nodes = "1 node is" if len(found.lanes) == 1 else f"{len(found.lanes)} nodes are"
        return f"{start} ends after {clock(found.seconds)}: {nodes} upgrade-done"
    return f"{start} stalls: {len(found.stalls)} of {len(found.lanes)} nodes never get done"


def _lines(found: Simulation, *, events: bool) -> Iterator[str]:
    yield headline(found)
    if found.waited:
        yield f"timeouts alone last {clock(found.waited)} of node time"
    yield from (f"stops the operator: {one}" for one in found.stops)
    yield from (f"note: {one}" for one in found.notes)
    if found.lanes:
        yield ""
        yield from table([HEAD, *(_row(one) for one in found.lanes)]).splitlines()
    told = [line for one in found.events if (line := event_line(one))] if events else []
    if told:
        yield ""
        yield from told
    for group in grouped(found.stalls):
        yield ""
        yield from _stalled(group)
    if found.pending:
        yield ""
        yield f"evicted and without a node: {', '.join(found.pending)}"
    yield ""
    yield from (f"assumed: {one}" for one in found.assumed)
    if found.missing:
        yield f"cannot tell from this input: give {' and '.join(found.missing)}"


HEAD = ("NODE", "OBJECT", "BEGINS", "DONE", "EVICTED", "ENDS IN")


def _row(one: Lane) -> tuple[str, ...]:
    begins = clock(one.begins) if one.begins is not None else "-"
    done = clock(one.done) if one.done is not None else "-"
    last = one.spans[-1].state if one.spans else ""
    return (printable(one.node), printable(one.scope or "-"), begins, done, str(one.evicted), printable(last or "-"))


def event_line(one: Event) -> str:
    """One event in words; states are in the table and in the drawing."""
    form = TOLD.get(one.kind)
    if form is None:
        return ""
    why = STAYS.get(one.why, one.why.replace("The disruption budget", "the disruption budget"))
    where = f"on {one.node}" if one.node else "elsewhere"
    what = f"{one.detail}: {why}" if one.detail else why
    text = form.format(node=one.node, where=where, detail=one.detail, why=why, what=what, seconds=one.seconds)
    return f"{clock(one.at)}  {sentence(text)}"


def grouped(stalls: Sequence[Stall]) -> Iterator[list[Stall]]:
    """Nodes that stall on the same thing."""
    groups: dict[tuple[Any, ...], list[Stall]] = {}
    for one in stalls:
        groups.setdefault((one.state, one.why, one.command), []).append(one)
    yield from groups.values()


def _stalled(group: Sequence[Stall]) -> Iterator[str]:
    first = group[0]
    names = shortened([stalled.node for stalled in group], NAMES)
    stall = "stall" if len(group) > 1 else "stalls"
    yield f"{names} {stall} in {first.state or 'no state'}"
    yield from (f"    {sentence(one)}" for one in first.why)
    if first.command:
        yield f"    try: {first.command}"
        yield f"         {sentence(first.effect)}"
