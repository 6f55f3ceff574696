"""What counts as a change of a held driver, and what the refusal says."""

from datetime import date

import pytest

from generator.finding import Severity
from generator.revision.driver_objects import DriverObject, driver_objects
from generator.rules.rule import problems_of
from generator.rules.table import BY_ID
from tests.testing.judging import findings, fresh, revision_of
from tests.testing.pools import CLUSTER, FLEET, cluster, fleet, inventory, pool, told

HOLD = "hold: {reason: benchmarks until the end of the quarter}"
POLICY = "version: v26.7.0, driverApi: ClusterPolicy"
BASED = f"{POLICY}, install: %s, clusterPolicyBase: bases/p.yaml"
BASE = {"bases/p.yaml": "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\n"}


def before(files: dict[str, str]) -> tuple[DriverObject, ...]:
    """All driver objects of a repository, as a revision that changed everything would hand them over."""
    revision, problems = revision_of(files)
    assert problems == ()
    return driver_objects(fresh(revision.rendered))


def held(now: dict[str, str], then: dict[str, str]) -> list[str]:
    return [one.message for one in told("upgrade/held", now, against=before(then))]


def driver(said: str, name: str = "a") -> dict[str, str]:
    return inventory(pool(name, HOLD, f"driver: {{{said}}}"))


def test_the_refusal_names_pool_reason_object_and_fields() -> None:
    then, now = driver('branch: "580"'), driver('branch: "595", kernelModuleType: open')
    (finding,) = told("upgrade/held", now, against=before(then))
    assert finding.message == (
        'pool "c/a" is held ("benchmarks until the end of the quarter"), and NVIDIADriver a changes: '
        'kernelModuleType "auto" -> "open", version "580" -> "595"'
    )
    assert (finding.place.file, finding.place.line) == (CLUSTER, 10)
    assert (finding.cluster, finding.pool, finding.fact) == ("c", "a", "a")


def test_what_is_the_same_or_not_held_may_be_committed() -> None:
    then, now = driver('branch: "580"'), driver('branch: "595"')
    assert held(then, then) == []
    assert held({path: text.replace(HOLD, "owner: x") for path, text in now.items()}, then) == []
    assert held(driver('branch: "580"', "new"), inventory(pool("b"))) == []


def test_only_the_spec_counts() -> None:
    """Prune protection is an annotation, and one more kernel is one more image: neither reloads a driver."""
    then = driver('branch: "580"')
    assert (
        held(inventory(pool("a", HOLD, "protect: false", kernels="[5.15.0-173-generic, 5.15.0-177-generic]")), then)
        == []
    )
    (message,) = held(inventory(pool("a", HOLD, selector="{example.com/pool: b}")), then)
    assert message.endswith('nodeSelector.example.com/pool "a" -> "b"')


def test_a_long_list_of_fields_is_cut() -> None:
    spec = "spec: {args: [a], env: [{name: A, value: b}], secretEnv: s, rdma: {enabled: true}}"
    (message,) = held(driver(f'branch: "595", mode: compiled, {spec}'), driver('branch: "580", mode: compiled'))
    assert message.count(" -> ") == 4
    assert message.endswith(" and 1 more")


def test_what_reloads_nothing_may_change() -> None:
    """Facts 6.5 and 9b: an upgrade policy is no part of the pod, and a label only restarts it from v26.7 on."""
    policy = 'branch: "580", upgradePolicy: {maxParallelUpgrades: 3, drain: {enable: true}}'
    labelled = 'branch: "580", spec: {labels: {team: x}, priorityClassName: high}'
    assert held(driver(policy), driver('branch: "580"')) == []
    assert held(driver(labelled), driver('branch: "580"')) == []


def test_before_v26_7_every_difference_of_the_pod_is_a_reload() -> None:
    labelled, operator = 'branch: "580", spec: {labels: {team: x}}', "version: v26.3.3"
    then, now = (inventory(pool("a", HOLD), operator=operator, driver=one) for one in ('branch: "580"', labelled))
    (message,) = held(now, then)
    assert message.endswith('NVIDIADriver a changes: labels.team absent -> "x"')


def test_an_upgrade_that_waited_is_let_loose() -> None:
    """Nodes whose pod is out of sync are upgraded as soon as autoUpgrade is on (facts 6.2)."""
    then, now = (driver(f'branch: "580", upgradePolicy: {{autoUpgrade: {one}}}') for one in ("false", "true"))
    (message,) = held(now, then)
    assert message.endswith("NVIDIADriver a changes: upgradePolicy.autoUpgrade false -> true")
    assert held(then, now) == []


def test_a_selector_that_asks_for_less_keeps_its_nodes() -> None:
    two = "{example.com/pool: a, example.com/zone: z}"
    then, now = (inventory(pool("a", HOLD, selector=one)) for one in (two, None))
    assert held(now, then) == []
    (message,) = held(then, now)
    assert message.endswith('NVIDIADriver a leaves nodes without it: nodeSelector.example.com/zone absent -> "z"')


@pytest.mark.parametrize(
    "now",
    [
        inventory(pool("a", HOLD, 'driver: {mode: preinstalled, version: "580.126.20"}')),
        inventory(pool("a", HOLD, "driver: {mode: unmanaged}")),
        inventory(pool("a", HOLD, "renamedFrom: b")),
        inventory(pool("b", HOLD, selector="{example.com/pool: a}")),
        inventory(pool("a", HOLD), operator=POLICY),
    ],
)
def test_an_object_that_goes_or_is_renamed(now: dict[str, str]) -> None:
    (message,) = held(now, driver('branch: "580"'))
    assert message.endswith("NVIDIADriver a goes or gets another name, which removes the driver of its nodes")


def test_an_object_that_keeps_its_name_through_a_rename() -> None:
    kept = inventory(pool("b", HOLD, "renamedFrom: a", selector="{example.com/pool: a}"))
    assert held(kept, driver('branch: "580"')) == []


@pytest.mark.parametrize("install", ["manifest", "olm"])
def test_one_held_pool_holds_the_cluster_policy(install: str) -> None:
    operator = BASED % install
    pools = (pool("a", HOLD), pool("b"))
    then = BASE | inventory(*pools, operator=operator)
    (message,) = held(BASE | inventory(*pools, operator=operator, driver='branch: "595"'), then)
    assert message.endswith('ClusterPolicy cluster-policy changes: driver.version "580" -> "595"')
    other = {"bases/p.yaml": BASE["bases/p.yaml"] + "spec: {toolkit: {enabled: false}}\n"}
    assert held(then | other, then) == []


def test_one_held_pool_holds_the_chart_values() -> None:
    pools = (pool("a", HOLD), pool("b"))
    then = inventory(*pools, operator=POLICY)
    (message,) = held(inventory(*pools, operator=POLICY, driver='branch: "595"'), then)
    assert message.endswith('out/c/values/gpu-operator.yaml changes: driver.version "580" -> "595"')


def test_a_hold_on_hosts_with_their_own_driver_holds_nobody_elses() -> None:
    own = pool("a", HOLD, "driver: {mode: preinstalled}")
    then, now = (inventory(own, pool("b"), operator=POLICY, driver=f'branch: "{one}"') for one in ("580", "595"))
    assert held(now, then) == []


def test_values_and_policy_that_say_the_same() -> None:
    """values.yaml calls podDeletion gpuPodDeletion, and useNvidiaDriverCRD nvidiaDriverCRD.enabled (facts 5)."""
    policy = 'branch: "580", upgradePolicy: {autoUpgrade: true}'
    helm = BASE | inventory(pool("a", HOLD), operator=POLICY, driver=policy)
    manifest = BASE | inventory(pool("a", HOLD), operator=BASED % "manifest", driver=policy)
    assert held(manifest, helm) == []
    assert held(helm, manifest) == []
    (message,) = held(manifest, {path: text.replace('"580"', '"595"') for path, text in helm.items()})
    assert message.endswith('ClusterPolicy cluster-policy changes: driver.version "595" -> "580"')


def test_a_cluster_that_changes_its_driver_api() -> None:
    then, now = inventory(pool("a", HOLD), operator=POLICY), inventory(pool("a", HOLD))
    (message,) = held(now, then)
    assert message.endswith("out/c/values/gpu-operator.yaml changes: driver.useNvidiaDriverCRD false -> true")


def test_other_driver_values_are_not_the_objects() -> None:
    """Before v26.7 the chart carries the upgrade policy of all objects: it reloads nothing."""
    old = 'branch: "580", upgradePolicy: {maxParallelUpgrades: %d}'
    now, then = (inventory(pool("a", HOLD), operator="version: v26.3.3", driver=old % number) for number in (1, 2))
    assert held(now, then) == []


def test_nothing_is_said_without_a_revision() -> None:
    assert told("upgrade/held", driver('branch: "595"'), against=None) == []


def test_values_that_are_no_mapping_are_nothing_to_compare_with() -> None:
    files = {
        "c/values/gpu-operator.yaml": b"- driver",
        "d/values/gpu-operator.yaml": b"driver: [",
        "e/values/x.yaml": b"{}",
    }
    assert driver_objects(files) == ()


def test_another_cluster_is_not_concerned() -> None:
    files = {FLEET: fleet(), CLUSTER: cluster(pool("a", HOLD)), "inventory/d.yaml": cluster(pool("a"), name="d")}
    then = before(files)
    changed = files | {"inventory/d.yaml": files["inventory/d.yaml"] + '    driver: {branch: "595"}\n'}
    assert [one.cluster for one in told("upgrade/held", changed, against=then)] == []


def lifted(now: dict[str, str], then: dict[str, str]) -> list[str]:
    """What the rule says where the revision before is read, too."""
    revision, problems = revision_of(now, against=before(then), before=then)
    assert problems == ()
    return [problem.message for problem in problems_of(BY_ID["upgrade/held"], revision)]


def test_a_hold_that_the_same_change_lifts_counts() -> None:
    free = inventory(pool("a", 'driver: {branch: "595"}'))
    (message,) = lifted(free, driver('branch: "580"'))
    assert message == (
        'pool "c/a" is held ("benchmarks until the end of the quarter"); this change lifts the hold, '
        'and NVIDIADriver a changes: version "580" -> "595"'
    )
    assert lifted(inventory(pool("a", 'driver: {branch: "580"}')), driver('branch: "580"')) == []
    assert lifted(free, inventory(pool("a", 'driver: {branch: "580"}'))) == []


def test_a_pool_that_is_held_on_both_sides_is_reported_once() -> None:
    (message,) = lifted(driver('branch: "595"'), driver('branch: "580"'))
    assert "lifts" not in message


def test_nodes_of_a_lifted_hold_are_followed_by_their_labels() -> None:
    """Under one ClusterPolicy no object has the pool's name: another name would hide that its nodes were held."""
    then = inventory(pool("a", HOLD), operator=POLICY)
    now = inventory(pool("b", selector="{example.com/pool: a}"), operator=POLICY, driver='branch: "595"')
    (message,) = lifted(now, then)
    assert message.startswith(
        'pool "c/b" is held ("benchmarks until the end of the quarter"); this change lifts the hold'
    )
    other = inventory(pool("a", HOLD), pool("b"), operator=POLICY)
    assert lifted(inventory(pool("b"), operator=POLICY), other) == []


@pytest.mark.parametrize(("day", "ended"), [(date(2026, 6, 30), False), (date(2026, 7, 1), True)])
def test_a_hold_ends_after_its_day_and_still_holds(day: date, ended: bool) -> None:
    until = pool("a", "hold: {reason: benchmarks, until: 2026-06-30}", 'driver: {branch: "595"}')
    then = inventory(pool("a"))
    found = findings(inventory(until), against=before(then), day=day)
    assert [one.rule for one in found if one.rule == "upgrade/hold-ended"] == ["upgrade/hold-ended"] * ended
    assert [one.severity for one in found if one.rule == "upgrade/held"] == [Severity.ERROR]
