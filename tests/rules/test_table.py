"""Every rule is in the table, documented, and has a broken repository; nothing else is."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.change import entry
from generator.finding import Severity
from generator.rules.rule import Rule
from generator.rules.table import BY_ID, RULES
from tests.test_bad import CASES, rule_of
from tests.testing.shared import REPO

ID = re.compile(r"[a-z]+/[a-z0-9]+(-[a-z0-9]+)*")
FAMILIES = sorted({rule.family for rule in RULES})
DOCS = REPO / "docs" / "rules"
PACKAGE = REPO / "generator"
SECTION = re.compile(r"^## (\S+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
ALWAYS_INVALID = {"problem", "template_finding"}  # helpers that make findings of one severity
FENCE = re.compile(r"^```(\w*)\n.+?^```$", re.MULTILINE | re.DOTALL)


def sections(family: str) -> dict[str, str]:
    path = DOCS / f"{family}.md"
    return dict(SECTION.findall(path.read_text(encoding="utf-8"))) if path.exists() else {}


def rule_id(rule: Rule) -> str:
    return rule.id


def test_ids_are_unique_and_in_kebab_case() -> None:
    assert len(BY_ID) == len(RULES)
    assert [rule.id for rule in RULES if not ID.fullmatch(rule.id)] == []


@pytest.mark.parametrize("rule", RULES, ids=rule_id)
def test_a_rule_has_a_summary_in_one_line(rule: Rule) -> None:
    assert rule.summary
    assert "\n" not in rule.summary
    assert not rule.summary.endswith(".")


@pytest.mark.parametrize("rule", RULES, ids=rule_id)
def test_a_rule_is_documented_with_a_bad_and_a_good_example_and_a_next_step(rule: Rule) -> None:
    text = sections(rule.family).get(rule.id)
    assert text is not None, f"docs/rules/{rule.family}.md has no section ## {rule.id}"
    at = {}
    for part in ("Bad", "Good", "Next step"):
        found = re.search(rf"^[*#]*\s*{part}\b", text, re.MULTILINE)
        assert found, f'no line of the section begins with "{part}"'
        at[part] = found.start()
    assert FENCE.search(text, at["Bad"], at["Good"]), "Bad has no fenced example"
    assert FENCE.search(text, at["Good"]), "Good has no fenced example"


@pytest.mark.parametrize("rule", RULES, ids=rule_id)
def test_a_rule_has_a_broken_repository(rule: Rule) -> None:
    assert rule.id in {rule_of(case) for case in CASES}


@pytest.mark.parametrize("one", entry.ENTRIES, ids=rule_id)
def test_an_entry_of_diff_is_documented_and_no_rule_of_the_gate(one: Rule) -> None:
    assert one.id not in BY_ID
    assert "\nNext step: " in sections(entry.FAMILY)[one.id]


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_no_section_is_left_without_a_rule(path: Path) -> None:
    assert path.stem in {*FAMILIES, entry.FAMILY}
    assert [name for name in sections(path.stem) if name not in {*BY_ID, *entry.BY_ID}] == []
    headings = re.findall(r"^## (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(headings) == sorted(sections(path.stem)), "a section is there twice, or its heading is no rule's id"


def test_no_broken_repository_is_left_without_a_rule() -> None:
    assert [str(case) for case in CASES if rule_of(case) not in BY_ID] == []


def nodes() -> Iterator[tuple[Path, ast.AST]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield path, node


def literals() -> Iterator[tuple[str, str]]:
    """Every text of the package that is a rule's id by its family, with where it stands."""
    for path, node in nodes():
        value = str(node.value) if isinstance(node, ast.Constant) else ""
        if ID.fullmatch(value) and value.partition("/")[0] in FAMILIES:
            yield f"{path.relative_to(REPO)}:{node.lineno}", value


def test_every_id_in_the_code_is_in_the_table() -> None:
    assert [f"{where} {name}" for where, name in literals() if name not in BY_ID] == []


def made() -> Iterator[tuple[str, str, Severity]]:
    """Every finding that names its rule and severity where it is made, or whose maker's severity is fixed."""
    for path, node in nodes():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        where, given = (
            f"{path.relative_to(REPO)}:{node.lineno}",
            {word.arg: word.value for word in node.keywords},
        )
        if node.func.id in ALWAYS_INVALID and node.args:
            rule: ast.expr | None = node.args[0]
            severity: ast.expr | None = ast.Attribute(ast.Name("Severity"), "INVALID")
        elif node.func.id == "Finding":
            rule, severity = given.get("rule"), given.get("severity")
        else:
            continue
        if isinstance(rule, ast.Constant) and isinstance(severity, ast.Attribute):
            yield where, str(rule.value), Severity[severity.attr]


def test_a_finding_is_made_with_the_severity_that_the_table_promises() -> None:
    findings = list(made())
    assert findings
    wrong = [one for one in findings if one[1] in BY_ID and BY_ID[one[1]].severity is not one[2]]
    assert wrong == []
