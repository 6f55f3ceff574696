"""Whether anything still runs what a change left or shall leave: the proof before the next change is merged."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from generator.audit.live import Live
from generator.audit.loaded import is_of, loaded_driver
from generator.declared.fleet import Cluster, Pool
from generator.facts import label
from generator.facts.driver import is_driver
from generator.facts.kernel import label_form
from generator.observed.node import Node
from generator.observed.operator import operator_release
from generator.operator.ask import offers_gpus
from generator.operator.claim import claims, has_gpu

# An OS as NFD labels it, its ID with its VERSION_ID; a release of the operator is no system.
OS = re.compile(r"(?!v[0-9])[a-z][a-z0-9_.]*?[0-9]+(?:\.[0-9]+)*")
RELEASE = re.compile(r"v[0-9]+\.[0-9]+\.[0-9]+(?:[-+].*)?")
KERNEL = re.compile(r"[0-9]+\.[0-9].*")


class Remaining(Struct, frozen=True, kw_only=True):
    """What runs in one cluster: the nodes that still run `value`, and those of which nobody can tell.

    `pool` is "" where the GPU nodes of the whole cluster were looked at, `seen` how many nodes those are. Of a release
    of the operator, which runs once in a cluster, `running` and `unknown` hold OPERATOR.
    """

    cluster: str
    pool: str
    value: str
    seen: int
    running: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def of_operator(self) -> bool:
        """Whether it was asked which release of the operator runs."""
        return RELEASE.fullmatch(self.value) is not None


OPERATOR = "operator"


def can_leave(value: str) -> bool:
    """Whether it is something that can be looked for: a kernel, an OS, a driver, or a release of the operator."""
    return any(form.fullmatch(value) for form in (OS, RELEASE, KERNEL)) or is_driver(value)


def remaining(cluster: Cluster, pools: Sequence[Pool], live: Live, asked: Sequence[str]) -> list[Remaining]:
    """For each pool and each value that was asked about what is left of it.

    A value is a kernel as `uname -r` or its label has it, an OS such as ubuntu22.04, a driver branch or version, or a
    release of the operator. A node that no pool claims, or several, counts for every pool: it may be one of its nodes.
    """
    gpu_nodes = [node for node in live.nodes if has_gpu(node.labels) or offers_gpus(node) or _claiming(cluster, node)]
    found = [_operator(cluster, live, value) for value in asked if RELEASE.fullmatch(value)]
    values = [value for value in asked if not RELEASE.fullmatch(value)]
    if not pools:
        return found + [_remaining(cluster, "", gpu_nodes, value) for value in values]
    for pool in pools:
        mine = [node for node in gpu_nodes if _may_be_of(cluster, pool, node)]
        found += [_remaining(cluster, pool.name, mine, value) for value in values]
    return found


def _operator(cluster: Cluster, live: Live, value: str) -> Remaining:
    runs = operator_release(live.pods or ())
    return Remaining(
        cluster=cluster.name,
        pool="",
        value=value,
        seen=1,
        running=(OPERATOR,) if runs == value else (),
        unknown=() if runs else (OPERATOR,),
    )


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
    if is_driver(value):
        loaded = loaded_driver(node.labels)
        return is_of(loaded, value) if loaded else None
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
