"""Rules of the family image/."""

from generator.rules.rule import Rule

RULES: tuple[Rule, ...] = ()
