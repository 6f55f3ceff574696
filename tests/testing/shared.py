"""Finds the shared folder of answers of real programs, and our own small excerpt of it.

Operator data: DRIVERGATE_OPERATOR_DATA, else ../shared/operator beside the repository. Oracle:
../shared/oracle.
"""

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from generator.facts.release import Release, known, resolve

REPO = Path(__file__).resolve().parents[2]
OWN = REPO / "tests" / "data" / "oracle"


def operator_data() -> Path | None:
    """The folder with one folder of CRDs and chart values per operator release; None where it is absent."""
    named = os.environ.get("DRIVERGATE_OPERATOR_DATA")
    folder = Path(named) if named else REPO.parent / "shared" / "operator"
    return folder if folder.is_dir() else None


def shared(name: str) -> Path | None:
    """A file or folder of the shared folder, or None where it is absent."""
    path = REPO.parent / "shared" / name
    return path if path.exists() else None


def oracle(name: str) -> list[dict[str, Any]]:
    """Every case of ../shared/oracle/<name>.jsonl; skips the calling test where the folder is absent."""
    path = shared(f"oracle/{name}.jsonl")
    if path is None:
        pytest.skip(f"../shared/oracle/{name}.jsonl is absent")
    return _lines(path)


def own(name: str) -> list[dict[str, Any]]:
    """Our own excerpt of the same file, taken verbatim: always there."""
    return _lines(OWN / f"{name}.jsonl")


def mismatches(cases: Iterable[dict[str, Any]], answer: Callable[[dict[str, Any]], Any]) -> list[tuple[str, Any, Any]]:
    """(id, expected, answered) of each case that is answered otherwise; an error is {"error": class}."""
    found = []
    for case in cases:
        expected = {"error": case["error"]} if "error" in case else case["output"]
        answered = answer(case)
        if answered != expected:
            found.append((case["id"], expected, answered))
    return found


def release_of(case: dict[str, Any]) -> Release:
    """The release of the operator that answered a case."""
    return release(case["operator"])


def release(version: str = known()[-1]) -> Release:
    """A release by its version; the newest that is known."""
    found = resolve(version)
    assert isinstance(found, Release)
    return found


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
