"""GitHub's workflow commands. The runner's own reading of a line is restated here from actions/runner
(src/Runner.Common/ActionCommand.cs, v2.329.0): `::` after leading space, or `##[` anywhere in it.
"""

import re

from generator.finding import Place, Severity
from generator.report.formats.github import MOST_OF_A_KIND, github, inert
from tests.testing.reports import HOSTILE, finding, hostile, reported

COMMAND = re.compile(r"::(\w[-\w]*)(?: ([^:]*))?::(.*)")


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """What the runner takes for commands, unescaped."""
    found = []
    for line in text.splitlines():
        match = COMMAND.fullmatch(line.lstrip())
        if match is None:
            assert not line.lstrip().startswith("::"), line
            assert "##[" not in line, line
            continue
        properties = dict(one.split("=", 1) for one in match[2].split(","))
        found.append((match[1], {key: unescaped(value) for key, value in properties.items()}, unescaped(match[3])))
    return found


def unescaped(text: str) -> str:
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


def test_an_annotation_stands_beside_its_line() -> None:
    [(word, properties, message)] = commands(github(reported(finding(3))))
    assert word == "error"
    assert properties == {"file": "inventory/a.yaml", "line": "3", "col": "2", "title": "example/one"}
    assert message == "message 3\nhint: mend it"


def test_a_place_without_a_line_is_shown_in_the_file() -> None:
    [(_, properties, _)] = commands(github(reported(finding(place=Place("out/x")))))
    assert properties == {"file": "out/x", "line": "1", "title": "example/one"}


def test_no_more_are_made_than_are_shown_and_errors_come_first() -> None:
    """facts/gitops.md 9, 16: 60 findings."""
    findings = [*(finding(one, Severity.WARNING) for one in range(1, 31)), *(finding(one) for one in range(1, 31))]
    text = github(reported(*findings))
    words = [word for word, _, _ in commands(text)]
    assert words == ["error"] * MOST_OF_A_KIND + ["warning"] * MOST_OF_A_KIND
    assert MOST_OF_A_KIND == 10
    for one in findings:
        assert text.count(f"{one.message} [") + text.count(f"{one.message}%0A") == 2  # of an error and of a warning
    assert text.endswith("2 errors in 2 clusters\n")


def test_hostile_text_is_no_command() -> None:
    text = github(hostile())
    found = commands(text)
    assert [word for word, _, _ in found] == ["error"] * MOST_OF_A_KIND
    assert {properties["title"] for _, properties, _ in found} == {"example/one"}
    listed = [line for line in text.splitlines() if line.startswith("error: ")]
    assert len(found) + len(listed) == len(HOSTILE)


def test_a_line_that_would_be_a_command_is_text() -> None:
    assert inert(" ::set-output name=x::y") == "\\ ::set-output name=x::y"
    assert inert("a ##[error]b") == "a ##\\[error]b"
    assert inert("a::b") == "a::b"
