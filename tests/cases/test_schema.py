"""Public case of the area schema: what nothing describes is counted and said."""

from tests.cases.inventory import FLEET, files, fleet, pool
from tests.cases.outcome import hides, shows
from tests.testing.repository import CaseRepo

TAG = "535-5.15.0-118-generic-ubuntu22.04"
POOLS = pool("a", 'branch: "535"'), pool("b", 'branch: "535"')
EXTRA = "templates/{cluster}/gpu-operator/extra-{pool}.yaml.j2"
DAEMON_SET = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: {{ pool.name }}\n"
WIDGET = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: {{ pool.name }}\nspec:\n  size: 3\n"
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, properties: {size: {type: integer}}}
"""
PINNED = {FLEET: fleet(top="crds: [crds/widget.yaml]\n"), "crds/widget.yaml": CRD}
# A field that the CRD of NVIDIADriver doesn't have, printed by a user's own template.
MISSPELT = (
    "apiVersion: nvidia.com/v1alpha1\nkind: NVIDIADriver\nmetadata:\n  name: {{ pool.name ~ '-x' }}\n"
    "spec:\n  driverType: gpu\n  image: driver\n  usePrecompild: true\n"
)


def rendered(repo: CaseRepo, template: str, more: dict[str, str] | None = None) -> CaseRepo:
    repo.lay({**files(*POOLS, images=(TAG,)), EXTRA: template, **(more or {})})
    repo.drivergate("render")
    return repo


def test_d102_kinds_without_a_schema_are_counted_and_named(repo: CaseRepo) -> None:
    """yannh/kubeconform#32: NVIDIADriver and ClusterPolicy are always judged, by the facts of the release."""
    said = rendered(repo, DAEMON_SET).drivergate("check")
    assert said.code == 0
    shows(said.out, "not judged, no schema: 2 DaemonSet")
    hides(said.out, "not judged.*NVIDIADriver")


def test_d102_kinds_that_the_fleet_pins_are_judged(repo: CaseRepo) -> None:
    said = rendered(repo, WIDGET).drivergate("check")
    assert said.code == 0
    shows(said.out, "not judged, no schema: 2 Widget")
    pinned = rendered(repo, WIDGET, PINNED).drivergate("check")
    assert pinned.code == 0, pinned.text
    hides(pinned.out, "not judged")


def test_d102_and_strictly(repo: CaseRepo) -> None:
    said = repo.refused({**files(*POOLS, images=(TAG,)), EXTRA: WIDGET.replace("size", "sise"), **PINNED})
    shows(said, "spec.sise", "Widget")


def test_d102_an_nvidiadriver_is_judged_without_any_crd(repo: CaseRepo) -> None:
    said = repo.refused({**files(*POOLS, images=(TAG,)), EXTRA: MISSPELT})
    shows(said, "NVIDIADriver", "usePrecompild", "[operator/unknown-field]")
