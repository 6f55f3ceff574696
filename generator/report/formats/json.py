"""Findings and counts for programs."""

from collections.abc import Sequence
from typing import Any

from msgspec import to_builtins
from msgspec.json import encode
from msgspec.json import format as indented

from generator.finding import Finding
from generator.layout import OUT
from generator.render.ownership import Changes
from generator.report.formats.text import Summary, sentence
from generator.words import printable


def report(findings: Sequence[Finding], summary: Summary, notes: Sequence[str]) -> str:
    """One object: findings, summary, and what was not judged with the reason."""
    body = {
        "findings": [finding(one) for one in findings],
        "summary": to_builtins(summary),
        "notes": list(notes),
    }
    return printed(body)


def changes(todo: Changes | None, findings: Sequence[Finding]) -> dict[str, Any]:
    """What render did or would do, with what the gate will say; None where findings keep it from all of it."""
    body = {
        "written": [f"{OUT}/{path}" for path in todo.told] if todo else [],
        "removed": [f"{OUT}/{path}" for path in todo.removed] if todo else [],
        "blocked": todo is None,
    }
    return with_findings(body, findings)


def with_findings(body: dict[str, Any], findings: Sequence[Finding]) -> dict[str, Any]:
    """A verb's own values, and what is wrong with what it read."""
    return {**body, "findings": [finding(one) for one in findings]}


def finding(one: Finding) -> dict[str, Any]:
    """One finding, flat; severity is error or warning, `blocking` says that no valid manifest can be made."""
    return {
        "rule": one.rule,
        "severity": "warning" if one.severity == "warning" else "error",
        "blocking": one.severity == "invalid",
        "file": printable(one.place.file),
        "line": one.place.line,
        "column": one.place.column,
        "message": sentence(one.message),
        "hint": sentence(one.hint),
        "cluster": one.cluster,
        "pool": one.pool,
        "workload": one.workload,
        "fact": sentence(one.fact),
    }


def printed(value: Any) -> str:
    """Any plain value or struct as indented JSON."""
    return indented(encode(value), indent=2).decode() + "\n"
