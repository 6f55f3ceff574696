"""`drivergate rules`: the table of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from generator.cli.options import Printed
from generator.cli.outcome import Format

if TYPE_CHECKING:
    from generator.finding import Severity


def rules(
    family: Annotated[str | None, typer.Argument(metavar="[FAMILY]", help="Only this family, such as image.")] = None,
    printed: Printed = Format.TEXT,
) -> int:
    """List every rule with its severity; explain tells more of one."""
    from generator.cli.outcome import CLEAN, out
    from generator.rules.table import RULES

    name = (family or "").removesuffix("/")
    listed = sorted((rule for rule in RULES if name in {"", rule.family}), key=lambda rule: rule.id)
    if not listed:
        from generator.cli.naming import unknown

        return unknown("family of rules", name, {rule.family for rule in RULES})
    if printed is Format.JSON:
        from generator.report import json

        out(json.printed([{"id": one.id, **_severity(one.severity), "summary": one.summary} for one in listed]))
    else:
        from generator.report.text import table

        head = ("RULE", "SEVERITY", "SUMMARY")
        out(table([head, *((one.id, _word(one.severity), one.summary) for one in listed)]))
    return CLEAN


def _severity(severity: Severity) -> dict[str, object]:
    """As a finding has it: `blocking` says that no valid manifest can be made."""
    word, _, blocking = _word(severity).partition(", ")
    return {"severity": word, "blocking": bool(blocking)}


def _word(severity: Severity) -> str:
    return "error, blocking" if severity == "invalid" else str(severity)
