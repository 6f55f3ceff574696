from collections.abc import Iterator

import pytest

from tests.testing.registry import debian
from tests.testing.registry.pusher import Pusher


@pytest.fixture(scope="session")
def open_registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Debian's registry without TLS or login."""
    with debian.running(tmp_path_factory.mktemp("registry")) as address:
        yield address


@pytest.fixture
def pusher(open_registry: str) -> Pusher:
    return Pusher(f"http://{open_registry}")
