"""Runs the console blocks of README and docs/.

`python -m tests.testing.docs` writes what the commands print into the pages.

A page's commands run in one shell, in a scratch repository with the sample fleet, committed. What a command prints to
stdout and stderr is what a reader sees. Lines that begin with `> ` continue a command. Output that holds a fence itself
stands in a longer one.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.testing.gitrepo import Repo

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ("inventory", "bases", "out", "docs/examples", "docs/dumps")
BLOCK = re.compile(r"^(?P<fence>`{3,})console\n(?P<body>.*?)^(?P=fence)$", flags=re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*\n(?:> .*\n)*)", flags=re.MULTILINE)
BIN = Path(sys.executable).parent
# It begins with a cluster's own dumps; tests/test_adopt_page.py stands in for kubectl.
OF_A_CLUSTER = frozenset({"adopt.md"})
# These need the checkout itself; another test looks whether the Makefile has them.
ELSEWHERE = "$ make "


def pages() -> list[Path]:
    """README and every page that shows commands."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [page for page in found if page.name not in OF_A_CLUSTER and blocks(page.read_text(encoding="utf-8"))]


def blocks(text: str) -> list[re.Match[str]]:
    """The console blocks that are run."""
    return [block for block in BLOCK.finditer(text) if not block["body"].startswith(ELSEWHERE)]


def commands(block: str) -> list[str]:
    """The commands as they are typed, without prompts."""
    return [written.replace("\n> ", "\n").rstrip("\n") for written in COMMAND.findall(block)]


def as_run(text: str) -> str:
    """A page with the output that its commands have."""
    found = blocks(text)
    outputs = iter(_run([command for block in found for command in commands(block["body"])]))

    def filled(block: re.Match[str]) -> str:
        fence, body = block["fence"], block["body"]
        if body.startswith(ELSEWHERE):
            return block[0]
        return f"{fence}console\n{''.join(f'$ {command}{next(outputs)}' for command in COMMAND.findall(body))}{fence}"

    return BLOCK.sub(filled, text)


def _run(typed: list[str]) -> list[str]:
    """What each command prints. The shell sees the exit code of the one before, as in a terminal."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "fleet"
        for name in SAMPLE:
            shutil.copytree(ROOT / name, root / name)
        environment = _environment()
        os.environ |= {name: environment[name] for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")}
        Repo(root).commit()
        (root / ".git" / "info" / "exclude").write_text(".venv\n")
        (root / ".venv").symlink_to(BIN.parent)
        script = "exec 2>&1\n" + "".join(f"{one}\n__code=$?; printf '\\0'; (exit $__code)\n" for one in typed)
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    parts = done.stdout.decode().split("\0")
    assert len(parts) == len(typed) + 1, (parts[-1], done.stderr.decode())
    return parts[:-1]


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    people = {f"GIT_{who}_{what}": said for who in ("AUTHOR", "COMMITTER") for what, said in IDENTITY.items()}
    git = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **people}
    return {**kept, **git, "PATH": f"{BIN}:{kept['PATH']}", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "COLUMNS": "120"}


IDENTITY = {"NAME": "You", "EMAIL": "you@example.com"}


def main() -> None:
    for page in pages():
        text = page.read_text(encoding="utf-8")
        ran = as_run(text)
        if ran != text:
            page.write_text(ran, encoding="utf-8")
            print(f"wrote {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
