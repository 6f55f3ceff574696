"""`drivergate explain`: the documentation of a rule."""

from typing import Annotated

import typer

from generator.cli.completion import complete_rules
from generator.cli.options import ResultFormat
from generator.cli.outcome import CLEAN, Format, out, unknown
from generator.cli.rules import severity_values
from generator.facts.data import rule_docs
from generator.report.formats import json
from generator.rules.docs import section
from generator.rules.table import TABLE


def explain(
    rule: Annotated[
        str,
        typer.Argument(
            metavar="RULE", help="A rule, such as image/missing, or a family.", autocompletion=complete_rules
        ),
    ],
    printed: ResultFormat = Format.TEXT,
) -> int:
    """Explain a rule, or all rules of a family: what it means, why it matters, how to mend it."""
    name, explained = rule.removesuffix("/"), TABLE
    found = sorted((one for one in explained if name in {one.id, one.family}), key=lambda one: one.id)
    if not found:
        known = {*(one.id for one in explained), *(one.family for one in explained)}
        return unknown("rule", name, known, otherwise="see: drivergate rules")
    text = rule_docs(name.partition("/")[0])
    if printed is Format.TEXT:
        out("\n".join(section(one.id, text) for one in found))
        return CLEAN

    told = [
        {
            "rule": one.id,
            **severity_values(one.severity),
            "summary": one.summary,
            "text": section(one.id, text),
        }
        for one in found
    ]
    out(json.printed(told[0] if name == found[0].id else told))
    return CLEAN
