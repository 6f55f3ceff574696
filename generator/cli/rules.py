"""`drivergate rules`: the table of rules."""

from typing import Annotated

import typer

from generator.cli.completion import complete_families
from generator.cli.options import ResultFormat
from generator.cli.outcome import CLEAN, Format, out, unknown
from generator.finding import Severity
from generator.report.formats import json
from generator.report.formats.text import table
from generator.rules.table import RULES


def rules(
    family: Annotated[
        str | None,
        typer.Argument(metavar="[FAMILY]", help="Only this family, such as image.", autocompletion=complete_families),
    ] = None,
    printed: ResultFormat = Format.TEXT,
) -> int:
    """List every rule with its severity; explain tells more of one."""
    name = (family or "").removesuffix("/")
    listed = sorted((rule for rule in RULES if name in {"", rule.family}), key=lambda rule: rule.id)
    if not listed:
        families = set() if name in {rule.id for rule in RULES} else {rule.family for rule in RULES}
        otherwise = "see: drivergate rules" if families else f"run: drivergate explain {name}"
        return unknown("family of rules", name, families, otherwise=otherwise)
    if printed is Format.JSON:
        out(json.printed([{"id": one.id, **severity_values(one.severity), "summary": one.summary} for one in listed]))
    else:
        head = ("RULE", "SEVERITY", "SUMMARY")
        out(table([head, *((one.id, _word(one.severity), one.summary) for one in listed)]))
    return CLEAN


def severity_values(severity: Severity) -> dict[str, object]:
    """As a finding has it: `blocking` says that no valid manifest can be made."""
    word, _, blocking = _word(severity).partition(", ")
    return {"severity": word, "blocking": bool(blocking)}


def _word(severity: Severity) -> str:
    return "error, blocking" if severity == "invalid" else str(severity)
