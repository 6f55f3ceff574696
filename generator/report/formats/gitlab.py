"""Findings as GitLab's code quality report.

Fields are of https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format.
"""

from collections.abc import Iterator
from typing import Any

from msgspec.json import encode

from generator.finding import Severity
from generator.report.reported import Reported, fingerprints, line, told, worst_first
from generator.words import printable

SEVERITIES = {Severity.INVALID: "blocker", Severity.ERROR: "critical", Severity.WARNING: "minor"}


def gitlab(reported: Reported) -> str:
    """An array, empty where nothing was found."""
    return encode(list(_issues(reported))).decode() + "\n"


def _issues(reported: Reported) -> Iterator[dict[str, Any]]:
    findings = worst_first(reported.findings)
    for one, fingerprint in zip(findings, fingerprints(findings), strict=True):
        yield {
            "description": told(one),
            "check_name": one.rule,
            "fingerprint": fingerprint,
            "severity": SEVERITIES[one.severity],
            "location": {"path": printable(one.place.file), "lines": {"begin": line(one.place)}},
        }
