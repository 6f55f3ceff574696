"""Kills `drivergate catalog sync` again and again, and looks at the catalog that it leaves behind.

A process of its own, `python -m tests.e2e.killing_sync FOLDER KILLS`: it imports once and forks every run. The registry
runs in whoever calls it. Prints what it saw as JSON.
"""

import json
import os
import random
import re
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from generator.catalog import sync as pace
from generator.cli.run import run
from generator.declared.catalog_file import read_catalog
from tests.e2e.killing import ended, forked


def sync(root: Path) -> int:
    """The command line itself; every change is written at once, so that there is something to kill."""
    pace.FIRST_PAUSE, pace.SHARE = 0.0, 0
    return run(["catalog", "sync", "--root", str(root)])


def dying(root: Path, call: str, nth: int, *, after: bool) -> int:
    """Sync, and die at the n-th call that writes: just before it, just after it, or with half of the bytes written."""
    real: Any = getattr(os, call)
    left = nth

    def patched(*arguments: Any, **keywords: Any) -> Any:
        nonlocal left
        left -= 1
        if left:
            return real(*arguments, **keywords)
        if call == "write":
            real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
        elif after:
            real(*arguments, **keywords)
        os.kill(os.getpid(), signal.SIGKILL)
        return None

    setattr(os, call, patched)
    return sync(root)


def listed(root: Path) -> tuple[dict[str, str | None], list[str]]:
    """The digest of every image, and what is wrong with the files."""
    found: dict[str, str | None] = {}
    wrong = []
    for path in sorted((root / "inventory").rglob("*.yaml")):
        data = path.read_bytes()
        if b"ImageCatalog" not in data:
            continue
        read = read_catalog(path.name, data)
        wrong += [f"{path.name}: {one.message}" for one in read.findings]
        wrong += [f"{path.name} is unsorted"] if read.unsorted else []
        wrong += [f"{entry.tag} is listed twice" for entry in read.entries if entry.tag in found]
        found |= {entry.tag: entry.digest for entry in read.entries}
    return found, wrong


def comments(texts: Iterable[bytes]) -> list[bytes]:
    """Every word that somebody wrote beside the images."""
    return sorted(comment for data in texts for comment in re.findall(rb"#.*", data))


def main(root: Path, kills: int) -> dict[str, Any]:
    """Kill and look. Once every image is there, all but the first lines are taken out again.

    A digest that was learned stays: every run asks the same registry.
    """
    draw = random.Random(11)
    texts = {path: path.read_bytes() for path in (root / "inventory").rglob("*.yaml")}
    first, _ = listed(root)
    seen: dict[str, Any] = {"kills": 0, "learned": 0, "lost": [], "wrong": [], "whole": 0}
    before = first
    while seen["kills"] < kills:
        if draw.random() < 0.5:
            child = forked(lambda: sync(root))
            time.sleep(draw.uniform(0.02, 0.4))
            os.kill(child, signal.SIGKILL)
        else:
            call, nth, after = draw.choice(["replace", "write"]), draw.randint(1, 12), draw.random() < 0.5
            child = forked(lambda call=call, nth=nth, after=after: dying(root, call, nth, after=after))
        killed = ended(child) == -signal.SIGKILL
        after_it, wrong = listed(root)
        seen["kills"] += killed
        seen["learned"] += after_it != before
        seen["lost"] += [tag for tag, known in before.items() if known and after_it.get(tag) != known]
        seen["lost"] += before.keys() - after_it.keys()
        seen["wrong"] += wrong
        if comments(path.read_bytes() for path in texts) != comments(texts.values()):
            seen["wrong"].append("a comment is lost")
        before = after_it
        if not killed:
            seen["whole"] += 1
            for path, data in texts.items():
                path.write_bytes(data)
            before = first
    seen["last"] = ended(forked(lambda: sync(root)))
    after_it, _ = listed(root)
    seen["images"], seen["known"] = len(after_it), sum(known is not None for known in after_it.values())
    return seen


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
