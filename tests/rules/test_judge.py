"""What silences and the baseline make of findings, and that one mistake is told once."""

import pytest
from msgspec.structs import replace

from generator.declared.baseline import Baseline, baseline_text, entries_of, read_baseline
from generator.finding import Finding, Place, Severity
from generator.layout import BASELINE
from generator.revision.revision import Revision
from generator.rules.judge import Judgement, judge
from generator.rules.rule import FleetRule, Problem, Rule
from generator.rules.table import RULES
from tests.testing.inventories import (
    CLUSTER_FILE,
    FLEET,
    FLEET_FILE,
    POOL,
    WORKLOADS_FILE,
    cluster,
    files,
    workload,
    workloads,
)
from tests.testing.judging import revision_of

B = POOL.replace("pool: a", "pool: b")
MISSING = "image/missing"
UNBUILT = (
    'nodeSelector: {example.com/pool: a}, os: {id: ubuntu, version: "22.04"}, arch: [amd64], kernels: [5.15.0-1-x]'
)
UNBUILT_B = UNBUILT.replace("pool: a", "pool: b")


def silenced(*entries: str) -> str:
    return "silenced:\n" + "".join(f"  - {{{entry}}}\n" for entry in entries)


def judged(repository: dict[str, str], *, baseline: Baseline | None = None) -> Judgement:
    revision, told = revision_of(repository)
    return judge(revision, RULES, told=told, baseline=baseline)


def of(judgement: Judgement, rule: str) -> list[tuple[str, str]]:
    return [(one.pool, str(one.severity)) for one in judgement.findings if one.rule == rule]


def unused(judgement: Judgement) -> list[Finding]:
    return [one for one in judgement.findings if one.rule == "inventory/unused-silence"]


def test_without_a_silence() -> None:
    made = judged(files(UNBUILT, UNBUILT_B))
    assert of(made, MISSING) == [("a", "error"), ("b", "error")]
    assert made.ignored == ()


@pytest.mark.parametrize(
    ("entry", "left"),
    [
        (f"rule: {MISSING}, reason: r", []),
        (f"rule: {MISSING}, reason: r, pools: [a]", [("b", "error")]),
        (f"rule: {MISSING}, reason: r, level: warning", [("a", "warning"), ("b", "warning")]),
        (f"rule: {MISSING}, reason: r, level: warning, pools: [b]", [("a", "error"), ("b", "warning")]),
        (f"rule: {MISSING}, reason: r, level: ignore, pools: [a, b]", []),
    ],
)
def test_a_silence_by_pool_and_level(entry: str, left: list[tuple[str, str]]) -> None:
    made = judged(files(UNBUILT, UNBUILT_B, more=silenced(entry)))
    assert of(made, MISSING) == left
    assert unused(made) == []
    assert len(made.ignored) == 2 - len(left)


def test_a_silence_of_one_cluster_does_not_reach_another() -> None:
    repository = {
        **files(UNBUILT, more=silenced(f"rule: {MISSING}, reason: r")),
        "inventory/two.yaml": cluster(UNBUILT, name="two"),
    }
    left = [one.cluster for one in judged(repository).findings if one.rule == MISSING]
    assert left == ["two"]


@pytest.mark.parametrize(("clusters", "left"), [("", []), (", clusters: [two]", ["one"])])
def test_a_silence_of_the_fleet(clusters: str, left: list[str]) -> None:
    fleet = FLEET + silenced(f"rule: {MISSING}, reason: r{clusters}")
    repository = {**files(UNBUILT, fleet=fleet), "inventory/two.yaml": cluster(UNBUILT, name="two")}
    assert [one.cluster for one in judged(repository).findings if one.rule == MISSING] == left


def test_an_unused_silence_is_told_at_its_line() -> None:
    (finding,) = judged(files(more=silenced(f"rule: {MISSING}, reason: r"))).findings
    assert (finding.rule, finding.severity) == ("inventory/unused-silence", Severity.WARNING)
    assert finding.place == Place(CLUSTER_FILE, 5, 12)
    assert finding.hint == "remove the silence"


def test_a_silence_of_a_rule_that_is_none() -> None:
    (finding,) = judged(files(more=silenced("rule: image/mising, reason: r"))).findings
    assert finding.message == 'there is no rule "image/mising"'
    assert finding.hint == 'did you mean "image/missing"?'


def test_what_leaves_no_manifest_can_t_be_silenced() -> None:
    fleet = FLEET + silenced("rule: inventory/name-clash, reason: r")
    made = judged(files(POOL, f"{B}, renamedFrom: a", fleet=fleet))
    assert of(made, "inventory/name-clash") == [("b", "invalid")]
    (finding,) = unused(judged(files(fleet=fleet)))
    assert "can't be silenced" in finding.message
    assert finding.place == Place(FLEET_FILE, 8, 12)


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("image", "a silence names one rule, such as image/", "name each rule by itself"),
        ("image/", "a silence names one rule, such as image/", "name each rule by itself"),
        ("image/mising", 'there is no rule "image/mising"', 'did you mean "image/missing"?'),
    ],
)
def test_a_silence_of_what_is_no_rule(name: str, message: str, hint: str) -> None:
    (finding,) = unused(judged(files(more=silenced(f"rule: {name}, reason: r"))))
    assert finding.message.startswith(message)
    assert finding.hint == hint


def test_names_in_a_silence_that_nothing_has_are_told_where_they_stand() -> None:
    made = judged(files(UNBUILT, more=silenced(f"rule: {MISSING}, reason: r, pools: [a, aa]")))
    (finding,) = unused(made)
    assert of(made, MISSING) == []
    assert (finding.place, finding.message) == (Place(CLUSTER_FILE, 5, 49), 'no pool is named "aa"')
    fleet = f"{FLEET}{silenced(f'rule: {MISSING}, reason: r, clusters: [two, ona], pools: [b, x]')}"
    repository = {
        **files(fleet=fleet),
        "inventory/two.yaml": cluster(POOL, POOL.replace("pool: a", "pool: b"), name="two"),
    }
    (finding,) = unused(judged(repository))
    assert (finding.message, finding.hint) == ('no cluster is named "ona"', 'did you mean "one"?')
    (finding,) = unused(judged({**repository, FLEET_FILE: fleet.replace(", ona", "")}))
    assert (finding.message, finding.hint) == ('no pool is named "x"', "remove the name, or the silence")


BLOCKING = workload("replicas: 2, disruptionBudget: {existing: {minAvailable: 2}}")
NO_ROOM = "disruption/no-room"


def with_workloads(more: str = "") -> dict[str, str]:
    second = BLOCKING.replace("{app: w}", "{app: x}")
    return {**files(more=more), WORKLOADS_FILE: workloads(BLOCKING, second)}


def named(judgement: Judgement) -> list[tuple[str, str]]:
    return [(one.workload, str(one.severity)) for one in judgement.findings if one.rule == NO_ROOM]


def test_a_silence_by_workload() -> None:
    assert named(judged(with_workloads())) == [("w", "error"), ("x", "error")]
    made = judged(with_workloads(silenced(f"rule: {NO_ROOM}, reason: r, workloads: [w]")))
    assert named(made) == [("x", "error")]
    assert unused(made) == []
    (finding,) = unused(judged(with_workloads(silenced(f"rule: {NO_ROOM}, reason: r, workloads: [w, xx]"))))
    assert (finding.message, finding.hint) == ('no workload is named "xx"', 'did you mean "x"?')


def test_a_baseline_remembers_the_workload() -> None:
    entries = [one for one in entries_of(judged(with_workloads()).findings) if one.workload == "w"]
    made = judged(with_workloads(), baseline=read_baseline(baseline_text(entries).encode()))
    assert named(made) == [("w", "warning"), ("x", "error")]
    assert unused(made) == []


def test_a_baseline_entry_of_no_rule() -> None:
    listed = read_baseline(b'findings: [{rule: "image/mising", pool: "a"}]\n')
    (finding,) = unused(judged(files(), baseline=listed))
    assert finding.message == 'there is no rule "image/mising", and the baseline lists a finding of it'


def test_while_something_can_t_be_read_no_silence_is_called_unused() -> None:
    repository = {**files(more=silenced(f"rule: {MISSING}, reason: r")), "inventory/x.yaml": "a: [\n"}
    assert unused(judged(repository)) == []


def test_listed_findings_warn_and_new_ones_fail() -> None:
    listed = read_baseline(baseline_text(entries_of(judged(files(UNBUILT)).findings)).encode())
    made = judged(files(UNBUILT, UNBUILT_B), baseline=listed)
    assert of(made, MISSING) == [("a", "warning"), ("b", "error")]
    assert unused(made) == []


def test_a_stale_entry_is_told_at_its_line() -> None:
    listed = read_baseline(baseline_text(entries_of(judged(files(UNBUILT, UNBUILT_B)).findings)).encode())
    (finding,) = unused(judged(files(UNBUILT), baseline=listed))
    assert finding.place == Place(BASELINE, 4, 5)
    assert finding.message.startswith("no image/missing finding is left for the baseline entry one/b ")
    assert finding.hint == "run: drivergate check --write-baseline"


def test_a_baseline_lists_no_more_than_errors() -> None:
    made = judged(files(more=silenced(f"rule: {MISSING}, reason: r")))
    assert made.findings
    assert entries_of(made.findings) == ()


def rule(*problems: Problem, severity: Severity = Severity.ERROR, needs_all: bool = False) -> Rule:
    return FleetRule("x/y", severity, "s", lambda _: problems, needs_all=needs_all)


def problem(message: str = "m", *, line: int = 1, cluster: str = "") -> Problem:
    return Problem(place=Place("a", line, 1), message=message, hint="h", cluster=cluster)


def empty() -> Revision:
    return revision_of(files())[0]


def test_findings_are_sorted_by_their_place() -> None:
    made = judge(empty(), [rule(problem("b", line=2), problem("c"), problem("a", line=2))])
    assert [one.message for one in made.findings] == ["c", "a", "b"]


def test_one_mistake_that_two_clusters_inherit_is_told_once() -> None:
    made = judge(empty(), [rule(problem(cluster="a"), problem(cluster="b"), problem("other"))])
    assert [(one.message, one.cluster) for one in made.findings] == [("other", ""), ("m", "a")]


NO_SLOTS = "upgrade/no-slots"
STALLED = "upgradePolicy: {autoUpgrade: true, maxUnavailable: 0}"
INHERITED = FLEET.replace('branch: "580"', f'branch: "580", {STALLED}')


def two_clusters(*pools: str, fleet: str) -> dict[str, str]:
    """Clusters one and two of the same pools."""
    return {**files(*pools, fleet=fleet), "inventory/two.yaml": cluster(*pools, name="two")}


def slots(judgement: Judgement) -> list[tuple[str, str, str, str]]:
    return [
        (one.place.file, one.cluster, one.pool, str(one.severity)) for one in judgement.findings if one.rule == NO_SLOTS
    ]


def test_a_line_that_two_clusters_inherit_is_one_mistake_of_neither() -> None:
    made = judged(two_clusters(POOL, B, fleet=INHERITED))
    assert slots(made) == [(FLEET_FILE, "", "", "error")]
    assert made.repeated == frozenset()


def test_a_silence_counts_an_inherited_mistake_once_and_only_for_all_clusters() -> None:
    everywhere = judged(two_clusters(POOL, B, fleet=INHERITED + silenced(f"rule: {NO_SLOTS}, reason: r")))
    assert (slots(everywhere), len(everywhere.ignored)) == ([], 1)
    of_one = judged(two_clusters(POOL, B, fleet=INHERITED + silenced(f"rule: {NO_SLOTS}, reason: r, clusters: [one]")))
    assert (slots(of_one), of_one.ignored) == ([(FLEET_FILE, "", "", "error")], ())
    assert [one.message for one in unused(of_one)] == [f"no {NO_SLOTS} finding is left for this silence"]


def test_a_baseline_lists_an_inherited_mistake_once() -> None:
    repository = two_clusters(POOL, B, fleet=INHERITED)
    entries = entries_of(one for one in judged(repository).findings if one.rule == NO_SLOTS)
    assert len(entries) == 1
    made = judged(repository, baseline=read_baseline(baseline_text(entries).encode()))
    assert (slots(made), unused(made)) == ([(FLEET_FILE, "", "", "warning")], [])


def test_a_line_of_each_pool_is_a_mistake_of_each() -> None:
    own = f"{POOL}, driver: {{{STALLED}}}"
    made = judged(two_clusters(own, f"{B}, driver: {{{STALLED}}}", fleet=FLEET))
    assert [where[1:] for where in slots(made)] == [
        ("one", "a", "error"),
        ("one", "b", "error"),
        ("two", "a", "error"),
        ("two", "b", "error"),
    ]


def test_of_problems_about_one_mistake_the_first_is_reported() -> None:
    first, second = problem("a", line=2), problem("b", line=1)
    other = problem("c", line=3)
    made = judge(empty(), [rule(replace(first, mistake=("m",)), replace(second, mistake=("m",)), other, other)])
    assert [one.message for one in made.findings] == ["a", "c"]


def test_a_rule_that_needs_all_is_silent_while_a_part_is_missing() -> None:
    told = rule(problem("unreadable"), severity=Severity.INVALID).finding(problem("unreadable"))
    rules = [rule(problem("always")), rule(problem("compared"), needs_all=True)]
    assert [one.message for one in judge(empty(), rules).findings] == ["always", "compared"]
    assert [one.message for one in judge(empty(), rules, told=[told]).findings] == ["always", "unreadable"]


def test_a_rule_may_lower_its_severity() -> None:
    made = judge(empty(), [rule(replace(problem(), severity=Severity.WARNING))])
    assert [one.severity for one in made.findings] == [Severity.WARNING]
