"""Rules of the family operator/."""

from generator.rules.rule import Rule

RULES: tuple[Rule, ...] = ()
