"""Every public case is tested here."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.testing import shared

# What a case wants to see, where we say it in other words: docs/decisions.md, "Public cases".
IN_OUR_WORDS = {
    ("D25", "n1"): "gpu-pool=a",  # no node facts: the node is made up
    ("D75", "rendered/"): "out/",
    **{("D48", name): f"w{name}" for name in "abcd"},  # a letter alone is found everywhere
}


def cases() -> list[dict[str, Any]]:
    path = shared.shared("cases/public-cases.yaml")
    if path is None:
        pytest.skip("../shared/cases/public-cases.yaml is absent")
    found: list[dict[str, Any]] = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)["cases"]
    return found


def found() -> Iterator[tuple[str, str]]:
    """The case of each test function, and the whole text of its module."""
    for file in sorted(Path(__file__).parent.glob("test_*.py")):
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_d"):
                yield node.name.split("_")[1].upper(), text


def test_every_case_is_tested() -> None:
    assert {case for case, _ in found()} == {case["id"] for case in cases()}


def test_what_a_case_wants_to_see_is_looked_for() -> None:
    texts: dict[str, str] = {}
    for case, text in found():
        texts[case] = texts.get(case, "") + text
    lacking = [
        (case["id"], wanted)
        for case in cases()
        if case["id"] in texts
        for wanted in case["must_show"]
        if not _looked_for(texts[case["id"]], IN_OUR_WORDS.get((case["id"], wanted), wanted))
    ]
    assert lacking == []


def _looked_for(text: str, wanted: str) -> bool:
    return wanted in text or wanted.replace('"', '\\"') in text
