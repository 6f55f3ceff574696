"""A hundred syncs that are killed while they write: no entry is lost, no comment, and no file is half a file."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from generator.declared.catalog_file import read_catalog
from tests.cli.calling import REPO
from tests.registry import keeping
from tests.registry.faults import FaultServer
from tests.registry.keeping import FILE, Kept
from tests.registry.large import Large

KILLS = 100
SECOND = "inventory/catalog/570.yaml"
# Starting Python takes longer than a sync, so one process stays and forks; each sync writes after every image.
NURSERY = """
import os, sys
from generator.cli import catalog_sync, syncing
from generator.cli.run import run
from generator.edges import registry
syncing._FIRST = syncing._SHARE = 0
for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os._exit(run(["catalog", "sync", "--all", "-C", sys.argv[1]]))
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeping.alone(tmp_path, monkeypatch)


class Nursery:
    """Starts syncs of one repository, one at a time."""

    def __init__(self, root: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", NURSERY, str(root)],
            env={**os.environ, "PYTHONPATH": str(REPO)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def start(self) -> int:
        """The process that syncs now."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()
        return self._said()

    def ended(self) -> int:
        """How it ended."""
        return self._said()

    def close(self) -> None:
        self._process.communicate(timeout=20)

    def _said(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


@pytest.fixture
def large() -> Large:
    return Large(needed=30, other=30)


@pytest.fixture
def kept(tmp_path: Path, capfd: pytest.CaptureFixture[str], large: Large) -> Iterator[tuple[Kept, FaultServer]]:
    """Two files of one repository. Somebody wrote comments; some images are new, the registry lost one."""
    with FaultServer(large) as server:
        lines = "".join(f'  # about {tag}\n  - {{tag: "{tag}"}}  # by hand\n' for tag in large.needed[::2])
        kept = Kept(tmp_path / "r", capfd, server.address, lines)
        second = kept.root / SECOND
        second.parent.mkdir()
        others = [tag for tag in large.tags if tag.startswith("570-")]
        second.write_text(
            f"# the branch of before\n{kept.head}\n"
            + "".join(f'  - {{tag: "{tag}", moduleType: open}}\n' for tag in [*others, "570-9.9.9-1-aws-ubuntu24.04"]),
            encoding="utf-8",
        )
        yield kept, server


def listed(kept: Kept) -> dict[str, str | None]:
    """The digest of every image in both files, each of which must be whole."""
    found = {}
    for path in (FILE, SECOND):
        read = read_catalog(path, (kept.root / path).read_text(encoding="utf-8"))
        assert read.findings == ()
        assert read.in_order
        assert not found.keys() & {entry.tag for entry in read.entries}
        found |= {entry.tag: entry.digest for entry in read.entries}
    return found


def test_a_hundred_kills_lose_nothing(kept: tuple[Kept, FaultServer], large: Large) -> None:
    home, server = kept
    chance = random.Random(7)
    comments = [line for line in home.text.splitlines() if "#" in line]
    before = listed(home)
    pushes: dict[str, set[str | None]] = {tag: {None, large.manifest(tag).digest} for tag in large.tags}
    nursery = Nursery(home.root)
    killed = changed = 0
    while killed < KILLS:
        large.pushed += 1  # so that every image is written anew each time
        for tag in large.tags:
            pushes[tag].add(large.manifest(tag).digest)
        server.asked.clear()
        pid = nursery.start()
        enough = chance.randrange(3, 60)
        while len(server.asked) < enough and not _has_ended(pid):
            time.sleep(0.001)
        time.sleep(chance.random() / 50)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        killed += nursery.ended() == -signal.SIGKILL
        now = listed(home)
        assert before.keys() <= now.keys()
        assert all(digest in pushes.get(tag, {None}) for tag, digest in now.items())
        assert [line for line in comments if line.split('"')[0] not in home.text] == []
        changed += now != before
        before = now
    assert changed > KILLS / 2
    nursery.start()
    assert nursery.ended() == 0
    nursery.close()
    now = listed(home)
    assert now.keys() == {*large.tags, "570-9.9.9-1-aws-ubuntu24.04"}
    assert all(now[tag] == large.manifest(tag).digest for tag in large.tags)
    assert home.text.count("# about ") == home.text.count("# by hand") == 15
    assert (home.root / SECOND).read_text(encoding="utf-8").startswith("# the branch of before\n")
    left = [path.name for path in home.root.rglob("*") if ".git" not in path.parts and path.name.startswith(".")]
    assert [name for name in left if name not in {".git", ".gitattributes"}] == []


def _has_ended(pid: int) -> bool:
    """The nursery reaps its children at once, so a number that nobody has is one that ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
