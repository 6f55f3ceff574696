"""Writing: whole files or none, only what differs, nothing outside; also when killed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from generator.edges.errors import UnwritableError
from generator.edges.files import WorkTree
from generator.edges.writer import Applied, Remove, Write, apply
from tests.testing.soak import sizes

REPO = Path(__file__).resolve().parents[2]


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def test_files_and_folders_are_made(tmp_path: Path) -> None:
    steps = [Write("out/a/b.yaml", b"b"), Write("top.yaml", b""), Write("out/c.yaml", b"c\r\n\0" * 100_000)]
    applied = apply(str(tmp_path), steps)
    assert applied == Applied(written=("out/a/b.yaml", "top.yaml", "out/c.yaml"), removed=(), unchanged=())
    assert tree(tmp_path) == {step.path: step.data for step in steps}


def test_the_mode_is_the_users_mask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        apply(str(tmp_path), [Write("a", b"a")])
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_what_is_equal_is_not_touched(tmp_path: Path) -> None:
    steps = [Write("out/a", b"same"), Write("out/b", b"old!")]
    apply(str(tmp_path), steps)
    before = (tmp_path / "out/a").stat()
    applied = apply(str(tmp_path), [Write("out/a", b"same"), Write("out/b", b"new!"), Write("out/c", b"")])
    assert applied == Applied(written=("out/b", "out/c"), removed=(), unchanged=("out/a",))
    after = (tmp_path / "out/a").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert tree(tmp_path) == {"out/a": b"same", "out/b": b"new!", "out/c": b""}


def test_a_file_that_is_being_read_stays_whole(tmp_path: Path) -> None:
    apply(str(tmp_path), [Write("a", b"old")])
    with (tmp_path / "a").open("rb") as reader:
        apply(str(tmp_path), [Write("a", b"new content")])
        assert reader.read() == b"old"


def test_only_what_is_named_is_removed_and_empty_folders_with_it(tmp_path: Path) -> None:
    names = ["out/x/a/1", "out/x/a/2", "out/x/stray", "out/y/deep/er/1", "out/z/1"]
    apply(str(tmp_path), [Write(name, b"x") for name in names])
    (tmp_path / "out/empty").mkdir()
    steps = [Remove("out/x/a/1"), Remove("out/x/a/2"), Remove("out/y/deep/er/1"), Remove("out/gone/1")]
    applied = apply(str(tmp_path), [*steps, Remove("out/z/1"), Write("out/z/2", b"y")])
    assert applied.removed == ("out/x/a/1", "out/x/a/2", "out/y/deep/er/1", "out/z/1")
    assert tree(tmp_path) == {"out/x/stray": b"x", "out/z/2": b"y"}
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"empty", "x", "z"}
    assert not (tmp_path / "out/x/a").exists()


def test_the_root_stays(tmp_path: Path) -> None:
    apply(str(tmp_path), [Write("out/a", b"x")])
    apply(str(tmp_path), [Remove("out/a")])
    assert [*tmp_path.iterdir()] == []


def test_steps_are_taken_in_order(tmp_path: Path) -> None:
    """The caller's journal: first what will be owned, then the files, last what is owned."""
    steps = [Write("out/journal", b"a b"), Remove("out/a"), Write("out/b", b"b"), Write("out/journal", b"b")]
    applied = apply(str(tmp_path), steps)
    assert applied.written == ("out/journal", "out/b", "out/journal")
    assert tree(tmp_path) == {"out/journal": b"b", "out/b": b"b"}


@pytest.fixture
def fenced(tmp_path: Path) -> Path:
    """A root with everything that must not be written through, and a folder outside."""
    root = tmp_path / "root"
    (root / "out").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/file").write_text("precious")
    (root / "out/link").symlink_to(tmp_path / "outside")
    (root / "out/inner-link").symlink_to(".")
    (root / "out/dangling").symlink_to("nowhere")
    (root / "out/filelink").symlink_to(tmp_path / "outside/file")
    (root / "out/folder/sub").mkdir(parents=True)
    (root / "out/file").write_text("x")
    os.mkfifo(root / "out/pipe")
    return root


@pytest.mark.parametrize(
    "path",
    [
        "../outside/file", "/etc/x", "out/../../outside/file", "out//x", "out/./x", "", "out/", ".git/config",
        "out/.git/hooks/pre-commit", "out/link/file", "out/inner-link/x", "out/dangling", "out/dangling/x",
        "out/filelink", "out/folder", "out/file/x", "out/file/x/y", "out/pipe", "out/.1.drivergate-tmp",
    ],
)  # fmt: skip
def test_what_is_refused_is_refused_before_anything_is_written(fenced: Path, path: str) -> None:
    before = tree(fenced.parent)
    for step in (Write(path, b"evil"), Remove(path)):
        with pytest.raises(UnwritableError, match="won't write `"):
            apply(str(fenced), [Write("out/first", b"1"), Remove("out/file"), step])
        assert tree(fenced.parent) == before


def test_a_path_cannot_be_a_file_and_a_folder(tmp_path: Path) -> None:
    for steps in ([Write("a", b""), Write("a/b", b"")], [Write("a/b/c", b""), Write("a", b"")]):
        with pytest.raises(UnwritableError, match="`a`: it would be a file and a folder at once"):
            apply(str(tmp_path), steps)
    assert [*tmp_path.iterdir()] == []


def test_a_full_disk_is_said_and_leaves_whole_files(tmp_path: Path) -> None:
    """A limit on the size of a file stands in for the disk: EFBIG instead of ENOSPC, at the same call."""
    script = (
        "import resource, signal, sys\n"
        "from generator.edges.errors import UnwritableError\n"
        "from generator.edges.writer import Write, apply\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: apply(sys.argv[1], [Write('out/a', b'new'), Write('out/b', b'x' * 5000)])\n"
        "except UnwritableError as error: print(error)\n"
    )
    apply(str(tmp_path), [Write("out/a", b"old"), Write("out/b", b"old")])
    said = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], cwd=REPO, capture_output=True, check=True, text=True
    )
    assert said.stdout == "can't write `out/b`: file too large\n"
    assert tree(tmp_path) == {"out/a": b"new", "out/b": b"old"}


def test_what_killed_runs_left_is_swept_and_what_lives_is_not(tmp_path: Path) -> None:
    (tmp_path / "out/old").mkdir(parents=True)
    ended = subprocess.Popen(["true"])
    ended.wait()
    parent = f"out/.{os.getppid()}.drivergate-tmp"  # of a run that is under way
    left = [f"out/.{ended.pid}.drivergate-tmp", f"out/.{os.getpid()}.drivergate-tmp", "out/.x.drivergate-tmp"]
    left.append(f"out/old/.{10**30}.drivergate-tmp")
    for name in (*left, parent, "out/.mine", "out/old/a", "other.drivergate-tmp"):
        (tmp_path / name).write_text("half")
    apply(str(tmp_path), [Write("out/a", b"a"), Remove("out/old/a")])
    assert tree(tmp_path) == {
        parent: b"half",
        "out/.mine": b"half",
        "out/a": b"a",
        "other.drivergate-tmp": b"half",
    }
    assert not (tmp_path / "out/old").exists()


# One process that forks the runs: importing takes longer than a whole run.
RUNS = """
import os, random, signal, sys, time
from generator.edges.writer import Write, Remove, apply

root, rounds = sys.argv[1], int(sys.argv[2])
COUNT = 40

def content(generation, i):
    return f"generation {generation} file {i}\\n".encode() * (200 + 20 * i)

def steps(generation):
    # Each generation renames a quarter of its files, so that folders come and go.
    names = lambda g: [f"out/{i % 4 and 'stay' or g % 2}/{i}.yaml" for i in range(COUNT)]
    new = names(generation)
    gone = [Remove(name) for name in names(generation - 1) if name not in new]
    return [*(Write(name, content(generation, i)) for i, name in enumerate(new)), *gone]

def look():
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            with open(f"{folder}/{name}", "rb") as file:
                found[os.path.relpath(f"{folder}/{name}", root)] = file.read()
    return found

def run(generation):
    child = os.fork()
    if not child:
        apply(root, steps(generation))
        os._exit(0)
    return child

apply(root, steps(0))
random.seed(7)
duration, midway, halves = 0.02, 0, []
for generation in range(1, rounds + 1):
    child = run(generation)
    time.sleep(random.uniform(0, duration))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    found = look()
    whole = {content(g, i) for g in (generation - 1, generation) for i in range(COUNT)}
    halves += [name for name, data in found.items() if not name.endswith("-tmp") and data not in whole]
    new = sum(data.startswith(b"generation %d " % generation) for data in found.values())
    midway += 0 < new < COUNT or any(name.endswith("-tmp") for name in found)
    begun = time.perf_counter()
    os.waitpid(run(generation), 0)
    duration = 0.8 * duration + 0.2 * (time.perf_counter() - begun)
    wanted = {step.path: step.data for step in steps(generation) if isinstance(step, Write)}
    if look() != wanted:
        sys.exit(f"generation {generation} did not converge: {sorted(look().keys() ^ wanted.keys())}")
print(midway, *halves)
"""


@pytest.mark.parametrize("kills", sizes(40, soak=200, full=1000))
def test_kills_leave_no_half_written_file(tmp_path: Path, kills: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUNS, str(tmp_path), str(kills)],
        cwd=REPO,
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    midway, *halves = done.stdout.split()
    assert halves == []
    assert int(midway) >= kills // 4


def test_two_runs_at_once_leave_whole_files(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from generator.edges.writer import Remove, Write, apply\n"
        "for round in range(60):\n"
        "    paths = [f'out/{i % 3}/{i}' for i in range(15)]\n"
        "    apply(sys.argv[1], [Write(p, f'{sys.argv[2]} {round} '.encode() * 3000) for p in paths])\n"
        "    apply(sys.argv[1], [Remove(p) for p in paths[::3]])\n"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path), name], cwd=REPO, stderr=subprocess.PIPE)
        for name in ("one", "two")
    ]
    assert [(run.communicate()[1], run.returncode) for run in runs] == [(b"", 0), (b"", 0)]
    found = tree(tmp_path)
    assert len(found) == 10
    for data in found.values():
        words = data.split()
        assert len(words) == 6000
        assert len({*words[::2]}) == len({*words[1::2]}) == 1
    assert [e.path for e in WorkTree(str(tmp_path)).paths()] == [*found]
