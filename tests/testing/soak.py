"""How much is enough: `make check` proves each kind once, `make soak` in numbers, `SOAK=full` in the largest."""

import os
from typing import Any

import pytest

FULL = os.environ.get("SOAK") == "full"


def sizes(small: int, *, soak: int, full: int | None = None) -> list[Any]:
    """Parameters of a test that counts: a small number always, a large one where soak is asked for."""
    large = full if FULL and full is not None else soak
    return [pytest.param(small, id=str(small)), pytest.param(large, id=str(large), marks=pytest.mark.soak)]
