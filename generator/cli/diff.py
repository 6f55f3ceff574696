"""`drivergate diff`: what a change does to the fleet."""

import os
from collections.abc import Sequence
from enum import StrEnum
from functools import cache, partial
from typing import Annotated

import typer

from generator.change.places import Places
from generator.cli.completion import complete_revisions
from generator.cli.options import Clusters, Outputs, ReportFormat, Root
from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, Reporting, say
from generator.cli.reporting import Texts, documented, for_reviewers, printed_and_written, written
from generator.cli.reporting import outputs as destinations
from generator.cli.revisions import Comparison, compare
from generator.edges.files import find_root
from generator.edges.git.command import below_top, git_at
from generator.finding import Finding
from generator.report import impact as report
from generator.report.comment import comment
from generator.report.entries import entries
from generator.report.formats import json
from generator.report.formats.text import finding_lines
from generator.report.reported import Reported, below
from generator.rules.table import CHANGES


class FailOn(StrEnum):
    """What makes exit 1."""

    RELOAD = "reload"
    MISSING = "missing"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"


def diff(
    base: Annotated[
        str, typer.Argument(metavar="BASE", help="The commit to compare with.", autocompletion=complete_revisions)
    ],
    head: Annotated[
        str | None,
        typer.Argument(
            metavar="[HEAD]",
            help="The commit to report on; default: the work tree.",
            autocompletion=complete_revisions,
        ),
    ] = None,
    cluster: Clusters = None,
    fail_on: Annotated[
        list[FailOn] | None, typer.Option("--fail-on", help="Exit 1 if the change has this effect (repeatable).")
    ] = None,
    root: Root = None,
    printed: ReportFormat = Reporting.TEXT,
    output: Outputs = None,
) -> int:
    """Say what a change does to the fleet: which nodes reload, what is evicted, what blocks, what must be built."""
    return compared(
        base,
        head,
        root=root,
        clusters=frozenset(cluster or ()),
        fail_on=frozenset(map(str, fail_on or ())),
        printed=printed,
        outputs=output or (),
    )


def compared(
    base: str,
    head: str | None,
    *,
    root: str | None,
    clusters: frozenset[str],
    fail_on: frozenset[str],
    printed: Reporting,
    outputs: Sequence[str],
) -> int:
    """The exit code: 0 where it could answer, 1 for what `fail_on` names. OutsideError where the outside says no."""
    where = find_root(root)
    files = destinations(outputs, where)
    found = compare(base, head, root=where, clusters=clusters)
    if found.blocking:
        texts = _unreadable(found, where)
        if printed is Reporting.TEXT:  # nothing is compared, so that there is no result
            say(finding_lines(found.blocking, color=False).rstrip("\n"))
            written(texts, files)
        else:
            printed_and_written(texts, printed, files)
        say(_why(found))
        return UNUSABLE
    printed_and_written(_texts(found, where, fail_on), printed, files)
    impact = found.impact
    answers = {
        "reload": impact.reloads,
        "missing": impact.missing,
        "blocked": impact.blocked,
        "unknown": impact.unknown,
    }
    return FOUND if any(answers[one] for one in fail_on) else CLEAN


def _why(found: Comparison) -> str:
    return f"no valid manifest can be made from the {found.unreadable}: nothing is compared"


def _texts(found: Comparison, root: str, fail_on: frozenset[str]) -> Texts:
    told = _told(found)
    return {
        **for_reviewers(cache(partial(_reported, found, root, fail_on))),
        Reporting.TEXT: lambda: report.text(told),
        Reporting.JSON: lambda: json.printed(json.with_findings(report.values(told), ())),
        Reporting.MARKDOWN: lambda: comment(told),
    }


def _unreadable(found: Comparison, root: str) -> Texts:
    """The findings that keep a revision from being read, where the impact would stand."""
    return {
        **for_reviewers(partial(_reported_unreadable, found, root)),
        Reporting.TEXT: lambda: finding_lines(found.blocking, color=False) + _why(found) + "\n",
        Reporting.JSON: lambda: json.printed(json.with_findings(report.values(_told(found)), found.blocking)),
    }


def _reported_unreadable(found: Comparison, root: str) -> Reported:
    findings = below(below_top(git_at(root, os.environ)), found.blocking)
    return Reported(
        verb="diff",
        findings=findings,
        sentence=_why(found),
        rules=documented(findings),
        scope="/".join(sorted(found.clusters)),
    )


def _told(found: Comparison) -> report.Told:
    return report.Told(
        base=found.base,
        head=found.head,
        impact=found.impact,
        commits=found.commits,
        clusters=tuple(sorted(found.clusters)),
    )


def _reported(found: Comparison, root: str, fail_on: frozenset[str]) -> Reported:
    """The impact as findings; an entry that makes exit 1 is an error."""
    made: tuple[Finding, ...] = ()
    if found.sides is not None:
        was, becomes = found.sides
        places = Places(was.fleet, becomes.fleet)
        made = entries(found.impact, places, (f"diff/{one}" for one in fail_on))
    findings = below(below_top(git_at(root, os.environ)), made)
    return Reported(
        verb="diff",
        findings=findings,
        sentence=report.sentence(found.impact),
        rules=documented(findings),
        clusters=tuple(one.cluster for one in found.impact.clusters),
        judged=tuple(sorted(rule.id for rule in CHANGES)),
        scope="/".join(sorted(found.clusters)),
    )
