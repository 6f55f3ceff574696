"""What migrate did or would do, for people and for programs."""

from typing import Any

from generator.declared.migration import Migrated
from generator.declared.modelparts import API_VERSION
from generator.report.formats.json import finding
from generator.words import printable


def as_text(result: Migrated, *, done: bool) -> str:
    """One line per file that changes."""
    if not result.changed and not result.refused:
        return f"nothing to migrate: {result.current} documents of {API_VERSION}\n"
    written = "wrote" if done else "would write"
    return "".join(f"{written} {printable(path)}\n" for path in result.changed)


def as_json(result: Migrated) -> dict[str, Any]:
    """The same, with what stands in the way."""
    refused = {"refused": list(result.refused)} if result.refused else {}
    return {
        "written": list(result.changed),
        "current": result.current,
        **refused,
        "findings": [finding(problem) for problem in result.findings],
    }
