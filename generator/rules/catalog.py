"""Rules of the family catalog/: told where catalog files are read and put together, but for mirrors."""

from generator.finding import Severity
from generator.rules.image.mirror import proxy_listed
from generator.rules.rule import FleetRule, Rule

RULES = (
    Rule("catalog/schema", Severity.INVALID, "a catalog file is not what its schema wants"),
    Rule("catalog/conflict", Severity.INVALID, "one tag is listed with two digests"),
    Rule("catalog/duplicate", Severity.WARNING, "one image is listed twice, as a union merge leaves it"),
    Rule("catalog/unsorted", Severity.WARNING, "the images of a file are not in bytewise order of their tags"),
    Rule("catalog/unreadable-tag", Severity.WARNING, "a tag is no driver image's"),
    FleetRule("catalog/of-mirror", Severity.WARNING, "a catalog of a mirror that only passes images on", proxy_listed),
)
