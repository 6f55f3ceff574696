"""driver.spec against the CRD of the declared release."""

from typing import Any

import pytest

from generator.declared.build import build
from generator.declared.driverspec import OWNED, fitted, unknown_fields
from generator.declared.inventory import load
from generator.documents.document import read
from generator.documents.places import Path
from generator.facts import crd
from generator.facts.release import DriverApi, Release, resolve
from generator.finding import Finding, Place, Severity

NVD, CP = DriverApi.NVIDIADRIVER, DriverApi.CLUSTERPOLICY


def release(version: str = "v26.7.0") -> Release:
    found = resolve(version)
    assert isinstance(found, Release)
    return found


def fit(text: str, api: DriverApi = NVD, version: str = "v26.7.0") -> tuple[dict[str, Any], tuple[Finding, ...]]:
    value = read(text, "spec.yaml")
    assert value.findings == ()

    def place(path: Path, key: bool) -> Place:
        return Place(".".join(map(str, path)), 1, 1 if key else 2)

    return fitted(api, release(version), value.value, place)


def test_what_is_text_beyond_doubt_becomes_text() -> None:
    spec, findings = fit("manager: {version: 10, env: [{name: A, value: true}]}\nlabels: {a: 1}")
    assert findings == ()
    assert spec == {"manager": {"version": "10", "env": [{"name": "A", "value": "true"}]}, "labels": {"a": "1"}}


def test_numbers_and_truths_stay_what_the_crd_wants() -> None:
    text = "rdma: {enabled: true}\nstartupProbe: {periodSeconds: 10}\nresources: {limits: {cpu: 2, memory: 1Gi}}"
    spec, findings = fit(text)
    assert findings == ()
    assert spec["rdma"] == {"enabled": True}
    assert spec["startupProbe"] == {"periodSeconds": 10}
    assert spec["resources"]["limits"] == {"cpu": 2, "memory": "1Gi"}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("manager: {version: 0.10}", "manager.version"),
        ("resources: {limits: {cpu: 0.5}}", "resources.limits.cpu"),
        ("env: [{name: A, value: on}]", "env.0.value"),
    ],
)
def test_text_that_readers_take_for_something_else_wants_quotes(text: str, path: str) -> None:
    _, (finding,) = fit(text)
    assert (finding.rule, finding.place.file) == ("inventory/quoting", path)
    assert "add quotes" in finding.hint


@pytest.mark.parametrize(
    ("text", "path", "said"),
    [
        ("rdma: {enabled: yes}", "rdma.enabled", "is yes, true or false is wanted"),
        ("startupProbe: {periodSeconds: 0x10}", "startupProbe.periodSeconds", "is 0x10, a whole number is wanted"),
        ("startupProbe: {periodSeconds: 99999999999999999999}", "startupProbe.periodSeconds", "which is too large"),
        ("priorityClassName:", "priorityClassName", "is empty"),
        ("priorityClassName: ~", "priorityClassName", 'is empty (written "~")'),
        ("startupProbe: {periodSeconds: 0}", "startupProbe.periodSeconds", "must be at least 1, not 0"),
        ("driverType: vgpus", "driverType", "must be one of"),
        ("rdma: true", "rdma", "must be an object, not true"),
        ("env: [{value: a}]", "env.0.name", "is required"),
        ("imagePullSecrets: [{name: a}]", "imagePullSecrets.0", "must be a string, not an object"),
    ],
)
def test_what_the_crd_refuses_is_told_at_its_place(text: str, path: str, said: str) -> None:
    _, (finding,) = fit(text)
    assert (finding.rule, finding.severity) == ("inventory/schema", Severity.INVALID)
    assert finding.place.file == path
    assert said in finding.message


def test_a_near_choice_is_offered() -> None:
    _, (finding,) = fit("driverType: vgpus")
    assert finding.hint == 'did you mean "vgpu"?'


@pytest.mark.parametrize("api", [NVD, CP])
def test_what_drivergate_owns_names_the_key_to_use(api: DriverApi) -> None:
    for key, hint in OWNED[api].items():
        spec, (finding,) = fit(f"{key}: true\nhostNetwork: true", api)
        assert spec == {"hostNetwork": True}
        assert (finding.place.file, finding.hint) == (key, hint)
        assert f"driver.spec.{key} " in finding.message


@pytest.mark.parametrize("api", [NVD, CP])
def test_only_fields_of_the_api_are_owned(api: DriverApi) -> None:
    start = ("driver",) if api is CP else ()
    assert set(OWNED[api]) <= set(crd.field_names(api, "v26.7.0", start))


def test_fields_that_a_release_lacks_stay_for_the_rules() -> None:
    spec, findings = fit("rmda: {enabled: 0.5}\nsecretEnv: a", version="v25.3.4")
    assert findings == ()
    assert spec == {"rmda": {"enabled": "0.5"}, "secretEnv": "a"}
    assert list(unknown_fields(NVD, release("v25.3.4"), spec)) == [("rmda",), ("secretEnv",)]


def test_a_patch_release_may_lack_a_field_of_its_line() -> None:
    """gpu-operator v26.3.0 has no hostNetwork, v26.3.3 has."""
    assert list(unknown_fields(NVD, release("v26.3.0"), {"hostNetwork": True})) == [("hostNetwork",)]
    assert list(unknown_fields(CP, release("v26.3.0"), {"hostNetwork": True})) == [("hostNetwork",)]
    assert list(unknown_fields(NVD, release("v26.3.3"), {"hostNetwork": True})) == []


FLEET = """
apiVersion: drivergate.dev/v1alpha1
kind: Fleet
name: f
defaults:
  operator: {version: v26.7.0}
  driver: {repository: nvcr.io/nvidia/driver, branch: "580", spec: {manager: {version: 0.12}}}
"""
CLUSTER = """
apiVersion: drivergate.dev/v1alpha1
kind: Cluster
name: c%d
pools:
  a: &pool
    os: {id: ubuntu, version: "22.04"}
    arch: [amd64]
    kernels: [5.15.0-173-generic]
  b:
    <<: *pool
    driver: {spec: {rdma: {enabled: true}}}
"""


def test_a_line_that_many_pools_inherit_is_told_once_where_it_stands() -> None:
    files = {f"inventory/c{number}.yaml": (CLUSTER % number).encode() for number in range(3)}
    built = build(load({"inventory/fleet.yaml": FLEET.encode(), **files}), version="0.1.0")
    column = FLEET.splitlines()[6].index("0.12") + 1
    told = [(one.rule, one.place) for one in built.findings]
    assert told == [("inventory/quoting", Place("inventory/fleet.yaml", 7, column))]


def test_one_spec_is_fitted_once_for_all_clusters_that_inherit_it() -> None:
    fleet = FLEET.replace("0.12", '"v0.12.0"').encode()
    files = {f"inventory/c{number}.yaml": (CLUSTER % number).encode() for number in range(3)}
    built = build(load({"inventory/fleet.yaml": fleet, **files}), version="0.1.0")
    assert built.findings == ()
    inherited = [cluster.pools[0].driver.spec for cluster in built.fleet.clusters]
    assert all(spec is inherited[0] for spec in inherited)
    own = built.fleet.clusters[0].pools[1].driver.spec
    assert own == {"manager": {"version": "v0.12.0"}, "rdma": {"enabled": True}}
