"""Whether declared budgets let a node be emptied. Answers of a control plane: tests/facts/test_standing_oracle.py."""

import pytest

from generator.finding import Severity
from tests.testing.judging import findings
from tests.testing.pools import WORKLOADS, cluster, inventory, messages, pool, told, workload, workloads

POOL = pool("a", "nodes: 3")
BASES = "bases/budget.yaml"


def fleet(*listed: str, pools: tuple[str, ...] = (POOL,), **more: str) -> dict[str, str]:
    return {**inventory(*pools), WORKLOADS: workloads(*listed), **more}


def manifest(spec: str, name: str = "kept", namespace: str = "ns") -> str:
    head = "apiVersion: policy/v1\nkind: PodDisruptionBudget\n"
    return f"{head}metadata: {{name: {name}, namespace: {namespace}}}\nspec: {spec}\n"


# kubernetes/website PR#17573 (public case D48): four spellings over 3 ready replicas.
@pytest.mark.parametrize(
    "budget", ["maxUnavailable: 0", 'maxUnavailable: "0%"', 'minAvailable: "100%"', "minAvailable: 3"]
)
def test_four_ways_to_let_nothing_go(budget: str) -> None:
    (finding,) = told("disruption/no-room", fleet(workload("api", budget=budget)))
    assert finding.severity is Severity.ERROR
    assert "nothing may be evicted" in finding.message
    assert (finding.cluster, finding.pool, finding.workload) == ("c", "", "api")
    assert finding.fact == budget.replace(":", "").replace('"', "")


# kubernetes/website#7581 (public case D49): allowed 3, 2, 1 and 0.
@pytest.mark.parametrize(
    ("budget", "replicas", "count"),
    [
        ('minAvailable: "50%"', "7", 0),
        ('maxUnavailable: "40%"', "3", 0),
        ('maxUnavailable: "30%"', "1", 0),
        ('minAvailable: "80%"', "3", 1),
    ],
)
def test_percentages_round_up(budget: str, replicas: str, count: int) -> None:
    assert len(told("disruption/no-room", fleet(workload("api", budget=budget, replicas=replicas)))) == count


@pytest.mark.parametrize(
    ("budget", "replicas", "said"),
    [
        ('minAvailable: "80%"', "3", 'minAvailable "80%" of 3 pods rounds up to 3: nothing'),
        ('minAvailable: "100%"', "3", 'minAvailable "100%" of 3 pods is 3: nothing'),
        ("minAvailable: 2", "{min: 2, max: 9}", "minAvailable 2 of 2 pods (the fewest of 2 to 9): nothing"),
        ("minAvailable: 1", "{min: 0, max: 9}", "minAvailable 1 of 1 pod (the fewest of 0 to 9): nothing"),
        ('minAvailable: "100%"', "", 'minAvailable "100%" of any number of pods: nothing'),
    ],
)
def test_a_message_carries_its_numbers(budget: str, replicas: str, said: str) -> None:
    (message,) = messages("disruption/no-room", fleet(workload("api", budget=budget, replicas=replicas)))
    assert said in message


@pytest.mark.parametrize("budget", ["minAvailable: 1", 'minAvailable: "99%"', "maxUnavailable: 1"])
def test_without_a_number_of_replicas_only_what_holds_for_any_is_said(budget: str) -> None:
    assert told("disruption/no-room", fleet(workload("api", budget=budget, replicas=""))) == []


def test_a_budget_over_no_replicas_is_a_warning() -> None:
    # devantler-tech/platform#1880 (public case D47).
    (finding,) = told("disruption/no-room", fleet(workload("api", budget="minAvailable: 1", replicas="0")))
    assert finding.severity is Severity.WARNING
    assert "minAvailable 1 of 0 replicas" in finding.message


def test_a_budget_counts_every_workload_that_it_covers() -> None:
    labels, selector = "{app: api, tier: web}", "selector: {matchLabels: {tier: web}}"
    alone = fleet(workload("api", podLabels=labels, budget=f"minAvailable: 3, {selector}"))
    assert len(told("disruption/no-room", alone)) == 1
    others = workloads(workload("worker", podLabels="{app: worker, tier: web}"), team="other")
    assert told("disruption/no-room", {**alone, "inventory/v.yaml": others}) == []
    elsewhere = others.replace("namespace: ns", "namespace: other")
    assert len(told("disruption/no-room", {**alone, "inventory/v.yaml": elsewhere})) == 1


@pytest.mark.parametrize(
    ("values", "names"), [("[api, web]", "2 pods of workloads api, web"), ("[api]", "1 pod"), ("[api, api]", "1 pod")]
)
def test_a_budget_counts_what_its_expressions_cover(values: str, names: str) -> None:
    selector = f"selector: {{matchExpressions: [{{key: app, operator: In, values: {values}}}]}}"
    listed = [
        workload("api", budget=f"minAvailable: 2, {selector}", replicas="1"),
        workload("web", replicas="1"),
        workload("jobs", replicas="1"),
    ]
    (message,) = messages("disruption/no-room", fleet(*listed))
    assert f"minAvailable 2 of {names}: nothing may be evicted" in message


def test_one_line_for_several_clusters_is_told_once() -> None:
    files = fleet(workload("api", budget="maxUnavailable: 0"))
    files["inventory/d.yaml"] = cluster(POOL, name="d")
    (finding,) = told("disruption/no-room", files)
    assert finding.cluster == ""


def test_what_an_upgrade_comes_to_is_said_where_the_operator_upgrades() -> None:
    listed = workload("api", budget="maxUnavailable: 0")
    (message,) = messages("disruption/no-room", fleet(listed))
    assert message.endswith('in pool "c/a" ends in upgrade-failed after podDeletion.timeoutSeconds 300')
    by_hand = pool("a", "nodes: 3", "driver: {upgradePolicy: {autoUpgrade: false}}")
    (message,) = messages("disruption/no-room", fleet(listed, pools=(by_hand,)))
    assert message.endswith("nothing may be evicted")
    own = pool("a", "nodes: 3", "driver: {mode: preinstalled, version: 580.126.20}", kernels="")
    (message,) = messages("disruption/no-room", fleet(listed, pools=(own,)))
    assert message.endswith("nothing may be evicted")


# facts/kubernetes.md of the shared folder: owners without scale, bare pods; numbers of minAvailable work.
@pytest.mark.parametrize(
    ("owner", "budget", "count"),
    [
        ("{kind: Job}", "maxUnavailable: 1", 1),
        ("{kind: Job}", 'minAvailable: "50%"', 1),
        ("{kind: Job}", "minAvailable: 2", 0),
        ("{kind: DaemonSet}", "maxUnavailable: 1", 1),
        ("{kind: PyTorchJob, scalable: false}", "maxUnavailable: 1", 1),
        ("{kind: CloneSet, scalable: true}", "maxUnavailable: 1", 0),
        ("{kind: none}", "maxUnavailable: 1", 1),
        ("{kind: none}", "minAvailable: 2", 0),
        ("{kind: StatefulSet}", 'maxUnavailable: "34%"', 0),
    ],
)
def test_owners_without_a_scale(owner: str, budget: str, count: int) -> None:
    files = fleet(workload("api", owner=owner, budget=budget))
    assert len(told("disruption/unscalable-owner", files)) == count
    assert told("disruption/no-room", files) == []


def test_a_budget_that_a_drain_never_asks_is_a_warning() -> None:
    # DataDog/datadog-operator#401 (public case D58): drain ignores the pods of DaemonSets.
    listed = workload("agent", owner="{kind: DaemonSet}", replicas="", budget="maxUnavailable: 0")
    (finding,) = told("disruption/unscalable-owner", fleet(listed))
    assert finding.severity is Severity.WARNING
    assert "a drain passes over them" in finding.message
    numbered = workload("agent", owner="{kind: DaemonSet}", replicas="", budget="minAvailable: 3")
    assert told("disruption/no-room", fleet(numbered)) == []


def test_one_owner_without_a_scale_spoils_the_budget_for_all() -> None:
    # pdb.jsonl of the shared oracle, family mixed: a Deployment and a Job under maxUnavailable.
    job = workload("batch", owner="{kind: Job}", podLabels="{app: api}")
    (finding,) = told("disruption/unscalable-owner", fleet(workload("api", budget="maxUnavailable: 1"), job))
    assert (finding.workload, "a Job has no scale" in finding.message) == ("api", True)


def test_bare_pods_beside_others_are_counted_and_not_expected() -> None:
    # pdb.jsonl: ReplicaSet 3 and two bare pods, minAvailable "50%": 2 of 3 expected, 5 healthy.
    bare = workload("lab", owner="{kind: none}", podLabels="{app: api}", replicas="2")
    assert told("disruption/no-room", fleet(workload("api", budget='minAvailable: "100%"'), bare)) == []


def test_two_budgets_on_one_pod() -> None:
    both = workload(
        "api", "disruptionBudget: [{existing: {maxUnavailable: 1}}, {render: {name: mine, maxUnavailable: 1}}]"
    )
    (finding,) = told("disruption/overlap", fleet(both))
    assert "answered with 500" in finding.message
    assert f"{WORKLOADS}:11:35" in finding.message


def test_one_budget_that_two_workloads_name_is_no_overlap() -> None:
    spec = "{maxUnavailable: 1, selector: {matchLabels: {tier: web}}}"
    listed = [workload(name, podLabels="{tier: web}", budget=f"file: {BASES}") for name in ("api", "worker")]
    assert told("disruption/overlap", fleet(*listed, **{BASES: manifest(spec)})) == []


@pytest.mark.parametrize(
    ("budgets", "said"),
    [
        (
            "{existing: {name: api, maxUnavailable: 1}}, {render: {maxUnavailable: 1}}",
            "it is rendered, and declared",
        ),
        (
            "{render: {maxUnavailable: 1}}, {existing: {name: api, maxUnavailable: 1}}",
            "it is declared as one that",
        ),
    ],
)
def test_one_object_that_two_would_write(budgets: str, said: str) -> None:
    (message,) = messages("disruption/overlap", fleet(workload("api", disruptionBudget=f"[{budgets}]")))
    assert said in message
    assert message.endswith("both would write the same object")


def test_a_manifest_and_a_declared_budget_overlap() -> None:
    spec = "{maxUnavailable: 1, selector: {matchLabels: {app: worker}}}"
    listed = [workload("api", budget=f"file: {BASES}"), workload("worker", budget="maxUnavailable: 1")]
    files = fleet(*listed, **{BASES: manifest(spec)})
    (finding,) = told("disruption/overlap", files)
    assert f"{BASES}:1:1" in finding.message
    (astray,) = told("disruption/matches-nothing", files)
    assert (astray.place.file, astray.workload) == (BASES, "api")


def test_a_manifest_is_judged_where_it_says_its_number() -> None:
    spec = "\n  minAvailable: 100%\n  selector: {matchLabels: {app: api}}"
    (finding,) = told("disruption/no-room", fleet(workload("api", budget=f"file: {BASES}"), **{BASES: manifest(spec)}))
    assert str(finding.place) == f"{BASES}:5:17"
    assert 'workload "api", budget "kept": minAvailable "100%" of 3 pods is 3' in finding.message


def test_a_manifest_of_neither_number_lets_nothing_go() -> None:
    # facts/kubernetes.md of the shared folder: accepted, and blocks everything.
    spec = "{selector: {matchLabels: {app: api}}}"
    (message,) = messages(
        "disruption/no-room", fleet(workload("api", budget=f"file: {BASES}"), **{BASES: manifest(spec)})
    )
    assert "it gives neither minAvailable nor maxUnavailable: nothing may be evicted" in message


def test_a_manifest_without_a_selector_covers_no_pod() -> None:
    files = fleet(workload("api", budget=f"file: {BASES}"), **{BASES: manifest("{maxUnavailable: 0}")})
    (message,) = messages("disruption/matches-nothing", files)
    assert "it has no selector, and the pods are labelled app=api" in message
    assert told("disruption/no-room", files) == []


def test_what_matches_by_expressions_is_said() -> None:
    selector = "selector: {matchExpressions: [{key: app, operator: In, values: [web, www]}]}"
    (message,) = messages("disruption/matches-nothing", fleet(workload("api", budget=f"maxUnavailable: 1, {selector}")))
    assert "asks for app In (web, www), and" in message
    fits = selector.replace("web", "api")
    assert told("disruption/matches-nothing", fleet(workload("api", budget=f"maxUnavailable: 1, {fits}"))) == []


def test_labels_that_are_not_declared_are_not_missed() -> None:
    budget = "maxUnavailable: 0, selector: {matchLabels: {app: api}}"
    files = fleet(workload("api", podLabels="", budget=budget))
    assert told("disruption/matches-nothing", files) == []
    assert len(told("disruption/no-room", files)) == 1


@pytest.mark.parametrize(
    ("budget", "severity"),
    [
        ("{existing: {maxUnavailable: 0, selector: {}}}", Severity.ERROR),
        ("{existing: {maxUnavailable: 0, selector: {matchLabels: {}}}}", Severity.ERROR),
        ("{render: {maxUnavailable: 0, selector: {}}}", Severity.INVALID),
    ],
)
def test_an_empty_selector(budget: str, severity: Severity) -> None:
    files = fleet(workload("api", f"disruptionBudget: {budget}"), workload("worker", budget="maxUnavailable: 1"))
    (finding,) = told("disruption/empty-selector", files)
    assert (finding.severity, finding.workload) == (severity, "api")
    assert told("disruption/no-room", files) == []
    assert told("disruption/overlap", files) == []


def test_an_empty_selector_to_render_can_not_be_silenced() -> None:
    files = fleet(workload("api", "disruptionBudget: {render: {maxUnavailable: 1, selector: {}}}"))
    silence = "silenced:\n  - {rule: disruption/empty-selector, reason: ours alone}\n"
    files["inventory/c.yaml"] = cluster(POOL, top=silence)
    found = {one.rule: one for one in findings(files)}
    assert found["disruption/empty-selector"].severity is Severity.INVALID
    assert "can't be silenced" in found["inventory/unused-silence"].message


def test_a_budget_that_two_workloads_declare_by_its_name_is_one() -> None:
    budget = "maxUnavailable: 1, selector: {matchLabels: {tier: web}}"
    pair = [workload(name, podLabels="{tier: web}", budget=budget) for name in ("api", "worker")]
    assert len(told("disruption/overlap", fleet(*pair))) == 1
    named = [workload(name, podLabels="{tier: web}", budget=f"name: web, {budget}") for name in ("api", "worker")]
    assert told("disruption/overlap", fleet(*named)) == []


def test_of_workloads_that_share_a_manifest_the_first_by_name_is_reported() -> None:
    shared = {"budget": f"file: {BASES}", "podLabels": "{tier: gpu}"}
    api = workload("api", runsOn="{clusters: [z], pools: [a]}", **shared)
    batch = workload("batch", runsOn="{clusters: [c], pools: [a]}", **shared)
    spec = "{maxUnavailable: 0, selector: {matchLabels: {tier: gpu}}}"
    files = fleet(api, batch, **{BASES: manifest(spec), "inventory/z.yaml": cluster(pool("a"), name="z")})
    assert [finding.workload for finding in told("disruption/no-room", files)] == ["api"]
