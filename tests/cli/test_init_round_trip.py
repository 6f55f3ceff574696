"""The sample fleet, adopted from what it renders and from nodes that its pools would have, renders the same again."""

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from generator.declared.build import build
from generator.declared.fleet import Cluster
from generator.declared.inventory import load
from tests.testing.adopting import Given, given, notes, propose
from tests.testing.judging import VERSION, bytes_of, revision_of
from tests.testing.nodes import of_pools
from tests.testing.shared import REPO

INVENTORY = {
    str(path.relative_to(REPO)): path.read_bytes() for path in (REPO / "inventory").rglob("*") if path.is_file()
}
CLUSTERS = {one.name: one for one in build(load(INVENTORY), version=VERSION).fleet.clusters}


def out(cluster: str) -> dict[str, str]:
    """What lies below out/ of one cluster."""
    return {
        str(path.relative_to(REPO / "out")): path.read_text(encoding="utf-8")
        for path in sorted((REPO / "out" / cluster).rglob("*.yaml"))
    }


def as_given(cluster: Cluster) -> Given:
    """The cluster as it would be shown: nodes of its pools, and the objects that it renders."""
    objects = "\n---\n".join(out(cluster.name).values())
    return given(cluster.name, of_pools(cluster), objects, f"--operator={cluster.operator.release.version}")


def rendered(files: Mapping[str, str]) -> dict[str, str]:
    """What an inventory renders, by the path below out/."""
    revision, _ = revision_of(bytes_of(files))
    return {file.path: file.text for file in revision.rendered.files}


def compared(files: Mapping[str, str]) -> dict[str, Any]:
    """Everything that reaches a driver: the objects, and the values. Not the list of images, whose kernels move on."""
    loaded = {path: yaml.safe_load(text) for path, text in files.items()}
    kinds = {"NVIDIADriver", "ClusterPolicy"}
    return {path: value for path, value in loaded.items() if value.get("kind") in kinds or "/values/" in path}


@pytest.mark.parametrize("name", sorted(CLUSTERS))
def test_the_same_is_rendered(name: str) -> None:
    proposal = propose(as_given(CLUSTERS[name]))
    assert compared(rendered(proposal.files)) == compared(out(name))
    assert len(compared(out(name))) >= 1
    assert [note for note in notes(proposal) if "is rendered as" in note or "can't be said" in note] == []


def test_all_five_in_one_repository() -> None:
    """One run for each operator release, since one run has one --operator."""
    files: dict[str, str] = {}
    expected: dict[str, Any] = {}
    for release in sorted({cluster.operator.release.version for cluster in CLUSTERS.values()}):
        clusters = [cluster for cluster in CLUSTERS.values() if cluster.operator.release.version == release]
        files |= propose(*map(as_given, clusters), existing=files).files
        for cluster in clusters:
            expected |= compared(out(cluster.name))
    assert compared(rendered(files)) == expected
