"""Runs the console blocks of README and docs/.

`python -m tests.testing.docs` writes what the commands print into the pages.

A page's commands run one after the other in a scratch repository with the sample fleet, committed. Calls of drivergate
run in this process unless they need a shell. What a command prints to stdout and stderr is what a reader sees. Lines
that begin with `> ` continue a command. Output that holds a fence itself stands in a longer one.
"""

import os
import re
import shlex
import shutil
import sys
import tempfile
from itertools import groupby
from pathlib import Path
from unittest.mock import patch

from tests.testing.command import call_merged, run_process
from tests.testing.gitrepo import Repo

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ("inventory", "bases", "out", "docs/examples", "docs/dumps")
BLOCK = re.compile(r"^(?P<fence>`{3,})console\n(?P<body>.*?)^(?P=fence)$", flags=re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*\n(?:> .*\n)*)", flags=re.MULTILINE)
BIN = Path(sys.executable).parent
# A call of the command and nothing of a shell: no pipe, redirection, expansion or pattern. It runs in this process.
PLAIN = re.compile(r"drivergate [\w ./:=,@+\"-]*")
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
    """What each command prints. It sees the exit code of the one before, as in a terminal."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "fleet"
        for name in SAMPLE:
            shutil.copytree(ROOT / name, root / name)
        with patch.dict(os.environ, _environment(), clear=True):
            Repo(root).commit()
            (root / ".git" / "info" / "exclude").write_text(".venv\n")
            (root / ".venv").symlink_to(BIN.parent)
            code, outputs = 0, []
            for plain, group in groupby(typed, key=lambda command: PLAIN.fullmatch(command) is not None):
                code, printed = (_called if plain else _in_a_shell)(root, [*group], code)
                outputs += printed
    return outputs


def _called(root: Path, typed: list[str], code: int) -> tuple[int, list[str]]:
    """Commands that need no shell, in this process: the last exit code, and what each printed."""
    outputs = []
    for command in typed:
        code, output = call_merged(root, *shlex.split(command)[1:])
        outputs.append(output)
    return code, outputs


def _in_a_shell(root: Path, typed: list[str], code: int) -> tuple[int, list[str]]:
    """Commands in one shell, which begins with the exit code of the command before."""
    commands = [*typed, "echo $?"]
    script = f"exec 2>&1; (exit {code})\n" + "".join(
        f"{command}\n__code=$?; printf '\\0'; (exit $__code)\n" for command in commands
    )
    shell = run_process("bash", "-c", script, cwd=root)
    *outputs, last, rest = shell.out.split("\0")
    assert (len(outputs), rest) == (len(typed), ""), (rest, shell.err)
    return int(last), outputs


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
