"""Findings as SARIF 2.1.0, within what GitHub's code scanning takes.

The limits are of https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.json import encode

from generator.finding import Finding, Severity
from generator.report.reported import Reported, RuleText, fingerprints, told, worst_first
from generator.words import printable

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RESULTS = 25_000  # of a run; GitHub refuses the whole file beyond
LEVELS = {Severity.INVALID: "error", Severity.ERROR: "error", Severity.WARNING: "warning"}
# primaryLocationLineHash is left to github/codeql-action, which computes it from the file and warns of any other.
FINGERPRINT = "drivergateFinding/v1"
LINK = re.compile(r"\[([^\[\]]*)\]\(")
PLACEHOLDER = re.compile(r"\{(\d+)\}")
UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")


def sarif(reported: Reported, *, version: str) -> str:
    """One run, minified: the file may have 10 MB gzipped."""
    listed = worst_first(reported.findings)[:MOST_RESULTS]
    rules = [reported.rules[name] for name in sorted({one.rule for one in listed})]
    index = {rule.id: number for number, rule in enumerate(rules)}
    driver = {
        "name": "drivergate",
        "semanticVersion": version,
        "rules": [_rule(rule) for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"drivergate/{printable(reported.name)}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(reported, left_out=len(reported.findings) - len(listed))],
        "results": list(_results(listed, index)),
    }
    return encode({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}).decode() + "\n"


def _rule(rule: RuleText) -> dict[str, Any]:
    value: dict[str, Any] = {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"tags": [rule.id.partition("/")[0]], "problem.severity": LEVELS[rule.severity]},
    }
    if rule.text:
        value["help"] = {"text": rule.text, "markdown": rule.text}
    if rule.url:
        value["helpUri"] = rule.url
    return value


def _results(findings: list[Finding], index: dict[str, int]) -> Iterator[dict[str, Any]]:
    for one, fingerprint in zip(findings, fingerprints(findings), strict=True):
        yield {
            "ruleId": one.rule,
            "ruleIndex": index[one.rule],
            "level": LEVELS[one.severity],
            "message": {"text": _plain(told(one))},
            "locations": [_location(one)],
            "partialFingerprints": {FINGERPRINT: fingerprint},
        }


def _plain(text: str) -> str:
    """In a SARIF message `[text](1)` is a link and `{0}` a placeholder (3.11.5, 3.11.6): nothing of ours is either."""
    return PLACEHOLDER.sub(r"{{\1}}", LINK.sub(r"\\[\1\\](", text))


def _location(one: Finding) -> dict[str, Any]:
    place = one.place
    region = {"startLine": place.line or 1, "startColumn": place.column or 1}
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": uri(place.file)}, "region": region},
    }
    names = "/".join(printable(name) for name in (one.cluster, one.pool, one.workload) if name)
    if names:
        location["logicalLocations"] = [{"fullyQualifiedName": names}]
    return location


def uri(path: str) -> str:
    """A relative reference to a file, whatever bytes its name holds."""
    raw = path.encode("utf-8", "surrogateescape")
    return "".join(chr(byte) if byte in UNRESERVED else f"%{byte:02X}" for byte in raw)


def _invocation(reported: Reported, *, left_out: int) -> dict[str, Any]:
    """That it ran, and what it could not tell or judge."""
    lines: list[str] = [*reported.notes]
    lines += [f"{rule} is not judged: {why}" for rule, why in sorted(reported.unjudged.items())]
    if left_out:
        lines.append(f"{left_out} more findings are left out, since GitHub takes {MOST_RESULTS} results at most")
    value: dict[str, Any] = {"executionSuccessful": True}
    if lines:
        value["toolExecutionNotifications"] = list(_notifications(lines))
    return value


def _notifications(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        yield {"level": "warning", "message": {"text": _plain(printable(line))}}
