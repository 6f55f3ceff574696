"""Fields of the driver API in the declared release, in its chart, and in the CRD that runs."""

from typing import Any

import pytest
import yaml

from generator.facts.definition import Definition, definitions
from generator.finding import Severity
from tests.testing.pools import CLUSTER, FLEET, cluster, fleet, inventory, messages, pool, told
from tests.testing.shared import operator_data

POLICY = "version: v26.7.0, driverApi: ClusterPolicy"
BASE = """\
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: cluster-policy}
spec:
  daemonsets: {}
  dcgm: {}
  dcgmExporter: {}
  devicePlugin: {}
  driver: {}
  gfd: {}
  nodeStatusExporter: {}
  operator: %s
  toolkit: {}
%s"""


def spec(text: str) -> str:
    return pool("a", f"driver: {{spec: {text}}}")


def manifest(base: str, *pools: str, operator: str = "version: v26.7.0, driverApi: ClusterPolicy") -> dict[str, str]:
    said = f"{operator}, install: manifest, clusterPolicyBase: bases/p.yaml"
    return {**inventory(*pools or (pool("a"),), operator=said), "bases/p.yaml": base}


@pytest.mark.parametrize(
    ("text", "operator", "said", "hint"),
    [
        ("{rmda: {enabled: true}}", "version: v26.7.0", "driver.spec.rmda is no field of NVIDIADriver spec", '"rdma"'),
        ("{rdma: {enable: true}}", "version: v26.7.0", "driver.spec.rdma.enable is no field", '"enabled"'),
        ("{env: [{name: a, key: b}]}", "version: v26.7.0", "driver.spec.env[0].key is no field", "name, value"),
        ("{repoConfig: {configMapName: a}}", "version: v26.7.0", "driver.spec.repoConfig.configMapName", "name"),
        ("{repoConfig: {name: a}}", POLICY, "driver.spec.repoConfig.name", "configMapName"),
        (
            "{gds: {enabled: true}}",
            POLICY,
            "driver.spec.gds is no field of ClusterPolicy spec.driver",
            "beside spec.driver",
        ),
    ],
)
def test_a_field_of_no_release_names_what_is_near(text: str, operator: str, said: str, hint: str) -> None:
    (finding,) = told("operator/unknown-field", inventory(spec(text), operator=operator))
    assert said in finding.message
    assert hint in finding.hint
    assert finding.severity is Severity.INVALID
    assert told("operator/field-not-in-release", inventory(spec(text), operator=operator)) == []


@pytest.mark.parametrize(
    ("text", "version", "other"),
    [
        ("{secretEnv: a}", "v25.3.4", "v25.10.1"),
        ("{hostNetwork: true}", "v25.10.1", "v26.3.3"),
        ("{hostNetwork: true}", "v26.3.0", "v26.3.3"),
        ("{podSecurityContext: {runAsUser: 0}}", "v26.7.0", ""),
    ],
)
def test_a_field_of_another_release_names_that(text: str, version: str, other: str) -> None:
    """The releases are those of ../shared/facts/crd-fields; v26.3.0 lacks hostNetwork (facts 9)."""
    found = messages("operator/field-not-in-release", inventory(spec(text), operator=f"version: {version}"))
    assert len(found) == bool(other)
    assert all(f"in operator {other}, and not in {version}" in one for one in found)


def test_an_inherited_field_is_told_once_where_it_stands() -> None:
    files = {FLEET: fleet(driver='branch: "580", spec: {rmda: {}}')}
    for name in ("c", "d"):
        files[f"inventory/{name}.yaml"] = cluster(pool("a"), pool("b", "driver: {kernelModuleType: open}"), name=name)
    (finding,) = told("operator/unknown-field", files)
    assert (finding.place.file, finding.cluster, finding.pool) == (FLEET, "", "")


def test_kernel_module_type_is_translated_for_old_releases() -> None:
    """Before v25.3 the field is called useOpenKernelModules (../shared/design/product.md)."""
    files = inventory(pool("a", "driver: {kernelModuleType: open}"), operator="version: v24.9.2")
    assert told("operator/field-not-in-release", files) == told("operator/unknown-field", files) == []


@pytest.mark.parametrize(("version", "count"), [("v26.3.3", 1), ("v26.7.0", 0)])
def test_default_comes_with_its_release(version: str, count: int) -> None:
    files = inventory(pool("a", "default: true", selector=""), operator=f"version: {version}")
    assert len(told("operator/field-not-in-release", files)) == count


def test_the_chart_carries_no_pull_secrets_of_the_manager() -> None:
    """gpu-operator deployments/gpu-operator/templates/clusterpolicy.yaml: not mapped (facts 5)."""
    text = "{manager: {imagePullSecrets: [a], env: [{name: A, value: b}]}}"
    found = messages("operator/field-not-in-release", inventory(spec(text), operator=POLICY))
    assert found == ["driver.spec.manager.imagePullSecrets has no value in the chart of operator v26.7.0"]
    assert told("operator/field-not-in-release", manifest(BASE % ("{}", ""), spec(text))) == []


def test_a_base_is_judged_by_the_release() -> None:
    base = BASE % ("{}", "  psa: {enabled: true, level: high}\n  cdi: {enabled: 1}\n")
    (unknown,) = told("operator/unknown-field", manifest(base))
    assert (unknown.place.file, unknown.place.line) == ("bases/p.yaml", 14)
    assert unknown.message == "spec.psa.level is no field of ClusterPolicy in operator v26.7.0"
    (refused,) = told("operator/field-not-in-release", manifest(base))
    assert "spec.cdi.enabled of ClusterPolicy must be a boolean, not 1" in refused.message


def test_a_base_without_what_every_clusterpolicy_needs() -> None:
    """NVIDIA/gpu-operator issue 1986: an object with only the fields that someone cares about never applies."""
    base = (BASE % ("{}", "")).replace("  toolkit: {}\n", "")
    (finding,) = told("operator/field-not-in-release", manifest(base))
    assert "spec.toolkit of ClusterPolicy is required" in finding.message
    assert told("operator/field-not-in-release", manifest(BASE % ("{}", ""))) == []


def crd(kind: str, version: str, fields: dict[str, Any]) -> tuple[Definition, ...]:
    root = {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}
    names = {"kind": kind}
    served = {"name": version, "served": True, "schema": {"openAPIV3Schema": root}}
    return definitions(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "spec": {"group": "nvidia.com", "names": names, "scope": "Cluster", "versions": [served]},
        }
    )


def test_a_crd_that_runs_is_strict_about_rendered_fields() -> None:
    """NVIDIA/gpu-operator issue 654: an old CRD doesn't have spec.driver.useNvidiaDriverCRD."""
    folder = operator_data()
    if folder is None:
        pytest.skip("operator data is absent")
    real = definitions(yaml.safe_load((folder / "v23.9.2" / "clusterpolicies.yaml").read_text()))
    files = manifest(BASE % ("{defaultRuntime: crio}", ""), operator="version: v26.7.0")
    found = told("operator/field-not-in-release", files, crds=real)
    assert told("operator/field-not-in-release", files) == []
    wanted = "spec.driver.kernelModuleType is no field of ClusterPolicy in the CRD that the fleet names"
    assert wanted in [one.message for one in found]
    assert {one.place.file for one in found} == {FLEET}


def test_what_the_crd_lacks_is_told_at_the_user_s_own_line() -> None:
    known = {name: {"x-kubernetes-preserve-unknown-fields": True} for name in ("driverType", "image", "nodeSelector")}
    known |= {name: {} for name in ("default", "kernelModuleType", "repository", "upgradePolicy", "usePrecompiled")}
    known["version"] = {"type": "string"}
    running = crd("NVIDIADriver", "v1alpha1", known)
    files = inventory(pool("a", "driver: {spec: {hostNetwork: true}}"), pool("b"))
    found = told("operator/field-not-in-release", files, crds=running)
    assert "spec.hostNetwork is no field of NVIDIADriver in the CRD that the fleet names" in {
        one.message for one in found
    }
    assert {(one.pool, one.place.file) for one in found if "hostNetwork" in one.message} == {("a", CLUSTER)}


def test_a_user_s_own_template_is_judged_too() -> None:
    path = "templates/{cluster}/gpu-operator/extra.yaml.j2"
    text = "apiVersion: nvidia.com/v1alpha1\nkind: NVIDIADriver\nmetadata: {name: extra}\nspec: {drivertype: gpu}\n"
    (finding,) = told("operator/unknown-field", {**inventory(pool("a")), path: text})
    assert finding.message == "spec.drivertype is no field of NVIDIADriver in operator v26.7.0"
    assert (finding.place.file, finding.cluster) == (path, "c")
