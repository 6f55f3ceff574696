"""Whole processes, timed from outside: wall clock, processor time and peak memory of each run."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Job(NamedTuple):
    """A process to time, and what has to be done before each run, untimed."""

    argv: Sequence[str]
    before: Callable[[], object] = lambda: None
    folder: Path | None = None


class Run(NamedTuple):
    """Seconds, and peak memory in megabytes."""

    wall: float
    processor: float
    memory: float


class Runs(NamedTuple):
    """All runs of one job."""

    runs: tuple[Run, ...]

    @property
    def least(self) -> float:
        """The wall clock of the fastest run."""
        return min(run.wall for run in self.runs)

    @property
    def middle(self) -> float:
        """The median wall clock."""
        return median(run.wall for run in self.runs)

    @property
    def memory(self) -> float:
        """The highest peak."""
        return max(run.memory for run in self.runs)


def environment(cache: Path) -> dict[str, str]:
    """Ours, with compiled modules in a folder that is warm from the second run on, whatever the machine's habit."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "GIT_"))}
    return kept | {"PYTHONPYCACHEPREFIX": str(cache)}


def interleaved(jobs: Mapping[str, Job], rounds: int, environ: Mapping[str, str]) -> dict[str, Runs]:
    """Each job once a round, after one round that only warms up: what slows the machine down slows all of them."""
    found: dict[str, list[Run]] = {name: [] for name in jobs}
    for number in range(rounds + 1):
        for name, job in jobs.items():
            job.before()
            run = once(job, environ)
            if number:
                found[name].append(run)
    return {name: Runs(tuple(runs)) for name, runs in found.items()}


def once(job: Job, environ: Mapping[str, str]) -> Run:
    """One run; a process that fails ends the bench with what it said."""
    start = time.perf_counter()
    with subprocess.Popen(
        job.argv, cwd=job.folder, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(job.argv)}: {process.returncode}\n{said.decode()}")
    # ru_maxrss is in kilobytes on Linux, in bytes on macOS.
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Run(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / unit)
