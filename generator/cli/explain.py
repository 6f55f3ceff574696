"""`drivergate explain`: the documentation of a rule."""

from typing import Annotated

import typer


def explain(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="A rule, such as image/missing, or a family.")],
) -> int:
    """Explain a rule, or all rules of a family: what it means, why it matters, how to mend it."""
    from generator.cli.outcome import CLEAN, out
    from generator.facts.data import rule_docs
    from generator.rules.docs import section
    from generator.rules.table import RULES

    name = rule.removesuffix("/")
    ids = sorted(one.id for one in RULES if name in {one.id, one.family})
    if not ids:
        from generator.cli.naming import unknown

        return unknown("rule", name, [*(one.id for one in RULES), *(one.family for one in RULES)])
    text = rule_docs(name.partition("/")[0])
    out("\n".join(section(one, text) for one in ids))
    return CLEAN
