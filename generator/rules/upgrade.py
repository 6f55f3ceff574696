"""Rules of the family upgrade/."""

from generator.rules.rule import Rule

RULES: tuple[Rule, ...] = ()
