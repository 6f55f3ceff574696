"""All rules over one revision, then what silences and the baseline make of their findings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from generator.declared.fleet import Fleet, SilenceEntry
from generator.declared.selection import EVERYTHING
from generator.declared.shape import did_you_mean
from generator.finding import Finding, Place, Severity
from generator.layout import OUT
from generator.revision.revision import Revision
from generator.rules.rule import RUNS, Rule, problems_of

if TYPE_CHECKING:  # few repositories have a baseline
    from generator.declared.baseline import Baseline
    from generator.declared.baseline import Entry as BaselineEntry


class Judgement(Struct, frozen=True):
    """The findings that count, sorted, and those that a silence ignores.

    `unjudged` are the rules that could not look, with the reason. `repeated` are rule and cluster of findings that
    are told of another cluster in the same words.
    """

    findings: tuple[Finding, ...]
    ignored: tuple[Finding, ...]
    unjudged: Mapping[str, str] = {}
    repeated: frozenset[tuple[str, str]] = frozenset()


NOT_COMPARED = "the revision to compare with can't be read"
NOT_LISTED = "a line of the catalog can't be read"
NOT_ALL = "it compares clusters, and only some are judged"
NOT_WHOLE = "a part of what is declared can't be read or rendered"


def judge(
    revision: Revision,
    rules: Sequence[Rule],
    *,
    told: Iterable[Finding] = (),
    baseline: "Baseline | None" = None,
    without: frozenset[str] = frozenset(),
) -> Judgement:
    """Runs the rules but those `without`. `told` are the findings of reading and rendering."""
    unjudged: dict[str, str] = {}
    if revision.against is None:
        unjudged = {rule.id: NOT_COMPARED for rule in rules if rule.compares}
    if revision.before is None:
        unjudged |= {rule.id: NOT_COMPARED for rule in rules if rule.compares_inventory}
    without |= unjudged.keys()
    findings = [*told, *revision.catalog.findings, *revision.rendered.findings]
    whole, narrowed = _whole(findings), revision.selection != EVERYTHING
    for rule in sorted(rules, key=lambda rule: rule.needs_all):
        runs_here = isinstance(rule, RUNS)
        if rule.fleet_wide and (revision.everyone is None or (narrowed and not runs_here)):
            unjudged[rule.id] = NOT_ALL
            continue
        if not runs_here or rule.id in without:
            continue
        if rule.needs_catalog and not revision.catalog.whole:
            unjudged[rule.id] = NOT_LISTED
        elif rule.needs_all and not _whole(findings):
            unjudged[rule.id] = NOT_WHOLE
        else:
            findings += map(rule.finding, problems_of(rule, revision))
    lasting = frozenset(rule.id for rule in rules if rule.lasting)
    refused = frozenset(rule.id for rule in rules if not rule.silenceable)
    applied = _Applied(revision.fleet.silences, baseline, lasting, refused)
    kept, ignored = [], []
    for finding in findings:
        level = applied.level(finding)
        if level is None:
            ignored.append(finding)
        else:
            kept.append(finding if level is finding.severity else replace(finding, severity=level))
    if whole and not narrowed:
        kept += applied.unused(revision.fleet, {rule.id: rule for rule in rules}, without, revision.day)
    if revision.staged and all(one.severity is Severity.WARNING or one.rule == "out/not-staged" for one in kept):
        kept = [one for one in kept if one.rule != "out/not-staged"]  # the commit stands without those files
    once = tuple(_once(sorted(kept, key=_order)))
    repeated = frozenset() if len(once) == len(kept) else _pairs(kept) - _pairs(once)
    return Judgement(once, tuple(ignored), unjudged, repeated)


def _whole(findings: Iterable[Finding]) -> bool:
    """Whether valid manifests can be made, as far as is known."""
    return not any(finding.severity is Severity.INVALID for finding in findings)


def _order(finding: Finding) -> tuple[object, ...]:
    return (finding.place, finding.rule, finding.cluster, finding.pool, finding.workload, finding.message)


def _once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """One mistake is told once: what several clusters or pools inherit gives each of them the same finding."""
    told: set[tuple[str, Place, str]] = set()
    for finding in findings:
        key = (finding.rule, finding.place, finding.message)
        if key not in told:
            told.add(key)
            yield finding


def without_fleet(judgement: Judgement) -> Judgement:
    """What is some cluster's, pool's or workload's, lies in the output, or keeps manifests from being made."""
    kept = tuple(
        one
        for one in judgement.findings
        if one.cluster
        or one.pool
        or one.workload
        or one.place.file.startswith(f"{OUT}/")
        or one.severity is Severity.INVALID
    )
    return replace(judgement, findings=kept)


def _pairs(findings: Iterable[Finding]) -> frozenset[tuple[str, str]]:
    return frozenset((finding.rule, finding.cluster) for finding in findings)


class _Applied:
    """Which silences and baseline entries have met a finding."""

    def __init__(
        self,
        silences: Sequence[SilenceEntry],
        baseline: "Baseline | None",
        lasting: frozenset[str],
        unsilenceable: frozenset[str],
    ) -> None:
        self.silences, self.baseline, self.unsilenceable = silences, baseline, unsilenceable
        self.by_rule: dict[str, list[int]] = {}
        for index, silence in enumerate(silences):
            self.by_rule.setdefault(silence.rule, []).append(index)
        self.listed = baseline.entries if baseline is not None else ()
        self.entries = {entry for entry in self.listed if entry.rule in lasting}
        self.met: set[int] = set()
        self.refused: set[str] = set()
        self.met_entries: set[BaselineEntry] = set()

    def level(self, finding: Finding) -> Severity | None:
        """The severity that is left of a finding; None where it is ignored. INVALID stays what it is."""
        if finding.severity is Severity.INVALID:
            self.refused.add(finding.rule)
            return finding.severity
        if finding.rule in self.unsilenceable:
            return finding.severity
        level: Severity | None = finding.severity
        for index in self.by_rule.get(finding.rule, ()):
            silence = self.silences[index]
            if _meets(silence, finding):
                self.met.add(index)
                level = None if silence.ignore or level is None else Severity.WARNING
        if level is Severity.ERROR and self.entries:
            from generator.declared.baseline import entry_of

            entry = entry_of(finding)
            if entry in self.entries:
                self.met_entries.add(entry)
                return Severity.WARNING
        return level

    def unused(self, fleet: Fleet, rules: dict[str, Rule], without: frozenset[str], day: date) -> Iterator[Finding]:
        """What silences nothing, but for rules that were not judged; of an ended silence `inventory/expired` tells."""
        for index, silence in enumerate(self.silences):
            unknown = list(_unknown(silence, fleet))
            yield from unknown
            if unknown or index in self.met or silence.rule in without or silence.has_ended(day):
                continue
            place = fleet.texts.value(silence.file, (*silence.path, "rule"))
            rule = rules.get(silence.rule)
            if rule is None:
                why, hint = _no_rule(silence.rule, rules)
            elif not rule.silenceable:
                why, hint = f"{silence.rule} can't be silenced, since it is about silences", "remove the silence"
            elif rule.severity is Severity.INVALID or silence.rule in self.refused:
                why = f"{silence.rule} can't be silenced, since no valid manifest can be made"
                hint = "remove the silence"
            else:
                why, hint = f"no {silence.rule} finding is left for this silence", "remove the silence"
            yield _unused(place, why, hint)
        stale = [entry for entry in self.listed if entry not in self.met_entries]
        places = self.baseline.places() if stale and self.baseline is not None else {}
        for entry in stale:
            why = f"no {entry.rule} finding is left for the baseline entry {entry.subject}"
            if entry.rule not in rules:
                why = f'there is no rule "{entry.rule}", and the baseline lists a finding of it'
            yield _unused(places[entry], why, "run: drivergate check --write-baseline")


def _no_rule(name: str, rules: dict[str, Rule]) -> tuple[str, str]:
    """What a silence names that is no rule, and what to do."""
    of_family = sorted(rule.id for rule in rules.values() if rule.family == name.removesuffix("/"))
    if of_family:
        return f'a silence names one rule, such as {of_family[0]}, and "{name}" is a family', "name each rule by itself"
    return f'there is no rule "{name}"', did_you_mean(name, sorted(rules)) or "see: drivergate rules"


def _unknown(silence: SilenceEntry, fleet: Fleet) -> Iterator[Finding]:
    """The names in a silence that nothing has: they would silence nothing, and nobody would be told."""
    pools = {pool.name for one in fleet.clusters if _in(one.name, silence.clusters) for pool in one.pools}
    workloads = {one.name for one in fleet.workloads if any(_in(name, silence.clusters) for name in one.clusters)}
    clusters = {one.name for one in fleet.clusters}
    able = clusters.issuperset(silence.clusters)
    for key, what, named, known in (
        ("clusters", "cluster", silence.clusters, clusters),
        ("pools", "pool", silence.pools, pools if able else set(silence.pools)),
        ("workloads", "workload", silence.workloads, workloads if able else set(silence.workloads)),
    ):
        for index, name in enumerate(named):
            if name not in known:
                place = fleet.texts.value(silence.file, (*silence.path, key, index))
                hint = did_you_mean(name, sorted(known)) or "remove the name, or the silence"
                yield _unused(place, f'no {what} is named "{name}"', hint)


def _in(name: str, wanted: Sequence[str]) -> bool:
    """Whether a name is wanted; none wanted means all."""
    return not wanted or name in wanted


def _unused(place: Place, message: str, hint: str) -> Finding:
    return Finding(rule="inventory/unused-silence", severity=Severity.WARNING, place=place, message=message, hint=hint)


def _meets(silence: SilenceEntry, finding: Finding) -> bool:
    return (
        _in(finding.cluster, silence.clusters)
        and _in(finding.pool, silence.pools)
        and _in(finding.workload, silence.workloads)
    )
