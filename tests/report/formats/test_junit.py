"""JUnit XML: valid by the schema of Jenkins' xUnit plugin, and read as GitLab reads it."""

from generator.finding import Severity
from generator.report.formats import junit as module
from generator.report.formats.junit import junit
from tests.testing.reports import HOSTILE, finding, hostile, reported, suite_of


def states(text: str) -> dict[tuple[str, str], str]:
    """What each case came to. GitLab leaves out a second of the same names, so that there must be none."""
    cases = suite_of(text).findall("testcase")
    found = {(case.get("classname"), case.get("name")): next((part.tag for part in case), "passed") for case in cases}
    assert len(found) == len(cases)
    return found


def test_nothing_judged_is_a_document() -> None:
    suite = suite_of(junit(reported(clusters=(), judged=())))
    assert suite.get("tests") == "0"


def test_one_case_for_each_rule_and_cluster() -> None:
    """facts/gitops.md 6.4."""
    text = junit(reported(finding(1), finding(2), finding(3, Severity.WARNING, rule="example/two")))
    assert states(text) == {
        ("east", "example/one"): "failure",
        ("east", "example/two"): "system-out",
        ("west", "example/one"): "passed",
        ("west", "example/two"): "passed",
    }
    suite = suite_of(text)
    assert (suite.get("tests"), suite.get("failures")) == ("4", "1")
    failure = suite.find("testcase/failure")
    assert failure.get("message") == "2 findings"
    assert "inventory/a.yaml:2:2: message 2" in failure.text


def test_warnings_fail_where_they_count() -> None:
    text = junit(reported(finding(1, Severity.WARNING), strict=True))
    assert states(text)["east", "example/one"] == "failure"


def test_what_was_not_judged_has_not_passed() -> None:
    text = junit(reported(judged=("example/one",), unjudged={"example/two": "no catalog"}))
    assert states(text)["west", "example/two"] == "skipped"
    assert suite_of(text).get("skipped") == "2"


def test_what_is_told_of_another_cluster_has_not_passed() -> None:
    text = junit(reported(finding(1), repeated=frozenset({("example/one", "west")})))
    assert states(text)["west", "example/one"] == "failure"


def test_a_finding_of_no_cluster_is_the_fleets() -> None:
    assert states(junit(reported(finding(1, cluster=""))))["fleet", "example/one"] == "failure"


def test_a_file_stays_readable_for_gitlab(monkeypatch) -> None:
    monkeypatch.setattr(module, "LARGEST", 10_000)
    text = junit(reported(*(finding(one, cluster=f"c{one}", message="x" * 500) for one in range(100))))
    suite = suite_of(text)
    assert suite.get("failures") == "100"
    assert suite.get("tests") == "100"
    assert len(text) < 40_000


def test_hostile_text_stays_text() -> None:
    cases = suite_of(junit(hostile())).findall("testcase")
    failed = [case for case in cases if case.find("failure") is not None]
    assert len(failed) == len(HOSTILE)
