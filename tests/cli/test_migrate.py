import json
from pathlib import Path

import pytest

from generator.declared import migration
from generator.declared.migration import Migration
from generator.documents.changes import MoveKey
from tests.testing.command import call
from tests.testing.levels import repository

Capture = pytest.CaptureFixture[str]
API = "drivergate.dev/v1alpha1"
# What a step may do to a document: a key gets another name, and one moves to another mapping.
MOVED = [MoveKey(("pool",), ("pools",)), MoveKey(("pools", "a", "api"), ("driverApi",))]


def content(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (root / "inventory").iterdir()}


@pytest.mark.parametrize("more", [(), ("--check",)])
def test_todays_inventory_has_nothing_to_migrate(tmp_path: Path, capfd: Capture, more: tuple[str, ...]) -> None:
    root = repository(tmp_path)
    before = content(root)
    called = call(capfd, "migrate", *more, root=root)
    assert (called.code, called.out, called.err) == (0, f"nothing to migrate: 4 documents of {API}\n", "")
    assert content(root) == before


def test_an_unknown_apiversion_is_refused_and_nothing_is_written(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, new="apiVersion: drivergate.dev/v9\nkind: Fleet\n")
    before = content(root)
    called = call(capfd, "migrate", root=root)
    assert called.code == 2
    assert 'inventory/new.yaml:1:13: error: apiVersion "drivergate.dev/v9" is not known' in called.out
    assert called.err == "nothing is written\n"
    assert content(root) == before


def test_as_json(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "migrate", "--format", "json", root=repository(tmp_path))
    assert json.loads(called.out) == {"written": [], "current": 4, "findings": []}


def test_files_of_an_older_schema_are_written(tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    step = Migration("drivergate.dev/v0", API, lambda *_: MOVED)
    monkeypatch.setattr(migration.migrated, "__kwdefaults__", {"table": (step,), "target": API})
    older = "apiVersion: drivergate.dev/v0\nkind: Cluster\nname: old  # a note\n"
    root = repository(tmp_path, old=f"{older}pool: {{a: {{nodes: 2, api: Cluster}}}}\n")
    checked = call(capfd, "migrate", "--check", root=root)
    assert (checked.code, checked.out) == (1, "would write inventory/old.yaml\n")
    assert b"v0" in content(root)["old.yaml"]
    done = call(capfd, "migrate", root=root)
    assert (done.code, done.out) == (0, "wrote inventory/old.yaml\n")
    newer = f"apiVersion: {API}\nkind: Cluster\nname: old  # a note\n"
    assert content(root)["old.yaml"] == f"{newer}pools: {{a: {{nodes: 2}}}}\ndriverApi: Cluster\n".encode()
    assert call(capfd, "migrate", "--check", root=root).code == 0
