"""How every run of the tests goes: the order, how many examples, and what the run costs."""

import os
import resource
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.testing.soak import FULL

# `make check` looks at a few examples of each grammar, `make soak` at many. A busy machine is no failure.
settings.register_profile("check", max_examples=25, deadline=None)
settings.register_profile("soak", max_examples=1000 if FULL else 200, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "check"))

# The tests start hundreds of processes, and pytest rewrites thousands of assertions. Where the environment forbids to
# keep what was compiled, each process would compile the whole package again, which is a third of what the run costs.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

TESTS = Path(__file__).parent
# These start processes, build folders and wait. Begun last, they would be what everybody waits for.
LONG = ("e2e", "conformance", "test_docs.py", "cases", "cli")

costs: Counter[str] = Counter()


def room_of(item: pytest.Item) -> str:
    """The folder below tests/, or the file where there is none."""
    return item.path.relative_to(TESTS).parts[0]


def cpu_seconds() -> float:
    """What this process and the children that it has waited for have used, user and system."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {room: index for index, room in enumerate(LONG)}
    items.sort(key=lambda item: place.get(room_of(item), len(LONG)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    before = cpu_seconds()
    try:
        return (yield)
    finally:
        costs[room_of(item)] += cpu_seconds() - before


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("dist", "no") != "no":  # the workers report their own, of which this is the parent
        own = resource.getrusage(resource.RUSAGE_SELF)
        costs["start and collection"] += own.ru_utime + own.ru_stime
        return
    costs["start and collection"] += cpu_seconds() - costs.total()
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["costs"] = dict(costs)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    costs.update(getattr(node, "workeroutput", {}).get("costs", {}))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The budget is one of CPU seconds: unlike the time on the clock, they are the same on a busy machine."""
    parts = ", ".join(f"{room} {seconds:.0f}" for room, seconds in costs.most_common() if seconds >= 1)
    terminalreporter.write_line(f"{costs.total():.0f} CPU seconds, with children: {parts}")
