import os
from pathlib import Path

import pytest

from generator.edges.dump import LARGEST, Skipped, files_of
from generator.edges.errors import UnreadableError


def test_yaml_and_json_at_any_depth_in_order(tmp_path: Path):
    for name in ("b/pods.yaml", "a/nodes.json", "a/c/one.yml", "a/driver.log", "z.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = [path.removeprefix(f"{tmp_path}/") for path in files_of(str(tmp_path)) if isinstance(path, str)]
    assert found == ["z.json", "a/nodes.json", "a/c/one.yml", "b/pods.yaml"]


def test_a_folder_that_is_not_there(tmp_path: Path):
    with pytest.raises(UnreadableError, match="no such file or directory") as raised:
        list(files_of(str(tmp_path / "gone")))
    assert "must-gather" in raised.value.hint


def test_what_is_no_file_of_the_folder_is_named_and_not_opened(tmp_path: Path):
    """A pipe would be waited for, and a device never ends."""
    folder = tmp_path / "dump"
    folder.mkdir()
    (tmp_path / "outside.json").write_text("{}")
    (folder / "inside.json").write_text("{}")
    os.mkfifo(folder / "pipe.yaml")
    (folder / "device.json").symlink_to("/dev/zero")
    (folder / "elsewhere.yml").symlink_to("../outside.json")
    (folder / "linked.json").symlink_to("inside.json")
    (folder / "gone.json").symlink_to("nothing.json")
    with (folder / "vast.json").open("wb") as file:
        file.truncate(LARGEST + 1)
    found = list(files_of(str(folder)))
    assert [path for path in found if isinstance(path, str)] == [f"{folder}/inside.json", f"{folder}/linked.json"]
    skipped = {one.path.removeprefix(f"{folder}/"): one.why for one in found if isinstance(one, Skipped)}
    assert skipped == {
        "device.json": "it leads out of the folder",
        "elsewhere.yml": "it leads out of the folder",
        "gone.json": "no such file or directory",
        "pipe.yaml": "it is a named pipe",
        "vast.json": "it is larger than 512 MiB",
    }
