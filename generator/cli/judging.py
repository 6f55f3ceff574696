"""From gathered input to a judgement with its counts: what check and render share."""

from collections import Counter

from generator.cli.state import State
from generator.render.rendered import DRIVER_KINDS
from generator.report.summary import Summary, counts
from generator.rules.judge import NOT_ALL, Judgement, judge, without_fleet
from generator.rules.table import RULES

OWN_KINDS = DRIVER_KINDS | {"Kustomization"}


def judged(gathered: State, *, without: frozenset[str] = frozenset()) -> Judgement:
    """All rules but some, over what was gathered."""
    found = judge(gathered.revision, RULES, told=gathered.findings, baseline=gathered.baseline, without=without)
    return without_fleet(found) if gathered.others_report else found


def notes(gathered: State, judgement: Judgement) -> tuple[str, ...]:
    """What the reader of the findings must know of their reach."""
    if not gathered.narrowed:
        return gathered.notes
    left_out = [rule for rule, why in sorted(judgement.unjudged.items()) if why == NOT_ALL]
    told = f"not judged, since they need all clusters: {', '.join(left_out)}, and files of no cluster below out/"
    return (*gathered.notes, told)


def summary(gathered: State, judgement: Judgement) -> Summary:
    """The counts of a judgement."""
    revision = gathered.revision
    errors, warnings = counts(judgement.findings)
    known = OWN_KINDS | {definition.kind for definition in revision.crds}
    unknown = Counter(
        file.kind for file in revision.rendered.files if file.kind and file.kind not in known and not file.template.ours
    )
    return Summary(
        source=gathered.label,
        clusters=len(revision.fleet.clusters),
        pools=sum(len(cluster.pools) for cluster in revision.fleet.clusters),
        images=sum(len(entries) for entries in revision.catalog.repositories.values()),
        errors=errors,
        warnings=warnings,
        silenced=len(judgement.ignored),
        not_judged=dict(unknown),
    )
