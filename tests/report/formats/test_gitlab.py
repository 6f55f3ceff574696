"""GitLab's code quality report."""

from generator.finding import Place, Severity
from generator.report.formats.gitlab import gitlab
from tests.testing.reports import HOSTILE, finding, hostile, issues_of, reported


def test_nothing_found_is_an_empty_array() -> None:
    """facts/gitops.md 6.3."""
    assert gitlab(reported()) == "[]\n"


def test_an_issue_has_place_severity_and_check() -> None:
    findings = (finding(1), finding(2, Severity.WARNING), finding(3, Severity.INVALID, place=Place("a.yaml")))
    issues = issues_of(gitlab(reported(*findings)))
    assert [one["severity"] for one in issues] == ["blocker", "critical", "minor"]
    assert issues[0]["location"] == {"path": "a.yaml", "lines": {"begin": 1}}
    assert issues[1]["description"] == "message 1\nhint: mend it"


def test_two_alike_are_both_shown() -> None:
    assert len(issues_of(gitlab(reported(finding(1), finding(1), finding(1))))) == 3


def test_hostile_text_stays_text() -> None:
    assert len(issues_of(gitlab(hostile()))) == len(HOSTILE)
