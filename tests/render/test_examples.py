"""The template examples of docs/examples/, rendered for the sample fleet."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.finding import Severity
from generator.revision.revision import Revision
from tests.testing.judging import revision_of
from tests.testing.shared import REPO

EXAMPLES = sorted(path for path in (REPO / "docs" / "examples").iterdir() if path.is_dir())
SAMPLE = {
    str(path.relative_to(REPO)): path.read_bytes()
    for name in ("inventory", "bases")
    for path in (REPO / name).rglob("*.yaml")
}


def laid_over(example: str) -> Revision:
    folder = REPO / "docs" / "examples" / example
    templates = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.j2")}
    assert templates
    revision, told = revision_of({**SAMPLE, **templates})
    assert [one for one in (*told, *revision.rendered.findings) if one.severity is not Severity.WARNING] == []
    return revision


def documents(revision: Revision, kind: str) -> dict[str, Any]:
    loaded = {file.path: yaml.safe_load(file.text) for file in revision.rendered.files}
    return {path: one for path, one in loaded.items() if one.get("kind") == kind}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_every_example_renders_and_is_named_in_the_documentation(example: Path) -> None:
    laid_over(example.name)
    pages = [path.read_text(encoding="utf-8") for path in (REPO / "docs").glob("*.md")]
    assert any(f"examples/{example.name}/" in page for page in pages)


def test_a_pool_s_images_are_pulled_onto_its_nodes() -> None:
    revision = laid_over("pre-pull")
    pulled = documents(revision, "DaemonSet")
    pools = {(cluster.name, pool.name): pool for cluster in revision.fleet.clusters for pool in cluster.managed_pools}
    assert set(pulled) == {f"{cluster}/gpu-operator/pre-pull-{pool}.yaml" for cluster, pool in pools}
    for (cluster, name), pool in pools.items():
        made = pulled[f"{cluster}/gpu-operator/pre-pull-{name}.yaml"]
        listed = documents(revision, "ConfigMap")[f"{cluster}/gpu-operator/drivergate-images.yaml"]["data"][name]
        template = made["spec"]["template"]
        images = [one["image"] for one in template["spec"]["initContainers"]]
        assert images == [one for one in listed.split() if not one.startswith("nvcr.io/nvidia/cloud-native/")]
        assert template["spec"]["nodeSelector"] == pool.node_selector
        assert len(template["spec"].get("tolerations", [])) == len(pool.taints)
        assert template["metadata"]["labels"] == made["spec"]["selector"]["matchLabels"]
        kustomization = documents(revision, "Kustomization")[f"{cluster}/gpu-operator/kustomization.yaml"]
        assert f"pre-pull-{name}.yaml" in kustomization["resources"]


def test_an_object_gets_labels_and_nothing_else_changes() -> None:
    plain, _ = revision_of(SAMPLE)
    ours, theirs = documents(plain, "NVIDIADriver"), documents(laid_over("labels"), "NVIDIADriver")
    assert len(ours) > 5
    assert {path: one["metadata"].pop("labels") for path, one in theirs.items()} == {
        f"{cluster.name}/gpu-operator/nvidiadriver-{pool.name}.yaml": {
            "example.com/ring": cluster.ring,
            "example.com/owner": pool.owner,
        }
        for cluster in plain.fleet.clusters
        for pool in cluster.managed_pools
        if f"{cluster.name}/gpu-operator/nvidiadriver-{pool.name}.yaml" in ours
    }
    assert theirs == ours
