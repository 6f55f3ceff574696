"""Small inventories, each named for its point, with the output that was written by hand from the facts.

The files below `<case>/out/` are what a reader of product and CRD facts expects, byte for byte; the manifest of owned
files holds hashes only and is left out.
"""

from pathlib import Path

import pytest

from generator.finding import Severity
from generator.layout import MANIFEST
from generator.rules.judge import judge
from generator.rules.table import RULES
from tests.testing.judging import fresh, revision_of

HERE = Path(__file__).parent
CASES = sorted(path.name for path in HERE.iterdir() if (path / "inventory").is_dir())


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("case", CASES)
def test_golden(case: str) -> None:
    inputs = {path: text for path, text in files(HERE / case).items() if not path.startswith("out/")}
    context, told = revision_of(dict(inputs))
    assert told == ()
    findings = judge(context, RULES, told=told).findings
    assert [finding for finding in findings if finding.severity is Severity.INVALID] == []
    made = {path: text for path, text in fresh(context.rendered).items() if path != MANIFEST}
    wanted = files(HERE / case / "out")
    assert sorted(made) == sorted(wanted)
    for path, text in wanted.items():
        assert made[path].decode() == text.decode(), path


def test_every_folder_is_a_case() -> None:
    folders = {path.name for path in HERE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(CASES)
    assert len(CASES) >= 7
