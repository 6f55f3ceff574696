"""What the operator will ask for on a node as a cluster shows it, and whether that is declared and built."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from generator.audit.difference import Difference
from generator.audit.judgement import NO_GPU, Judgement, Nowhere, Undecided
from generator.declared.fleet import Cluster, Mode, OsRelease, Pool
from generator.facts import label
from generator.facts.kernel import label_form
from generator.observed.node import Node
from generator.operator.ask import Asks, ClaimedTwice, Unlabelled
from generator.operator.claim import Claim
from generator.operator.combination import Combination
from generator.report.image import (
    BUILT_ON_NODE,
    Explanations,
    Part,
    Platform,
    os_part,
    part_lines,
    platform_of,
    standing,
)
from generator.words import printable

REGISTERED = f"{label.DEPLOY_DRIVER}={label.PREINSTALLED}"
HOST_DRIVERS = {
    Mode.PREINSTALLED: f"the driver is preinstalled: no image is asked for, and nodes must register with {REGISTERED}",
    Mode.UNMANAGED: "the driver is unmanaged: no image is asked for, and nothing is rendered for the pool",
}


class Answer(Struct, frozen=True, kw_only=True):
    """What is known of a node, in words. `undecided`: its cluster must be named."""

    node: str
    cluster: str = ""
    pool: str = ""
    mode: str = ""
    reference: str = ""
    declared: str = ""
    platforms: tuple[Platform, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    undecided: bool = False


def about(node: Node, judged: Judgement | Undecided | Nowhere, explanations: Explanations) -> Answer:
    """What is known of the node, in words; `explanations` has the parts of its image."""
    match judged:
        case Undecided(claims=claims):
            names = " and ".join(_names(claim) for claim in claims)
            problem = f"pools of several clusters claim it ({names}): name its cluster with --cluster"
            return Answer(node=node.name, problems=(problem,), undecided=True)
        case Nowhere(gpu=gpu):
            problem = "no pool claims it: its labels satisfy no nodeSelector" if gpu else NO_GPU
            return Answer(node=node.name, problems=(problem,))
        case Judgement():
            return _judged(node, judged, explanations)


def _names(claim: Claim) -> str:
    return " and ".join(f"{claim.cluster.name}/{pool.name}" for pool in claim.pools)


def _judged(node: Node, judgement: Judgement, explanations: Explanations) -> Answer:
    pool = judgement.pool
    if pool is None:
        cluster = judgement.cluster.name if isinstance(judgement.answer, ClaimedTwice) else ""
        return Answer(node=node.name, cluster=cluster, problems=_messages(judgement.problems))
    parts: tuple[Part, ...] = ()
    if isinstance(judgement.answer, Asks):
        combination = judgement.images[0].combination
        parts = tuple(_parts(node, judgement.cluster, pool, combination, explanations))
    return Answer(
        node=node.name,
        cluster=judgement.cluster.name,
        pool=pool.name,
        mode=str(pool.driver.mode),
        reference=judgement.reference,
        declared=str(judgement.declared),
        platforms=tuple(platform_of(image) for image in judgement.images),
        problems=_messages(judgement.problems),
        notes=(*_notes(pool), *_messages(judgement.notes), *_hints(node, judgement)),
        parts=parts,
    )


def _messages(differences: Iterable[Difference]) -> tuple[str, ...]:
    return tuple(difference.message for difference in differences)


def _notes(pool: Pool) -> Iterator[str]:
    if pool.default:
        yield "no nodeSelector names it, and this is the cluster's default pool"
    if pool.driver.mode in HOST_DRIVERS:
        yield HOST_DRIVERS[pool.driver.mode]


def _hints(node: Node, judgement: Judgement) -> Iterator[str]:
    """What the kubelet says otherwise. The operator never looks there, and what labels are missing is said already."""
    if isinstance(judgement.answer, Unlabelled):
        return
    labelled = node.labels.get(label.KERNEL)
    if node.kernel and label_form(node.kernel) != labelled:
        instead = f"the operator goes by NFD's label, {labelled or 'which is absent'}"
        yield f"status.nodeInfo says kernel {node.kernel}; {instead}"
    if node.os_image and not node.labels.get(label.OS_ID):
        yield f"status.nodeInfo says {node.os_image}; the operator goes by NFD's labels, which are absent"


def _parts(node: Node, cluster: Cluster, pool: Pool, one: Combination, explanations: Explanations) -> Iterator[Part]:
    yield from explanations.driver_parts(cluster, pool)
    if one.kernel is None:
        yield BUILT_ON_NODE
    else:
        other = f"; uname -r says {node.kernel}" if node.kernel not in {"", one.kernel.name} else ""
        yield Part("kernel", one.kernel.name, f"the node's label {label.KERNEL}{other}")
    os = OsRelease(node.labels.get(label.OS_ID, ""), node.labels.get(label.OS_VERSION, ""))
    yield os_part(cluster.operator.release, os, "the node's labels")
    yield explanations.catalog_part(one)


def node_lines(answers: Sequence[Answer], *, why: bool) -> str:
    """A block of lines for each node."""
    lines: list[str] = []
    for answer in answers:
        pool = f"{answer.cluster}/{answer.pool}" if answer.pool else answer.cluster
        mode = f" ({answer.mode})" if answer.mode else ""
        lines.append(f"{answer.node}: {pool}{mode}" if pool else f"{answer.node}:")
        if answer.reference:
            how = f"declared ({answer.declared})" if answer.declared else "not declared"
            lines.append(f"    {answer.reference}  {standing(answer.platforms)}  {how}")
        lines += part_lines(answer.parts) if why else []
        lines += [f"    problem: {problem}" for problem in answer.problems]
        lines += [f"    note: {note}" for note in answer.notes]
    return "".join(f"{printable(line)}\n" for line in lines)
