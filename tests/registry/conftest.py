from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from generator.edges.registry.client import Session
from generator.edges.registry.retry import Pace
from generator.edges.registry.transport import Limits
from tests.registry import debian
from tests.registry.pusher import Pusher

QUICK = Pace(first_wait=0.01, longest_wait=3)
SHORT = Limits(connect=2, silence=1, whole=3, body=4 << 20)


def session(home: Path, environ: Mapping[str, str] | None = None, **given) -> Session:
    """A session that knows nothing of the machine it runs on, and is patient for no longer than a test."""
    return Session({"HOME": str(home), **(environ or {})}, **{"pace": QUICK, "limits": SHORT, **given})


@pytest.fixture(scope="session")
def open_registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Debian's registry without TLS or login."""
    with debian.running(tmp_path_factory.mktemp("registry")) as address:
        yield address


@pytest.fixture
def pusher(open_registry: str) -> Pusher:
    return Pusher(f"http://{open_registry}")
