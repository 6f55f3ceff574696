import os
import sys
from pathlib import Path

import pytest

from generator.edges.process import Child


def python(code: str, stdin: bytes = b"") -> Child:
    return Child((sys.executable, "-S", "-c", code), dict(os.environ), stdin)


def test_what_it_says_and_how_it_ends() -> None:
    output = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)").collect()
    assert (output.code, output.stdout, output.stderr) == (7, b"out\n", b"err\n")


def test_neither_side_waits_for_the_other_for_ever() -> None:
    """Four megabytes each way and to stderr: far more than any pipe holds."""
    echo = "import sys\nfor line in sys.stdin.buffer: [f.buffer.write(line) for f in (sys.stdout, sys.stderr)]"
    text = b"x" * 99 + b"\n"
    output = python(echo, text * 40_000).collect()
    assert output.stdout == output.stderr == text * 40_000


def test_a_child_that_does_not_read_is_no_trouble() -> None:
    output = python("import sys; sys.stdin.close(); print('done')", b"x" * 4_000_000).collect()
    assert (output.code, output.stdout) == (0, b"done\n")


def test_no_descriptor_is_left_open() -> None:
    before = len([*Path("/proc/self/fd").iterdir()])
    python("print()", b"x" * 100).collect()
    python("import os; os.close(0); os.close(1); os.close(2)", b"x" * 4_000_000).collect()
    with pytest.raises(FileNotFoundError):
        Child(("no-such-program-here",), {})
    assert len([*Path("/proc/self/fd").iterdir()]) == before


def test_a_child_dies_of_a_closed_pipe() -> None:
    """Python itself ignores SIGPIPE; a child that inherited that would go on for ever."""
    output = python("import signal; print(signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN)").collect()
    assert output.stdout == b"True\n"  # python sets it itself: so ask a program that doesn't
    output = Child(("sh", "-c", "kill -PIPE $$; echo alive"), dict(os.environ)).collect()
    assert (output.code, output.stdout) == (-13, b"")
