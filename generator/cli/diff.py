"""`drivergate diff`: what a change does to the fleet."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from generator.cli.options import Clusters, Root

if TYPE_CHECKING:
    from generator.cli.comparing import Comparison


class DiffFormat(StrEnum):
    """How a comparison is printed."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


class FailOn(StrEnum):
    """What makes exit 1."""

    RELOAD = "reload"
    MISSING = "missing"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"


def diff(
    base: Annotated[str, typer.Argument(metavar="BASE", help="The commit that is compared with.")],
    head: Annotated[
        str | None, typer.Argument(metavar="[HEAD]", help="The commit that is looked at; default: the work tree.")
    ] = None,
    cluster: Clusters = None,
    fail_on: Annotated[
        list[FailOn] | None, typer.Option("--fail-on", help="Exit 1 where the change is so; may be repeated.")
    ] = None,
    root: Root = None,
    printed: Annotated[DiffFormat, typer.Option("--format", help="How to print it.")] = DiffFormat.TEXT,
) -> int:
    """Say what a change does to the fleet: which nodes reload, what is evicted, what blocks, what must be built."""
    from generator.cli.comparing import compare
    from generator.cli.outcome import CLEAN, FOUND, UNUSABLE, out, say
    from generator.report.text import finding_lines

    found = compare(base, head, root=root, clusters=frozenset(cluster or ()))
    if found.blocking and printed is not DiffFormat.JSON:
        say(finding_lines(found.blocking, color=False).rstrip("\n"))
        say(f"no valid manifest can be made from the {found.unreadable}: nothing is compared")
        return UNUSABLE
    out(_text(found, printed))
    if found.blocking:
        return UNUSABLE
    impact = found.impact
    answers = {
        FailOn.RELOAD: impact.reloads,
        FailOn.MISSING: impact.missing,
        FailOn.BLOCKED: impact.blocked,
        FailOn.UNKNOWN: impact.unknown,
    }
    return FOUND if any(answers[one] for one in fail_on or ()) else CLEAN


def _text(found: Comparison, printed: DiffFormat) -> str:
    from generator.report import impact as report

    told = report.Told(
        base=found.base,
        head=found.head,
        impact=found.impact,
        commits=found.commits,
        clusters=tuple(sorted(found.clusters)),
    )
    if printed is DiffFormat.JSON:
        from generator.report import json

        return json.printed(json.with_findings(report.values(told), found.blocking))
    if printed is DiffFormat.MARKDOWN:
        from generator.report.comment import comment

        return comment(told)
    return report.text(told)
