"""Rules of the family inventory/: told where documents are read and put together, but for silences and mirrors."""

from generator.finding import Severity
from generator.rules.image.mirror import unused
from generator.rules.rule import Rule

RULES = (
    Rule("inventory/schema", Severity.INVALID, "a document is not what its schema wants, or contradicts itself"),
    Rule(
        "inventory/quoting",
        Severity.INVALID,
        "text is written so that YAML readers take it for something else",
    ),
    Rule("inventory/duplicate", Severity.INVALID, "a key or a document is there twice"),
    Rule("inventory/name-clash", Severity.INVALID, "two names lead to one object or file"),
    Rule("inventory/unread-file", Severity.ERROR, "a file that looks like input takes no part in the result"),
    Rule(
        "inventory/unused-silence",
        Severity.WARNING,
        "a silence or a baseline entry meets no finding",
        fleet_wide=True,
    ),
    Rule(
        "inventory/unused-mirror",
        Severity.WARNING,
        "a mirror that no pool's images come by",
        unused,
        needs_all=True,
        fleet_wide=True,
    ),
    Rule("inventory/source", Severity.INVALID, "an inventory of another repository can't be read as it is declared"),
    Rule("inventory/requires", Severity.INVALID, "the repository requires another version of drivergate"),
)
