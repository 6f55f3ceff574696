"""Where reports may go."""

from pathlib import Path

import pytest

from generator.edges.destination import Destination, destination
from generator.edges.errors import UnwritableError

OWNED = ("inventory", "out")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "fleet" / "inventory").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "fleet")
    return tmp_path / "fleet"


def test_a_path_is_relative_to_the_current_folder(root: Path) -> None:
    assert destination("build/new/x.sarif", str(root), OWNED) == Destination(str(root), "build/new/x.sarif")
    assert destination("../x", str(root), OWNED) == Destination(str(root.parent), "x")


@pytest.mark.parametrize("written", ["out/x", "./out/a/../b", "inventory/x.xml", "build/../out/y", "link/x"])
def test_the_fleets_own_folders_are_refused(root: Path, written: str) -> None:
    (root / "link").symlink_to("inventory")
    with pytest.raises(UnwritableError, match="holds what is declared"):
        destination(written, str(root), OWNED)


def test_a_folder_is_no_file(root: Path) -> None:
    for written in ("inventory", "new/", "."):
        with pytest.raises(UnwritableError, match="is a folder"):
            destination(written, str(root), OWNED)


def test_a_neighbour_of_the_same_beginning_is_free(root: Path) -> None:
    assert destination("outside/x", str(root), OWNED).path == "outside/x"
