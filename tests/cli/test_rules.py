import json

import pytest

from generator.finding import Severity
from generator.rules.table import RULES
from tests.testing.command import call

Capture = pytest.CaptureFixture[str]


def test_every_rule_has_its_line(capfd: Capture) -> None:
    called = call(capfd, "rules")
    assert (called.code, called.err) == (0, "")
    head, *lines = called.out.splitlines()
    assert head.split() == ["RULE", "SEVERITY", "SUMMARY"]
    assert [line.split()[0] for line in lines] == sorted(rule.id for rule in RULES)
    for rule in RULES:
        (line,) = [line for line in lines if line.split()[0] == rule.id]
        assert line.endswith(f"  {rule.summary}")
        # product.md, Rules: E error, U makes rendering impossible, W warning.
        words = {Severity.INVALID: "error, blocking", Severity.ERROR: "error", Severity.WARNING: "warning"}
        assert line.removeprefix(rule.id).removesuffix(rule.summary).strip() == words[rule.severity]


def test_one_family(capfd: Capture) -> None:
    called = call(capfd, "rules", "catalog")
    assert {line.split()[0].partition("/")[0] for line in called.out.splitlines()[1:]} == {"catalog"}
    assert call(capfd, "rules", "catalog/") == called


def test_an_unknown_family(capfd: Capture) -> None:
    called = call(capfd, "rules", "catalogue")
    assert (called.code, called.out) == (2, "")
    assert called.err == 'drivergate: no family of rules is named "catalogue"\n    hint: did you mean "catalog"?\n'


def test_as_json(capfd: Capture) -> None:
    printed = json.loads(call(capfd, "rules", "--format", "json").out)
    assert [one["id"] for one in printed] == sorted(rule.id for rule in RULES)
    by_id = {one["id"]: one for one in printed}
    assert (by_id["catalog/conflict"]["severity"], by_id["catalog/conflict"]["blocking"]) == ("error", True)
    assert (by_id["out/drift"]["severity"], by_id["out/drift"]["blocking"]) == ("error", False)
    assert (by_id["out/stray"]["severity"], by_id["out/stray"]["blocking"]) == ("warning", False)


def test_a_rule_is_no_family(capfd: Capture) -> None:
    called = call(capfd, "rules", "image/missing")
    assert (called.code, called.out) == (2, "")
    assert called.err.splitlines()[1] == "    hint: run: drivergate explain image/missing"
    assert call(capfd, "rules", "nope").err.splitlines()[1] == "    hint: see: drivergate rules"
