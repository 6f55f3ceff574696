import re

from generator.cli.app import app
from generator.facts.data import rule_docs
from generator.rules.docs import section
from generator.rules.table import RULES
from tests.shared import REPO

TEXT = """# Rules of the family example

## example/one

What it means.

```yaml
# a comment, no heading
```

## example/one-more

Another.
"""


def test_a_section_ends_where_the_next_begins() -> None:
    assert section("example/one", TEXT) == (
        "## example/one\n\nWhat it means.\n\n```yaml\n# a comment, no heading\n```\n"
    )
    assert section("example/one-more", TEXT) == "## example/one-more\n\nAnother.\n"


def test_the_first_line_may_be_a_heading() -> None:
    assert section("a/b", "## a/b\ntext") == "## a/b\n\ntext\n"


def test_what_has_no_section_gives_nothing() -> None:
    assert section("example/on", TEXT) == ""
    assert section("example/none", TEXT) == ""


def test_every_rule_has_a_section_that_explain_can_print() -> None:
    texts = {family: rule_docs(family) for family in {rule.family for rule in RULES}}
    assert [rule.id for rule in RULES if len(section(rule.id, texts[rule.family])) < 100] == []


def test_no_page_names_a_command_that_there_is_not() -> None:
    verbs = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    for page in sorted((REPO / "docs" / "rules").glob("*.md")):
        named = set(
            re.findall(r"\bdrivergate ([a-z]+)[^`\n]*`", "".join(re.findall(r"`[^`\n]+`", page.read_text("utf-8"))))
        )
        assert named <= verbs, page.name
