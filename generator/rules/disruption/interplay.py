"""Budget, slots, pool size, pods on a node and timeout together: whether nodes are emptied in the time they have."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from generator.declared.coverage import Covering
from generator.declared.workload import Workload
from generator.operator.upgraded import Upgraded, blocked, is_evicted, kept, nodes_of
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.disruption.coverage import number_place, problem_of
from generator.rules.disruption.room import computable, facts_of, replicas_of, room, sum_of
from generator.rules.rule import Problem

# A GPU pod pulls an image of gigabytes and loads a model before it is Ready: docs/rules/disruption.md.
READY_SECONDS = 120


class Crowd(Struct, frozen=True, kw_only=True):
    """`evicted` of the workload's pods stand on the nodes that go at once, and `allowed` may go at a time.

    Pods are taken to be spread evenly, which is the best case: some nodes have that many at least.
    """

    pods: int
    nodes: int
    at_once: int
    evicted: int
    allowed: int

    @property
    def rounds(self) -> int:
        """How often somebody has to wait for replacements, and one."""
        return -(-self.evicted // self.allowed)

    @property
    def crowded(self) -> bool:
        """Whether no node is left that could take a replacement."""
        return self.at_once >= self.nodes


def will_time_out(inputs: ClusterInputs) -> Iterator[Problem]:
    """Budgets that let pods go, but not in the time that the upgrade gives them."""
    for covering in inputs.budgets:
        if not covering.is_judged or not is_evicted(covering.workload):
            continue
        met = [upgraded for upgraded in inputs.upgrades.of(covering.workload) if not kept(covering.workload, upgraded)]
        crowd = _worst(inputs, covering, met) if met else None
        if crowd is None:
            continue
        first = min(met, key=lambda each: (each.policy.timeout == 0, each.policy.timeout))
        if crowd.crowded:
            told = _stuck(covering.workload, crowd, first), _free_a_node(crowd)
        elif 0 < first.policy.timeout < READY_SECONDS * (crowd.rounds - 1):
            told = _late(covering.workload, crowd, first), _give_time(crowd)
        else:
            continue
        yield problem_of(covering, number_place(inputs, covering.budget), *told)


def _worst(inputs: ClusterInputs, covering: Covering, met: Sequence[Upgraded]) -> Crowd | None:
    """The crowd with the fewest or the most replicas, whichever has to wait longer.

    None where nobody waits, and where a number isn't declared.
    """
    budget = facts_of(covering.budget)
    there = inputs.cluster.pools_of(covering.workload)
    nodes, own, total = nodes_of(there), replicas_of(covering.workload, there), sum_of(inputs, covering.covered)
    going = inputs.upgrades.at_once(met)
    if not nodes or not going or own is None or total is None or not computable(budget, covering.covered):
        return None
    found = []
    for pods, counted in ((own.min, total.min), (own.max, total.max)):
        evicted, allowed = -(-going * pods // nodes), room(budget, covering.covered, counted).allowed
        if 0 < allowed < evicted:
            found.append(Crowd(pods=pods, nodes=nodes, at_once=going, evicted=evicted, allowed=allowed))
    return max(found, key=lambda crowd: crowd.rounds, default=None)


def _stuck(workload: Workload, crowd: Crowd, first: Upgraded) -> str:
    where = "its only node" if crowd.nodes == 1 else f"all {crowd.nodes} nodes, which are upgraded at once"
    message = f"its {crowd.pods} pods run on {where}, {crowd.allowed} may be evicted"
    message += " and no node is left to take the replacement"
    return f'{message}: a node\'s upgrade in pool "{first.name}" {blocked(workload, first)}'


def _late(workload: Workload, crowd: Crowd, first: Upgraded) -> str:
    rounds, seconds = crowd.rounds, first.policy.timeout
    nodes = "1 node that is" if crowd.at_once == 1 else f"{crowd.at_once} nodes that are"
    message = (
        f"at least {crowd.evicted} of its {crowd.pods} pods stand on the {nodes} upgraded at once, of {crowd.nodes}"
    )
    message += f", and {crowd.allowed} may go at a time: {rounds} rounds in {seconds} s leave"
    message += f" {seconds // (rounds - 1)} s for a replacement to be ready, or a node's upgrade"
    return f'{message} in pool "{first.name}" {blocked(workload, first)}'


def _free_a_node(crowd: Crowd) -> str:
    if crowd.nodes == 1:
        return f"let maxUnavailable be {crowd.pods}, or add a node"
    return f"upgrade fewer than {crowd.nodes} nodes at a time, or let maxUnavailable be {crowd.evicted}"


def _give_time(crowd: Crowd) -> str:
    seconds = READY_SECONDS * (crowd.rounds - 1)
    return f"set podDeletion.timeoutSeconds to {seconds} at least, upgrade fewer nodes at a time, or let more pods go"
