"""The file of findings that were there before the gate: written sorted, read back, never taken for empty."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.declared.baseline import Entry, baseline_text, entries_of, read_baseline
from generator.finding import Finding, Place, Severity
from generator.layout import BASELINE


def finding(rule: str, severity: Severity, **about: str) -> Finding:
    place = Place("a.yaml", 1, 1)
    return Finding(rule=rule, severity=severity, place=place, message="m", hint="h", cluster="c", **about)


def test_errors_are_listed_once_and_sorted() -> None:
    found = [
        finding("image/missing", Severity.ERROR, fact="b"),
        finding("image/missing", Severity.ERROR, fact="a"),
        finding("image/missing", Severity.ERROR, fact="a"),
        finding("cuda/x", Severity.ERROR, pool="p"),
        finding("disruption/x", Severity.ERROR, workload="w"),
        finding("image/warned", Severity.WARNING),
        finding("inventory/schema", Severity.INVALID),
    ]
    assert entries_of(found) == (
        Entry("cuda/x", "c", "p", "", ""),
        Entry("disruption/x", "c", "", "w", ""),
        Entry("image/missing", "c", "", "", "a"),
        Entry("image/missing", "c", "", "", "b"),
    )


def test_one_entry_is_one_line() -> None:
    text = baseline_text(
        [
            Entry("disruption/no-room", "c", "", "w", ""),
            Entry("image/missing", "c", "p", "", "580-x"),
            Entry("out/drift", "", "", "", 'a "b"'),
        ]
    )
    assert text.splitlines()[1:] == [
        "findings:",
        '  - {rule: "disruption/no-room", cluster: "c", workload: "w"}',
        '  - {rule: "image/missing", cluster: "c", pool: "p", fact: "580-x"}',
        '  - {rule: "out/drift", fact: "a \\"b\\""}',
    ]


printable = st.text(
    st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="\u2028\u2029\ufeff\ufffe\uffff")
)


@given(st.lists(st.builds(Entry, printable, printable, printable, printable, printable), max_size=5))
def test_what_is_written_is_read_back(entries: list[Entry]) -> None:
    read = read_baseline(baseline_text(entries).encode())
    assert (read.entries, read.findings) == (tuple(entries), ())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "findings:\n",
        "findings: text\n",
        "other: []\n",
        "- a\n",
        "findings:\n  - text\n",
        "findings:\n  - {rule: a, bogus: b}\n",
        "findings:\n  - {rule: a, fact: 550.90}\n",
        "findings:\n  - {rule: a\n",
        "findings: []\n<<<<<<< HEAD\n",
        "findings: []\nfindings: []\n",
        "findings:\n  - {cluster: a}\n",
    ],
)
def test_a_baseline_that_can_t_be_read_is_a_finding(text: str) -> None:
    read = read_baseline(text.encode())
    assert read.entries == ()
    (problem,) = read.findings
    assert (problem.severity, problem.place.file) == (Severity.INVALID, BASELINE)
    assert problem.place.line
    assert problem.hint


def test_an_entry_knows_its_line() -> None:
    entries = (Entry("a/b", "", "", "", "x"), Entry("c/d", "", "", "", ""))
    read = read_baseline(baseline_text(entries).encode())
    assert read.places() == {entries[0]: Place(BASELINE, 3, 5), entries[1]: Place(BASELINE, 4, 5)}
    assert read_baseline(b"findings:\n  - {rule: a}\n  - x\n").findings[0].place == Place(BASELINE, 3, 5)
