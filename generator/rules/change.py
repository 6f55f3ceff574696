"""What a change does, one by one, for tools that list findings: `drivergate diff` reports these, never the gate."""

from generator.finding import Severity
from generator.rules.rule import Judges, Rule

RELOAD = "diff/reload"
MISSING = "diff/missing"
BLOCKED = "diff/blocked"
UNKNOWN = "diff/unknown"
DANGER = "diff/danger"

# Warnings unless --fail-on names them.
RULES = (
    Rule(RELOAD, Severity.WARNING, "nodes load their driver again, or lose it", judges=Judges.CHANGE),
    Rule(MISSING, Severity.WARNING, "an image that nodes will ask for is not built", judges=Judges.CHANGE),
    Rule(BLOCKED, Severity.WARNING, "the change can't be applied, or its upgrade is stopped", judges=Judges.CHANGE),
    Rule(UNKNOWN, Severity.WARNING, "what happens on the nodes stays undecided", judges=Judges.CHANGE),
    Rule(DANGER, Severity.WARNING, "the change hurts on its way, or is slowed", judges=Judges.CHANGE),
)
