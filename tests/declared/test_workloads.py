"""What a team declares to run on GPUs: effective values, and names, numbers and terms that can't be meant."""

import pytest

from generator.declared.build import build
from generator.declared.fleet import Fleet
from generator.declared.inventory import load
from generator.declared.modelparts import Size
from generator.declared.selection import exactly
from generator.declared.workload import Workload
from generator.facts.cudachoice import By, Compatibility, LabelFamily
from generator.finding import Place, Severity
from tests.testing.inventories import (
    CLUSTER_FILE,
    FLEET,
    POOL,
    WORKLOADS_FILE,
    cluster,
    files,
    only,
    told,
    workload,
    workloads,
)
from tests.testing.judging import VERSION, bytes_of, revision_of

OTHER = POOL.replace("pool: a", "pool: b")


def repository(*entries: str, more: str = "", **documents: str) -> dict[str, str]:
    return {**files(more=more), WORKLOADS_FILE: workloads(*entries), **documents}


def fleet(*entries: str, more: str = "", **documents: str) -> Fleet:
    context, problems = revision_of(repository(*entries, more=more, **documents))
    assert [one for one in problems if one.severity is Severity.INVALID] == []
    return context.fleet


def one(entry: str) -> Workload:
    (found,) = fleet(entry).workloads
    return found


def test_what_nobody_says_has_the_documented_default() -> None:
    made = one("runsOn: {pools: [a]}, namespace: ns, owner: {kind: Deployment}")
    assert (made.name, made.team, made.namespace, made.owner_name) == ("w", "ml", "ns", "w")
    assert (made.resource, made.count, made.empty_dir) == ("nvidia.com/gpu", 1, False)
    assert (made.clusters, made.pools, made.replicas) == (("one",), ("a",), None)
    assert (made.cuda, made.affinity_by, made.compatibility) == (None, By.LABELS, None)
    assert (made.pod_labels, made.node_selector_terms, made.budgets) == ({}, (), ())


@pytest.mark.parametrize(
    ("written", "kind", "scalable"),
    [
        ("{kind: Deployment}", "Deployment", True),
        ("{kind: ReplicaSet}", "ReplicaSet", True),
        ("{kind: StatefulSet}", "StatefulSet", True),
        ("{kind: ReplicationController}", "ReplicationController", True),
        ("{kind: Job}", "Job", False),
        ("{kind: DaemonSet}", "DaemonSet", False),
        ("{kind: Pod}", "Pod", False),
        ("{kind: none}", "Pod", False),
        ("{kind: PyTorchJob}", "PyTorchJob", False),
        ("{kind: CloneSet, scalable: true}", "CloneSet", True),
        ("{kind: MPIJob, scalable: false}", "MPIJob", False),
    ],
)
def test_whether_an_owner_scales_follows_from_its_kind(written: str, kind: str, scalable: bool) -> None:
    made = one(workload(owner=written))
    assert (made.owner_kind, made.scalable, made.bare) == (kind, scalable, kind == "Pod")


@pytest.mark.parametrize(
    ("owner", "said"),
    [
        ("{kind: Job, scalable: true}", "a Job has no scale subresource"),
        ("{kind: Deployment, scalable: false}", "a Deployment has a scale subresource"),
    ],
)
def test_what_kubernetes_knows_better(owner: str, said: str) -> None:
    finding = only(repository(workload(owner=owner)))
    assert finding.message.endswith(said)
    assert (finding.rule, finding.workload, finding.place.line) == ("inventory/schema", "w", 5)


def test_the_rest_is_as_it_is_written() -> None:
    terms = "[{matchExpressions: [{key: zone, operator: In, values: [x]}]}]"
    gpu = "gpu: {resource: nvidia.com/mig-1g.5gb, count: 2}"
    made = one(workload(f"replicas: {{min: 2, max: 5}}, {gpu}, emptyDir: true, nodeSelectorTerms: {terms}"))
    assert (made.replicas, made.resource, made.count, made.empty_dir) == (Size(2, 5), "nvidia.com/mig-1g.5gb", 2, True)
    (term,) = made.node_selector_terms
    assert term == {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["x"]}]}


@pytest.mark.parametrize(
    ("written", "least"),
    [('{toolkit: "12.4"}', "525.60.13"), ('{driver: ">=535.104.05"}', "535.104.05"), ("{require: cuda>=12.4}", "550")],
)
def test_a_cuda_need_is_read_once(written: str, least: str) -> None:
    made = one(workload(f"cuda: {written}"))
    assert made.cuda is not None
    (found,) = made.cuda.drivers()
    assert found.low[0] == int(least.partition(".")[0])


def test_a_requirement_may_be_several_texts() -> None:
    made = one(workload('cuda: {require: ["cuda>=12.4", "driver<600"], by: pool, compatibility: paired}'))
    assert made.cuda is not None
    assert made.cuda.written == ("cuda>=12.4", "driver<600")
    assert (made.affinity_by, made.compatibility) == (By.POOL, Compatibility.PAIRED)


def test_a_clusters_cuda_settings_are_inherited() -> None:
    layered = FLEET.replace("defaults:\n", "defaults:\n  cuda: {compatibility: paired}\n")
    made = revision_of({**files(fleet=layered, more="cuda: {labels: cuda.driver-version}\n")})[0].fleet.clusters[0].cuda
    assert (made.compatibility, made.labels) == (Compatibility.PAIRED, LabelFamily.DRIVER_VERSION)
    plain = revision_of(files())[0].fleet.clusters[0].cuda
    assert (plain.compatibility, plain.labels) == (Compatibility.MINOR_VERSION, LabelFamily.DRIVER)


def test_who_runs_where() -> None:
    two = {"inventory/two.yaml": cluster(POOL, OTHER, name="two")}
    everywhere, here, there = workload(), workload(on="{clusters: [one], pools: [a]}"), workload(on="{pools: [b, a]}")
    made = fleet(everywhere, here, there, **two)
    assert [one.clusters for one in made.workloads] == [("one", "two"), ("one", "two"), ("one",)]
    assert [one.name for one in made.running("one", "a")] == ["v", "w", "x"]
    assert [one.name for one in made.running("two", "a")] == ["v", "w"]
    assert [one.name for one in made.running("two", "b")] == ["v"]
    assert made.running("one", "b") == made.running("three", "a") == ()
    assert [one.name for one in made.workloads_of(made.clusters[1])] == ["v", "w"]
    assert made.running(made.clusters[1], made.clusters[1].pools[1]) == made.running("two", "b")


def test_places_are_those_of_the_teams_file() -> None:
    made = fleet(workload("replicas: 3"))
    (found,) = made.workloads
    assert made.workload_place(found) == Place(WORKLOADS_FILE, 5, 3)
    assert made.workload_place(found, "replicas") == Place(WORKLOADS_FILE, 5, 102)


@pytest.mark.parametrize(
    ("on", "said", "hint"),
    [
        ("{clusters: [oen], pools: [a]}", 'no cluster is named "oen"', 'did you mean "one"?'),
        ("{clusters: [one], pools: [aa]}", 'cluster "one" has no pool "aa"', 'did you mean "a"?'),
        ("{clusters: [one], pools: [a, aa]}", 'cluster "one" has no pool "aa"', 'did you mean "a"?'),
        ("{pools: [gone]}", 'no cluster has a pool "gone"', "declare the pool"),
    ],
)
def test_a_name_that_nothing_has(on: str, said: str, hint: str) -> None:
    finding = only(repository(workload(on=on)))
    assert (finding.rule, finding.severity, finding.workload) == ("inventory/schema", Severity.INVALID, "w")
    assert said in finding.message
    assert finding.hint.startswith(hint)
    assert finding.place.line == 5


def test_of_several_clusters_one_must_have_the_pool() -> None:
    two = {"inventory/two.yaml": cluster(POOL, OTHER, name="two")}
    assert told(repository(workload(on="{clusters: [one, two], pools: [a, b]}"), **two)) == []
    finding = only(repository(workload(on="{clusters: [one, two], pools: [a, c]}"), **two))
    assert "of its clusters none has a pool" in finding.message


def test_a_cluster_that_has_none_of_the_pools_of_others() -> None:
    two = {"inventory/two.yaml": cluster(POOL, OTHER, name="two")}
    finding = only(repository(workload(on="{clusters: [one], pools: [b]}"), **two))
    assert 'cluster "one" has none of the pools' in finding.message
    assert finding.hint.startswith("remove the cluster")


def test_what_could_not_be_read_is_not_said_to_be_missing() -> None:
    broken = {"inventory/two.yaml": cluster(POOL, name="two").replace("pools:", "pool:")}
    entries = (workload(on="{clusters: [two], pools: [z]}"), workload(on="{pools: [z]}"))
    assert told(repository(*entries, **broken)) == ["inventory/schema inventory/two.yaml:4:1"]
    unfit = files(POOL.replace("nodeImage: aws", "nodeImage: azure"))
    (finding,) = told({**unfit, WORKLOADS_FILE: workloads(workload())})
    assert finding.startswith(f"inventory/schema {CLUSTER_FILE}")


def test_with_one_cluster_wanted_its_workloads_are_known() -> None:
    entries = (workload(on="{clusters: [two], pools: [b]}"), workload(on="{clusters: [one, two], pools: [a, b]}"))
    everything = repository(*entries, workload(on="{pools: [z]}"), **{"inventory/two.yaml": cluster(OTHER, name="two")})
    inventory = load(bytes_of(everything), clusters=exactly({"one"}))
    built = build(inventory, version=VERSION)
    assert built.findings == ()
    assert [(one.name, one.clusters) for one in built.fleet.workloads] == [("x", ("one",))]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("replicas: {min: 3, max: 2}", "replicas.min is 3 and replicas.max is 2"),
        ("gpu: {resource: nvidia.com/}", 'gpu.resource is "nvidia.com/"'),
        ("cuda: {}", "cuda names no need"),
        ('cuda: {toolkit: "12.4", driver: ">=550"}', "cuda.toolkit and cuda.driver are alternatives"),
        ('cuda: {toolkit: "99.9"}', "cuda.toolkit: no CUDA toolkit 99.9 is known"),
        ("nodeSelectorTerms: [{}]", "nodeSelectorTerms.0 is empty"),
        ("nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Gt, values: [a, b]}]}]", "takes one value"),
        ("nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In}]}]", "takes at least one value"),
        ("nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists, values: [b]}]}]", "takes no values"),
        ('nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Lt, values: ["-1"]}]}]', '"-1" must be letters'),
        ("nodeSelectorTerms: [{matchExpressions: [{key: a b, operator: Exists}]}]", "has a key that is none"),
        (
            "nodeSelectorTerms: [{matchFields: [{key: spec.x, operator: In, values: [node]}]}]",
            "metadata.name is the only",
        ),
        ("nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: Gt, values: [node]}]}]", "is no operator"),
        ("nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In}]}]", "takes one value, and has 0"),
    ],
)
def test_what_contradicts_itself(more: str, said: str) -> None:
    finding = only(repository(workload(more)))
    assert said in finding.message
    assert (finding.rule, finding.severity, finding.workload) == ("inventory/schema", Severity.INVALID, "w")
    assert finding.hint


@pytest.mark.parametrize("more", ["cuda: {require: []}", "disruptionBudget: []", "nodeSelectorTerms: []"])
def test_a_list_that_says_nothing(more: str) -> None:
    assert "is empty, at least one entry is wanted" in only(repository(workload(more))).message


@pytest.mark.parametrize("labels", ["{a b: c}", "{a: b c}"])
def test_labels_that_are_none(labels: str) -> None:
    entry = f"runsOn: {{pools: [a]}}, namespace: ns, owner: {{kind: Job}}, podLabels: {labels}"
    assert only(repository(entry)).message.startswith('workload "w": podLabels')


@pytest.mark.parametrize(
    ("owner", "said"),
    [
        ("{kind: Job, podTemplates: [spec.template]}", "where a Job describes its pods is known"),
        ("{kind: Trainer, podTemplates: []}", "owner.podTemplates is empty"),
        ("{kind: Trainer, podTemplates: [spec.template.spec]}", "the spec inside a template and not the template"),
        ("{kind: Trainer, podTemplates: [/spec/template]}", "owner.podTemplates.0 is"),
        ("{kind: Trainer, podTemplates: [spec..template]}", "owner.podTemplates.0 is"),
    ],
)
def test_where_pods_are_described(owner: str, said: str) -> None:
    assert said in only(repository(workload(owner=owner))).message


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("deployment", 'owner.kind is "deployment", and Kubernetes calls it Deployment'),
        ("Statefulset", 'owner.kind is "Statefulset", and Kubernetes calls it StatefulSet'),
        ('"{{ kind }}"', "which holds more than letters, digits"),
        ("apps/v1/Deployment", "which holds more than letters, digits"),
        ('"Job\\nname: x"', "which holds more than letters, digits"),
    ],
)
def test_a_kind_that_is_none(kind: str, said: str) -> None:
    assert said in only(repository(workload(owner=f"{{kind: {kind}}}"))).message


def test_a_name_that_no_object_has() -> None:
    broken = repository(workload())[WORKLOADS_FILE].replace("  w:", "  W_1:")
    assert "is no object name" in only({**files(), WORKLOADS_FILE: broken}).message


def test_unknown_keys_are_told_with_the_nearest() -> None:
    finding = only(repository(workload("cudaa: {}")))
    assert (finding.message, finding.hint) == ('unknown key "cudaa" in workloads.w', 'did you mean "cuda"?')


def test_two_that_lead_to_one_folder() -> None:
    again = {"inventory/again.yaml": workloads(workload(), team="other")}
    finding = only(repository(workload(), **again))
    assert (finding.rule, finding.place) == ("inventory/name-clash", Place("inventory/again.yaml", 5, 3))
    apart = {
        "inventory/again.yaml": workloads(workload(on="{clusters: [two], pools: [a]}"), team="other"),
        "inventory/two.yaml": cluster(POOL, name="two"),
    }
    assert told(repository(workload(on="{clusters: [one], pools: [a]}"), **apart)) == []


def test_two_that_lead_to_one_budget() -> None:
    named = workload("disruptionBudget: {render: {name: w, maxUnavailable: 1}}")
    finding = only(repository(workload("disruptionBudget: {render: {maxUnavailable: 1}}"), named))
    assert (finding.rule, finding.place) == ("inventory/name-clash", Place(WORKLOADS_FILE, 6, 3))


def test_a_team_has_one_file() -> None:
    finding = only(repository(workload(), **{"inventory/again.yaml": workloads(workload())}))
    assert finding.rule == "inventory/duplicate"
    assert finding.message.startswith('Workloads of team "ml" is declared twice')
