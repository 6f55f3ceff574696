"""Sessions with a registry that are as patient as a test."""

from collections.abc import Mapping
from pathlib import Path

from generator.edges.registry.client import Session
from generator.edges.registry.retry import Pace
from generator.edges.registry.transport import Limits

QUICK = Pace(first_wait=0.01, longest_wait=3)
SHORT = Limits(connect=2, silence=1, whole=3, body=4 << 20)


def session(home: Path, environ: Mapping[str, str] | None = None, **given) -> Session:
    """A session that knows nothing of the machine it runs on, and is patient for no longer than a test."""
    return Session({"HOME": str(home), **(environ or {})}, **{"pace": QUICK, "limits": SHORT, **given})
