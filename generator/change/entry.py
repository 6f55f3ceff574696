"""What a change does, one by one, for tools that list findings: each kind has an id, as the gate's rules have."""

from generator.finding import Severity
from generator.rules.rule import Rule

FAMILY = "diff"
RELOAD, MISSING, BLOCKED = "diff/reload", "diff/missing", "diff/blocked"
UNKNOWN, DANGER = "diff/unknown", "diff/danger"

# None of the gate's: they tell of a change, and are warnings unless --fail-on names them.
ENTRIES = (
    Rule(RELOAD, Severity.WARNING, "nodes load their driver again, or lose it"),
    Rule(MISSING, Severity.WARNING, "an image that nodes will ask for is not built"),
    Rule(BLOCKED, Severity.WARNING, "the change can't be applied, or its upgrade is stopped"),
    Rule(UNKNOWN, Severity.WARNING, "what happens on the nodes stays undecided"),
    Rule(DANGER, Severity.WARNING, "the change hurts on its way, or is slowed"),
)
BY_ID = {one.id: one for one in ENTRIES}
