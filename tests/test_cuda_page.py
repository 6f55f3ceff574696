"""Each edit of the sample fleet that docs/cuda.md lists makes its rule speak, and no other rule of the gate."""

import re
from pathlib import Path

import pytest

from generator.rules.table import RULES
from tests.testing.judging import findings

ROOT = Path(__file__).resolve().parents[1]
ROW = re.compile(r"^\| (cuda/[a-z-]+) \| `([^`]+)` \| `([^`]+)` \| `([^`]+)` \|$", re.MULTILINE)
EDITS = ROW.findall((ROOT / "docs" / "cuda.md").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def sample() -> dict[str, str | bytes]:
    """The sample's inputs; its output counts as rendered anew."""
    found = [path for folder in ("inventory", "bases") for path in sorted((ROOT / folder).rglob("*"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in found if path.is_file()}


def test_every_rule_has_its_edit() -> None:
    assert [edit[0] for edit in EDITS] == [rule.id for rule in RULES if rule.family == "cuda"]


def test_the_sample_itself_is_clean(sample: dict[str, str | bytes]) -> None:
    assert {one.rule for one in findings(sample)} == set()


@pytest.mark.parametrize(("rule", "file", "new", "old"), EDITS, ids=[edit[0] for edit in EDITS])
def test_an_edit_makes_its_rule_speak(sample: dict[str, str | bytes], rule: str, file: str, new: str, old: str) -> None:
    text = str(sample[file])
    assert text.count(old) == 1
    assert {one.rule for one in findings({**sample, file: text.replace(old, new)})} == {rule}
