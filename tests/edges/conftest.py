from pathlib import Path

import pytest

from tests.testing.gitrepo import Repo, isolate


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with one commit: two files under inventory/, one under out/."""
    repo = Repo(tmp_path / "fleet")
    repo.commit({"inventory/fleet.yaml": "a\n", "inventory/pools/a.yaml": "b\n", "out/a.yaml": "c\n"})
    return repo
