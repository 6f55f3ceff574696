"""`python -m tests.bench`: whole commands on generated fleets, as ratios to two processes timed beside them.

P is `python -c pass`; L reads JSON, formats with f-strings and writes the same files raw (limit.py). Absolute times
drift by a factor of two on a shared machine, and so do ratios of runs at different times: everything that is compared
runs in turns.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from filecmp import cmp
from pathlib import Path
from typing import NamedTuple

from tests.bench.fleet import write_fleet
from tests.bench.measure import Job, Runs, environment, interleaved

ROOT = Path(__file__).parents[2]
PYTHON = sys.executable
MAIN = "from generator.cli import main; main()"
FAST = Path("/dev/shm")  # memory, so that no disk is measured


class Row(NamedTuple):
    """One line of the table: a ratio (or a size) of minima and medians against its target."""

    what: str
    unit: str
    least: float
    middle: float
    target: float

    @property
    def met(self) -> bool:
        """Judged by the minima: what else runs on the machine only ever adds."""
        return self.least <= self.target


class Bench:
    """A folder with fleets, and the environment that everything runs in."""

    def __init__(self, folder: Path, *, quick: bool) -> None:
        self.folder, self.quick = folder, quick
        self.environ = environment(folder / "pycache") | {"PYTHONPATH": str(ROOT)}
        self.pass_job = Job((PYTHON, "-c", "pass"))

    def drivergate(self, fleet: Path, *arguments: str) -> Job:
        """A command on a fleet."""
        return Job((PYTHON, "-c", MAIN, *arguments), folder=fleet)

    def run(self, *argv: str, folder: Path) -> None:
        """Something that isn't timed."""
        subprocess.run(argv, cwd=folder, env=self.environ, check=True, stdout=subprocess.DEVNULL)

    def timed(self, jobs: Mapping[str, Job], rounds: int) -> dict[str, Runs]:
        """The jobs in turns."""
        return interleaved(jobs, 3 if self.quick else rounds, self.environ)

    def fleet(self, name: str, *, pools: int, entries: int, templates: bool = False) -> Path:
        """A rendered fleet, committed to a git repository of its own."""
        root = self.folder / name
        write_fleet(root, pools=pools, entries=entries, templates=templates)
        self.run("git", "init", "--quiet", folder=root)
        self.run(PYTHON, "-c", MAIN, "render", folder=root)
        self.commit(root)
        return root

    def commit(self, root: Path) -> None:
        """Everything that lies in a fleet's folder."""
        who = ("-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "commit.gpgsign=false")
        self.run("git", "add", "--all", folder=root)
        self.run("git", *who, "commit", "--quiet", "--no-verify", "--message", "fleet", folder=root)


def start_up(bench: Bench) -> Iterator[Row]:
    """What every verb pays before its work begins."""
    fleet = bench.fleet("start", pools=10, entries=250)
    jobs = {"pass": bench.pass_job, "version": bench.drivergate(fleet, "--version")}
    runs = bench.timed(jobs, 20)
    yield _ratio("drivergate --version", "P", runs["version"], runs["pass"], 6)


def check(bench: Bench) -> Iterator[Row]:
    """The hook's case: everything, against HEAD."""
    fleet = bench.fleet("check", pools=50, entries=5_000)
    jobs = {"pass": bench.pass_job, "check": bench.drivergate(fleet, "check")}
    runs = bench.timed(jobs, 15)
    yield _ratio("check, 50 pools, 5,000 entries", "P", runs["check"], runs["pass"], 16)


def render(bench: Bench) -> Iterator[Row]:
    """Everything written, and nothing changed, beside the limit that writes the same files."""
    runs = _rendered(bench, pools=1_000, entries=5_000, rounds=10)
    yield _ratio("render, 1,000 pools, 4 files each, 5,000 entries", "L", runs["render"], runs["limit"], 4.5)
    yield _ratio("the same, nothing changed", "L", runs["same"], runs["limit"], 3.5)


def scale(bench: Bench) -> Iterator[Row]:
    """Ten times the fleet: the cost of a pool, and memory."""
    large, small = (50, 5) if bench.quick else (10_000, 1_000)
    many = _rendered(bench, pools=large, entries=large * 5, rounds=3)
    few = _rendered(bench, pools=small, entries=small * 5, rounds=5)
    for name, told in (("render", "render"), ("same", "render, nothing changed")):
        least = many[name].least / few[name].least / 10
        middle = many[name].middle / few[name].middle / 10
        yield Row(f"{told}: a pool of {large:,} against one of {small:,}", "x", least, middle, 1.15)
    memory = max(many["render"].memory, many["same"].memory)
    yield Row(f"render, {large:,} pools, {large * 5:,} entries: peak memory", "MB", memory, memory, 250)


LISTING = """
git diff-index -r -z --raw HEAD | tail -c 1
git ls-files -z -s -c -o -- inventory templates | tail -c 1
git cat-file blob HEAD:inventory/clusters/cluster-0001.yaml | tail -c 1
"""


def difference(bench: Bench) -> Iterator[Row]:
    """One pool's change in a large fleet, against git's own part of it and the gate over that one cluster."""
    pools = 50 if bench.quick else 10_000
    fleet = bench.fleet("diff", pools=pools, entries=pools * 5)
    changed = fleet / "inventory/clusters/cluster-0001.yaml"
    text = changed.read_text(encoding="utf-8")
    first = "    nodes: {min: 2, max: 40}\n"
    assert first in text
    changed.write_text(text.replace(first, f'{first}    driver: {{branch: "570"}}\n', 1), encoding="utf-8")
    bench.run(PYTHON, "-c", MAIN, "render", folder=fleet)
    jobs = {
        "git": Job(("sh", "-c", LISTING), folder=fleet),
        "check": bench.drivergate(fleet, "check", "--cluster", "cluster-0001"),
        "diff": bench.drivergate(fleet, "diff", "HEAD"),
    }
    runs = bench.timed(jobs, 5)
    least = runs["diff"].least / (runs["git"].least + runs["check"].least)
    middle = runs["diff"].middle / (runs["git"].middle + runs["check"].middle)
    what = f"diff of one pool of {pools:,}, to git's listing and a check of its cluster"
    yield Row(what, "x", least, middle, 3)


def way(bench: Bench) -> Iterator[Row]:
    """What it costs to judge the way of a change, by the same state with the change merged and still to be merged."""
    pools = 50 if bench.quick else 1_000
    first = "    nodes: {min: 2, max: 40}\n"
    edits = {
        "one cluster's driver": (
            "inventory/clusters/cluster-0001.yaml",
            first,
            f'{first}    driver: {{branch: "570"}}\n',
        ),
        "the default driver": ("inventory/fleet.yaml", 'branch: "580"', 'branch: "570"'),
    }
    for (what, (path, was, becomes)), target in zip(edits.items(), (1.05, 1.5), strict=True):
        jobs = {}
        for state in ("merged", "changed"):
            fleet = bench.fleet(f"way-{state}-{target}", pools=pools, entries=pools * 5)
            file = fleet / path
            file.write_text(file.read_text(encoding="utf-8").replace(was, becomes, 1), encoding="utf-8")
            bench.run(PYTHON, "-c", MAIN, "render", folder=fleet)
            if state == "merged":
                bench.commit(fleet)
            jobs[state] = bench.drivergate(fleet, "check")
        runs = bench.timed(jobs, 7)
        name = f"check of {pools:,} pools, {what} moved, to the same without a change"
        yield _ratio(name, "x", runs["changed"], runs["merged"], target)


def _rendered(bench: Bench, *, pools: int, entries: int, rounds: int) -> dict[str, Runs]:
    fleet = bench.fleet(f"render-{pools}", pools=pools, entries=entries, templates=True)
    out, data, limit = fleet / "out", bench.folder / "limit.json", bench.folder / "limit"
    bench.run(PYTHON, "-m", "tests.bench.limit_data", str(out), str(data), folder=ROOT)
    script = Path(__file__).with_name("limit.py")

    def fresh() -> None:
        shutil.rmtree(limit, ignore_errors=True)

    def gone() -> None:
        shutil.rmtree(out)

    jobs = {
        "limit": Job((PYTHON, str(script), str(data), str(limit)), fresh),
        "render": bench.drivergate(fleet, "render")._replace(before=gone),
        "same": bench.drivergate(fleet, "render"),
    }
    runs = bench.timed(jobs, rounds)
    _compare(limit, out)
    shutil.rmtree(fleet)
    return runs


def _compare(limit: Path, out: Path) -> None:
    """The limit must have written what render writes, or the ratio says nothing."""
    for path in out.rglob("*.yaml"):
        if not cmp(path, limit / path.relative_to(out), shallow=False):
            sys.exit(f"{path.relative_to(out)} is not what the limit writes")


def _ratio(what: str, unit: str, runs: Runs, by: Runs, target: float) -> Row:
    return Row(what, unit, runs.least / by.least, runs.middle / by.middle, target)


BENCHES = {"start-up": start_up, "check": check, "render": render, "scale": scale, "diff": difference, "way": way}


def main() -> None:
    """Prints one table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three rounds, and a small fleet instead of the large")
    parser.add_argument("--only", metavar="NAME", choices=BENCHES, help=f"one of {', '.join(BENCHES)}")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=FAST if FAST.is_dir() else None) as folder:
        rows = [
            row
            for name, bench in BENCHES.items()
            if wanted.only in {None, name}
            for row in bench(Bench(Path(folder) / name, quick=wanted.quick))
        ]
    width = max(len(row.what) for row in rows)
    print(
        "Warm: compiled modules, files in the page cache (on tmpfs). Cold: everything in the process; no cache is kept."
    )
    print(f"{'':{width}}  minimum   median   target")
    for row in rows:
        verdict = "met" if row.met else "not met"
        numbers = f"{row.least:7.2f}  {row.middle:7.2f}  {row.target:7.2f}"
        print(f"{row.what:{width}}  {numbers}  {row.unit:2}  {verdict}")


if __name__ == "__main__":
    main()
