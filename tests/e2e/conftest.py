from pathlib import Path

import pytest

from tests.testing.fleet import Fleet, drivergate, inventory, lay
from tests.testing.gitrepo import isolate


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch)


@pytest.fixture(scope="session")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str | bytes]:
    """The small fleet with its out/, made once: path to content."""
    root = tmp_path_factory.mktemp("rendered")
    lay(root, inventory())
    said = drivergate(root, "render")
    assert said.code == 0, said.text
    out = {str(path.relative_to(root)): path.read_bytes() for path in (root / "out").rglob("*") if path.is_file()}
    return {**inventory(), **out}


@pytest.fixture
def fleet(tmp_path: Path, rendered: dict[str, str | bytes]) -> Fleet:
    """The small fleet, rendered and committed."""
    repo = Fleet(tmp_path / "fleet", rendered)
    repo.commit()
    return repo
