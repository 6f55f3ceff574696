"""The one visible table of rules. Ids are for ever; docs/rules/ says more of each."""

from generator.rules import branch, catalog, change, cuda, gpu, inventory, out, template
from generator.rules.disruption import rules as disruption
from generator.rules.image import rules as image
from generator.rules.operator import rules as operator
from generator.rules.rule import Judges, Rule
from generator.rules.upgrade import rules as upgrade

TABLE: tuple[Rule, ...] = (
    *image.RULES,
    *operator.RULES,
    *upgrade.RULES,
    *disruption.RULES,
    *gpu.RULES,
    *branch.RULES,
    *cuda.RULES,
    *inventory.RULES,
    *catalog.RULES,
    *template.RULES,
    *out.RULES,
    *change.RULES,
)

# What the gate runs, and what a comparison of two revisions reports.
RULES = tuple(rule for rule in TABLE if rule.judges is Judges.REPOSITORY)
CHANGES = tuple(rule for rule in TABLE if rule.judges is Judges.CHANGE)

BY_ID = {rule.id: rule for rule in TABLE}
