"""An audit for people, for programs, and for Prometheus' textfile collector."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import to_builtins

from generator.audit.audit import Audit
from generator.audit.difference import Difference, What
from generator.audit.leaving import Remaining
from generator.audit.node import Standing
from generator.audit.objects import Adoption
from generator.audit.pools import System
from generator.finding import Severity
from generator.operator.reload import Effect
from generator.report.formats.text import sentence
from generator.report.unasked import Unasked, unasked_lines
from generator.words import counted, printable, shortened

EFFECTS = {
    Effect.NONE: "a sync changes nothing",
    Effect.RESTART_ONLY: "a sync restarts its driver pods in place",
    Effect.FULL_RELOAD: "a sync reloads its driver",
}
SHOWN = 20  # fields of one object


def text(audits: Sequence[Audit], unasked: Sequence[Unasked], *, every: bool) -> str:
    """Of each cluster its pools, what differs, and the sum. `every` prints the nodes that are as declared too."""
    lines = [line for one in audits for line in _cluster(one, every=every)]
    lines += unasked_lines(unasked)
    return "".join(f"{printable(line)}\n" for line in lines)


def remaining_text(answers: Sequence[Remaining], unasked: Sequence[Unasked]) -> str:
    """A line for each pool and what shall leave it, and the clusters that could not be looked at."""
    lines = [_remaining(answer) for answer in answers]
    if not answers and not unasked:
        lines = ["no cluster that was looked at has such a pool"]
    lines += unasked_lines(unasked)
    return "".join(f"{printable(line)}\n" for line in lines)


def _remaining(answer: Remaining) -> str:
    whose = f"{answer.cluster}/{answer.pool}" if answer.pool else answer.cluster
    if answer.of_operator:
        return f"{whose}: {_of_operator(answer)}"
    if answer.running:
        names = shortened(answer.running, SHOWN)
        return f"{whose}: {len(answer.running)} of {counted(answer.seen, 'node')} still on {answer.value}: {names}"
    if answer.unknown:
        names = shortened(answer.unknown, SHOWN)
        return f"{whose}: cannot tell whether {names} runs {answer.value}: neither labels nor kubelet say"
    return f"{whose}: none of {counted(answer.seen, 'node')} runs {answer.value}"


def _of_operator(answer: Remaining) -> str:
    if answer.unknown:
        return "cannot tell which release of the operator runs: no pod of its validator was seen"
    return f"operator {answer.value} {'still' if answer.running else 'no longer'} runs"


def remaining_values(answers: Sequence[Remaining], unasked: Sequence[Unasked]) -> dict[str, Any]:
    """The same for programs."""
    return {"remaining": [to_builtins(answer) for answer in answers], "unasked": to_builtins(list(unasked))}


def _cluster(one: Audit, *, every: bool) -> Iterator[str]:
    of_release = f", operator {one.operator}" if one.operator else ""
    yield f"{one.cluster}: {counted(len(one.nodes), 'GPU node')}, {counted(one.others, 'other')}{of_release}"
    for pool in one.pools:
        systems = "; ".join(_system(each) for each in pool.systems)
        yield f"  {pool.pool}: {counted(pool.nodes, 'node')}" + (f" ({systems})" if systems else "")
    if every:
        yield from (f"  {line}" for node in one.nodes for line in _node(node))
    else:
        yield from (f"  {node.node}: {', '.join(node.signs)}" for node in one.nodes if node.signs)
    for adopted in one.adoptions:
        if adopted.effect is not None:
            yield f"  {adopted.kind} {adopted.name}: {EFFECTS[adopted.effect]}"
    yield from (line for difference in one.differences for line in _difference(difference))
    yield from (f"  cannot tell from this input: {unseen}" for unseen in one.unseen)
    yield f"  {_sum(one)}"


def _system(one: System) -> str:
    return f"{one.os or 'no OS label'} {one.kernel or 'no kernel label'} x {len(one.nodes)}"


def _node(node: Standing) -> Iterator[str]:
    what = [node.pool or "no pool", node.os, node.kernel or "no kernel label", node.arch]
    if node.driver:
        what.append(f"driver {node.driver}")
    if node.image:
        what.append(f"needs {node.image.rpartition('/')[2]} ({'built' if node.built else 'not built'})")
    yield f"{node.node}: {', '.join(part for part in (*what, *node.signs) if part)}"


def _difference(one: Difference) -> Iterator[str]:
    subject = " ".join(
        part
        for part in (one.node and f"node {one.node}", one.pool and f"({one.pool})" if one.node else one.pool)
        if part
    )
    head = f"{subject}: " if subject else ""
    yield f"  {one.severity}: {head}{sentence(one.message)} [{one.what}]"
    yield f"      hint: {sentence(one.hint)}"


def _sum(one: Audit) -> str:
    errors = sum(each.severity is Severity.ERROR for each in one.differences)
    found = f"{counted(errors, 'error')}, {counted(len(one.differences) - errors, 'warning')}"
    right = [node for node in one.nodes if node.serves is not False and not _has_error(node)]
    by_labels = not one.pods_seen and any(node.image for node in right)
    seen = " by their labels alone" if by_labels else ""
    return f"{found}: {len(right)} of {counted(len(one.nodes), 'GPU node')} as declared{seen}"


def _has_error(node: Standing) -> bool:
    return any(difference.severity is Severity.ERROR for difference in node.differences)


def values(audits: Sequence[Audit], unasked: Sequence[Unasked], time: str | None) -> dict[str, Any]:
    """The same for programs. `time` is when the nodes were seen, in UTC, None where nothing tells."""
    clusters = [_values(one) for one in audits]
    return {"time": time, "clusters": clusters, "unasked": to_builtins(list(unasked))}


def _values(one: Audit) -> dict[str, Any]:
    return {
        "cluster": one.cluster,
        "operator": one.operator,
        "nodes": [
            {**to_builtins(node), "differences": [_told(each) for each in node.differences]} for node in one.nodes
        ],
        "otherNodes": one.others,
        "pools": to_builtins(one.pools),
        "adoptions": [_adoption(each) for each in one.adoptions],
        "differences": [_told(each) for each in one.differences],
        "unseen": list(one.unseen),
    }


def _told(one: Difference) -> dict[str, Any]:
    return {**to_builtins(one), "severity": str(one.severity)}


def _adoption(one: Adoption) -> dict[str, Any]:
    made: dict[str, Any] = to_builtins(one)
    return {**made, "changes": made["changes"][:SHOWN]}


def prometheus(audits: Sequence[Audit], unasked: Sequence[Unasked]) -> str:
    """Gauges in the text format, for a node exporter's textfile collector; a cluster that wasn't seen says so."""
    lines: list[str] = []
    for name, what, rows in (
        ("drivergate_audit_looked", "Whether the cluster could be looked at.", _looked(audits, unasked)),
        ("drivergate_gpu_nodes", "GPU nodes by the pool that claims them.", _nodes(audits)),
        ("drivergate_differences", "Differences between cluster and git, by kind and severity.", _differences(audits)),
    ):
        lines += [f"# HELP {name} {what}", f"# TYPE {name} gauge"]
        lines += [f"{name}{{{labels}}} {value}" for labels, value in rows]
    return "".join(f"{line}\n" for line in lines)


Rows = Iterable[tuple[str, int]]


def _looked(audits: Sequence[Audit], unasked: Sequence[Unasked]) -> Rows:
    yield from ((_labels(cluster=one.cluster), 1) for one in audits)
    yield from ((_labels(cluster=one.cluster), 0) for one in unasked)


def _nodes(audits: Sequence[Audit]) -> Rows:
    for one in audits:
        yield from ((_labels(cluster=one.cluster, pool=pool.pool), pool.nodes) for pool in one.pools)
        unclaimed = sum(not node.pool for node in one.nodes)
        yield _labels(cluster=one.cluster, pool=""), unclaimed


def _differences(audits: Sequence[Audit]) -> Rows:
    """Every kind, so that a series that falls to 0 doesn't vanish."""
    for one in audits:
        for what in What:
            found = [each for each in one.differences if each.what is what]
            severity = Difference(what=what, message="", hint="", cluster="").severity
            yield _labels(cluster=one.cluster, kind=what, severity=severity), len(found)


def _labels(**labels: str) -> str:
    """Values as the exposition format escapes them."""
    return ",".join(
        '{}="{}"'.format(name, value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n"))
        for name, value in labels.items()
    )
