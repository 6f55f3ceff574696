from generator.facts.data import rule_docs
from generator.rules.docs import section
from generator.rules.table import RULES

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
