"""What a change does to a fleet, as the comment of a pull request: the worst first, names in code only."""

from collections.abc import Iterator

from generator.change.danger import Danger
from generator.change.effect import Outcome
from generator.change.gate import Verdict
from generator.change.images import ImageChange, Standing
from generator.change.impact import ClusterImpact, PoolImpact, Presence
from generator.finding import Finding
from generator.report import impact as words
from generator.report.formats.markdown import bounded, cell, code, marker
from generator.report.formats.text import WORDS
from generator.report.impact import Told
from generator.report.reported import worst_first
from generator.words import and_more, counted

WORST = (
    Outcome.REMOVED,
    Outcome.MOVED,
    Outcome.RELOAD,
    Outcome.UNDECIDED,
    Outcome.RESTART,
    Outcome.ADDED,
    Outcome.NONE,
)
ROWS = 12  # of one kind in a table


def comment(told: Told, gate: Verdict | None = None) -> str:
    """The whole comment: marker, sum, a table for each pool that something happens to, a line for the others.

    At the end stands what the gate says of the change, None where nothing was judged.
    """
    scope = "/".join(["diff", *told.clusters])
    impact = told.impact
    why = f": {code(impact.everything)}" if impact.everything else ""
    head = f"{marker(scope)}\n\n### drivergate diff: {words.summed(impact)}\n\n"
    head += f"{words.reach(impact)}{why}. From {code(told.base)} to {code(told.head)}."
    clusters = sorted(words.in_order(told.impact.clusters), key=_worst)
    blocks = [block for cluster in clusters if not cluster.quiet for block in _cluster(cluster)]
    blocks += [f"{code(cluster.cluster)}: no effect" for cluster in clusters if cluster.quiet]
    if gate is not None and (gate.new or gate.standing):
        blocks.append(_gate(gate))
    return bounded(head, blocks, what="block")


def _gate(gate: Verdict) -> str:
    """The findings that the change brings, worst first, and how many stood before."""
    standing = f"{counted(gate.standing, 'finding')} that stood before" if gate.standing else ""
    if not gate.new:
        return f"#### Gate: nothing new ({standing})"
    lines = [f"#### Gate: {counted(len(gate.new), 'new finding')}{f' ({standing})' if standing else ''}", ""]
    lines += [f"- {_finding(finding)}" for finding in worst_first(gate.new)[:ROWS]]
    if more := and_more(len(gate.new), ROWS).strip():
        lines.append(f"- {more}")
    return "\n".join(lines)


def _finding(finding: Finding) -> str:
    return f"**{WORDS[finding.severity]}** {code(finding.rule)} {code(str(finding.place))}: {code(finding.message)}"


def _rank(pool: PoolImpact) -> int:
    """Most severe first: what blocks, what isn't built, then by what happens."""
    if pool.blocked:
        return 0
    return 1 if pool.missing or pool.missing_on_the_way else 2 + WORST.index(pool.outcome)


def _worst(cluster: ClusterImpact) -> int:
    dangers = 0 if any(one.blocks for one in cluster.dangers) else len(WORST) + 2
    return min((dangers, *map(_rank, cluster.pools)))


def _cluster(cluster: ClusterImpact) -> Iterator[str]:
    """Blocks, the first of which says the cluster."""
    ring = f", ring {code(cluster.ring)}" if cluster.ring else ""
    presence = {Presence.ADDED: ", new", Presence.REMOVED: ", no longer declared"}.get(cluster.presence, "")
    lines = [f"#### {code(cluster.cluster)}{ring}{presence}"]
    lines += [f"- {_danger(danger)}" for danger in cluster.dangers]
    lines += [f"- {words.noted_line(noted, code)}" for noted in cluster.workloads]
    if down := words.outage(cluster):
        lines.append(f"- {down}")
    heading = "\n".join(lines) if len(lines) == 1 else "\n".join([lines[0], "", *lines[1:]])
    loud = sorted((pool for pool in cluster.pools if not pool.quiet), key=lambda pool: (_rank(pool), pool.pool))
    for pool in loud:
        yield f"{heading}\n\n{_table(pool)}" if heading else _table(pool)
        heading = ""
    quiet = "\n".join(f"- {code(pool.pool)}: no effect" for pool in cluster.pools if pool.quiet)
    if quiet or heading:
        yield "\n\n".join(part for part in (heading, quiet) if part)


def _table(pool: PoolImpact) -> str:
    rows = [(f"**{cell(pool.pool)}**", f"**{words.WORDS[pool.outcome]}**"), ("---", "---"), *_rows(pool)]
    return "\n".join(f"| {name} | {value} |" for name, value in rows)


def _rows(pool: PoolImpact) -> Iterator[tuple[str, str]]:
    was, becomes = pool.driver
    if was and becomes and was != becomes:
        yield "driver", f"{cell(was)} → {cell(becomes)}"
    elif was or becomes:
        yield "driver", cell(becomes or was)
    if pool.renamed_from:
        yield "renamed from", cell(pool.renamed_from)
    yield "nodes", words.nodes(pool)
    because = [": ".join((cell(one.path), " → ".join(map(cell, words.both(one))))) for one in pool.changes]
    yield from _listed("because", [*because, *map(cell, words.reasons(pool))])
    images = [_image(one) for one in sorted(pool.images, key=lambda one: one.standing is Standing.BUILT)]
    yield from _listed("images", images)
    yield from _listed("on the way", [cell(line) for line in words.way_lines(pool)])
    yield from _listed("workloads", [words.evicted(one, cell) for one in pool.evictions])
    for blocks, name in ((True, "**blocked**"), (False, "slowed")):
        found = [one for one in pool.troubles if one.blocks is blocks]
        yield from _listed(
            name, [f"{cell(one.message)} {cell(one.rule)}, way out: {cell(one.way_out)}" for one in found]
        )
    for danger in pool.dangers:
        yield (
            "**blocked**" if danger.blocks else "**danger**",
            f"{cell(danger.message)}, way out: {cell(danger.way_out)}",
        )
    yield from _listed("undecided", [cell(one) for one in pool.undecided])


def _image(image: ImageChange) -> str:
    was = f"{cell(image.was)} → " if image.was and image.was != image.becomes else ""
    upcoming = "upcoming: " if image.upcoming else ""
    why = f", {cell(image.why)}" if image.why else ""
    standing = words.standing(image).partition(":")[0]
    return f"{upcoming}{was}{cell(image.becomes or image.kernel)} for {cell(image.platform)}: {standing}{why}"


def _listed(name: str, values: list[str]) -> Iterator[tuple[str, str]]:
    """Several values in one cell; a pool of a thousand kernels is not a comment of a thousand lines."""
    if values:
        more = and_more(len(values), ROWS).strip()
        yield name, "<br>".join([*values[:ROWS], *([more] if more else [])])


def _danger(danger: Danger) -> str:
    return f"**{'blocked' if danger.blocks else 'danger'}**: {code(danger.message)}, way out: {code(danger.way_out)}"
