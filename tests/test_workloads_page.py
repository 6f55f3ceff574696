"""docs/workloads.md: each documented edit of the sample fleet brings its rule, which the sample doesn't have."""

import re

import pytest

from generator.finding import Finding
from generator.rules.table import RULES
from tests.testing.judging import findings
from tests.testing.shared import REPO

PAGE = (REPO / "docs" / "workloads.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `((?:disruption|upgrade)/[a-z-]+)` \| `([^`]+)` \| `([^`]+)` \| `([^`]+)` \|$", re.MULTILINE)
EDITS = [match.groups() for match in ROW.finditer(PAGE)]
# What one edit of the sample can't bring.
OTHERWISE = {
    "upgrade/held": "it compares with a commit: docs/add-a-pool.md",
    "upgrade/hold-ended": "it depends on the day: tests/bad/upgrade",
    "upgrade/pod-deletion-missing": "it is about a template of one's own: tests/bad/upgrade",
}


def sample() -> dict[str, str | bytes]:
    paths = [path for folder in ("inventory", "bases") for path in (REPO / folder).rglob("*.yaml")]
    return {path.relative_to(REPO).as_posix(): path.read_text(encoding="utf-8") for path in sorted(paths)}


def told(rule: str, files: dict[str, str | bytes]) -> list[Finding]:
    return [one for one in findings(files) if one.rule == rule]


def test_every_rule_on_budgets_and_upgrades_has_an_edit() -> None:
    rules = {rule.id for rule in RULES if rule.family in {"disruption", "upgrade"}}
    assert {rule for rule, *_ in EDITS} == rules - set(OTHERWISE)


@pytest.mark.parametrize("rule", sorted({rule for rule, *_ in EDITS}))
def test_an_edit_brings_its_rule(rule: str) -> None:
    files = sample()
    assert told(rule, files) == []
    for name, file, was, becomes in EDITS:
        if name == rule:
            text = files[file]
            assert isinstance(text, str)
            assert text.count(was) == 1, f"{file} holds {was!r} {text.count(was)} times"
            files[file] = text.replace(was, becomes)
    assert told(rule, files)
