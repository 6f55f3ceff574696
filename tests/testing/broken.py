"""The broken repositories below tests/bad/, each in a folder that is named for its rule."""

from pathlib import Path

BAD = Path(__file__).resolve().parents[1] / "bad"
CASES = sorted(file.parent for file in BAD.glob("*/*/expect.txt"))


def rule_of(case: Path) -> str:
    """The id of the rule that a case breaks; several cases of one rule differ by what follows two dashes."""
    return f"{case.parent.name}/{case.name.partition('--')[0]}"
