"""What a change does to a fleet as findings, one by one, for the tools that list those."""

from collections.abc import Iterable, Iterator

from generator.change.danger import Danger, Kind
from generator.change.effect import Outcome
from generator.change.images import ImageChange, OnTheWay, Standing
from generator.change.impact import ClusterImpact, Impact, PoolImpact
from generator.change.places import Places
from generator.finding import Finding, Place, Severity
from generator.report import impact as words
from generator.rules import change

MERGE = "merge it when these nodes may lose their GPU pods"
HINTS = {
    Outcome.RELOAD: MERGE,
    Outcome.REMOVED: "move what runs on these nodes to others first",
    Outcome.MOVED: "look first which nodes carry which labels, with: drivergate audit",
}
NAMED = {
    "operator v": "operator.version",
    "driverApi ": "operator.driverApi",
    "mode ": "usePrecompiled",
    "kernelSource": "kernelSource",
}
DECIDE = "find it out on a node, or declare what is missing, before it is merged"


def entries(impact: Impact, places: Places, failing: Iterable[str]) -> tuple[Finding, ...]:
    """By ring, cluster and pool. Those with one of the ids `failing` are errors, the others warnings."""
    errors = frozenset(failing)
    made = _Making(places, errors)
    return tuple(one for cluster in words.in_order(impact.clusters) for one in made.of_cluster(cluster))


class _Making:
    """What every entry needs."""

    def __init__(self, places: Places, errors: frozenset[str]) -> None:
        self.places, self.errors = places, errors

    def of_cluster(self, cluster: ClusterImpact) -> Iterator[Finding]:
        for danger in cluster.dangers:
            yield self.danger(danger, "")
        for pool in cluster.pools:
            yield from self.of_pool(pool)

    def of_pool(self, pool: PoolImpact) -> Iterator[Finding]:
        if pool.outcome in HINTS:
            yield self.reload(pool)
        for image in pool.images:
            if image.standing is not Standing.BUILT:
                yield self.image(pool, image)
        for passed in pool.missing_on_the_way:
            yield self.on_the_way(pool, passed)
        for danger in pool.dangers:
            if danger.kind is not Kind.REMOVED or pool.outcome is not Outcome.REMOVED:
                yield self.danger(danger, pool.pool)
        for trouble in pool.troubles:
            yield self.made(
                change.BLOCKED if trouble.blocks else change.DANGER,
                trouble.place or self.places.pool(pool.cluster, pool.pool),
                f"{_who(pool)} is {'blocked' if trouble.blocks else 'slowed'}: {trouble.message} ({trouble.rule})",
                trouble.way_out,
                pool,
                fact=f"{trouble.rule} {trouble.workload}",
                workload=trouble.workload,
            )
        for why in pool.undecided:
            place = self.places.pool(pool.cluster, pool.pool, *_named(why))
            yield self.made(change.UNKNOWN, place, f"{_who(pool)} is undecided: {why}", DECIDE, pool, fact=why)

    def reload(self, pool: PoolImpact) -> Finding:
        """A pool whose nodes lose their driver for a while, or for good."""
        because = [*map(words.field, pool.changes[: words.FIELDS]), *words.reasons(pool)]
        parts = [words.driver(pool), words.nodes(pool), *([f"because {', '.join(because)}"] if because else [])]
        parts += [words.evicted(one) for one in pool.evictions]
        hint = HINTS[pool.outcome]
        for danger in pool.dangers:
            if danger.kind is Kind.REMOVED and pool.outcome is Outcome.REMOVED:
                parts, hint = [*parts, danger.message], danger.way_out
        return self.made(
            change.RELOAD,
            self.places.pool(pool.cluster, pool.pool, *(one.path for one in pool.changes), *_named(pool.reason)),
            f"{_who(pool)} {words.VERBS[pool.outcome][0]}: {'; '.join(part for part in parts if part)}",
            hint,
            pool,
            fact=str(pool.outcome),
        )

    def image(self, pool: PoolImpact, image: ImageChange) -> Finding:
        """An image that is not built, or that nobody can tell of."""
        missing = image.standing is Standing.MISSING
        hint = "build it and add its line to the catalog before it is merged"
        return self.made(
            change.MISSING if missing else change.UNKNOWN,
            self.places.image(pool.cluster, pool.pool, image.kernel),
            f"{_who(pool)}: {words.image_line(image)}",
            hint if missing else "record it with: drivergate catalog sync",
            pool,
            fact=f"{image.repository}:{image.becomes or image.kernel} {image.platform}",
        )

    def on_the_way(self, pool: PoolImpact, passed: OnTheWay) -> Finding:
        """An image that nodes ask for between the two revisions, and that is not built."""
        return self.made(
            change.MISSING if passed.severe else change.DANGER,
            self.places.image(pool.cluster, pool.pool, passed.machine),
            f"{_who(pool)}, {words.on_the_way(passed)}",
            "build it first, or make the change in steps: see image/transition-missing of drivergate check",
            pool,
            fact=f"on the way {passed.image} {passed.platform}",
        )

    def danger(self, danger: Danger, pool: str) -> Finding:
        """What can't be applied, or hurts."""
        kind = change.BLOCKED if danger.blocks else change.DANGER
        return Finding(
            rule=kind,
            severity=self.severity(kind),
            place=self.places.danger(danger),
            message=danger.message,
            hint=danger.way_out,
            cluster=danger.cluster,
            pool=pool,
            fact=str(danger.kind),
        )

    def made(
        self, rule: str, place: Place, message: str, hint: str, pool: PoolImpact, *, fact: str, workload: str = ""
    ) -> Finding:
        return Finding(
            rule=rule,
            severity=self.severity(rule),
            place=place,
            message=message,
            hint=hint,
            cluster=pool.cluster,
            pool=pool.pool,
            workload=workload,
            fact=fact,
        )

    def severity(self, rule: str) -> Severity:
        return Severity.ERROR if rule in self.errors else Severity.WARNING


def _who(pool: PoolImpact) -> str:
    return f'pool "{pool.cluster}/{pool.pool}"'


def _named(reason: str) -> Iterator[str]:
    """The settings that a reason names."""
    for word, field in NAMED.items():
        if word in reason:
            yield field
