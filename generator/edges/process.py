"""Runs a program beside us and collects what it says.

posix_spawn rather than subprocess: importing that costs as much as `python -c pass` itself (17-29 ms against
0.6), and the process should be under way before anything heavy is imported.
"""

import os
import select
import signal
from collections.abc import Mapping

from msgspec import Struct

CHUNK = 1 << 18


class Output(Struct, frozen=True):
    """What a process left: exit code (negative: the signal that ended it) and what it wrote."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def complaint(self) -> str:
        """What ended it, in one line: git's `fatal:` or `error:`, else the first line."""
        lines = self.stderr.decode("utf-8", "backslashreplace").strip().splitlines()
        lines.append(f"it ended with {self.code} and said nothing")
        found = next((line for line in lines if line.startswith(("fatal: ", "error: "))), lines[0])
        return found.removeprefix("fatal: ").removeprefix("error: ").strip()


class Child:
    """A running process. `collect` is called once; a child that nobody collects ends at its closed pipe."""

    def __init__(self, argv: tuple[str, ...], environment: Mapping[str, str], stdin: bytes = b"") -> None:
        """Raise OSError where the program can't be started."""
        self._input = memoryview(stdin)
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        ours_err, theirs_err = os.pipe()
        try:
            self._pid = os.posix_spawnp(
                argv[0],
                argv,
                environment,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, theirs_in, 0),
                    (os.POSIX_SPAWN_DUP2, theirs_out, 1),
                    (os.POSIX_SPAWN_DUP2, theirs_err, 2),
                ],
                # Python ignores SIGPIPE; a child must die of it.
                setsigdef=[signal.SIGPIPE],
            )
        except OSError:
            for descriptor in (ours_in, ours_out, ours_err):
                os.close(descriptor)
            raise
        finally:
            for descriptor in (theirs_in, theirs_out, theirs_err):
                os.close(descriptor)
        self._stdin, self._stdout, self._stderr = ours_in, ours_out, ours_err
        os.set_blocking(ours_in, False)
        self._write()  # what fits into the pipe, so that the child works before anybody collects

    def collect(self) -> Output:
        """Wait for its end. Reads and writes in turns, so that no full pipe can stop both sides."""
        said: dict[int, list[bytes]] = {self._stdout: [], self._stderr: []}
        poller = select.poll()
        for descriptor in said:
            poller.register(descriptor, select.POLLIN)
        if self._input:
            poller.register(self._stdin, select.POLLOUT)
        talking = set(said)
        while talking:
            for descriptor, _ in poller.poll():
                if descriptor not in said:
                    self._feed(poller)
                elif chunk := os.read(descriptor, CHUNK):
                    said[descriptor].append(chunk)
                else:
                    poller.unregister(descriptor)
                    os.close(descriptor)
                    talking.discard(descriptor)
        if self._input:
            os.close(self._stdin)
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return Output(code, b"".join(said[self._stdout]), b"".join(said[self._stderr]))

    def _feed(self, poller: select.poll) -> None:
        """Write what fits, and look no longer at a pipe that is closed."""
        self._write()
        if not self._input:
            poller.unregister(self._stdin)

    def _write(self) -> None:
        """Write what fits; close the pipe when all is written, or when nobody reads it any more."""
        try:
            self._input = self._input[os.write(self._stdin, self._input[:CHUNK]) :]
        except BrokenPipeError:
            self._input = memoryview(b"")
        if not self._input:
            os.close(self._stdin)
