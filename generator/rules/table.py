"""The one visible table of rules. Ids are for ever; docs/rules/ says more of each."""

from generator.rules import branch, catalog, cuda, disruption, gpu, image, inventory, operator, out, template, upgrade
from generator.rules.rule import Rule

RULES: tuple[Rule, ...] = (
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
)

BY_ID = {rule.id: rule for rule in RULES}
