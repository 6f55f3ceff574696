"""A repository of its own for a case that is about the command."""

import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.testing.command import REPO, Exit, call, run_process
from tests.testing.gitrepo import Repo


class CaseRepo:
    """A folder with an inventory; `drivergate` runs in this process, `process` in one of its own."""

    def __init__(self, path: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.path = path
        self._capture = capture

    def lay(self, files: Mapping[str, str | bytes]) -> "CaseRepo":
        """Write files, and the folders that they need."""
        for name, content in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self

    def git(self) -> Repo:
        """A real git repository around it, made at the first call."""
        return Repo(self.path)

    def drivergate(self, *arguments: str) -> Exit:
        """The command line in this process."""
        ended = call(self._capture, *arguments, root=self.path if arguments else None)
        assert ended.code != 70, ended.err
        return ended

    def process(self, *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Exit:
        """The command line in a process of its own."""
        return run_process(
            sys.executable,
            "-m",
            "generator",
            *arguments,
            cwd=cwd or self.path,
            env={"PYTHONPATH": str(REPO), **(env or {})},
        )

    def refused(self, files: Mapping[str, str | bytes]) -> str:
        """What is said to input that is refused: exit 2 from both verbs, and nothing is written."""
        self.lay(files)
        before = self.hashes()
        render, check = self.drivergate("render"), self.drivergate("check")
        assert (render.code, check.code) == (2, 2), render.text + check.text
        assert self.hashes() == before
        return render.text + check.text

    def hashes(self, *folders: str) -> dict[str, str]:
        """SHA-256 by path of every file below some folders, git's own apart."""
        found = {}
        for start in folders or (".",):
            for path in sorted((self.path / start).rglob("*")):
                name = path.relative_to(self.path).as_posix()
                if path.is_file() and not name.startswith(".git/"):
                    found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found

    def out(self) -> dict[str, str]:
        """The files below out/, as text with its line ends as they are."""
        paths = [path for path in sorted((self.path / "out").rglob("*")) if path.is_file()]
        return {path.relative_to(self.path).as_posix(): path.read_bytes().decode() for path in paths}
