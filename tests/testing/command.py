"""Calls the command line: in this process, or in one of its own where the process is what is tested."""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from msgspec import json

from generator.cli.run import run

REPO = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
DRIVERGATE = str(BIN / "drivergate")


class Exit(NamedTuple):
    """How a command ended: its exit code and what it printed to stdout and to stderr."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Both streams."""
        return self.out + self.err

    @property
    def json(self) -> Any:
        """What --format json printed."""
        return json.decode(self.out)

    @property
    def objects(self) -> Any:
        """The same with an attribute for each key, and tuples for lists."""
        return _as_object(self.json)

    @property
    def findings(self) -> list[str]:
        """The findings of --format json, a line for each, without hints."""
        return sorted(
            f"{finding['severity']} {finding['rule']} "
            f"{finding['file']}:{finding['line']}:{finding['column']} {finding['message']}"
            for finding in self.json["findings"]
        )


def _as_object(value: Any) -> Any:
    if isinstance(value, dict):
        return SimpleNamespace(**{key: _as_object(inner) for key, inner in value.items()})
    return tuple(map(_as_object, value)) if isinstance(value, list) else value


def call(capfd: pytest.CaptureFixture[str], *arguments: str, root: Path | None = None) -> Exit:
    """The command in this process, in the current folder unless a root is given."""
    capfd.readouterr()
    code = run([*arguments, *(("-C", str(root)) if root is not None else ())])
    captured = capfd.readouterr()
    return Exit(code, captured.out, captured.err)


def call_in(folder: Path, *arguments: str) -> Exit:
    """The command in this process as if it were started in a folder; for fixtures that live longer than `capfd`."""
    streams = _Stream(), _Stream()
    with contextlib.chdir(folder), _standard_streams(*streams):
        code = run(list(arguments))
    out, err = (stream.buffer.getvalue().decode() for stream in streams)
    return Exit(code, out, err)


def call_merged(folder: Path, *arguments: str) -> tuple[int, str]:
    """The same with both streams in one, as a terminal shows them: the exit code, and all that was printed."""
    stream = _Stream()
    with contextlib.chdir(folder), _standard_streams(stream, stream):
        code = run(list(arguments))
    return code, stream.buffer.getvalue().decode()


def run_process(
    *command: str, cwd: Path | None = None, env: Mapping[str, str] | None = None, timeout: float | None = None
) -> Exit:
    """Any command to its end, without standard input, in the current folder unless another is given."""
    completed = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=timeout,
    )
    return Exit(completed.returncode, completed.stdout.decode(), completed.stderr.decode())


def start(*arguments: str, code: str = "", env: dict[str, str] | None = None, **kwargs: object) -> subprocess.Popen:
    """The command in a process of its own, at the root of this repository; `code` runs before it."""
    return subprocess.Popen(
        _program(code, arguments),
        cwd=REPO,
        env={**os.environ, **(env or {})},
        stdin=kwargs.pop("stdin", subprocess.DEVNULL),
        stdout=kwargs.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        **kwargs,
    )


def process(*arguments: str, code: str = "", env: dict[str, str] | None = None) -> Exit:
    """The same, to its end."""
    return run_process(*_program(code, arguments), cwd=REPO, env=env, timeout=60)


def _program(code: str, arguments: tuple[str, ...]) -> list[str]:
    program = f"import sys\n{code}\nfrom generator.cli import main\nsys.argv[0] = 'drivergate'\nmain()"
    return [sys.executable, "-c", program, *arguments]


class _Stream(io.TextIOWrapper):
    """Standard output kept in memory, as bytes, since the command writes to `.buffer`."""

    buffer: io.BytesIO

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)


@contextlib.contextmanager
def _standard_streams(out: _Stream, err: _Stream) -> Iterator[None]:
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        before, sys.stdin = sys.stdin, _Stream()
        try:
            yield
        finally:
            sys.stdin = before
