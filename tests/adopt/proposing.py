"""Proposes an inventory in memory, and reads what was written."""

from collections.abc import Iterable, Mapping
from typing import Any

from generator.adopt.driverobject import Objects, parse
from generator.adopt.given import Given
from generator.adopt.proposal import Proposed, proposed
from generator.documents.document import read
from generator.observed import node
from tests.testing.judging import VERSION, findings
from tests.testing.nodes import listed


def nodes(items: Iterable[Mapping[str, Any]]) -> tuple[node.Node, ...]:
    """The nodes of a list, as the command line reads them."""
    found = node.parse(listed(items))
    assert not isinstance(found, node.Unreadable)
    return found


def objects(text: str) -> Objects:
    found = parse(text.encode())
    assert isinstance(found, Objects)
    return found


def given(name: str, items: Iterable[Mapping[str, Any]], text: str = "", **more: str) -> Given:
    """One cluster by its nodes, and its driver objects as text."""
    return Given(name=name, nodes=nodes(items), objects=objects(text) if text else Objects(), **more)


def propose(*givens: Given, existing: Mapping[str, str] | None = None) -> Proposed:
    """The proposal, which must load."""
    there = {path: text.encode() for path, text in (existing or {}).items()}
    found = proposed("fleet", givens, there, version=VERSION)
    assert found.blocking == ()
    return found


def pools(found: Proposed, cluster: str) -> dict[str, Any]:
    """The pools of a cluster's file."""
    pools: dict[str, Any] = document(found, f"inventory/clusters/{cluster}.yaml")["pools"]
    return pools


def document(found: Proposed, path: str) -> Any:
    """A written file, read back."""
    document = read(found.files[path], path)
    assert document.findings == ()
    return document.value


def notes(found: Proposed) -> list[str]:
    return [f"{note.about}: {note.message}" for note in found.notes]


def errors(found: Proposed, catalog: Iterable[str] = (), repository: str = "nvcr.io/nvidia/driver") -> list[str]:
    """Rule and tag or message of everything worse than a warning, with these tags in the catalog."""
    lines = "".join(f'  - {{tag: "{tag}", platforms: [linux/amd64, linux/arm64]}}\n' for tag in sorted(catalog))
    path = f"inventory/catalog/{repository}.yaml"
    assert "images: []\n" in found.files[path]
    files = dict(found.files)
    if lines:
        files[path] = files[path].replace("images: []\n", f"images:\n{lines}")
    told = [one for one in findings(files) if one.severity != "warning"]
    return sorted(f"{one.rule} {one.fact or one.message}" for one in told)
