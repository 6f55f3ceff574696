"""`drivergate explain`: the documentation of a rule."""

from typing import Annotated

import typer

from generator.cli.options import Printed
from generator.cli.outcome import Format


def explain(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="A rule, such as image/missing, or a family.")],
    printed: Printed = Format.TEXT,
) -> int:
    """Explain a rule, or all rules of a family: what it means, why it matters, how to mend it."""
    from generator.change.entry import ENTRIES
    from generator.cli.outcome import CLEAN, out
    from generator.facts.data import rule_docs
    from generator.rules.docs import section
    from generator.rules.table import RULES

    name, explained = rule.removesuffix("/"), (*RULES, *ENTRIES)
    found = sorted((one for one in explained if name in {one.id, one.family}), key=lambda one: one.id)
    if not found:
        from generator.cli.naming import unknown

        known = {*(one.id for one in explained), *(one.family for one in explained)}
        return unknown("rule", name, known, otherwise="see: drivergate rules")
    text = rule_docs(name.partition("/")[0])
    if printed is Format.TEXT:
        out("\n".join(section(one.id, text) for one in found))
        return CLEAN
    from generator.cli.rules import severity_values
    from generator.report.formats import json

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
