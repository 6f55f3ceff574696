"""`check` of inventories that are wrong in many places: each mistake is reported once, where it stands."""

from pathlib import Path

import pytest

from tests.testing.command import call
from tests.testing.fleet import lay
from tests.testing.inventories import CATALOG, FLEET, HEAD, IMAGE, POOL

Capture = pytest.CaptureFixture[str]
CLUSTER = f"{HEAD}kind: Cluster\n"


def findings(root: Path, capfd: Capture, files: dict[str, str | bytes]) -> list[str]:
    """What a check of these files reports, a line for each, without severity: all of it stops a render."""
    lay(root, files)
    called = call(capfd, "check", "--format", "json", root=root)
    assert called.code == 2, called.text
    return [finding.removeprefix("error ") for finding in called.findings]


def test_documents_that_can_not_be_read(tmp_path: Path, capfd: Capture) -> None:
    documents = {
        "kind": f"{HEAD}kind: NodeImages\nname: x\n",
        "name": f"{CLUSTER}name: x_\npools: {{}}\n",
        "number": f"{CLUSTER}name: many\npools:\n  a: {{nodes: 99999999999999999999}}\n  b: {{nodes: 0x10}}\n",
        "tag": f"{CLUSTER}name: !!str tagged\npools: {{}}\n",
        "character": f'{CLUSTER}name: odd\nring: "a\\u2028b"\npools: {{}}\n',
    }
    files = {f"inventory/{name}.yaml": text for name, text in documents.items()}
    assert findings(tmp_path, capfd, {"inventory/fleet.yaml": FLEET, **files}) == [
        "inventory/schema inventory/character.yaml:4:7 the value holds the character U+2028",
        'inventory/schema inventory/kind.yaml:2:7 unknown kind "NodeImages" of drivergate.dev/v1alpha1',
        'inventory/schema inventory/name.yaml:3:7 name is "x_", which begins or ends with "_"',
        "inventory/schema inventory/number.yaml:5:14 pools.a.nodes is 99999999999999999999, which is too large",
        "inventory/schema inventory/number.yaml:6:14 pools.b.nodes is 0x10, a whole number or a mapping is wanted",
        "inventory/schema inventory/tag.yaml:3:7 the tag !!str is not supported",
    ]


def test_documents_that_contradict_themselves_and_each_other(tmp_path: Path, capfd: Capture) -> None:
    spec = "{rdma: {enabled: yes}, driverType: vgpus, usePrecompiled: true}"
    own = 'nodeSelector: {example.com/pool: b}, os: {id: ubuntu, version: "22.04"}, arch: [amd64]'
    files: dict[str, str | bytes] = {
        "inventory/fleet.yaml": f"{FLEET}profiles:\n  edge: {{driver: {{branch: '580', version: 580.126.20}}}}\n",
        "inventory/aws.yaml": IMAGE.replace('running: ["2026.04"]', 'running: ["2026.04", "2026.04"]'),
        "inventory/catalog.yaml": CATALOG,
        "inventory/one.yaml": f"{CLUSTER}name: one\nprofile: egde\npools:\n  a: {{{POOL}}}\n"
        f'  b: {{{own}, kernels: [5.15.0-1111-aws], taints: ["x:NoSchedule", "x=:NoSchedule"]}}\n'
        f"driver:\n  spec: {spec}\n",
        "inventory/two.yaml": f"{CLUSTER}name: two\npools: {{}}\n"
        "operator: {install: manifest, clusterPolicyBase: bases/policy.yaml}\n",
        "inventory/team.yaml": f"""{HEAD}kind: Workloads
team: ml
workloads:
  typo: {{runsOn: {{pools: [bb]}}, namespace: ns, owner: {{kind: Job}}}}
  field:
    runsOn: {{pools: [b]}}
    namespace: ns
    owner: {{kind: Job}}
    nodeSelectorTerms: [{{matchFields: [{{key: spec.x, operator: In, values: [node]}}]}}]
  budgets:
    runsOn: {{pools: [b]}}
    namespace: ns
    owner: {{kind: Deployment}}
    podLabels: {{app: w}}
    disruptionBudget:
      - existing: {{file: bases/budgets.yaml, name: other}}
      - existing: {{file: bases/budgets.yaml, name: w}}
""",
        "bases/policy.yaml": "apiVersion: v1\nkind: ConfigMap\n",
        "bases/budgets.yaml": "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: w, namespace: ns}\n"
        "spec:\n  selector: {matchLabels: {app: w}}\n  minAvailable: -1\n",
        ".drivergate-baseline.yaml": "findings: none\n",
    }
    no_policy = "bases/policy.yaml is no ClusterPolicy of nvidia.com/v1"
    choice = 'must be one of "gpu", "vgpu", "vgpu-host-manager", not "vgpus"'
    sets_itself = "drivergate sets from the inventory's own keys"
    no_field = "no field that nodes are selected by: metadata.name is the only one"
    no_budget = "no budget of namespace ns that is named other, but ns/w"
    alternatives = "driver.branch and driver.version are alternatives, and both are given"
    assert findings(tmp_path, capfd, files) == [
        'inventory/duplicate inventory/aws.yaml:8:22 node image "aws": running lists "2026.04" twice',
        'inventory/duplicate inventory/one.yaml:7:148 pool "b": taints lists "x=:NoSchedule" twice',
        "inventory/schema .drivergate-baseline.yaml:1:1 .drivergate-baseline.yaml holds no list of findings",
        'inventory/schema bases/budgets.yaml:6:17 spec.minAvailable is -1, a number of pods, or "25%" is wanted',
        f'inventory/schema bases/policy.yaml:1:1 {no_policy} (kind "ConfigMap", apiVersion "v1")',
        f"inventory/schema inventory/fleet.yaml:8:34 {alternatives}",
        'inventory/schema inventory/one.yaml:4:10 profile "egde" is not declared in the Fleet document',
        "inventory/schema inventory/one.yaml:9:26 driver.spec.rdma.enabled is yes, true or false is wanted",
        f"inventory/schema inventory/one.yaml:9:44 driver.spec.driverType {choice} (NVIDIADriver of operator v26.7.0)",
        f"inventory/schema inventory/one.yaml:9:51 driver.spec.usePrecompiled is what {sets_itself}",
        f'inventory/schema inventory/team.yaml:10:40 workload "field": In of spec.x names {no_field}',
        f'inventory/schema inventory/team.yaml:17:26 workload "budgets": bases/budgets.yaml holds {no_budget}',
        'inventory/schema inventory/team.yaml:5:27 workload "typo": no cluster has a pool "bb"',
    ]


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
            spec:
              type: object
              properties:
                size: {type: integer, minimum: 3}
                zones: {type: array, x-kubernetes-list-type: set, items: {type: string}}
                form: {type: string, oneOf: [{pattern: a}, {pattern: b}]}
                name: {type: string, anyOf: [{pattern: ^x}, {pattern: ^y}]}
                rate: {type: integer}
                whole: {type: integer}
"""
WIDGET = """\
apiVersion: example.com/v1
kind: Widget
metadata:
  name: {{ pool.name }}
spec:
  size: 2
  zones: [a, b, a]
  form: ab
  name: z
  rate: 1.5
  whole: 1.0
"""


def test_what_a_crd_of_the_fleet_refuses(tmp_path: Path, capfd: Capture) -> None:
    """As kube-openapi pkg/validation/validate says: 1.0 is an integer, 1.5 is none; exactly one form of oneOf fits."""
    template = "templates/{cluster}/gpu-operator/widget-{pool}.yaml.j2"
    files: dict[str, str | bytes] = {
        "inventory/fleet.yaml": f"{FLEET}crds: [crds/widget.yaml]\n",
        "inventory/aws.yaml": IMAGE,
        "inventory/catalog.yaml": CATALOG,
        "inventory/one.yaml": f"{CLUSTER}name: one\npools:\n  a: {{{POOL}}}\n",
        "crds/widget.yaml": CRD,
        template: WIDGET,
    }
    by = "(in the CRD that the fleet names)"
    where = f"operator/field-not-in-release {template}:0:0"
    assert findings(tmp_path, capfd, files) == [
        f"{where} spec.form of Widget must fit exactly one form of oneOf, not 2 {by}",
        f"{where} spec.name of Widget must fit a form of anyOf {by}",
        f"{where} spec.rate of Widget must be an integer, not 1.5 {by}",
        f"{where} spec.size of Widget must be at least 3, not 2 {by}",
        f"{where} spec.zones[2] of Widget repeats an earlier item {by}",
    ]


def test_images_and_fields_that_no_operator_takes(tmp_path: Path, capfd: Capture) -> None:
    """A capital letter makes a host (regclient types/ref/ref.go), and is in no path of a repository."""
    own = 'os: {id: ubuntu, version: "22.04"}, arch: [amd64]'
    host = f"nodeSelector: {{p: host}}, {own}, driver: {{repository: Mirror/nvidia/driver}}"
    path = f"nodeSelector: {{p: path}}, {own}, driver: {{repository: nvcr.io/NVIDIA/driver}}"
    digest = f'nodeSelector: {{p: digest}}, {own}, driver: {{version: "sha256:cafe"}}'
    compiled = 'driver: {mode: compiled, version: "580.126.20", spec: {hostNetwork: true}}'
    manager = "driver: {spec: {manager: {imagePullSecrets: [pull]}}}"
    files: dict[str, str | bytes] = {
        "inventory/fleet.yaml": FLEET,
        "inventory/aws.yaml": IMAGE,
        "inventory/catalog.yaml": CATALOG,
        "inventory/one.yaml": f"{CLUSTER}name: one\noperator: {{version: v26.3.0}}\n{compiled}\n"
        f"pools:\n  host: {{{host}}}\n  path: {{{path}}}\n  digest: {{{digest}}}\n",
        "inventory/two.yaml": f"{CLUSTER}name: two\noperator: {{driverApi: ClusterPolicy}}\n{manager}\n"
        f"pools:\n  a: {{{POOL}}}\n",
    }
    not_in_chart = "has no value in the chart of operator v26.7.0"
    no_name = "is no name of a repository"
    unlisted = "for linux/amd64, and no catalog lists images of Mirror/nvidia/driver"
    other_release = "is a field of NVIDIADriver in operator v26.3.3, and not in v26.3.0"
    assert findings(tmp_path, capfd, files) == [
        f'image/illegal-tag inventory/one.yaml:8:107 driver.repository "nvcr.io/NVIDIA/driver" {no_name}',
        'image/illegal-tag inventory/one.yaml:9:108 driver.version "sha256:cafe" is no digest',
        f'image/missing inventory/one.yaml:5:35 pool "one/host" needs 580.126.20-ubuntu22.04 {unlisted}',
        f"operator/field-not-in-release inventory/one.yaml:5:56 driver.spec.hostNetwork {other_release}",
        f"operator/field-not-in-release inventory/two.yaml:5:27 driver.spec.manager.imagePullSecrets {not_in_chart}",
    ]
