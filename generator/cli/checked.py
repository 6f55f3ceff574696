"""What the gate found, in every format that it can be asked for."""

from collections.abc import Sequence

from generator.cli.gather import Gathered
from generator.cli.judging import notes
from generator.cli.outcome import Reporting, colored
from generator.cli.reporting import Output, Texts, documented, for_reviewers, printed_and_written
from generator.edges.git.command import Git, below_top
from generator.finding import Severity
from generator.report.formats import json, text
from generator.report.reported import Reported, below
from generator.report.summary import Summary
from generator.rules.judge import NOT_WHOLE, Judgement
from generator.rules.table import RULES


def deliver(
    git: Git,
    gathered: Gathered,
    judgement: Judgement,
    counted: Summary,
    *,
    strict: bool,
    printed: Reporting,
    files: Sequence[Output],
) -> None:
    """Prints the findings and writes the reports that are asked for."""
    findings, told = judgement.findings, notes(gathered, judgement)

    def plain(*, color: bool) -> str:
        return text.report(findings, counted, color=color)

    texts: Texts = {
        Reporting.TEXT: lambda: plain(color=colored() and printed is Reporting.TEXT and not files),
        Reporting.JSON: lambda: json.report(findings, counted, told),
    }
    wanted = {printed, *(one.format for one in files)}
    if wanted - texts.keys():
        made = reported(git, gathered, judgement, counted, strict=strict)
        texts = {**texts, **for_reviewers(lambda: made)}
    printed_and_written(texts, printed, files)


def reported(git: Git, gathered: Gathered, judgement: Judgement, counted: Summary, *, strict: bool) -> Reported:
    """The same for reviewers. Where manifests can't be made, no rule that found nothing has seen everything."""
    findings = below(below_top(git), judgement.findings)
    unjudged = dict(judgement.unjudged)
    if any(one.severity is Severity.INVALID for one in findings):
        unjudged = {rule.id: NOT_WHOLE for rule in RULES} | unjudged
    return Reported(
        verb="check",
        findings=findings,
        sentence=counted.sentence,
        rules=documented(findings),
        notes=notes(gathered, judgement),
        clusters=tuple(cluster.name for cluster in gathered.context.fleet.clusters),
        judged=tuple(sorted(rule.id for rule in RULES if rule.id not in unjudged)),
        unjudged=unjudged,
        repeated=judgement.repeated,
        strict=strict,
        scope=gathered.scope,
    )
