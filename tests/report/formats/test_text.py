"""How findings are printed: nothing that a terminal acts on, and nothing without an end."""

from msgspec import json as decoder

from generator.finding import Finding, Place, Severity
from generator.report.formats import json
from generator.report.formats.text import LONGEST, finding_lines, printable, sentence

HUGE = "key " + "x" * 10_000_000 + " is too long"


def finding(message: str, hint: str = "h", fact: str = "") -> Finding:
    place = Place("a.yaml", 1, 2)
    return Finding(rule="x/y", severity=Severity.ERROR, place=place, message=message, hint=hint, fact=fact)


def test_a_huge_message_loses_its_middle() -> None:
    said = sentence(HUGE)
    assert len(said) <= LONGEST + 3
    assert said.startswith("key xxx")
    assert said.endswith("xxx is too long")
    assert "…" in said
    assert sentence("x" * LONGEST) == "x" * LONGEST


def test_both_reports_are_as_short() -> None:
    one = finding(HUGE, HUGE, HUGE)
    assert len(finding_lines([one], color=False)) < 3 * LONGEST
    assert len(json.printed(json.finding(one))) < 4 * LONGEST
    assert decoder.decode(json.printed(json.finding(one)))["message"] == sentence(HUGE)


def test_what_a_terminal_acts_on_is_spelled() -> None:
    assert printable("a\x1b[31mb\u202ec") == "a\\x1b[31mb\\u202ec"
    assert sentence("é …") == "é …"
