"""Rules of the family gpu/."""

from generator.rules.rule import Rule

RULES: tuple[Rule, ...] = ()
