"""A rule of a cluster sees that cluster, and a rule of the fleet what clusters hand up: nothing leads further."""

from collections.abc import Iterator
from types import NoneType

import pytest
from msgspec import Struct
from msgspec.structs import replace

from generator.declared.fleet import Cluster, Fleet, Pool
from generator.facts.cuda import Need
from generator.render.output import Rendered
from generator.revision.cluster_inputs import ClusterInputs
from generator.revision.driver_objects import DriverObject
from generator.revision.fleet_inputs import FleetInputs
from generator.revision.revision import Before, Revision
from generator.rules.judge import judge
from generator.rules.rule import JoiningRule
from generator.rules.table import RULES
from tests.testing.inventories import CATALOG, FLEET, HEAD, IMAGE
from tests.testing.judging import revision_of
from tests.testing.reachable import hints, parts, texts, values

NAMES = ("harbour", "quarry")
LATE = {"Need": Need}
# What both inherit, besides the defaults of the fleet.
SHARED = {
    "inventory/fleet.yaml": FLEET + "profiles:\n  common: {operator: {version: v26.7.0}}\n",
    "inventory/aws.yaml": IMAGE,
    "inventory/catalog.yaml": CATALOG,
    "templates/{cluster}/gpu-operator/extra.yaml.j2": "apiVersion: nvidia.com/v1alpha1\nkind: NVIDIADriver\n"
    "metadata: {name: {{ cluster.name ~ '-extra' }}}\n"
    "spec: {nodeSelector: {example.com/extra: {{ cluster.name }}}}\n",
}


def declared(name: str) -> str:
    """A cluster in which whatever can be named bears its name, with what many rules have something to say of."""
    return f"""{HEAD}kind: Cluster
name: {name}
profile: common
operator: {{namespace: ns-{name}}}
silenced:
  - {{rule: image/gone, reason: reason of {name}}}
pools:
  {name}-inherits:
    nodeSelector: {{example.com/{name}: inherits}}
    nodeImage: aws
    hold: {{reason: hold of {name}}}
    taints: ["{name}=true:NoSchedule"]
  {name}-declares:
    nodeSelector: {{example.com/{name}: declares}}
    os: {{id: ubuntu, version: "24.04"}}
    arch: [amd64]
    kernels: [6.8.0-1-{name}]
    driver:
      repository: registry.example.com/{name}/driver
      version: 580.65.06
      mode: compiled
      upgradePolicy: {{autoUpgrade: true, drain: {{enable: true}}}}
      spec: {{args: [{name}]}}
"""


def workloads(name: str) -> str:
    """A workload of the cluster alone, which every family of rules about workloads has something to say of."""
    return f"""{HEAD}kind: Workloads
team: {name}
workloads:
  {name}-work:
    runsOn: {{clusters: [{name}], pools: [{name}-declares]}}
    namespace: {name}
    owner: {{kind: Deployment}}
    replicas: 2
    emptyDir: true
    podLabels: {{app: {name}}}
    cuda: {{driver: ">=999"}}
    disruptionBudget: {{existing: {{maxUnavailable: 0, selector: {{matchLabels: {{app: {name}}}}}}}}}
"""


def before(name: str) -> DriverObject:
    """An object that the cluster rendered in an earlier revision."""
    path = f"{name}/gpu-operator/nvidiadriver-{name}-old.yaml"
    spec = {"nodeSelector": {f"example.com/{name}": "inherits"}}
    return DriverObject(path=path, cluster=name, kind="NVIDIADriver", name=f"{name}-old", spec=spec)


@pytest.fixture(scope="module")
def revision() -> Revision:
    """Both clusters, judged, so that everything that rules remember is there."""
    files = SHARED | {f"inventory/{name}.yaml": declared(name) for name in NAMES}
    files |= {f"inventory/work/{name}.yaml": workloads(name) for name in NAMES}
    built, told = revision_of(files, against=tuple(before(name) for name in NAMES))
    earlier, _ = revision_of({path: text.replace("6.8.0-1-", "6.8.0-0-") for path, text in files.items()})
    built = replace(built, before=Before(earlier.fleet, earlier.catalog))
    judged = judge(built, RULES, told=told)
    rules = {finding.rule for finding in judged.findings}
    assert {"image/missing", "operator/renamed", "upgrade/held", "upgrade/drain-without-selector"} <= rules
    assert {"cuda/driver-too-old", "disruption/no-room", "upgrade/emptydir-will-fail"} <= rules
    return built


@pytest.mark.parametrize(("name", "other"), [NAMES, NAMES[::-1]])
def test_nothing_leads_to_another_cluster(revision: Revision, name: str, other: str) -> None:
    (inputs,) = (inputs for inputs in revision.clusters if inputs.cluster.name == name)
    seen = texts(inputs)
    assert [text for text in seen if other in text] == []
    assert {
        f"inventory/{name}.yaml",
        f"{name}-declares",
        f"6.8.0-1-{name}",
        f"6.8.0-0-{name}",
        f"{name}-old",
        f"{name}-extra",
    } <= seen
    assert {f"hold of {name}", "inventory/fleet.yaml", "inventory/aws.yaml"} <= seen


def test_both_are_found_from_the_revision(revision: Revision) -> None:
    """Else the walk would find nothing wherever it looked."""
    seen = texts(replace(revision, crds=()))
    assert [name for name in NAMES if f"6.8.0-1-{name}" in seen] == [*NAMES]


def test_the_cluster_and_its_pools_are_the_only_ones(revision: Revision) -> None:
    for inputs in revision.clusters:
        everything = list(values(inputs))
        assert {value.name for value in everything if isinstance(value, Cluster)} == {inputs.cluster.name}
        assert {value.cluster for value in everything if isinstance(value, Pool)} == {inputs.cluster.name}
        assert [value for value in everything if isinstance(value, Fleet | Revision)] == []


def test_a_cluster_hands_up_neither_itself_nor_its_pools(revision: Revision) -> None:
    joining = [rule for rule in RULES if isinstance(rule, JoiningRule)]
    assert {"out/stray", "upgrade/ring-order", "inventory/unused-mirror"} <= {rule.id for rule in joining}
    for rule in joining:
        handed_up = [rule.hand_up(inputs) for inputs in revision.clusters]
        handed_up = [list(value) if isinstance(value, Iterator) else value for value in handed_up]
        assert [value for value in values(handed_up) if isinstance(value, Cluster | Pool | Fleet)] == [], rule.id


def test_a_rule_of_the_fleet_sees_no_cluster_but_what_is_rendered(revision: Revision) -> None:
    everything = values(replace(revision.fleet_inputs, rendered=Rendered((), ()), out={}))
    assert [value for value in everything if isinstance(value, Cluster | Pool | Fleet | Revision)] == []
    named = {kind for hint in hints(FleetInputs).values() for kind in parts(hint)}
    assert named.isdisjoint({Cluster, Pool, Fleet, Revision})


# The cluster that is judged: as it is declared, as it was, and as another revision declares it.
OF_ITSELF = {"ClusterInputs.cluster", "ClusterBefore.cluster", "ClusterBefore.becomes"}


class Leaking(ClusterInputs, frozen=True, kw_only=True):
    """Inputs from which other clusters can be reached."""

    others: tuple[Cluster, ...] = ()


def fields_of_clusters(kind: type[Struct]) -> list[str]:
    """The fields that may lead to a cluster or a fleet, but for the one that is the cluster itself."""
    wide = {Cluster, Fleet, Revision}
    declared = {field: hint for field, hint in hints(kind, **LATE).items() if not wide.isdisjoint(parts(hint))}
    return sorted(declared.keys() - OF_ITSELF)


def test_its_types_lead_to_no_other_cluster() -> None:
    declared = hints(ClusterInputs, **LATE)
    assert {kind for field in OF_ITSELF for kind in parts(declared[field])} == {Cluster, NoneType}
    assert fields_of_clusters(ClusterInputs) == []
    assert fields_of_clusters(Leaking) == ["Leaking.cluster", "Leaking.others"]
