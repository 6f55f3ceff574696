"""Every rule is in the table, documented, and has a broken repository; nothing else is."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from generator.finding import Severity
from generator.rules.rule import Rule
from generator.rules.table import BY_ID, CHANGES, RULES, TABLE
from tests.testing.broken import CASES, rule_of
from tests.testing.shared import REPO

ID = re.compile(r"[a-z]+/[a-z0-9]+(-[a-z0-9]+)*")
FAMILIES = sorted({rule.family for rule in RULES})
DOCS = REPO / "docs" / "rules"
PACKAGE = REPO / "generator"
SECTION = re.compile(r"^## (\S+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
ALWAYS_INVALID = {"problem", "template_finding"}  # helpers that make findings of one severity
FENCE = re.compile(r"^```(\w*)\n.+?^```$", re.MULTILINE | re.DOTALL)


@cache
def sections(family: str) -> dict[str, str]:
    path = DOCS / f"{family}.md"
    return dict(SECTION.findall(path.read_text(encoding="utf-8"))) if path.exists() else {}


def test_ids_are_unique_and_in_kebab_case() -> None:
    assert len(BY_ID) == len(TABLE)
    assert [rule.id for rule in TABLE if not ID.fullmatch(rule.id)] == []


def test_a_rule_has_a_summary_in_one_line() -> None:
    wrong = [rule.id for rule in RULES if not rule.summary or "\n" in rule.summary or rule.summary.endswith(".")]
    assert wrong == []


def lacks(rule: Rule) -> str:
    """What the section of a rule lacks; empty where it has all."""
    text = sections(rule.family).get(rule.id)
    if text is None:
        return f"docs/rules/{rule.family}.md has no section ## {rule.id}"
    at = {}
    for part in ("Bad", "Good", "Next step"):
        heading = re.search(rf"^[*#]*\s*{part}\b", text, re.MULTILINE)
        if heading is None:
            return f'no line of the section begins with "{part}"'
        at[part] = heading.start()
    if not FENCE.search(text, at["Bad"], at["Good"]):
        return "Bad has no fenced example"
    return "" if FENCE.search(text, at["Good"]) else "Good has no fenced example"


def test_a_rule_is_documented_with_a_bad_and_a_good_example_and_a_next_step() -> None:
    assert {rule.id: lacks(rule) for rule in RULES if lacks(rule)} == {}


def test_a_rule_has_a_broken_repository() -> None:
    assert sorted({rule.id for rule in RULES} - {rule_of(case) for case in CASES}) == []


def test_an_entry_of_diff_is_documented_and_no_rule_of_the_gate() -> None:
    documented = sections("diff")
    assert [rule.id for rule in CHANGES if rule in RULES or type(rule) is not Rule] == []
    assert [rule.id for rule in CHANGES if "\nNext step: " not in documented.get(rule.id, "")] == []


def test_no_section_is_left_without_a_rule() -> None:
    pages = sorted(DOCS.glob("*.md"))
    assert {page.stem for page in pages} == {rule.family for rule in TABLE}
    for page in pages:
        assert [name for name in sections(page.stem) if name not in BY_ID] == [], page.name
        headings = re.findall(r"^## (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert sorted(headings) == sorted(sections(page.stem)), f"{page.name}: a section is twice, or is no rule's id"


def test_no_broken_repository_is_left_without_a_rule() -> None:
    assert [str(case) for case in CASES if rule_of(case) not in BY_ID] == []


@cache
def nodes() -> list[tuple[Path, ast.AST]]:
    """Every node of the package's code, with the file that it is in."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return [(path, node) for path in paths for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


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
