"""Rules about which nodes a pool's NVIDIADriver claims."""

from collections.abc import Iterator

from generator.declared.fleet import Cluster, Pool
from generator.facts import label
from generator.facts.release import DriverApi
from generator.finding import Place, Severity
from generator.revision.cluster_inputs import ClusterInputs
from generator.rules.operator.claims import POOL, Overlap, claim, overlaps, told_apart
from generator.rules.operator.own_templates import claim_of, is_default, strangers
from generator.rules.rule import Problem
from generator.words import and_more


def _with_objects(cluster: Cluster) -> tuple[Pool, ...]:
    """The pools that are rendered as an NVIDIADriver."""
    return cluster.managed_pools if cluster.operator.driver_api is DriverApi.NVIDIADRIVER else ()


def selector_overlap(inputs: ClusterInputs) -> Iterator[Problem]:
    """Two pools for one node: the operator then reconciles no NVIDIADriver of the cluster at all."""
    cluster = inputs.cluster
    if cluster.operator.driver_api is not DriverApi.NVIDIADRIVER:
        return
    pools = {pool.name: pool for pool in cluster.pools if not pool.default}
    others = {one.file.name: Place(one.file.template.file) for one in strangers(inputs)}
    if not others and told_apart([pool.node_selector for pool in pools.values()]):
        return
    claims = [claim_of(one.file) for one in strangers(inputs) if not is_default(one.file)]
    for overlap in overlaps([*claims, *(claim(pool) for pool in pools.values())]):
        both = (overlap.claim, overlap.other)
        pool = next((pools[one.name] for one in both if one.what == POOL), None)
        place = next((others[one.name] for one in both if one.what != POOL), None)
        if place is None:
            assert pool is not None
            place = inputs.at(pool, *(("nodeSelector",) if pool.node_selector else ()))
        yield Problem(
            place=place,
            message=_overlapping(overlap),
            hint=_apart(overlap),
            cluster=cluster.name,
            pool=pool.name if pool else "",
            fact=overlap.other.name,
            severity=None if overlap.certain else Severity.WARNING,
        )


def _overlapping(overlap: Overlap) -> str:
    mine, other = overlap.claim, overlap.other
    more = and_more(overlap.more, 0, "pool", aside=True)
    if not mine.selector:
        start = f"{mine} has no nodeSelector, so it claims every GPU node, those of {other}{more} too"
        return f"{start}: a node with {overlap.witness}"
    if overlap.certain:
        return f"{mine} also claims nodes of {other}{more}: a node with {overlap.witness} matches both"
    return (
        f"nothing keeps the selectors of {mine} and {other}{more} apart: a node with {overlap.witness} would match both"
    )


def _apart(overlap: Overlap) -> str:
    if {overlap.claim.what, overlap.other.what} != {POOL}:
        return "declare it as a pool, or give it a nodeSelector that no pool's nodes match"
    if not overlap.claim.selector:
        return "give the pool a nodeSelector, or from operator v26.7.0 on default: true"
    return "select both pools by one label that has another value in each"


def default_conflict(inputs: ClusterInputs) -> Iterator[Problem]:
    """The operator takes one default, and one without a selector (v26.7, internal/validator/validator.go)."""
    cluster = inputs.cluster
    first: Pool | None = None
    for pool in cluster.pools:
        if not pool.default:
            continue
        if pool.node_selector:
            message = f'pool "{pool.name}" is default: true and has a nodeSelector'
            hint = "remove one of the two: a default claims the GPU nodes that no other pool claims"
            yield _at(inputs, pool, ("nodeSelector",), message, hint)
        if first is None:
            first = pool
        else:
            message = f'pool "{pool.name}" is default: true, and so is pool "{first.name}"'
            yield _at(inputs, pool, ("default",), message, "leave one default in the cluster", first.name)
    for one in strangers(inputs) if first else ():
        if is_default(one.file):
            assert first is not None
            message = f'{claim_of(one.file)} is default: true, and so is pool "{first.name}"'
            hint = "leave one default in the cluster"
            yield Problem(
                place=Place(one.file.template.file),
                message=message,
                hint=hint,
                cluster=cluster.name,
                pool=first.name,
                fact=one.file.name,
            )


def reserved_label(inputs: ClusterInputs) -> Iterator[Problem]:
    """The operator writes the owner label itself and refuses it in a selector (v26.7)."""
    for pool in _with_objects(inputs.cluster):
        if inputs.cluster.operator.release.owner_label and label.OWNER in pool.node_selector:
            message = f'pool "{pool.name}" selects by {label.OWNER}, which the operator sets itself'
            hint = "select by a label of your own, for example the node group's"
            yield _at(inputs, pool, ("nodeSelector", label.OWNER), message, hint, label.OWNER)


def circular_selector(inputs: ClusterInputs) -> Iterator[Problem]:
    """A label that a running driver must answer for never appears on a node without one."""
    for pool in _with_objects(inputs.cluster):
        for key in pool.node_selector:
            if label.is_circular(key):
                message = f'pool "{pool.name}" selects by {key}, which a node has only after a driver ran on it'
                hint = "select by a label that the node joins with, for example the node group's"
                yield _at(inputs, pool, ("nodeSelector", key), message, hint, key)


def _at(inputs: ClusterInputs, pool: Pool, path: tuple[str, ...], message: str, hint: str, fact: str = "") -> Problem:
    place = inputs.at(pool, *path)
    return Problem(place=place, message=message, hint=hint, cluster=pool.cluster, pool=pool.name, fact=fact)
