"""What Argo CD and Flux are told: against their own schemas, and against the files that it speaks of (gitops facts)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from generator.facts import crd
from tests.testing.trees import NAMES, Emitted, emitted

SCHEMAS = Path(__file__).resolve().parents[1] / "data" / "gitops"
SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
REF = re.compile(r"[a-zA-Z0-9_-]+")  # argo-cd util/argo/argo.go, GetRefSources
# Section 1.4: what Argo CD reads from an Application.
OPTION = re.compile(
    r"(CreateNamespace|FailOnSharedResource|ServerSideApply|ApplyOutOfSyncOnly|RespectIgnoreDifferences)=true"
)
ROOT = "teams/gpu/"  # where everything.py says that drivergate's root lies

pytestmark = pytest.mark.parametrize("name", NAMES)


def of_kind(name: str, kind: str) -> list[Emitted]:
    found = [file for file in emitted(name) if file.delivers and file.kind == kind]
    assert found
    return found


def applications(name: str) -> Iterator[tuple[Emitted, list[dict[str, Any]]]]:
    """Each Application with its sources."""
    for file in of_kind(name, "Application"):
        spec = file.document["spec"]
        assert ("source" in spec) != ("sources" in spec), file.path
        yield file, spec.get("sources") or [spec["source"]]


def kustomizations(name: str) -> list[Emitted]:
    found = of_kind(name, "Kustomization")
    return [one for one in found if one.document["apiVersion"].startswith("kustomize.toolkit.fluxcd.io/")]


def of_budgets(file: Emitted) -> bool:
    """Whether it brings budgets, and no drivers."""
    return file.document["metadata"]["name"].startswith("gpu-budgets")


def here(name: str, path: str) -> str:
    """A path as the tool knows it, below out/."""
    found = path.removeprefix(ROOT) if name == "everything" else path
    assert found.startswith("out/"), path
    return found.removeprefix("out/")


@pytest.mark.parametrize("kind", ["Application", "Kustomization"])
def test_the_tools_own_schemas(name: str, kind: str) -> None:
    schema = json.loads((SCHEMAS / f"{kind.lower()}.json").read_text(encoding="utf-8"))
    validator = jsonschema_rs.validator_for(schema)
    wanted = schema["properties"]["apiVersion"]["const"]
    files = [file for file in of_kind(name, kind) if file.document["apiVersion"] == wanted]
    assert files
    for file in files:
        assert [str(error) for error in validator.iter_errors(file.document)] == [], file.path
        wrong = {**file.document, "spec": {**file.document["spec"], "syncOptions": []}}
        assert not validator.is_valid(wrong)


def test_every_default_of_the_schemas_is_written_out(name: str) -> None:
    """Rule 11: kustomize-controller's CRD has one for `force`, and that of Argo CD has none."""
    for file in kustomizations(name):
        assert file.document["spec"]["force"] is False, file.path


def test_names(name: str) -> None:
    seen = set()
    for file in (*of_kind(name, "Application"), *kustomizations(name)):
        metadata = file.document["metadata"]
        assert SUBDOMAIN.fullmatch(metadata["name"]), file.path
        assert len(metadata["name"]) <= 63, file.path
        if file.kind == "Application":
            key = metadata["namespace"], metadata["name"]
            assert key not in seen, file.path
            seen.add(key)


def test_sources(name: str) -> None:
    """Fixture 12: values come from one named source, from the root of its repository, and it is not rendered too."""
    charts = 0
    paths = {file.path for file in emitted(name)}
    for file, sources in applications(name):
        refs = [source for source in sources if "ref" in source]
        for source in refs:
            assert REF.fullmatch(source["ref"]), file.path
            assert not {"path", "chart"} & set(source), file.path
        for source in (source for source in sources if "chart" in source):
            charts += 1
            assert len(refs) == 1, file.path
            assert not source["repoURL"].startswith("oci://"), file.path
            start = f"${refs[0]['ref']}/"
            files = source["helm"]["valueFiles"]
            assert all(one.startswith(start) for one in files), file.path
            assert here(name, files[-1].removeprefix(start)) in paths, file.path
            assert file.cluster is not None
            assert source["targetRevision"] == file.cluster.operator.release.version, file.path
        for source in (source for source in sources if "path" in source):
            assert f"{here(name, source['path'])}/kustomization.yaml" in paths, file.path
    assert charts


def test_only_helm_gets_a_chart(name: str) -> None:
    for file, sources in applications(name):
        assert file.cluster is not None
        installs = any("chart" in source for source in sources)
        helm = not of_budgets(file) and file.cluster.operator.install == "helm"
        assert installs == helm, file.path
        options = file.document["spec"]["syncPolicy"]["syncOptions"]
        assert ("CreateNamespace=true" in options) == installs, file.path
        assert all(OPTION.fullmatch(option) for option in options), file.path
        assert options == sorted(set(options)), file.path


def test_a_destination_is_told_in_one_way(name: str) -> None:
    for file in of_kind(name, "Application"):
        assert len({"name", "server"} & set(file.document["spec"]["destination"])) == 1, file.path


def test_what_is_taken_away_tears_no_driver_down(name: str) -> None:
    """Deleting an Application or a Kustomization leaves what it brought; nothing prunes unasked."""
    for file in (one for one in of_kind(name, "Application") if not of_budgets(one)):
        assert "finalizers" not in file.document["metadata"], file.path
        assert not file.document["spec"]["syncPolicy"].get("automated", {}).get("prune"), file.path
    for file in (one for one in kustomizations(name) if not of_budgets(one)):
        assert file.document["spec"]["deletionPolicy"] == "Orphan", file.path


def test_a_budget_goes_with_what_brought_it(name: str) -> None:
    """One that nobody declares any more would block drains, and a missing one only leaves pods unguarded."""
    folders = set()
    for file in (one for one in of_kind(name, "Application") if of_budgets(one)):
        assert file.document["metadata"]["finalizers"] == ["resources-finalizer.argocd.argoproj.io"], file.path
        assert file.document["spec"]["syncPolicy"].get("automated", {"prune": True})["prune"], file.path
        folders.add(here(name, file.document["spec"]["source"]["path"]))
    for file in (one for one in kustomizations(name) if of_budgets(one)):
        assert file.document["spec"]["prune"] is True, file.path
        assert not {"deletionPolicy", "dependsOn", "healthCheckExprs"} & set(file.document["spec"]), file.path
        folders.add(here(name, file.document["spec"]["path"].removeprefix("./")))
    assert folders == {
        f"{file.cluster.name}/workloads"
        for file in emitted(name)
        if file.kind == "PodDisruptionBudget"
        and file.cluster
        and (file.cluster.delivery.argocd or file.cluster.delivery.flux)
    }


def test_flux_waits_for_the_operator_and_for_its_own_drivers(name: str) -> None:
    """Public case D68, and section 2.2: a namespace for all would be given to cluster-scoped objects."""
    served = {(crd.definition(kind, "v26.7.0").api_version, kind) for kind in ("ClusterPolicy", "NVIDIADriver")}
    for file in (one for one in kustomizations(name) if not of_budgets(one)):
        spec = file.document["spec"]
        assert spec["dependsOn"][0]["name"], file.path
        assert "targetNamespace" not in spec, file.path
        assert {(one["apiVersion"], one["kind"]) for one in spec["healthCheckExprs"]} == served
        assert spec["path"].startswith("./"), file.path
        folder = here(name, spec["path"].removeprefix("./"))
        synced = [one for one in emitted(name) if one.path.startswith(f"{folder}/")]
        assert any(one.kind == "Kustomization" for one in synced), file.path
        assert not any(one.kind == "CustomResourceDefinition" for one in synced), file.path


def test_the_values_of_a_helmrelease_have_a_name_that_stays(name: str) -> None:
    """Fixture 11: what HelmReleases read is what lies in the values file, under the key that they take unasked."""
    found = [file for file in emitted(name) if file.path.endswith("/gpu-operator-values.yaml")]
    assert found
    texts = {file.path: file for file in emitted(name)}
    for file in found:
        assert file.cluster is not None
        assert file.document["metadata"]["name"] == "drivergate-gpu-operator-values"
        assert list(file.document["data"]) == ["values.yaml"]
        beside = texts[f"{file.cluster.name}/values/gpu-operator.yaml"]
        assert yaml.safe_load(file.document["data"]["values.yaml"]) == beside.document, file.path


def test_nothing_of_it_lies_in_a_folder_that_is_synced_to_a_cluster(name: str) -> None:
    kinds = {"Application", "ApplicationSet"}
    for file in emitted(name):
        if not file.delivers:
            assert file.kind not in kinds, file.path
            assert not file.kind or not file.document["apiVersion"].startswith("kustomize.toolkit"), file.path
