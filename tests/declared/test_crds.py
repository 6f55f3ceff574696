"""CRD files that the fleet names."""

from pathlib import Path

import pytest

from generator.declared.crds import plain, read_crd
from generator.documents.document import read
from generator.finding import Place, Severity
from tests.testing.shared import operator_data

SAID = Place("inventory/fleet.yaml", 7, 8)
CRD = b"""apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: nvidiadrivers.nvidia.com}
spec:
  group: nvidia.com
  scope: Cluster
  names: {kind: NVIDIADriver, plural: nvidiadrivers}
  versions:
    - name: v1alpha1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}
"""


def test_a_definition() -> None:
    (found,), problems = read_crd("crds/a.yaml", CRD, SAID)
    assert problems == ()
    assert (found.api_version, found.kind, found.namespaced) == ("nvidia.com/v1alpha1", "NVIDIADriver", False)


@pytest.mark.parametrize("path", ["/a.yaml", "../a.yaml", "inventory/a.yaml", "out/a.yaml", "./crds/a.yaml"])
def test_a_path_that_is_not_read(path: str) -> None:
    found, (problem,) = read_crd(path, CRD, SAID)
    assert (found, problem.place, problem.severity) == ((), SAID, Severity.INVALID)
    assert problem.hint


def test_a_file_that_is_not_there() -> None:
    found, (problem,) = read_crd("crds/a.yaml", None, SAID)
    assert (found, problem.place) == ((), SAID)


@pytest.mark.parametrize(
    "text", [b"", b"a: 1\n", b"- a\n", CRD.replace(b"served: true", b"served: false"), CRD.replace(b"openAPI", b"open")]
)
def test_a_file_without_a_definition(text: bytes) -> None:
    found, (problem,) = read_crd("crds/a.yaml", text, SAID)
    assert (found, problem.place) == ((), Place("crds/a.yaml", 1, 1))


def test_a_file_that_is_no_yaml() -> None:
    found, (problem,) = read_crd("crds/a.yaml", CRD + b"x: [\n", SAID)
    assert (found, problem.place.file, problem.place.line) == ((), "crds/a.yaml", 14)


def test_values_as_a_kubernetes_client_reads_them() -> None:
    value = read('a: ~\nb: [on, No, 1.5, "1.5", 1e3]\nc: {d: text, e: }\n', "").value
    assert plain(value) == {"a": None, "b": [True, False, 1.5, "1.5", 1000.0], "c": {"d": "text", "e": None}}


def test_the_operator_s_own_crds_can_be_read() -> None:
    data = operator_data()
    if data is None:
        pytest.skip("the operator's CRDs are absent")
    for path in sorted(Path(data).glob("*/*s.yaml")):
        if path.name != "chart-values.yaml":
            found, problems = read_crd(f"crds/{path.name}", path.read_bytes(), SAID)
            assert problems == ()
            assert [one.kind for one in found] == ["ClusterPolicy" if "policies" in path.name else "NVIDIADriver"]
