"""Real git repositories for tests, independent of the configuration of whoever runs them."""

import os
import subprocess
from pathlib import Path

import pytest

IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "protocol.file.allow=always")


def isolate(monkeypatch: pytest.MonkeyPatch) -> None:
    """No global or system configuration, and no word of a hook that runs these tests."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


class Repo:
    """A repository in a folder, made by `git init` unless it is one already."""

    def __init__(self, path: Path, *init: str) -> None:
        self.path = path
        self.root = str(path)
        if not (path / ".git").exists():
            path.mkdir(parents=True, exist_ok=True)
            self.git("init", "-q", "-b", "main", *init)

    def git(self, *arguments: str, env: dict[str, str] | None = None, code: int = 0) -> str:
        """What git prints; fails where it ends with another code."""
        done = subprocess.run(
            ["git", *IDENTITY, *arguments],
            cwd=self.path,
            env=os.environ | (env or {}),
            capture_output=True,
            check=False,
        )
        assert done.returncode == code, done.stderr.decode()
        return os.fsdecode(done.stdout).strip()

    def write(self, files: dict[str, str | bytes]) -> None:
        """Write files, and the folders that they need."""
        for name, content in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: dict[str, str | bytes] | None = None, message: str = "change") -> str:
        """Write files, add everything, commit; the commit's id."""
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def hook(self, script: str, name: str = "pre-commit") -> None:
        """Install a hook, a shell script."""
        path = Path(self.git("rev-parse", "--git-path", f"hooks/{name}"))
        path = path if path.is_absolute() else self.path / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
