"""Rules of the family branch/."""

from generator.rules.rule import Rule

RULES: tuple[Rule, ...] = ()
