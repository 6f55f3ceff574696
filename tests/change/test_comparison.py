"""What a change does to pools: outcomes, their reasons, and what is dangerous about them."""

import pytest

from generator.change.comparison import impact
from generator.change.danger import Kind
from generator.change.effect import Outcome
from generator.change.gate import verdict
from generator.change.images import Standing
from generator.change.impact import ClusterImpact, Impact, PoolImpact, Presence
from generator.report.impact import nodes
from tests.testing.judging import revision_of
from tests.testing.pools import (
    CLUSTER,
    FLEET,
    HEAD,
    cluster,
    fleet,
    inventory,
    pool,
    workload,
    workloads,
)
from tests.testing.pools import (
    WORKLOADS as WORKLOADS_FILE,
)

POLICY = "version: v26.7.0, driverApi: ClusterPolicy"
TAG = "580-5.15.0-173-generic-ubuntu22.04"
CATALOG = f"{HEAD}kind: ImageCatalog\nrepository: nvcr.io/nvidia/driver\nimages:\n"
LINE = '  - {tag: "%s", platforms: [linux/amd64]}\n'


def impact_of(then: dict[str, str], now: dict[str, str]) -> Impact:
    contexts = []
    for files in (then, now):
        revision, problems = revision_of(files)
        assert [str(one) for one in problems] == []
        contexts.append(revision)
    return impact(*contexts, total=len(contexts[1].fleet.clusters))


def of_cluster(then: dict[str, str], now: dict[str, str]) -> ClusterImpact:
    (found,) = impact_of(then, now).clusters
    return found


def of_pool(then: dict[str, str], now: dict[str, str], name: str = "a") -> PoolImpact:
    (found,) = [one for one in of_cluster(then, now).pools if one.pool == name]
    return found


def driver(said: str, *lines: str, operator: str = "version: v26.7.0") -> dict[str, str]:
    return inventory(pool("a", "nodes: 8", *lines, f"driver: {{{said}}}"), operator=operator)


def kinds(found: PoolImpact | ClusterImpact) -> list[str]:
    return [str(one.kind) for one in found.dangers]


def test_nothing_happens_where_nothing_changes() -> None:
    then = driver('branch: "580"')
    found = impact_of(then, then)
    assert [(one.quiet, one.outcome) for one in found.pools()] == [(True, Outcome.NONE)]
    assert (found.reloads, found.blocked, found.unknown) == (False, False, False)


def test_another_branch_is_a_reload_of_so_many_nodes() -> None:
    found = of_cluster(driver('branch: "580"'), driver('branch: "595"'))
    (one,) = found.pools
    assert (one.outcome, one.driver) == (Outcome.RELOAD, ("580", "595"))
    assert [(change.path, change.was, change.becomes) for change in one.changes] == [("version", '"580"', '"595"')]
    assert (one.nodes and one.nodes.max, one.at_once) == (8, 1)
    assert (found.unavailable, found.nodes) == (1, 8)


@pytest.mark.parametrize(
    ("said", "operator", "outcome"),
    [
        ("spec: {labels: {team: x}}", "version: v26.7.0", Outcome.RESTART),
        ("spec: {labels: {team: x}}", "version: v26.3.3", Outcome.RELOAD),
        ("upgradePolicy: {maxParallelUpgrades: 3}", "version: v26.7.0", Outcome.NONE),
        ("upgradePolicy: {maxParallelUpgrades: 3}", "version: v26.3.3", Outcome.NONE),
        ("spec: {rdma: {enabled: true}}", "version: v26.7.0", Outcome.RELOAD),
        ("spec: {labels: {app.kubernetes.io/name: x}}", "version: v26.7.0", Outcome.NONE),
    ],
)
def test_the_operator_decides_what_a_field_does(said: str, operator: str, outcome: Outcome) -> None:
    """Facts 6.5 and 9b."""
    then, now = (driver(f'branch: "580"{more}', operator=operator) for more in ("", f", {said}"))
    assert of_pool(then, now).outcome is outcome


def test_nodes_that_nobody_upgrades_by_itself() -> None:
    policy = "upgradePolicy: {autoUpgrade: false}"
    found = of_cluster(driver(f'branch: "580", {policy}'), driver(f'branch: "595", {policy}'))
    (one,) = found.pools
    assert (one.outcome, one.automatic, one.at_once, found.unavailable) == (Outcome.RELOAD, False, None, 0)


def test_under_a_cluster_policy_all_pools_go_together() -> None:
    pools = (pool("a", "nodes: 8"), pool("b", "nodes: 4"), pool("own", "driver: {mode: preinstalled}"))
    then, now = (inventory(*pools, operator=POLICY, driver=f'branch: "{one}"') for one in ("580", "595"))
    found = of_cluster(then, now)
    assert [one.outcome for one in found.pools] == [Outcome.RELOAD, Outcome.RELOAD, Outcome.NONE]
    assert [change.path for change in found.pools[0].changes] == ["driver.version"]
    assert (found.unavailable, found.nodes) == (1, 12)


def test_a_selector_that_is_another_one_moves_nodes() -> None:
    then, now = (inventory(pool("a", "nodes: 2", selector=one)) for one in ("{x: a}", "{x: b}"))
    found = of_pool(then, now)
    assert found.outcome is Outcome.MOVED
    assert [change.path for change in found.changes] == ["nodeSelector.x"]


def test_pools_that_come_and_go() -> None:
    then, now = inventory(pool("a", "nodes: 2"), pool("b")), inventory(pool("a", "nodes: 2"), pool("c"))
    found = of_cluster(then, now)
    outcomes = {one.pool: one.outcome for one in found.pools}
    assert outcomes == {"a": Outcome.NONE, "b": Outcome.REMOVED, "c": Outcome.ADDED}
    (gone,) = [one for one in found.pools if one.pool == "b"]
    assert kinds(gone) == [Kind.REMOVED]
    assert "waits for somebody to confirm its pruning" in gone.dangers[0].message
    assert impact_of(then, now).reloads
    assert not impact_of(then, now).blocked


def test_hosts_that_get_or_lose_our_driver() -> None:
    own, ours = (driver(said) for said in ('mode: preinstalled, version: "580.126.20"', 'branch: "580"'))
    assert of_pool(own, ours).outcome is Outcome.ADDED
    assert of_pool(own, ours).reason == "mode preinstalled -> precompiled"
    assert of_pool(ours, own).outcome is Outcome.REMOVED
    assert of_pool(own, own).quiet


def test_a_pool_that_is_renamed_takes_its_driver_away_for_a_while() -> None:
    then, now = (inventory(pool(name, "nodes: 2", selector="{x: z}")) for name in ("a", "b"))
    found = of_pool(then, now, "b")
    assert found.outcome is Outcome.RELOAD
    assert kinds(found) == [Kind.RENAMED, Kind.CLAIMED_TWICE]
    assert found.blocked
    assert found.images == ()
    assert "renamedFrom: a" in found.dangers[0].way_out
    assert (found.deletes_pods, found.at_once, of_cluster(then, now).unavailable) == (True, None, 2)
    kept = of_pool(then, inventory(pool("b", "nodes: 2", "renamedFrom: a", selector="{x: z}")), "b")
    assert (kept.outcome, kept.renamed_from, kept.deletes_pods, kept.dangers) == (Outcome.NONE, "a", False, ())


def test_two_objects_that_swap_their_nodes_stop_all_of_them_half_way() -> None:
    """Facts 4.2, R4.2.c: two objects for one node, and every NVIDIADriver reconcile fails."""
    then = inventory(pool("a", selector="{x: a}"), pool("b", selector="{x: b}"))
    now = inventory(pool("a", selector="{x: b}"), pool("b", selector="{x: a}"))
    for one in of_cluster(then, now).pools:
        assert kinds(one) == [Kind.CLAIMED_TWICE]
        assert not one.dangers[0].blocks
    older = "version: v26.3.3"
    before = inventory(pool("a", selector="{x: a}"), pool("b", selector="{x: b}"), operator=older)
    after = inventory(pool("a", selector="{x: b}"), pool("b", selector="{x: a}"), operator=older)
    assert [kinds(one) for one in of_cluster(before, after).pools] == [[], []]


def test_what_the_api_server_refuses_has_a_way_of_two_steps() -> None:
    found = of_pool(driver('branch: "580"'), driver('version: "580.126.20", mode: compiled'))
    assert kinds(found) == [Kind.IMMUTABLE]
    assert "add a second pool of a new name" in found.dangers[0].way_out
    assert found.blocked


def test_a_hold_forbids_the_reload_only() -> None:
    hold = "hold: {reason: benchmarks}"
    assert kinds(of_pool(driver('branch: "580"'), driver('branch: "595"', hold))) == [Kind.HELD]
    labelled = driver('branch: "580", spec: {labels: {team: x}}', hold)
    assert kinds(of_pool(driver('branch: "580"', hold), labelled)) == []


def test_upgrades_that_waited_begin() -> None:
    then, now = (driver(f'branch: "580", upgradePolicy: {{autoUpgrade: {one}}}') for one in ("false", "true"))
    found = of_pool(then, now)
    assert (found.outcome, kinds(found)) == (Outcome.NONE, [Kind.BEGINS])
    assert of_pool(now, then).quiet


@pytest.mark.parametrize(
    ("operator", "blocks"), [("version: v26.7.0, driverApi: %s", False), ("version: v26.3.3, driverApi: %s", True)]
)
def test_another_driver_api(operator: str, blocks: bool) -> None:
    """Facts T9: from v26.7 on running pods are orphaned, before they are deleted; not on the way back (4.4, T7)."""
    then, now = (driver('branch: "580"', operator=operator % api) for api in ("ClusterPolicy", "NVIDIADriver"))
    for pair, at_once in (((then, now), blocks), ((now, then), True)):
        found = of_cluster(*pair)
        assert [one.outcome for one in found.pools] == [Outcome.RELOAD]
        assert [(one.kind, one.blocks) for one in found.dangers] == [(Kind.API, at_once)]
        assert (found.unavailable, found.nodes) == (8 if at_once else 1, 8)


@pytest.mark.parametrize(
    ("was", "becomes", "more", "outcome"),
    [
        ("v26.3.3", "v26.7.0", "", Outcome.RELOAD),
        ("v26.3.2", "v26.3.3", "", Outcome.NONE),
        # The default driver manager is another one: only the ClusterPolicy's DaemonSets take it by itself (facts 4.4).
        ("v26.3.1", "v26.3.2", "", Outcome.NONE),
        ("v26.3.1", "v26.3.2", ", driverApi: ClusterPolicy", Outcome.RELOAD),
        ("v26.3.2", "v26.3.3", ", driverApi: ClusterPolicy", Outcome.RELOAD),  # the chart's label alone
        ("v26.7.0", "v26.9.0", "", Outcome.UNDECIDED),
    ],
)
def test_another_operator(was: str, becomes: str, more: str, outcome: Outcome) -> None:
    """Templates: git diff of manifests/state-driver and assets/state-driver between the tags; labels: facts T10."""
    then, now = (driver('branch: "580"', operator=f"version: {one}{more}") for one in (was, becomes))
    found = of_cluster(then, now)
    assert [one.outcome for one in found.pools] == [outcome]
    assert found.pools[0].reason.startswith(f"operator {was} -> {becomes}")
    assert kinds(found) == [Kind.OPERATOR]
    assert impact_of(then, now).unknown is (outcome is Outcome.UNDECIDED)


def test_an_operator_that_composes_other_tags() -> None:
    """Facts 1.2: rhel9.4 up to v25.10, rhel9 from v26.7 on."""
    rhel = pool("a", "nodes: 2", os='{id: rhel, version: "9.4"}', kernels="[5.14.0-427.el9_4.x86_64]")
    then, now = (inventory(rhel, operator=f"version: {one}") for one in ("v26.3.3", "v26.7.0"))
    found = of_pool(then, now)
    (image,) = found.images
    assert (image.was, image.becomes) == (
        "580-5.14.0-427.el9_4.x86_64-rhel9.4",
        "580-5.14.0-427.el9_4.x86_64-rhel9",
    )
    told = of_cluster(then, now).dangers[0].message
    assert "OS tags are composed by other rules" in told
    assert "each NVIDIADriver has an upgradePolicy of its own" in told
    shared = [inventory(rhel, operator=f"version: {one}, driverApi: ClusterPolicy") for one in ("v26.3.3", "v26.7.0")]
    assert "NVIDIADriver" not in of_cluster(shared[0], shared[1]).dangers[0].message


def with_catalog(files: dict[str, str], *tags: str) -> dict[str, str]:
    return {**files, "inventory/images.yaml": CATALOG + "".join(LINE % one for one in tags)}


def test_images_are_told_where_they_change_or_stand_otherwise() -> None:
    then = with_catalog(driver('branch: "580"'), TAG)
    assert of_pool(then, with_catalog(driver('branch: "580"'), TAG)).images == ()
    (missing,) = of_pool(then, with_catalog(driver('branch: "595"'), TAG)).images
    assert (missing.was, missing.becomes, missing.standing) == (TAG, TAG.replace("580", "595"), Standing.MISSING)
    (gone,) = of_pool(then, with_catalog(driver('branch: "580"'), TAG.replace("580", "570"))).images
    assert (gone.becomes, gone.standing) == (TAG, Standing.MISSING)


def test_an_upcoming_kernel_that_is_unblocked() -> None:
    upcoming = pool("a", "nodes: 2", "upcomingKernels: [5.15.0-177-generic]")
    files, image = inventory(upcoming), TAG.replace("173", "177")
    found = of_pool(with_catalog(files, TAG), with_catalog(files, TAG, image))
    assert [(one.becomes, one.upcoming, one.unblocked) for one in found.images] == [(image, True, True)]
    assert not found.missing


def test_clusters_that_come_and_go() -> None:
    one = {FLEET: fleet(), CLUSTER: cluster(pool("a", "nodes: 2"))}
    two = one | {"inventory/d.yaml": cluster(pool("b"), name="d")}
    found = impact_of(one, two).clusters[1]
    assert (found.cluster, found.presence, [each.outcome for each in found.pools]) == (
        "d",
        Presence.ADDED,
        [Outcome.ADDED],
    )
    found = impact_of(two, one).clusters[1]
    assert (found.presence, [each.outcome for each in found.pools]) == (Presence.REMOVED, [Outcome.REMOVED])
    assert kinds(found) == [Kind.REMOVED]


WORKLOADS = f"""{HEAD}kind: Workloads
team: t
workloads:
  train:
    runsOn: {{pools: [a]}}
    namespace: jobs
    owner: {{kind: Deployment}}
    podLabels: {{app: train}}
    replicas: 8
    %s
"""


@pytest.mark.parametrize(
    ("budget", "rules", "blocked"),
    [
        ("disruptionBudget: {existing: {maxUnavailable: 1}}", [], False),
        ("disruptionBudget: {existing: {minAvailable: 8}}", ["disruption/no-room"], True),
        ("emptyDir: true", ["upgrade/emptydir-will-fail"], True),
        ("gpu: {resource: example.com/gpu}", ["upgrade/resource-not-matched"], False),
    ],
)
def test_who_is_evicted_and_what_is_in_the_way(budget: str, rules: list[str], blocked: bool) -> None:
    more = {"inventory/team.yaml": WORKLOADS % budget}
    then, now = driver('branch: "580"') | more, driver('branch: "595"') | more
    found = of_pool(then, now)
    (one,) = found.evictions
    assert (one.workload, one.team, one.pods and one.pods.max, one.at_once) == ("train", "t", 8, 1)
    assert one.stays is (len(rules) > 0 and rules[0].startswith("upgrade/"))
    assert [trouble.rule for trouble in found.troubles] == rules
    assert found.blocked is blocked
    labelled = driver('branch: "580", spec: {labels: {a: b}}') | more
    assert of_pool(then, labelled).evictions == ()


def test_what_stays_undecided() -> None:
    floating = inventory(pool("a", "kernelSource: floating", "driver: {branch: '595'}"))
    found = of_pool(inventory(pool("a", "kernelSource: floating", "driver: {branch: '580'}")), floating)
    assert found.undecided == (
        "how many nodes it has is not declared",
        "its kernels change without a commit (kernelSource: floating): nodes may ask for other images",
    )
    assert of_cluster(floating, inventory(pool("a", "kernelSource: floating"))).unavailable is None


def test_an_operator_that_moves_makes_its_driver_pods_anew() -> None:
    """gpu-operator v26.7.0 internal/state/driver.go: pods are made in OPERATOR_NAMESPACE."""
    then, now = (driver('branch: "580"', operator=f"version: v26.7.0, namespace: {one}") for one in ("a", "b"))
    found = of_cluster(then, now)
    assert kinds(found) == [Kind.NAMESPACE]
    assert "from namespace a to b" in found.dangers[0].message


def test_what_the_operator_makes_no_pod_of_is_named() -> None:
    """Facts R1.3.d: an NVIDIADriver has no default image of a sidecar."""
    then, now = (driver(f'branch: "580"{more}') for more in ("", ", spec: {gds: {enabled: true}}"))
    found = of_pool(then, now)
    assert found.outcome is Outcome.UNDECIDED
    assert found.undecided[0].startswith("gds.image: ")


HELD = "hold: {reason: benchmarks, until: 2026-06-30}"


def dangers(then: dict[str, str], now: dict[str, str]) -> list[tuple[str, str, bool, str]]:
    return [
        (one.pool, str(danger.kind), danger.blocks, danger.message)
        for one in impact_of(then, now).pools()
        for danger in one.dangers
        if danger.kind in {Kind.LIFTED, Kind.HELD}
    ]


def test_a_hold_that_is_lifted_is_a_danger_with_its_reason() -> None:
    lifted = 'the hold of pool "c/a" is lifted ("benchmarks (until 2026-06-30)")'
    then = driver('branch: "580"', HELD)
    assert dangers(then, driver('branch: "580"')) == [("a", "lifted", False, lifted)]
    assert dangers(then, driver('branch: "580"', HELD.replace("06-30", "07-31"))) == []
    gone = [("a", "lifted", False, f"{lifted}, and no pool declares its nodes any more")]
    assert dangers(then, inventory(pool("b"))) == gone
    policy = [inventory(pool("a", HELD), pool("b"), operator=POLICY), inventory(pool("b"), operator=POLICY)]
    assert dangers(*policy) == gone


def test_a_hold_that_is_lifted_with_a_change_of_the_driver_blocks_once() -> None:
    then, now = driver('branch: "580"', HELD), driver('branch: "595"')
    message = (
        'pool "c/a" is held until 2026-06-30 ("benchmarks"); this change lifts the hold, and NVIDIADriver a changes: '
        'version "580" -> "595"'
    )
    assert dangers(then, now) == [("a", "held", True, message)]


def test_a_cluster_that_goes_says_what_held_its_pools() -> None:
    two = {**driver('branch: "580"'), "inventory/d.yaml": cluster(pool("held", HELD), pool("free"), name="d")}
    found = {one.cluster: one for one in impact_of(two, driver('branch: "580"')).clusters}
    assert [danger.message for danger in found["d"].dangers if danger.kind is Kind.LIFTED] == [
        'the hold of pool "d/held" is lifted ("benchmarks (until 2026-06-30)"), and no pool declares its nodes any more'
    ]


def test_no_pace_is_promised_where_the_change_itself_deletes_driver_pods() -> None:
    """Facts 4.1: DaemonSets are named by mode and OS; another mode is another DaemonSet, and the old one is deleted."""
    then = driver('branch: "580"')
    now = driver('mode: compiled, version: "580.126.20"')
    found = of_cluster(then, now)
    (one,) = found.pools
    assert (one.outcome, one.deletes_pods, one.at_once) == (Outcome.RELOAD, True, None)
    assert (found.unavailable, found.nodes) == (8, 8)
    assert nodes(one) == "8 nodes, all at once: their driver pods are deleted"


def test_lists_of_variables_are_compared_by_name() -> None:
    listed = "[{name: A, value: p}, {name: B, value: q}]"
    then = driver(f'branch: "580", spec: {{env: {listed}}}')
    now = driver(f'branch: "580", spec: {{env: {listed.replace("q", "r").replace("A,", "C,")}}}')
    changes = [(change.path, change.was, change.becomes) for change in of_pool(then, now).changes]
    assert changes == [("env[A]", '"p"', "absent"), ("env[B]", '"q"', '"r"'), ("env[C]", "absent", '"p"')]
    turned = driver('branch: "580", spec: {env: [{name: B, value: q}, {name: A, value: p}]}')
    assert [change.path for change in of_pool(then, turned).changes] == ["env"]


def test_workloads_and_budgets_that_come_and_go_are_named() -> None:
    room = "name: %s, minAvailable: 1, selector: {matchLabels: {app: w}}"
    then = inventory(pool("a")) | {WORKLOADS_FILE: workloads(workload("w", budget=room % "old"), workload("gone"))}
    now = inventory(pool("a")) | {WORKLOADS_FILE: workloads(workload("w", budget=room % "new"), workload("fresh"))}
    found = of_cluster(then, now)
    assert [(noted.what, noted.name, noted.team, str(noted.presence)) for noted in found.workloads] == [
        ("workload", "fresh", "t", "added"),
        ("budget", "ns/new", "t", "added"),
        ("workload", "gone", "t", "removed"),
        ("budget", "ns/old", "t", "removed"),
    ]
    assert not found.quiet
    assert of_cluster(then, then).quiet


def test_the_gate_says_what_the_change_brings_and_counts_what_stood() -> None:
    """580 for -173 stands as missing; 595 for it is what the change brings, by itself and on the way."""
    sides = []
    for branch in ("580", "595"):
        revision, _ = revision_of(inventory(pool("a", "nodes: 8", f'driver: {{branch: "{branch}"}}')))
        sides.append(revision)
    same = verdict(sides[0], sides[0], sides[0].fleet)
    assert (same.new, same.standing) == ((), 1)
    changed = verdict(*sides, sides[0].fleet)
    assert [(finding.rule, finding.fact) for finding in changed.new] == [
        ("image/missing", "595-5.15.0-173-generic-ubuntu22.04")
    ]
    assert changed.standing == 0
