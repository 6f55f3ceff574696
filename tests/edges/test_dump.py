from pathlib import Path

import pytest

from generator.edges.dump import files_of
from generator.edges.errors import UnreadableError


def test_yaml_and_json_at_any_depth_in_order(tmp_path: Path):
    for name in ("b/pods.yaml", "a/nodes.json", "a/c/one.yml", "a/driver.log", "z.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = [path.removeprefix(f"{tmp_path}/") for path in files_of(str(tmp_path))]
    assert found == ["z.json", "a/nodes.json", "a/c/one.yml", "b/pods.yaml"]


def test_a_folder_that_is_not_there(tmp_path: Path):
    with pytest.raises(UnreadableError, match="no such file or directory") as raised:
        list(files_of(str(tmp_path / "gone")))
    assert "must-gather" in raised.value.hint
