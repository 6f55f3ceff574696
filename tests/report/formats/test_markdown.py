"""The comment: rendered as CommonMark, within GitHub's length, with a marker that a bot finds again."""

import pytest

from generator.report.formats.markdown import LONGEST, bounded, cell, code, fence, markdown, marker
from tests.testing.markdown import RENDER, shown
from tests.testing.reports import HOSTILE, finding, hostile, reported


def test_a_finding_is_shown_with_its_place_and_hint() -> None:
    text = markdown(reported(finding(3)))
    assert text.startswith("<!-- drivergate:check -->\n")
    plain, codes = shown(text)
    assert plain == "drivergate check:  "
    assert "inventory/a.yaml:3:2: error: message 3\nhint: mend it\n" in codes
    assert "2 errors in 2 clusters" in codes


@pytest.mark.parametrize("text", [one for one in HOSTILE if one])
def test_code_is_what_was_written(text: str) -> None:
    from generator.report.formats.text import printable

    _, [span] = shown(code(text))
    assert span.strip() == printable(text).strip()
    _, [block] = shown(fence([text]))
    assert block.rstrip("\n") == printable(text)


def test_a_bar_ends_no_cell() -> None:
    rows = RENDER.render(f"| a | b |\n|---|---|\n| {cell('x|`y')} | z |\n")
    assert "<code>x|`y</code>" in rows
    assert "<td>z</td>" in rows


def test_hostile_text_is_code() -> None:
    plain, codes = shown(markdown(hostile()))
    assert not set("@#!~<[") & set(plain.replace("drivergate check:", ""))
    assert sum("hint:" in one for one in codes) == len(HOSTILE)


def test_the_worst_stay_and_the_rest_is_counted() -> None:
    """facts/gitops.md 9, 18: a comment of 70,000 characters is within 65,536, and nothing is left open."""
    many = [finding(one, message="`" * 3 + "x" * 400) for one in range(300)]
    text = markdown(reported(*many, notes=("n",), unjudged={f"example/{one}": "x" * 200 for one in range(200)}))
    assert 50_000 < len(text) <= LONGEST
    _, codes = shown(text)
    kept = sum("hint: " in one for one in codes)
    assert f"**{300 - kept} more findings" in text
    assert text.count("````text\n") == kept


def test_a_scope_has_a_marker_of_its_own() -> None:
    assert marker("check") != marker("check/1-of-2")
    assert "-->" not in marker("a--> <b")[:-3]


def test_blocks_are_kept_whole() -> None:
    text = bounded("head", ["a" * 300, "b" * 300, "c" * 300], "tail", what="pool", longest=900)
    assert text.count("a") >= 300
    assert "bbb" in text
    assert "ccc" not in text
    assert "**1 more pool: " in text
    assert text.endswith("tail\n")
    assert len(text) <= 900
