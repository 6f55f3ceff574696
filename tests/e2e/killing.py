"""Kills `drivergate render` again and again, and looks at what it leaves behind.

A process of its own, `python -m tests.e2e.killing FOLDER KILLS`: it imports once and forks every run, since starting
up takes longer than a whole run. Prints what it saw as JSON.
"""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from generator.cli.run import run
from generator.edges.source import is_temporary
from generator.layout import MANIFEST
from generator.render.ownership import HEADER, ownership
from tests.testing.fleet import FLEET, NEXT, RUNNING, catalog, lay

CLUSTERS, POOLS = 10, 4
BRANCHES = ("580", "595")
TAGS = [f"{branch}-{kernel}-ubuntu22.04" for branch in BRANCHES for kernel in (RUNNING, NEXT)]
POOL = """\
  {name}:
    nodeSelector: {{example.com/pool: {name}}}
    nodes: 4
    gpu: {{family: hopper}}
    os: {{id: ubuntu, version: "22.04"}}
    arch: [amd64]
    kernels: [5.15.0-173-generic, 5.15.0-177-generic]
    driver: {{branch: "{branch}"}}
"""
HEAD = "apiVersion: drivergate.dev/v1alpha1\nkind: Cluster\nname: {name}\npools:\n"
NAMES = [f"cluster-{number}" for number in range(CLUSTERS)]

Tree = dict[str, bytes]


def inventory(generation: int) -> dict[str, str | bytes]:
    """Two generations that share no driver object: another branch, and of each cluster one pool renamed."""
    files: dict[str, str | bytes] = {"inventory/fleet.yaml": FLEET, "inventory/catalog/all.yaml": catalog(*TAGS)}
    for name in NAMES:
        pools = [f"pool-{number}" if number else f"first-{generation}" for number in range(POOLS)]
        branch = BRANCHES[generation]
        text = HEAD.format(name=name) + "".join(POOL.format(name=pool, branch=branch) for pool in pools)
        files[f"inventory/clusters/{name}.yaml"] = text
    return files


def going(root: Path) -> list[str]:
    """The clusters that lose the first pool of the other generation, which drivergate still owns."""
    owned = ownership((root / "out" / MANIFEST).read_text() if (root / "out" / MANIFEST).exists() else None)
    lost = 0 if "first-1:" in (root / "inventory/clusters/cluster-0.yaml").read_text() else 1
    return [name for name in NAMES if f"{name}/gpu-operator/nvidiadriver-first-{lost}.yaml" in owned.hashes]


def render(root: Path) -> int:
    """The command line itself, in this process."""
    allowed = [word for name in going(root) for word in ("--allow-remove", name)]
    return run(["render", "-C", str(root), *allowed])


def forked(work: Callable[[], int]) -> int:
    """Start work in a child; its process id."""
    child = os.fork()
    if child:
        return child
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    code = 99
    try:
        code = work()
    finally:
        os._exit(code)


def ended(child: int) -> int:
    """Wait for a child; its exit code, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def tree(root: Path) -> Tree:
    """Everything below out/."""
    found = {}
    for folder, _, names in os.walk(root / "out"):
        for name in names:
            path = Path(folder, name)
            found[str(path.relative_to(root / "out"))] = path.read_bytes()
    return found


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dying(root: Path, call: str, nth: int, *, after: bool) -> int:
    """Render, and die at the n-th call: just before it, just after it, or with half of the bytes written."""
    real: Any = getattr(os, call)
    left = nth

    def patched(*arguments: Any, **keywords: Any) -> Any:
        nonlocal left
        left -= 1
        if left:
            return real(*arguments, **keywords)
        if call == "write":
            real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
            die()
        if after:
            real(*arguments, **keywords)
        die()
        return None

    setattr(os, call, patched)
    return render(root)


def at_a_moment(root: Path, draw: random.Random, duration: float) -> None:
    """Kill a run from outside, somewhere between its start and its end."""
    child = forked(lambda: render(root))
    time.sleep(draw.uniform(0, duration))
    os.kill(child, signal.SIGKILL)
    ended(child)


def at_a_step(root: Path, draw: random.Random, _duration: float) -> None:
    """Kill a run at a step of its writing."""
    call = draw.choice(["replace", "write", "unlink"])
    nth = draw.randint(1, 5 if call == "unlink" else CLUSTERS * POOLS)
    after = draw.random() < 0.5
    ended(forked(lambda: dying(root, call, nth, after=after)))


def wrong(found: Tree, whole: tuple[Tree, Tree]) -> Iterator[str]:
    """What no reader must ever see: half a file, or a file that nobody owns."""
    listed = found.get(MANIFEST, b"").decode()
    owned = ownership(listed)
    if listed and not (listed.startswith(HEADER) and listed.endswith("\n") and owned.readable):
        yield f"half a manifest: {listed[-80:]!r}"
    for path, content in found.items():
        if is_temporary(path) or path == MANIFEST:
            continue
        if content not in {one.get(path) for one in whole}:
            yield f"half a file: {path}"
        if path not in owned.hashes:
            yield f"nobody's file: {path}"


def undisturbed(folder: Path, generation: int) -> Tree:
    """What a run that nothing happens to leaves. In this process, so that all imports are done."""
    root = folder / f"undisturbed-{generation}"
    lay(root, inventory(generation))
    with redirect_stdout(sys.stderr):
        assert render(root) == 0
    return tree(root)


def main(folder: Path, kills: int) -> dict[str, Any]:
    """Kill, look, and every now and then let a run finish."""
    draw = random.Random(7)
    whole = (undisturbed(folder, 0), undisturbed(folder, 1))
    root = folder / "root"
    seen: dict[str, Any] = {"files": len(whole[0]), "kills": 0, "midway": 0, "wrong": [], "astray": []}
    generation, duration = 0, 0.1
    while seen["kills"] < kills:
        lay(root, inventory(generation))
        for _ in range(draw.randint(1, 3)):
            before = tree(root)
            draw.choice([at_a_moment, at_a_step])(root, draw, duration)
            found = tree(root)
            seen["kills"] += 1
            seen["midway"] += found not in (before, whole[generation])
            seen["wrong"] += wrong(found, whole)
        begun = time.perf_counter()
        code = ended(forked(lambda: render(root)))
        duration = 0.8 * duration + 0.2 * (time.perf_counter() - begun)
        if code or tree(root) != whole[generation]:
            seen["astray"].append(f"exit {code}, {sorted(tree(root).keys() ^ whole[generation].keys())}")
        generation = 1 - generation
    return seen


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
