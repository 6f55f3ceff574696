"""Progress is one line of a terminal, and nothing anywhere else."""

import io

import pytest

from generator.cli import outcome
from generator.cli.outcome import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO) -> str:
    monkeypatch.setattr(outcome.sys, "stderr", stream)
    monkeypatch.setattr(outcome, "_EVERY", 0)
    with Progress() as line:
        line.show("listing tags")
        line.show("3 of 4")
    return stream.getvalue()


def test_a_line_is_replaced_and_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert shown(monkeypatch, Terminal()) == "\rlisting tags\r3 of 4      \r      \r"


def test_nothing_in_a_pipe_or_on_a_terminal_that_can_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert shown(monkeypatch, io.StringIO()) == ""
    monkeypatch.setenv("TERM", "dumb")
    assert shown(monkeypatch, Terminal()) == ""


def test_not_more_than_a_reader_can_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    monkeypatch.setattr(outcome.sys, "stderr", stream)
    with Progress() as line:
        for number in range(1000):
            line.show(f"{number} of 1000")
    assert stream.getvalue().count(" of 1000") < 20


def test_a_closed_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome.sys, "stderr", None)
    with Progress() as line:
        line.show("3 of 4")
