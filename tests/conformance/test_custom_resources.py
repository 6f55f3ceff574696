"""Every ClusterPolicy and NVIDIADriver that we emit, against the CRD of the release that it is for."""

from typing import Any

import pytest

from generator.facts import crd
from generator.facts.definition import judge
from tests.conformance import crds
from tests.testing import everything
from tests.testing.judging import revision_of
from tests.testing.trees import NAMES, Emitted, blocking, emitted, repository

KINDS = ("ClusterPolicy", "NVIDIADriver")
OURS = {"argocd.argoproj.io/sync-options", "kustomize.toolkit.fluxcd.io/prune"}


def resources(name: str) -> list[Emitted]:
    return [file for file in emitted(name) if file.kind in KINDS]


def driver_of(file: Emitted) -> Any:
    spec = file.document["spec"]
    return spec["driver"] if file.kind == "ClusterPolicy" else spec


def test_everything_is_covered() -> None:
    """Each release, API and way to install; each field of each driver API that isn't drivergate's own."""
    assert blocking("everything") == []
    every = everything.releases()
    operators = {
        (
            file.cluster.operator.release.version,
            str(file.cluster.operator.driver_api),
            str(file.cluster.operator.install),
        )
        for file in emitted("everything")
        if file.cluster
    }
    assert len(every) >= 15
    assert len(operators) == len(every) * 2 * 3
    for release in every:
        for kind in KINDS:
            files = [one for one in resources("everything") if one.kind == kind]
            drivers = [driver_of(one) for one in files if one.cluster.operator.release.version == release.version]
            said = {key for driver in drivers for key in driver}
            path = ("driver",) if kind == "ClusterPolicy" else ()
            fields = set(crd.field_names(kind, release.fields, path, release.lacks(kind)))
            left_out = {"livenessProbe", "readinessProbe"} if kind == "ClusterPolicy" else set()
            replaced = {"useOpenKernelModules"} if release.kernel_module_type else {"kernelModuleType"} - said
            if not release.object_upgrade_policy and kind == "NVIDIADriver":
                replaced.add("upgradePolicy")
            assert fields - said <= left_out | replaced, release.version


@pytest.mark.parametrize("name", NAMES)
class TestStrictly:
    """No field that the release lacks, none of a wrong type, no default left for the server to add."""

    def test_by_the_real_crds(self, name: str) -> None:
        refused = {}
        for file in resources(name):
            validator = crds.validator(file.kind, file.cluster.operator.release.fields)
            found = [f"{list(error.instance_path)}: {error.message}" for error in validator.iter_errors(file.document)]
            if found:
                refused[file.path] = found
        assert refused == {}

    def test_by_our_facts(self, name: str) -> None:
        refused = {}
        for file in resources(name):
            release = file.cluster.operator.release
            definition = crd.definition(file.kind, release.fields, release.lacks(file.kind))
            assert file.document["apiVersion"] == definition.api_version
            found = judge(definition.checks, file.document)
            if found:
                refused[file.path] = found
        assert refused == {}

    def test_no_default_is_left_by_the_real_crds(self, name: str) -> None:
        for file in resources(name):
            schema = crds.schema(file.kind, file.cluster.operator.release.fields)["properties"]["spec"]
            if file.kind == "ClusterPolicy":
                schema = schema["properties"]["driver"]
            assert crds.defaulted(driver_of(file), schema) == driver_of(file), file.path

    def test_no_default_is_left_by_our_facts(self, name: str) -> None:
        for file in resources(name):
            release, spec = file.cluster.operator.release, file.document["spec"]
            stored = crd.defaulted(file.kind, release.fields, spec, release.lacks(file.kind))
            if file.kind == "ClusterPolicy":
                assert stored["driver"] == spec["driver"], file.path
            else:
                assert stored == spec, file.path

    def test_cluster_scoped_objects_have_no_namespace(self, name: str) -> None:
        assert [file.path for file in resources(name) if "namespace" in file.document["metadata"]] == []


@pytest.mark.parametrize("name", NAMES)
def test_all_but_the_driver_of_a_base_stays_as_it_was(name: str) -> None:
    context, _ = revision_of(repository(name))
    policies = [file for file in emitted(name) if file.kind == "ClusterPolicy"]
    assert policies
    for file in policies:
        base = context.bases[file.cluster.operator.policy_base]
        rest = {key: value for key, value in file.document["spec"].items() if key != "driver"}
        assert rest == {key: value for key, value in base["spec"].items() if key != "driver"}, file.path
        assert list(rest) == [key for key in base["spec"] if key != "driver"], file.path
        ours, theirs = file.document["metadata"], base["metadata"]
        notes = {key: value for key, value in ours["annotations"].items() if key not in OURS}
        wanted = {key: value for key, value in theirs.get("annotations", {}).items() if key not in OURS}
        assert notes == wanted, file.path
        assert {**ours, "annotations": None} == {**theirs, "annotations": None}, file.path


def test_an_option_that_is_the_users_own_stays_beside_ours() -> None:
    """The base says ServerSideApply=true and Prune=false, which protects more than Prune=confirm."""
    for file in (file for file in emitted("everything") if file.kind == "ClusterPolicy"):
        options = file.document["metadata"]["annotations"]["argocd.argoproj.io/sync-options"]
        assert options == "Delete=confirm,Prune=false,ServerSideApply=true,SkipDryRunOnMissingResource=true"


def test_odd_text_stays_text() -> None:
    policies = [file.document["spec"] for file in emitted("everything") if file.kind == "ClusterPolicy"]
    assert all([one["value"] for one in spec["toolkit"]["env"]] == list(everything.TEXTS) for spec in policies)
    specs = [file.document["spec"] for file in emitted("everything") if file.kind == "NVIDIADriver"]
    assert {spec["nodeSelector"]["example.com/odd"] for spec in specs if "nodeSelector" in spec} == {"0644"}
    assert {spec["version"] for spec in specs} == {"580", everything.VERSION}
