"""Reports held against the public schemas of their formats, and text that means harm to each of them."""

import json
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema_rs
import xmlschema

from generator.finding import Finding, Place, Severity
from generator.report.reported import Reported, RuleText

SCHEMAS = Path(__file__).resolve().parents[1] / "data" / "schemas"
HOSTILE = (
    "a\nb", "a\r\n::error::b", "::error::c", "  ::stop-commands::x", "##[error]d", "100%0A%25", "e:f,g", "|", "`x` ```",
    "```\n</details>", "<!-- drivergate:check -->", "@everyone #1 !1 ~bug", "[l](http://example.com)", "[x](1)", "{0}",
    "<script>&amp;", "]]>", '"quoted" \'', "\x00\x08\x1b[31m\x7f\u2028\ufffe\udcff", "Müller ✓ 日本", "\\", "",
)  # fmt: skip

# https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
CODE_QUALITY = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^(?!\\./|/).+"},
                    "lines": {"required": ["begin"], "properties": {"begin": {"type": "integer", "minimum": 1}}},
                },
            },
        },
    },
}


@cache
def _sarif() -> Any:
    return jsonschema_rs.validator_for(json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text(encoding="utf-8")))


@cache
def _junit() -> Any:
    return xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd")


def run_of(text: str) -> dict[str, Any]:
    """The run of a valid SARIF file."""
    value = json.loads(text)
    assert [error.message for error in _sarif().iter_errors(value)] == []
    [run] = value["runs"]
    return run


def suite_of(text: str) -> ET.Element:
    """The suite of a valid JUnit file."""
    _junit().validate(text)
    [suite] = ET.fromstring(text)
    return suite


def issues_of(text: str) -> list[dict[str, Any]]:
    """The issues of a valid code quality report."""
    value = json.loads(text)
    jsonschema_rs.validate(CODE_QUALITY, value)
    prints = [one["fingerprint"] for one in value]
    assert len(set(prints)) == len(prints)
    return value


def finding(number: int = 1, severity: Severity = Severity.ERROR, **changed: Any) -> Finding:
    """A finding of the rule example/one."""
    values: dict[str, Any] = {
        "rule": "example/one",
        "place": Place("inventory/a.yaml", number, 2),
        "message": f"message {number}",
        "hint": "mend it",
        "cluster": "east",
        "pool": "train",
        "fact": f"fact {number}",
    }
    return Finding(severity=severity, **{**values, **changed})


def reported(*findings: Finding, **changed: Any) -> Reported:
    """A check of two clusters by two rules."""
    rules = {
        name: RuleText(id=name, severity=Severity.ERROR, summary=f"summary of {name}", text=f"## {name}\n\nText.\n")
        for name in {"example/one", "example/two", *(one.rule for one in findings)}
    }
    values: dict[str, Any] = {
        "sentence": "2 errors in 2 clusters",
        "rules": rules,
        "clusters": ("east", "west"),
        "judged": ("example/one", "example/two"),
    }
    return Reported(verb="check", findings=findings, **{**values, **changed})


def hostile() -> Reported:
    """Findings whose every word comes from somebody who means harm."""
    return reported(
        *(
            finding(
                number, place=Place(f"inventory/{text}.yaml", 1, 1), message=text, hint=text, cluster=text, pool=text
            )
            for number, text in enumerate(HOSTILE, 1)
        ),
        notes=HOSTILE,
        clusters=HOSTILE,
        sentence="\n".join(HOSTILE),
        unjudged={"example/three": "::error::\n`"},
    )
