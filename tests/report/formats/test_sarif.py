"""SARIF: valid by the OASIS schema, within GitHub's limits."""

import gzip

from generator.finding import Place, Severity
from generator.report.formats.sarif import FINGERPRINT, MOST_RESULTS, sarif, uri
from tests.testing.reports import HOSTILE, finding, hostile, reported, run_of


def test_nothing_found_is_a_document() -> None:
    """facts/gitops.md 9, 17."""
    run = run_of(sarif(reported(), version="1.2.3"))
    assert run["results"] == []
    assert run["tool"]["driver"]["semanticVersion"] == "1.2.3"
    assert run["tool"]["driver"]["rules"] == []


def test_a_result_has_its_exact_place_its_rule_and_its_help() -> None:
    warned = finding(7, Severity.WARNING, place=Place("inventory/ü b.yaml"), fact="")
    run = run_of(sarif(reported(warned, finding(3)), version="1"))
    first, second = run["results"]
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "inventory/a.yaml"},
        "region": {"startLine": 3, "startColumn": 2},
    }
    assert second["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "inventory/%C3%BC%20b.yaml"
    assert second["locations"][0]["physicalLocation"]["region"] == {"startLine": 1, "startColumn": 1}
    assert [first["level"], second["level"]] == ["error", "warning"]
    [rule] = run["tool"]["driver"]["rules"]
    assert rule["id"] == first["ruleId"] == "example/one"
    assert first["ruleIndex"] == 0
    assert rule["help"]["markdown"] == "## example/one\n\nText.\n"
    assert "helpUri" not in rule


def test_a_fingerprint_knows_the_subject_and_not_the_line() -> None:
    before = run_of(sarif(reported(finding(1), finding(2)), version="1"))["results"]
    moved = (finding(one, place=Place("inventory/a.yaml", one + 40, 9)) for one in (1, 2))
    after = run_of(sarif(reported(*moved), version="2"))["results"]
    prints = [one["partialFingerprints"][FINGERPRINT] for one in before]
    assert prints == [one["partialFingerprints"][FINGERPRINT] for one in after]
    assert len(set(prints)) == 2
    twins = run_of(sarif(reported(finding(1), finding(1)), version="1"))["results"]
    assert len({one["partialFingerprints"][FINGERPRINT] for one in twins}) == 2


def test_shards_are_told_apart() -> None:
    runs = [run_of(sarif(reported(scope=scope), version="1")) for scope in ("", "1-of-2", "2-of-2")]
    assert len({run["automationDetails"]["id"] for run in runs}) == 3


def test_the_worst_are_kept_and_the_rest_is_counted() -> None:
    warnings = [finding(one, Severity.WARNING) for one in range(MOST_RESULTS)]
    text = sarif(reported(*warnings, finding(1)), version="1")
    run = run_of(text)
    assert len(run["results"]) == MOST_RESULTS
    assert run["results"][0]["level"] == "error"
    assert "1 more" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    assert len(gzip.compress(text.encode())) < 10_000_000


def test_what_was_not_judged_is_told() -> None:
    run = run_of(sarif(reported(notes=("no revision",), unjudged={"example/three": "no catalog"}), version="1"))
    told = [one["message"]["text"] for one in run["invocations"][0]["toolExecutionNotifications"]]
    assert told == ["no revision", "example/three is not judged: no catalog"]


def test_hostile_text_stays_text() -> None:
    run = run_of(sarif(hostile(), version="1"))
    assert len(run["results"]) == len(HOSTILE)
    texts = [one["message"]["text"] for one in run["results"]]
    assert not [text for text in texts if "[x](1)" in text or "[l](http" in text or "{0}" in text.replace("{{0}}", "")]
    for one in run["results"]:
        where = one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert where.isascii()
        assert not set(where) & set('<>"{}|\\^` \n:')


def test_a_path_of_any_bytes_has_an_address() -> None:
    assert uri("inventory/\udcff%.yaml") == "inventory/%FF%25.yaml"
