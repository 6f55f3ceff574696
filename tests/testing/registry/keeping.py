"""A repository whose pools pull from a registry of the tests, and calls of the catalog's verbs on it."""

import json
import os
from pathlib import Path

import pytest

from tests.testing.command import Exit, call
from tests.testing.gitrepo import isolate
from tests.testing.levels import FLEET, HEAD, repository
from tests.testing.registry.images import Manifest, config, image, ubuntu_env

Capture = pytest.CaptureFixture[str]
NAME = "nvidia/driver"
A, B, C = (f"580-6.8.0-{number}-aws-ubuntu24.04" for number in (1050, 1053, 1060))
OTHERS = "570-6.8.0-1050-aws-ubuntu24.04"
FILE = "inventory/catalog.yaml"


def built(tag: str = A, version: str = "580.126.20", arch: str = "amd64") -> Manifest:
    kernel = tag.partition("-")[2].rpartition("-")[0]
    return image(config(arch, ubuntu_env(kernel, version) | {"TARGETARCH": arch}))


def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No credentials and proxies of the machine that the tests run on."""
    isolate(monkeypatch)
    for name in [one for one in os.environ if one.lower().endswith("_proxy") or one.startswith(("DOCKER", "REGISTRY"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


class Kept:
    """A repository whose pools pull from a registry, and the calls on it."""

    def __init__(self, root: Path, capture: Capture, address: str, images: str = "", path: str = NAME) -> None:
        root.mkdir(exist_ok=True)
        self.root, self.capture, self.name = root, capture, f"{address}/{path}"
        self.head = f"{HEAD}ImageCatalog\nrepository: {self.name}\nimages:"
        catalog = f"{self.head}\n{images}" if images else f"{self.head} []\n"
        fleet = FLEET.replace("nvcr.io/nvidia/driver", self.name)
        repository(root, fleet=fleet, catalog=catalog)

    def call(self, *arguments: str) -> Exit:
        return call(self.capture, "catalog", *arguments, root=self.root)

    def sync(self, *arguments: str) -> Exit:
        return self.call("sync", *arguments)

    def told(self, *arguments: str) -> dict[str, object]:
        (one,) = json.loads(self.sync(*arguments, "--format", "json").out)["repositories"]
        assert isinstance(one, dict)
        return one

    @property
    def text(self) -> str:
        return (self.root / FILE).read_text(encoding="utf-8")

    @property
    def lines(self) -> list[str]:
        return self.text.removeprefix(self.head).lstrip("\n").splitlines()


def line(tag: str, manifest: Manifest, *, version: str = "580.126.20", platforms: str = "linux/amd64") -> str:
    return f'  - {{tag: "{tag}", platforms: [{platforms}], driverVersion: "{version}", digest: "{manifest.digest}"}}'
