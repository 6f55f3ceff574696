"""Public cases of the areas pdb and drain, as far as what is declared tells: no cluster is asked here."""

from generator.finding import Severity
from tests.cases.inventory import HEAD, KERNEL, files, pool
from tests.cases.outcome import Outcome, Result, hides, outcome, shows

IMAGE = f"580-{KERNEL}-ubuntu22.04"
NO_ROOM, OVERLAP = "disruption/no-room", "disruption/overlap"


def workload(name: str, budget: str = "", replicas: str = "3", labels: str = "", more: str = "") -> str:
    """One line below `workloads`; the budget is what stands in an existing one's braces."""
    existing = f", disruptionBudget: {{existing: {{{budget}}}}}" if budget else ""
    owner = "" if "owner:" in more else ", owner: {kind: Deployment}"
    labelled = labels or f"app: {name}"
    return (
        f"  {name}: {{runsOn: {{pools: [n1]}}, namespace: shop, podLabels: {{{labelled}}}"
        f"{owner}{', replicas: ' + replicas if replicas else ''}{existing}{more}}}\n"
    )


def said(*listed: str, policy: str = "", manifests: dict[str, str] | None = None) -> Outcome:
    upgrade = f", upgradePolicy: {{{policy}}}" if policy else ""
    on = pool("n1", f'branch: "580"{upgrade}', more=", nodes: 3")
    document = HEAD.format(kind="Workloads") + "team: shop\nworkloads:\n" + "".join(listed)
    return outcome({**files(on, images=(IMAGE,)), "inventory/workloads.yaml": document, **(manifests or {})})


def manifest(*budgets: tuple[str, str]) -> str:
    head = "apiVersion: policy/v1\nkind: PodDisruptionBudget\n"
    return "---\n".join(f"{head}metadata: {{name: {name}, namespace: shop}}\nspec: {spec}\n" for name, spec in budgets)


def test_d42_what_pod_deletion_refuses_is_told_apart_from_budgets() -> None:
    """rancher/rancher#31455: an emptyDir needs deleteEmptyDir, a pod without a controller needs force."""
    scratch = workload("scratch", more=", emptyDir: true")
    lone = workload("lone", more=", owner: {kind: none}")
    drain = 'drain: {enable: true, podSelector: "app", force: false, deleteEmptyDir: false}, podDeletion: {}'
    found = said(scratch, lone, policy=drain)
    (empty,), (bare,) = found.of("upgrade/emptydir-will-fail"), found.of("upgrade/unmanaged-pod-will-fail")
    shows(empty, "scratch", "emptyDir", "deleteEmptyDir", "refuses these pods as well and ends in upgrade-failed")
    shows(bare, "lone", "no owner", "force", "refuses these pods as well and ends in upgrade-failed")
    assert not any(rule.startswith("disruption/") for rule in found.rules)


def test_d46_one_replica_and_one_that_must_stay() -> None:
    """kubernetes/kubernetes#66811: from the declared replicas, without a look at a status."""
    found = said(workload("web", "minAvailable: 1", replicas="1"))
    assert found.result is Result.FINDINGS
    (blocked,) = found.of(NO_ROOM)
    shows(blocked, "web", "minAvailable 1 of 1 pod", "run a second replica")


def test_d47_a_budget_over_no_replicas() -> None:
    """devantler-tech/platform#1880."""
    found = said(workload("issuer", "minAvailable: 1", replicas="0"))
    (warned,) = found.of(NO_ROOM)
    assert found.severity(NO_ROOM) is Severity.WARNING
    shows(warned, "issuer", "minAvailable 1 of 0 replicas")


def test_d48_four_ways_to_allow_nothing() -> None:
    """kubernetes/website PR#17573."""
    spelled = {
        "a": "maxUnavailable: 0",
        "b": 'maxUnavailable: "0%"',
        "c": 'minAvailable: "100%"',
        "d": "minAvailable: 3",
    }
    found = said(*(workload(f"w{name}", budget) for name, budget in spelled.items()))
    assert len(found.of(NO_ROOM)) == 4
    shows(found.report, "wa", "wb", "wc", "wd")


def test_d49_percentages_round_up() -> None:
    """kubernetes/website#7581."""
    found = said(
        workload("p1", 'minAvailable: "50%"', replicas="7"),
        workload("p2", 'maxUnavailable: "40%"', replicas="3"),
        workload("p3", 'maxUnavailable: "30%"', replicas="1"),
        workload("p4", 'minAvailable: "80%"', replicas="3"),
    )
    (blocked,) = found.of(NO_ROOM)
    shows(blocked, "p4", 'minAvailable "80%" of 3 pods rounds up to 3')
    hides(found.shown, "p3.*block")


def rendered(budget: str) -> str:
    """A workload's budget that drivergate is asked to write."""
    return workload("api", replicas="4", more=f", disruptionBudget: {{render: {{{budget}}}}}")


def test_d50_a_fraction_is_no_percentage() -> None:
    """kubernetes/website#14682: nor is a text without its %."""
    for written in ("0.5", '"0.5"', '"50"', '"101%"'):
        found = said(rendered(f"minAvailable: {written}"))
        assert found.result is Result.INPUT_ERROR
        assert found.out == {}
        hides(found.shown, "minAvailable: 0.5$")


def test_d50_a_percentage_is_rendered_as_the_text_that_it_is() -> None:
    for written in ("50%", '"50%"'):
        found = said(rendered(f"minAvailable: {written}"))
        assert found.result is Result.OK
        shows(found.file("poddisruptionbudget-api.yaml"), 'minAvailable: "50%"')
        hides(found.shown, "minAvailable: 0.5", "minAvailable: 50$", "minAvailable: 0$")


def test_d51_never_both_numbers() -> None:
    """open-metadata/openmetadata-helm-charts#221. Budgets have no default that would stay beside one's own."""
    found = said(rendered("maxUnavailable: 1"))
    shows(found.file("poddisruptionbudget-api.yaml"), "maxUnavailable: 1")
    hides(found.file("poddisruptionbudget-api.yaml"), "minAvailable")
    assert said(rendered("maxUnavailable: 1, minAvailable: 1")).result is Result.INPUT_ERROR


def test_d54_the_version_that_is_served() -> None:
    """spotahome/redis-operator PR#359: policy/v1beta1 is gone since Kubernetes 1.25."""
    found = said(rendered("maxUnavailable: 1"))
    shows(found.file("poddisruptionbudget-api.yaml"), "apiVersion: policy/v1\n")
    hides(found.shown, "policy/v1beta1")


def test_d52_two_budgets_on_one_pod() -> None:
    """kubernetes/kubernetes#75957: even where each of them would allow it."""
    kept = manifest(
        ("by-app", "{maxUnavailable: 1, selector: {matchLabels: {app: web}}}"),
        ("by-tier", "{maxUnavailable: 2, selector: {matchLabels: {tier: front}}}"),
    )
    both = "[{existing: {file: b.yaml, name: by-app}}, {existing: {file: b.yaml, name: by-tier}}]"
    web = workload("web", labels="app: web, tier: front", more=f", disruptionBudget: {both}")
    found = said(web, manifests={"b.yaml": kept})
    assert found.result is Result.FINDINGS
    (twice,) = found.of(OVERLAP)
    shows(twice, "by-app", "by-tier", "answered with 500")


def test_d52_a_rendered_budget_beside_one_that_is_there() -> None:
    front = workload(
        "front", "maxUnavailable: 1, name: by-tier, selector: {matchLabels: {tier: front}}", labels="tier: front"
    )
    web = workload(
        "web",
        labels="app: web, tier: front",
        more=", disruptionBudget: {render: {name: by-app, maxUnavailable: 1, selector: {matchLabels: {app: web}}}}",
    )
    (twice,) = said(front, web).of(OVERLAP)
    shows(twice, "by-app", "by-tier")


def test_d53_an_empty_selector_is_everything_and_a_missing_one_is_nothing() -> None:
    """kubernetes/kubernetes#119731."""
    kept = manifest(("all", "{minAvailable: 3, selector: {}}"), ("none", "{minAvailable: 1}"))
    found = said(
        workload("api", "file: b.yaml, name: all"),
        workload("db", "file: b.yaml, name: none"),
        manifests={"b.yaml": kept},
    )
    (every,), (nothing,) = found.of("disruption/empty-selector"), found.of("disruption/matches-nothing")
    shows(every, '"all"', "covers every pod of namespace shop")
    shows(nothing, '"none"', "it has no selector")
    hides(found.shown, "none.*block")


def test_d53_an_empty_selector_is_not_rendered() -> None:
    found = said(workload("api", more=", disruptionBudget: {render: {minAvailable: 2, selector: {}}}"))
    assert found.result is Result.INPUT_ERROR
    assert found.severity("disruption/empty-selector") is Severity.INVALID
    assert found.out == {}


def test_d58_a_budget_over_a_daemonset_blocks_no_drain() -> None:
    """DataDog/datadog-operator#401."""
    found = said(workload("agent", "maxUnavailable: 0", replicas="", more=", owner: {kind: DaemonSet}"))
    assert found.result is Result.OK
    hides(found.shown, "agent.*block")


def test_d59_selectors_match_the_labels_of_pods_in_their_namespace() -> None:
    """yonahd/kor#364."""
    web = workload("web", "maxUnavailable: 1, selector: {matchExpressions: [{key: app, operator: In, values: [web]}]}")
    elsewhere = workload("web2", "maxUnavailable: 1", labels="app: web").replace("namespace: shop", "namespace: other")
    found = said(web, elsewhere)
    assert found.result is Result.OK
    assert OVERLAP not in found.rules
    hides(found.shown, "web.*matches nothing", "web.*matches-nothing")


def test_d60_a_budget_that_matches_no_pod() -> None:
    """1Password/connect-helm-charts#240."""
    labels = "selector: {matchLabels: {app.kubernetes.io/name: connect}}"
    found = said(workload("connect", f"minAvailable: 3, {labels}"))
    (astray,) = found.of("disruption/matches-nothing")
    shows(astray, "connect", "app.kubernetes.io/name=connect", "app=connect")
    assert NO_ROOM not in found.rules
    hides(found.shown, "connect.*blocks")


def test_d61_the_floor_of_an_autoscaler_counts() -> None:
    """stackrox/kube-linter#637: the equal case too, not only the greater one."""
    scaled = "{min: 4, max: 10}"
    found = said(
        workload("ok", "maxUnavailable: 1", replicas=scaled), workload("bad", "minAvailable: 4", replicas=scaled)
    )
    (blocked,) = found.of(NO_ROOM)
    shows(blocked, "bad", "minAvailable 4 of 4 pods (the fewest of 4 to 10)")
    hides(found.shown, "ok.*finding")


def test_d62_a_budget_without_room_is_told_before_the_commit() -> None:
    """argoproj/argo-cd#20171."""
    found = said(workload("api", 'minAvailable: "80%"'))
    (blocked,) = found.of(NO_ROOM)
    shows(blocked, "80%", "rounds up to 3: nothing may be evicted")
