from pathlib import Path

import pytest

from tests.testing.gitrepo import isolate
from tests.testing.repository import CaseRepo


@pytest.fixture
def repo(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CaseRepo:
    isolate(monkeypatch)
    path = tmp_path / "repo"
    path.mkdir()
    return CaseRepo(path, capfd)
