"""A small fleet in a real git repository, and the installed command line that judges it."""

import hashlib
from pathlib import Path

from tests.testing.command import DRIVERGATE, Exit, call_in, run_process
from tests.testing.gitrepo import Repo

RUNNING, NEXT = "5.15.0-173-generic", "5.15.0-177-generic"
TAG, NEXT_TAG = (f"580-{kernel}-ubuntu22.04" for kernel in (RUNNING, NEXT))

FLEET = """\
apiVersion: drivergate.dev/v1alpha1
kind: Fleet
name: small
defaults:
  operator: {version: v26.7.0, namespace: gpu-operator, install: helm, driverApi: NVIDIADriver}
  driver: {repository: nvcr.io/nvidia/driver, mode: precompiled, branch: "580"}
"""
CLUSTER = """\
apiVersion: drivergate.dev/v1alpha1
kind: Cluster
name: %(name)s
pools:
  train:
    nodeSelector: {example.com/pool: train}
    taints: ["example.com/dedicated=train:NoSchedule"]
    nodes: 4
    gpu: {family: hopper}
    os: {id: ubuntu, version: "22.04"}
    arch: [amd64]
    kernels: [%(kernel)s]
"""
CATALOG = """\
apiVersion: drivergate.dev/v1alpha1
kind: ImageCatalog
repository: nvcr.io/nvidia/driver
images:
"""

EAST, WEST = "inventory/clusters/east.yaml", "inventory/clusters/west.yaml"
IMAGES, NEW_IMAGES = "inventory/catalog/580.yaml", "inventory/catalog/new-image.yaml"
OBJECT = "out/east/gpu-operator/nvidiadriver-train.yaml"
REFERENCES = "out/east/gpu-operator/drivergate-images.yaml"


def cluster(name: str = "east", kernel: str = RUNNING) -> str:
    """The file of a cluster with one pool."""
    return CLUSTER % {"name": name, "kernel": kernel}


def catalog(*tags: str) -> str:
    """The file of a catalog."""
    return CATALOG + "".join(f'  - {{tag: "{tag}", platforms: [linux/amd64]}}\n' for tag in sorted(tags))


def inventory() -> dict[str, str | bytes]:
    """The small fleet: one cluster, one pool, one image."""
    return {"inventory/fleet.yaml": FLEET, EAST: cluster(), IMAGES: catalog(TAG)}


def run(root: Path, *command: str, env: dict[str, str] | None = None) -> Exit:
    """Run any command at a root, without standard input."""
    return run_process(*command, cwd=root, env=env)


def drivergate(root: Path, *arguments: str, env: dict[str, str] | None = None) -> Exit:
    """The command at a root; it must never crash. With an environment of its own it is a process of its own."""
    ended = call_in(root, *arguments) if env is None else run(root, DRIVERGATE, *arguments, env=env)
    assert ended.code not in {70, -11, -6}, ended.text
    assert "Traceback" not in ended.text
    return ended


def judged(root: Path, *arguments: str, env: dict[str, str] | None = None) -> list[str]:
    """The findings of a check."""
    return drivergate(root, "check", "--format", "json", *arguments, env=env).findings


def tree(root: Path, *folders: str) -> dict[str, str]:
    """SHA-256 by path of every file below some folders of a root."""
    found = {}
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and not path.is_symlink():
                found[str(path.relative_to(root))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def lay(root: Path, files: dict[str, str | bytes]) -> None:
    """Write files, and the folders that they need."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


class Fleet(Repo):
    """A repository that is given files; nothing is committed yet."""

    def __init__(self, path: Path, files: dict[str, str | bytes] | None = None) -> None:
        super().__init__(path)
        self.write(files or {})

    def render(self, *arguments: str) -> None:
        """Bring out/ up to date."""
        said = drivergate(self.path, "render", *arguments)
        assert said.code == 0, said.text

    def check(self, *arguments: str) -> Exit:
        """The gate by hand."""
        return drivergate(self.path, "check", *arguments)
