"""Calls the command line in this process, or in one of its own where the process is what is tested."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from generator.cli.run import run

REPO = Path(__file__).resolve().parents[2]


class Called(NamedTuple):
    """How a call ended, and what it said where."""

    code: int
    out: str
    err: str


def call(capfd: pytest.CaptureFixture[str], *arguments: str, root: Path | None = None) -> Called:
    """One call, on the repository's own sample fleet unless a root is given."""
    capfd.readouterr()
    code = run([*arguments, *(("-C", str(root or REPO)) if root is not None else ())])
    captured = capfd.readouterr()
    return Called(code, captured.out, captured.err)


def start(*arguments: str, code: str = "", env: dict[str, str] | None = None, **kwargs: object) -> subprocess.Popen:
    """The same in a process of its own; `code` runs before it."""
    program = f"import sys\n{code}\nfrom generator.cli import main\nsys.argv[0] = 'drivergate'\nmain()"
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=REPO,
        env={**os.environ, **(env or {})},
        stdin=kwargs.pop("stdin", subprocess.DEVNULL),
        stdout=kwargs.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        **kwargs,
    )


def process(*arguments: str, code: str = "", env: dict[str, str] | None = None) -> Called:
    """The same, to its end; what it said as UTF-8."""
    started = start(*arguments, code=code, env=env)
    out, err = started.communicate(timeout=60)
    return Called(started.returncode, out.decode(), err.decode())
