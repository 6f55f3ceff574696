"""A list of many tags, synced and synced again: what the process needs grows by no more than the list itself."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.testing.command import REPO
from tests.testing.registry import keeping
from tests.testing.registry.faults import FaultServer
from tests.testing.registry.keeping import FILE, Kept
from tests.testing.registry.large import Large
from tests.testing.soak import sizes

NEEDED = 20
MAIN = "import sys\nfrom generator.cli import main\nsys.argv[0] = 'drivergate'\nmain()"
# Linux counts the memory of the process that started another one to the new one's peak (exec keeps the larger), and a
# worker of the test run is three times as large as drivergate. So a small process stands between the two.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
# 100,000 tags of 40 characters are 9 MB of Python's text. Four times that in KiB, and nothing that grows with images.
MOST_MORE = 40 / 100
# What two runs of the same process differ by, in KiB.
NOISE = 1 << 10


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeping.alone(tmp_path, monkeypatch)


def peak(arguments: Sequence[str]) -> int:
    """The most memory that a run of drivergate needed, in KiB; it must end with 0."""
    argv = [sys.executable, "-S", "-c", MEASURE, sys.executable, "-c", MAIN, *arguments]
    measured = subprocess.run(
        argv, env={**os.environ, "PYTHONPATH": str(REPO)}, stdout=subprocess.PIPE, check=True, text=True
    )
    return int(measured.stdout)


def synced(root: Path, capture: pytest.CaptureFixture[str], other: int, page: int) -> tuple[list[int], list[int]]:
    """Peaks and numbers of requests of a sync, a second one, and one after everything was pushed again."""
    large = Large(NEEDED, other, page)
    peaks, asked = [], []
    with FaultServer(large) as server:
        kept = Kept(root, capture, server.address)
        for pushed in (0, 0, 1):
            large.pushed = pushed
            server.asked.clear()
            peaks.append(peak(["catalog", "sync", "-C", str(root)]))
            asked.append(len(server.paths()))
            digests = [line.partition('digest: "')[2][:71] for line in kept.lines]
            assert digests == [large.manifest(tag).digest for tag in sorted(large.needed)]
    assert (root / FILE).read_text(encoding="utf-8").count("\n") < NEEDED + 10
    return peaks, asked


@pytest.mark.parametrize("tags", sizes(10_000, soak=30_000, full=100_000))
def test_a_long_list_of_tags(tmp_path: Path, capfd: pytest.CaptureFixture[str], tags: int) -> None:
    few, _ = synced(tmp_path / "few", capfd, 0, 1000)
    for page, pages in ((1000, tags // 1000), (1_000_000, 1)):
        many, asked = synced(tmp_path / f"{pages}", capfd, tags - NEEDED, page)
        grown = [more - least for more, least in zip(many, few, strict=True)]
        assert max(grown) < MOST_MORE * tags + NOISE, (few, many)
        # The pages and one more; then two requests for each image; then one; then both.
        assert asked == [pages + 1 + times * NEEDED for times in (2, 1, 3)]
