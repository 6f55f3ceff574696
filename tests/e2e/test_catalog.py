"""Sync at its limits: killed, and with a list of 100,000 tags."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from generator.declared.catalog_file import read_catalog
from tests.e2e.fleet import REPO
from tests.registry import keeping
from tests.registry.faults import Asked, FaultServer, Holding, Reply, as_json, of_manifest
from tests.registry.images import Manifest, digest
from tests.registry.keeping import FILE, OTHERS, Kept, built

Capture = pytest.CaptureFixture[str]
IMAGES = 40


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeping.alone(tmp_path, monkeypatch)


def test_a_hundred_kills_lose_no_entry(tmp_path: Path, capfd: Capture) -> None:
    tags = [f"580-6.8.0-{1000 + one}-aws-ubuntu24.04" for one in range(IMAGES)]
    holding = Holding({tag: built(tag) for tag in [*tags, OTHERS]})

    def slowly(asked: Asked) -> Reply:
        time.sleep(0.005)
        return holding(asked)

    with FaultServer(slowly) as server:
        kept = Kept(tmp_path / "r", capfd, server.address, f'  - {{tag: "{OTHERS}"}}   # by hand\n')
        done = subprocess.run(
            [sys.executable, "-m", "tests.e2e.killing_sync", str(kept.root), "100"],
            cwd=REPO,
            capture_output=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    assert seen["kills"] >= 100
    assert seen["learned"] >= 15
    assert seen["lost"] == []
    assert seen["wrong"] == []
    assert (seen["last"], seen["images"]) == (0, IMAGES + 1)


class Huge:
    """A registry of 100,000 tags in pages of 1,000, in which all tags are the same image."""

    PAGE = 1000

    def __init__(self, tags: list[str], one: Manifest) -> None:
        self.tags, self.one = sorted(tags), one
        self.blobs = {digest(blob): blob for blob in one.blobs}

    def __call__(self, asked: Asked) -> Reply:
        *_, kind, reference = asked.path.split("/")
        if reference == "list":
            start = int(asked.query.get("from", ["0"])[0])
            rest = start + self.PAGE
            link = {"Link": f'<{asked.path}?from={rest}>; rel="next"'} if rest < len(self.tags) else {}
            return as_json({"name": "nvidia/driver", "tags": self.tags[start:rest]}, **link)
        if kind == "blobs":
            return Reply(200, self.blobs[reference], {"Content-Type": "application/octet-stream"})
        return of_manifest(self.one) if kind == "manifests" else Reply()


def test_a_hundred_thousand_tags(tmp_path: Path, capfd: Capture) -> None:
    """Nearly all are of branches that the fleet doesn't have, as in a real registry; a second run asks for little."""
    ours = [f"580-6.8.0-{1000 + one}-aws-ubuntu24.04" for one in range(300)]
    theirs = [f"{branch}-5.15.0-{abi}-generic-ubuntu22.04" for branch in (535, 550) for abi in range(50_000)]
    program = (
        "import resource, sys\nfrom generator.cli.run import run\ncode = run(sys.argv[1:])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)\nsys.exit(code)"
    )
    with FaultServer(Huge([*ours, *theirs], built(ours[0]))) as server:
        kept = Kept(tmp_path / "r", capfd, server.address)
        peaks = []
        for asked in (300, 300):
            server.asked.clear()
            done = subprocess.run(
                [sys.executable, "-c", program, "catalog", "sync", "--root", str(kept.root)],
                cwd=REPO,
                env={**os.environ, "PYTHONPATH": str(REPO)},
                capture_output=True,
                check=False,
            )
            said = done.stderr.decode().splitlines()
            assert done.returncode == 0, said
            peaks.append(int(said[-1]))
            heads = [one for one in server.asked if one.path.rpartition("/")[2] in set(ours)]
            assert len(heads) == asked
    read = read_catalog(FILE, kept.text)
    assert (len(read.entries), read.in_order) == (300, True)
    assert "100000 of other branches and systems" in done.stdout.decode()
    assert max(peaks) < 250_000, peaks  # KiB; the interpreter and its libraries are a third of it
