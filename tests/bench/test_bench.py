"""The fleets that are timed are sound, the limit writes the same files, and what is measured stays out of the hot path.

No test is timed: `python -m tests.bench` is.
"""

import json
from pathlib import Path

import pytest

from generator.documents.document import Document, read
from generator.documents.texts import Texts
from generator.render import rendered
from tests.bench import limit
from tests.bench.fleet import write_fleet
from tests.bench.limit_data import data_of
from tests.testing.judging import findings, revision_of


def fleet(root: Path, *, pools: int, entries: int) -> dict[str, bytes]:
    write_fleet(root, pools=pools, entries=entries, templates=True)
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("pools", "entries"), [(1, 250), (25, 1_000)])
def test_the_gate_finds_nothing_in_a_generated_fleet(tmp_path: Path, pools: int, entries: int) -> None:
    files = fleet(tmp_path, pools=pools, entries=entries)
    assert findings(files) == ()
    context, _ = revision_of(files)
    assert sum(len(cluster.pools) for cluster in context.fleet.clusters) == pools
    assert sum(len(found) for found in context.catalog.repositories.values()) >= entries
    assert {len([file for file in context.rendered.files if file.pool]) / pools} == {4}


def test_the_same_numbers_give_the_same_bytes(tmp_path: Path) -> None:
    assert fleet(tmp_path / "a", pools=11, entries=500) == fleet(tmp_path / "b", pools=11, entries=500)


def test_the_limit_writes_what_render_writes(tmp_path: Path) -> None:
    context, _ = revision_of(fleet(tmp_path, pools=12, entries=500))
    texts = {file.path: file.text for file in context.rendered.files}
    for path, text in texts.items():
        (tmp_path / "out" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "out" / path).write_text(text)
    data = tmp_path / "data.json"
    data.write_text(json.dumps(data_of(tmp_path / "out")))
    limit.main(str(data), str(tmp_path / "limit"))
    written = (tmp_path / "limit").rglob("*.yaml")
    assert {str(path.relative_to(tmp_path / "limit")): path.read_text() for path in written} == texts


def test_a_clean_fleet_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Places are a second reading of a file, for findings only: one that is asked for too early doubles the cost."""

    def never(_: Texts, file: str) -> None:
        raise AssertionError(f"the places of {file} are asked for without a finding")

    monkeypatch.setattr(Texts, "places", never)
    assert findings(fleet(tmp_path, pools=25, entries=500)) == ()


def test_what_a_users_template_prints_is_not_parsed_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each skeleton is proven, not each file; and no rule reads a manifest of a kind that it has no word on."""
    count = 0

    def counted(text: str | bytes, file: str) -> Document:
        nonlocal count
        count += 1
        return read(text, file)

    monkeypatch.setattr(rendered, "read", counted)
    monkeypatch.setattr("generator.render.proof.read", counted)
    assert findings(fleet(tmp_path, pools=40, entries=500)) == ()
    assert count < 40
