"""A pytest plugin that measures what commands run, and nothing that tests call themselves.

Loaded by `python -m tests.unreached` only. Each process with tests measures the calls of `generator.cli.run.run`; a
process that tests start measures itself, since coverage's own start-up file finds COVERAGE_PROCESS_START.
"""

import os
import sys

import coverage

from generator.cli import run as command

CONFIG = os.environ["DRIVERGATE_MEASURED"]
# Under xdist the first process runs no test, and must not hand the variable on to the workers.
IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ
_measured = coverage.Coverage(config_file=CONFIG)
_run = command.run


def run(arguments: list[str]) -> int:
    """The command line, measured, with nothing remembered of what the tests of this process called before."""
    for name, module in list(sys.modules.items()):
        if name.startswith("generator."):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
    _measured.start()
    try:
        return _run(arguments)
    finally:
        _measured.stop()


if IS_WORKER:
    os.environ["COVERAGE_PROCESS_START"] = CONFIG
    command.run = run


def pytest_unconfigure() -> None:
    if IS_WORKER:
        _measured.save()
