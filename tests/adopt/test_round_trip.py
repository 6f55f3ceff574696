"""The sample fleet, adopted from what it renders and from nodes that its pools would have, renders the same again."""

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from generator.declared.build import build
from generator.declared.fleet import Cluster
from generator.declared.inventory import load
from tests.adopt.proposing import given, notes, propose
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


def adopted(cluster: Cluster) -> tuple[dict[str, str], list[str]]:
    """The rendered files of the cluster after adoption, and the notes."""
    text = "\n---\n".join(out(cluster.name).values())
    found = propose(given(cluster.name, of_pools(cluster), text, operator=cluster.operator.release.version))
    context, _ = revision_of(bytes_of(found.files))
    return {file.path: file.text for file in context.rendered.files}, notes(found)


def compared(files: Mapping[str, str]) -> dict[str, Any]:
    """Everything that reaches a driver: the objects, and the values. Not the list of images, whose kernels move on."""
    loaded = {path: yaml.safe_load(text) for path, text in files.items()}
    kinds = {"NVIDIADriver", "ClusterPolicy"}
    return {path: one for path, one in loaded.items() if one.get("kind") in kinds or "/values/" in path}


@pytest.mark.parametrize("name", sorted(CLUSTERS))
def test_the_same_is_rendered(name: str) -> None:
    files, _ = adopted(CLUSTERS[name])
    assert compared(files) == compared(out(name))
    assert len(compared(files)) >= 1


@pytest.mark.parametrize("name", sorted(CLUSTERS))
def test_nothing_is_told_to_differ(name: str) -> None:
    _, told = adopted(CLUSTERS[name])
    assert [one for one in told if "is rendered as" in one or "can't be said" in one] == []


def test_all_five_in_one_repository() -> None:
    givens = [
        given(one.name, of_pools(one), "\n---\n".join(out(one.name).values()), operator=one.operator.release.version)
        for one in CLUSTERS.values()
    ]
    context, _ = revision_of(bytes_of(propose(*givens).files))
    files = {file.path: file.text for file in context.rendered.files}
    assert compared(files) == {path: one for name in CLUSTERS for path, one in compared(out(name)).items()}
