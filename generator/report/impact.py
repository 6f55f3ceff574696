"""What a change does to a fleet, in the fleet's words: for people and for programs."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct, to_builtins

from generator.change.danger import Danger
from generator.change.effect import Outcome
from generator.change.evicted import Eviction
from generator.change.images import ImageChange, OnTheWay, Standing
from generator.change.impact import ClusterImpact, Impact, Noted, PoolImpact, Presence
from generator.change.passage import Moment
from generator.declared.modelparts import Size
from generator.operator.reload import Change
from generator.rules.upgrade.ring import order
from generator.words import and_more, counted, printable

WORDS = {
    Outcome.REMOVED: "driver goes",
    Outcome.MOVED: "nodes move",
    Outcome.RELOAD: "reload",
    Outcome.UNDECIDED: "undecided",
    Outcome.RESTART: "restart in place",
    Outcome.ADDED: "driver comes",
    Outcome.NONE: "no effect",
}
VERBS = {
    Outcome.RELOAD: ("reloads", "reload"),
    Outcome.RESTART: ("restarts in place", "restart in place"),
    Outcome.REMOVED: ("loses its driver", "lose their driver"),
    Outcome.MOVED: ("moves nodes", "move nodes"),
    Outcome.ADDED: ("gets a driver", "get a driver"),
    Outcome.UNDECIDED: ("is undecided", "are undecided"),
}
FIELDS = 6
WIDEST, BEFORE = 80, 20


class Told(Struct, frozen=True, kw_only=True):
    """An impact, between which revisions (as they were named, and their ids), of which clusters where not of all."""

    base: str
    head: str
    impact: Impact
    commits: tuple[str, str] = ("", "")
    clusters: tuple[str, ...] = ()


def text(told: Told) -> str:
    """By ring, cluster and pool, with the sum at the end."""
    lines: list[str] = []
    ring: str | None = None
    for cluster in in_order(told.impact.clusters):
        if cluster.ring != ring:
            ring = cluster.ring
            lines.append(f"ring {ring}" if ring else "no ring")
        lines += _cluster(cluster)
    lines.append(sentence(told.impact))
    return "".join(f"{printable(line)}\n" for line in lines)


def sentence(impact: Impact) -> str:
    """What happens in all, of how many clusters, and why of these."""
    why = f": {impact.everything}" if impact.everything else ""
    return f"{summed(impact)} ({reach(impact)}{why})"


def in_order(clusters: Iterable[ClusterImpact]) -> list[ClusterImpact]:
    """By ring, those without one at the end, then by name."""
    return sorted(clusters, key=lambda one: (not one.ring, order(one.ring), one.cluster))


def summed(impact: Impact) -> str:
    """What happens in all, in words of ours."""
    pools = list(impact.pools())
    parts = []
    for outcome, (one, many) in VERBS.items():
        if number := sum(pool.outcome is outcome for pool in pools):
            parts.append(f"{counted(number, 'pool', grouped=True)} {one if number == 1 else many}")
    missing = {image.becomes for pool in pools for image in pool.missing}
    missing |= {passed.image for pool in pools for passed in pool.missing_on_the_way}
    if missing:
        parts.append(f"{counted(len(missing), 'image', grouped=True)} {'is' if len(missing) == 1 else 'are'} not built")
    if impact.blocked:
        parts.append("something blocks")
    if impact.unknown:
        parts.append("something stays undecided")
    return ", ".join(parts) or "no driver is touched"


def reach(impact: Impact) -> str:
    """How many clusters the change can affect."""
    return f"{len(impact.clusters):,} of {counted(impact.total, 'cluster', grouped=True)} can be affected"


def _cluster(cluster: ClusterImpact) -> Iterator[str]:
    gone = {Presence.ADDED: ", new", Presence.REMOVED: ", no longer declared"}.get(cluster.presence, "")
    yield f"  {cluster.cluster}{gone}"
    width = max((len(pool.pool) for pool in cluster.pools), default=0)
    for pool in cluster.pools:
        yield from _pool(pool, width)
    for danger in cluster.dangers:
        yield from _danger(danger, "    ")
    for noted in cluster.workloads:
        yield f"    {noted_line(noted)}"
    if down := outage(cluster):
        yield f"    {down}"


def noted_line(noted: Noted, name: Callable[[str], str] = str) -> str:
    """One workload or budget that comes or goes; `name` marks what others have named."""
    is_new = noted.presence is Presence.ADDED
    return f"{noted.what} {name(noted.name)} of {name(noted.team)} {'is new' if is_new else 'is no longer declared'}"


def outage(cluster: ClusterImpact) -> str:
    """How many nodes may be down at a time, in words; "" where none."""
    if cluster.unavailable == 0:
        return ""
    if cluster.unavailable is None:
        return "how many nodes go down at a time can't be told: a pool doesn't say how many it has"
    of = f" of {cluster.nodes:,}" if cluster.nodes is not None else ""
    is_down = "GPU nodes is down" if cluster.unavailable == 1 and of else "GPU nodes are down"
    return f"at worst {cluster.unavailable:,}{of} {is_down} at a time, all upgrade policies together"


def _pool(pool: PoolImpact, width: int) -> Iterator[str]:
    yield f"    {pool.pool:<{width}}  {WORDS[pool.outcome]}{_standing(pool)}"
    inset = "      "
    if pool.quiet:
        return
    if pool.renamed_from:
        yield f"{inset}renamed from {pool.renamed_from}"
    if because := [*map(field, pool.changes[:FIELDS]), *reasons(pool)]:
        yield f"{inset}because {', '.join(because)}{and_more(len(pool.changes), FIELDS)}"
    for image in pool.images:
        yield f"{inset}{image_line(image)}"
    for line in way_lines(pool):
        yield f"{inset}{line}"
    for eviction in pool.evictions:
        yield f"{inset}{evicted(eviction)}"
    for trouble in pool.troubles:
        yield f"{inset}{'blocked' if trouble.blocks else 'slowed'}: {trouble.message} [{trouble.rule}]"
        yield f"{inset}    way out: {trouble.way_out}"
    for danger in pool.dangers:
        yield from _danger(danger, inset)
    for why in pool.undecided:
        yield f"{inset}undecided: {why}"


def reasons(pool: PoolImpact) -> list[str]:
    """What brings it and is no field, unless it stands among what is undecided."""
    return [pool.reason] if pool.reason and pool.reason not in pool.undecided else []


def _standing(pool: PoolImpact) -> str:
    parts = [driver(pool), nodes(pool)]
    told = "; ".join(part for part in parts if part)
    return f"  {told}" if told and pool.outcome is not Outcome.NONE else ""


def driver(pool: PoolImpact) -> str:
    """The driver from and to."""
    was, becomes = pool.driver
    if not was or not becomes or was == becomes:
        return f"driver {was or becomes}" if was or becomes else ""
    return f"driver {was} -> {becomes}"


def nodes(pool: PoolImpact) -> str:
    """How many nodes it reaches, and how many at a time."""
    told = sized(pool.nodes, "node")
    if pool.outcome not in {Outcome.RELOAD, Outcome.RESTART}:
        return told
    if pool.deletes_pods:
        return f"{told}, all at once: their driver pods are deleted"
    if not pool.automatic:
        return f"{told}, each when its driver pod is deleted (autoUpgrade is off)"
    return f"{told}, {pool.at_once:,} at a time" if pool.at_once is not None else told


def sized(size: Size | None, what: str) -> str:
    """A size in words."""
    if size is None:
        return f"any number of {what}s"
    return counted(size.max, what, grouped=True) if size.min == size.max else f"{size.min:,} to {size.max:,} {what}s"


def field(change: Change) -> str:
    """One field from and to."""
    was, becomes = both(change)
    return f"{change.path} {was} -> {becomes}"


def both(change: Change) -> tuple[str, str]:
    """A value before and after, each so that it fits on a line, from shortly before where they differ."""
    values = change.was, change.becomes
    if max(map(len, values)) <= WIDEST:
        return values
    alike = next(
        (at for at, (one, other) in enumerate(zip(*values, strict=False)) if one != other), min(map(len, values))
    )
    start = max(0, alike - BEFORE) if alike > WIDEST // 2 else 0
    was, becomes = (_cut(value, start) for value in values)
    return was, becomes


def _cut(value: str, start: int) -> str:
    end = start + WIDEST
    return f"{'…' if start else ''}{value[start:end]}{'…' if len(value) > end else ''}"


def image_line(image: ImageChange) -> str:
    """One image from and to, and whether it is built."""
    upcoming = "upcoming image" if image.upcoming else "image"
    was = f"{image.was} -> " if image.was and image.was != image.becomes else ""
    return f"{upcoming} {was}{image.becomes or f'for kernel {image.kernel}'} for {image.platform}: {standing(image)}"


MOMENTS = {
    Moment.AFTER_SYNC: "after the sync",
    Moment.BEFORE_SYNC: "before the sync",
    Moment.NEW_RELEASE_FIRST: "by the new operator before the sync",
    Moment.OLD_RELEASE_STILL: "by the old operator after the sync",
}


def way_lines(pool: PoolImpact) -> Iterator[str]:
    """The states between the two revisions, those without an image first, and what a revert finds."""
    for passed in sorted(pool.way, key=lambda passed: passed.standing is Standing.BUILT):
        yield on_the_way(passed)
    if pool.back:
        missing = [passed for passed in pool.back if passed.standing is not Standing.BUILT]
        for passed in missing:
            standing_back = "not built" if passed.standing is Standing.MISSING else "can't be told"
            yield f"no way back: a revert asks {passed.machine} nodes for {passed.image}: {standing_back}"
        if not missing:
            yield "way back: every image that a revert asks for is built"


def on_the_way(passed: OnTheWay) -> str:
    """One state: what it means for its nodes, when, and its image."""
    when, image = MOMENTS[passed.moment], f"{passed.image} for {passed.platform}"
    match passed.standing:
        case Standing.MISSING:
            return f"nodes on {passed.machine} come up without a GPU {when}: {image} is not built"
        case Standing.BUILT:
            return f"on the way, {when}, on {passed.machine}: {image}: built"
        case Standing.UNKNOWN:
            return f"on the way, {when}, on {passed.machine}: {image}: can't be told"


def standing(image: ImageChange) -> str:
    """How an image stands, in words."""
    if image.standing is Standing.BUILT:
        return "built now" if image.unblocked else "built"
    word = "not built" if image.standing is Standing.MISSING else "can't be told"
    return f"{word}: {image.why}" if image.why else word


def evicted(one: Eviction, name: Callable[[str], str] = str) -> str:
    """One workload that loses pods; `name` marks what others have named."""
    who, pods = f"{name(one.workload)} of {name(one.team)}", sized(one.pods, "pod")
    if one.stays:
        return f"stays: {who} ({pods}) is not evicted, and keeps the driver in use"
    at_once = f", {one.at_once:,} at a time" if one.at_once is not None else ""
    return f"evicts {who} ({pods}{at_once})"


def _danger(danger: Danger, inset: str) -> Iterator[str]:
    yield f"{inset}{'blocked' if danger.blocks else 'danger'}: {danger.message}"
    yield f"{inset}    way out: {danger.way_out}"


def values(told: Told) -> dict[str, Any]:
    """The same for programs."""
    impact = told.impact
    return {
        "base": {"named": told.base, "commit": told.commits[0]},
        "head": {"named": told.head, "commit": told.commits[1]},
        "everything": impact.everything,
        "clusters": [_cluster_values(cluster) for cluster in in_order(impact.clusters)],
        "summary": {
            "sentence": summed(impact),
            "clusters": impact.total,
            "affected": len(impact.clusters),
            "reload": impact.reloads,
            "missing": impact.missing,
            "blocked": impact.blocked,
            "unknown": impact.unknown,
        },
    }


def _cluster_values(cluster: ClusterImpact) -> dict[str, Any]:
    return {
        "cluster": cluster.cluster,
        "ring": cluster.ring,
        "presence": str(cluster.presence),
        "nodes": cluster.nodes,
        "unavailable": cluster.unavailable,
        "dangers": [_danger_values(one) for one in cluster.dangers],
        "workloads": [{**to_builtins(noted), "presence": str(noted.presence)} for noted in cluster.workloads],
        "pools": [_pool_values(pool) for pool in cluster.pools],
    }


def _pool_values(pool: PoolImpact) -> dict[str, Any]:
    return {
        "pool": pool.pool,
        "outcome": str(pool.outcome),
        "driver": {"was": pool.driver[0], "becomes": pool.driver[1]},
        "changes": to_builtins(pool.changes),
        "reason": pool.reason,
        "nodes": to_builtins(pool.nodes),
        "automatic": pool.automatic,
        "atOnce": pool.at_once,
        "deletesPods": pool.deletes_pods,
        "renamedFrom": pool.renamed_from,
        "images": to_builtins(pool.images),
        "way": [_passed(passed) for passed in pool.way],
        "wayBack": [_passed(passed) for passed in pool.back],
        "evictions": [
            {
                "workload": one.workload,
                "team": one.team,
                "namespace": one.namespace,
                "pods": to_builtins(one.pods),
                "atOnce": one.at_once,
                "stays": one.stays,
            }
            for one in pool.evictions
        ],
        "troubles": [
            {
                "rule": one.rule,
                "workload": one.workload,
                "blocks": one.blocks,
                "message": one.message,
                "wayOut": one.way_out,
            }
            for one in pool.troubles
        ],
        "dangers": [_danger_values(one) for one in pool.dangers],
        "undecided": list(pool.undecided),
    }


def _passed(passed: OnTheWay) -> dict[str, Any]:
    return {
        "moment": passed.moment.name.lower().replace("_", "-"),
        "machine": passed.machine,
        "image": passed.image,
        "platform": passed.platform,
        "standing": str(passed.standing),
        "severe": passed.severe,
    }


def _danger_values(one: Danger) -> dict[str, Any]:
    return {"kind": str(one.kind), "blocks": one.blocks, "message": one.message, "wayOut": one.way_out}
