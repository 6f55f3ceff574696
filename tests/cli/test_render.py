import json
from pathlib import Path
from typing import Any

import pytest

from tests.testing.command import call
from tests.testing.levels import CLUSTER, HEAD, repository

Capture = pytest.CaptureFixture[str]
KEYS = {"written", "removed", "findings", "blocked"}
MANIFEST = "out/.drivergate-manifest"


def as_json(capfd: Capture, root: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    called = call(capfd, "render", *arguments, "--format", "json", root=root)
    printed: dict[str, Any] = json.loads(called.out)
    assert (printed.keys(), called.err) == (KEYS, "")
    return called.code, printed


def test_json_has_one_shape_whatever_becomes_of_the_run(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    code, first = as_json(capfd, root)
    assert (code, first["blocked"], first["removed"]) == (0, False, [])
    assert "image/upcoming-missing" in {one["rule"] for one in first["findings"]}
    again = as_json(capfd, root)[1]
    assert (again["written"], again["removed"]) == ([], [])
    repository(tmp_path, one=CLUSTER.replace("  arm:", "  ARM:"))
    code, blocked = as_json(capfd, root)
    assert (code, blocked["blocked"], blocked["written"], blocked["removed"]) == (2, True, [], [])
    assert [one["rule"] for one in blocked["findings"] if one["blocking"]] == ["inventory/schema"]


def test_what_was_written_is_every_file_that_changed(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    before = {str(path.relative_to(root)) for path in (root / "out").rglob("*") if path.is_file()}
    _, told = as_json(capfd, root)
    after = {str(path.relative_to(root)) for path in (root / "out").rglob("*") if path.is_file()}
    assert before == set()
    assert set(told["written"]) == after
    assert MANIFEST in after


def test_the_manifest_is_among_the_lines_where_it_changed(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    planned = call(capfd, "render", "--check", root=root)
    assert f"would write {MANIFEST}\n" in planned.out
    assert call(capfd, "render", root=root).out == planned.out.replace("would write", "wrote")
    (root / "out/one/gpu-operator/nvidiadriver-arm.yaml").write_text("edited: true\n", encoding="utf-8")
    assert call(capfd, "render", root=root).out == "wrote out/one/gpu-operator/nvidiadriver-arm.yaml\n"
    two = f"{HEAD}Cluster\nname: two\npools: {{}}\n"
    assert f"wrote {MANIFEST}\n" in call(capfd, "render", root=repository(tmp_path, two=two)).out
