"""Whether any node still runs a kernel or an OS that shall no longer be declared: the proof before it leaves git."""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from generator.declared.fleet import Cluster, Pool
from generator.facts import label
from generator.facts.kernel import label_form
from generator.observed.node import Node
from generator.operator.ask import offers_gpus
from generator.operator.claim import claims, has_gpu

# An OS as NFD labels it, its ID with its VERSION_ID. Every kernel has a dash.
OS = re.compile(r"[a-z][a-z0-9_.]*?[0-9]+(?:\.[0-9]+)*")


class Remaining(Struct, frozen=True, kw_only=True):
    """What runs in one cluster: the nodes that still run `value`, and those of which nobody can tell.

    `pool` is "" where the GPU nodes of the whole cluster were looked at, `seen` how many nodes those are.
    """

    cluster: str
    pool: str
    value: str
    seen: int
    running: tuple[str, ...]
    unknown: tuple[str, ...]


def remaining(cluster: Cluster, pools: Sequence[Pool], nodes: Iterable[Node], values: Sequence[str]) -> list[Remaining]:
    """For each value (a kernel as `uname -r` or its label has it, or an OS such as ubuntu22.04) and pool what is left.

    A node that no pool claims, or several, counts for every pool: it may be one of its nodes.
    """
    gpu_nodes = [node for node in nodes if has_gpu(node.labels) or offers_gpus(node) or _claiming(cluster, node)]
    if not pools:
        return [_remaining(cluster, "", gpu_nodes, value) for value in values]
    found = []
    for pool in pools:
        mine = [node for node in gpu_nodes if _may_be_of(cluster, pool, node)]
        found += [_remaining(cluster, pool.name, mine, value) for value in values]
    return found


def _remaining(cluster: Cluster, pool: str, nodes: Sequence[Node], value: str) -> Remaining:
    answers = {node.name: _runs(node, value) for node in nodes}
    return Remaining(
        cluster=cluster.name,
        pool=pool,
        value=value,
        seen=len(nodes),
        running=tuple(sorted(name for name, runs in answers.items() if runs)),
        unknown=tuple(sorted(name for name, runs in answers.items() if runs is None)),
    )


def _may_be_of(cluster: Cluster, pool: Pool, node: Node) -> bool:
    claiming = _claiming(cluster, node)
    return len(claiming) != 1 or claiming[0].name == pool.name


def _claiming(cluster: Cluster, node: Node) -> tuple[Pool, ...]:
    return next((claim.pools for claim in claims([cluster], node.labels)), ())


def _runs(node: Node, value: str) -> bool | None:
    """Whether the node runs it, by its kubelet and by its labels; None where neither says anything."""
    known = set(_systems(node)) if OS.fullmatch(value) else set(_kernels(node))
    if not known:
        return None
    return (value if OS.fullmatch(value) else label_form(value)) in known


def _kernels(node: Node) -> Iterator[str]:
    for kernel in (node.kernel, node.labels.get(label.KERNEL, "")):
        if kernel:
            yield label_form(kernel)


def _systems(node: Node) -> Iterator[str]:
    if label.OS_ID in node.labels and label.OS_VERSION in node.labels:
        yield f"{node.labels[label.OS_ID]}{node.labels[label.OS_VERSION]}"
