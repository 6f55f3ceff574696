"""Debian's docker-registry as a process of the tests: `apt-get install docker-registry`."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

PROGRAM = "docker-registry"
# In CI a skip would be silence: .ci/run sets it.
NEEDED = "DRIVERGATE_TESTS_NEED_REGISTRY"


def program() -> str:
    """Where it is; skips with a reason where it isn't."""
    found = shutil.which(PROGRAM)
    if found is None:
        if os.environ.get(NEEDED):
            pytest.fail(f"{NEEDED} is set, but {PROGRAM} is not on the PATH")
        pytest.skip(f"{PROGRAM} is not installed (apt-get install {PROGRAM})")
    return found


@contextmanager
def running(folder: Path, settings: Mapping[str, str] | None = None, *, tls: bool = False) -> Iterator[str]:
    """A registry with its data below `folder`; `settings` are its REGISTRY_… variables. Yields `127.0.0.1:port`."""
    path = program()
    address = f"127.0.0.1:{free_port()}"
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "config.yml"
    config.write_text("version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: data\n  delete: {enabled: true}\n")
    environ = {"PATH": os.environ["PATH"], "REGISTRY_HTTP_ADDR": address, "REGISTRY_LOG_LEVEL": "error"}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [path, "serve", str(config)], cwd=folder, env=environ | dict(settings or {}), stdout=log, stderr=log
        )
        try:
            _await(address, process, folder / "log")
            yield address
        finally:
            process.terminate()
            process.wait(10)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _await(address: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    host, port = address.split(":")
    for _ in range(200):
        if process.poll() is not None:
            break
        try:
            socket.create_connection((host, int(port)), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(log.read_text(errors="replace"))
