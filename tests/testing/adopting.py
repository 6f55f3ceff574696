"""Proposes an inventory by `drivergate init` from what clusters show, and reads the files that it wrote."""

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from generator.adopt.note import Note
from generator.documents.document import read
from tests.testing.command import call_in
from tests.testing.judging import findings
from tests.testing.nodes import listed

# The folder gives the fleet its name.
ROOT = "fleet"


class Given(Struct, frozen=True, kw_only=True):
    """What is given of one cluster: its nodes, and its driver objects or chart values as text."""

    name: str
    nodes: bytes
    objects: str = ""
    options: tuple[str, ...] = ()

    def arguments(self, folder: Path) -> list[str]:
        """The command line's part for this cluster, whose files are put into the folder."""
        nodes, objects = folder / f"{self.name}-nodes.json", folder / f"{self.name}-driver.yaml"
        nodes.write_bytes(self.nodes)
        arguments = ["--from-nodes", f"{self.name}={nodes}"]
        if self.objects:
            objects.write_text(self.objects, encoding="utf-8")
            arguments += ["--from-driver", f"{self.name}={objects}"]
        return arguments


class Proposal(Struct, frozen=True):
    """The files of the inventory and the bases that were written, by path, and what was said about them."""

    files: dict[str, str]
    notes: tuple[Note, ...]


def given(name: str, items: Iterable[Mapping[str, Any]], objects: str = "", *options: str) -> Given:
    """One cluster by its nodes and driver objects. `options` are further words of the command line."""
    return Given(name=name, nodes=listed(items), objects=objects, options=options)


def propose(*clusters: Given, existing: Mapping[str, str] | None = None) -> Proposal:
    """What init writes for these clusters, in one run, beside files that are there already."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root = folder / ROOT
        for path, text in (existing or {}).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        options = {option: None for cluster in clusters for option in cluster.options}
        arguments = [argument for cluster in clusters for argument in cluster.arguments(folder)]
        called = call_in(folder, "init", "--format", "json", *arguments, *options, ROOT)
        assert called.code == 0, called.text
        ours = [path for path in called.json["wrote"] if path.startswith(("inventory/", "bases/"))]
        files = {path: (root / path).read_text(encoding="utf-8") for path in ours}
    return Proposal(files, tuple(Note(**note) for note in called.json["notes"]))


def pools(proposal: Proposal, cluster: str) -> dict[str, Any]:
    """The pools of a cluster's file."""
    pools: dict[str, Any] = document(proposal, f"inventory/clusters/{cluster}.yaml")["pools"]
    return pools


def document(proposal: Proposal, path: str) -> Any:
    """A written file, read back."""
    document = read(proposal.files[path], path)
    assert document.findings == ()
    return document.value


def notes(proposal: Proposal) -> list[str]:
    """What was said, without hints."""
    return [f"{note.about}: {note.message}" for note in proposal.notes]


def errors(proposal: Proposal, catalog: Iterable[str] = (), repository: str = "nvcr.io/nvidia/driver") -> list[str]:
    """Rule and tag or message of everything worse than a warning, with these tags in the catalog."""
    lines = "".join(f'  - {{tag: "{tag}", platforms: [linux/amd64, linux/arm64]}}\n' for tag in sorted(catalog))
    path = f"inventory/catalog/{repository}.yaml"
    assert "images: []\n" in proposal.files[path]
    files = dict(proposal.files)
    if lines:
        files[path] = files[path].replace("images: []\n", f"images:\n{lines}")
    serious = [finding for finding in findings(files) if finding.severity != "warning"]
    return sorted(f"{finding.rule} {finding.fact or finding.message}" for finding in serious)
