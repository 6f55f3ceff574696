"""Rules of the family template/: told where templates are collected and rendered (render/)."""

from generator.finding import Severity
from generator.rules.rule import Rule

RULES = (
    Rule("template/undefined", Severity.INVALID, "a template prints a name that it is not given"),
    Rule("template/syntax", Severity.INVALID, "a template can't be read or run"),
    Rule("template/not-a-manifest", Severity.INVALID, "a template's output is not one Kubernetes manifest"),
    Rule("template/duplicate-object", Severity.INVALID, "two outputs are one file or one object"),
    Rule("template/outside-folder", Severity.INVALID, "a template writes outside of its cluster's folder"),
)
