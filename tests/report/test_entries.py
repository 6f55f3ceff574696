"""A change as findings: valid in every format, at the lines that bring it, errors where --fail-on names them."""

import pytest
from markdown_it import MarkdownIt

from generator.change.comparison import impact
from generator.change.danger import Danger, Kind
from generator.change.effect import Outcome
from generator.change.evicted import Eviction, Trouble
from generator.change.images import ImageChange, Standing
from generator.change.impact import ClusterImpact, Impact, PoolImpact, Presence
from generator.change.places import Places
from generator.declared.modelparts import Size
from generator.finding import Finding, Severity
from generator.operator.reload import Change
from generator.report.entries import entries
from generator.report.formats.github import github
from generator.report.formats.gitlab import gitlab
from generator.report.formats.junit import junit
from generator.report.formats.markdown import markdown
from generator.report.formats.sarif import sarif
from generator.report.reported import Reported, RuleText
from generator.rules import change
from generator.rules.table import CHANGES
from tests.testing.judging import revision_of
from tests.testing.pools import CLUSTER, FLEET, inventory, pool
from tests.testing.reports import HOSTILE, issues_of, run_of, suite_of

Files = dict[str, str]


def found(then: Files, now: Files, *failing: str) -> list[Finding]:
    (was, unread), (becomes, unreadable) = map(revision_of, (then, now))
    assert (unread, unreadable) == ((), ())
    told = impact(was, becomes, total=1)
    return list(entries(told, Places(was.fleet, becomes.fleet), failing))


def line(files: Files, one: Finding) -> str:
    """The text at a finding's place, to the end of its line."""
    return files[one.place.file].splitlines()[one.place.line - 1][one.place.column - 1 :]


def test_each_entry_stands_at_the_line_that_brings_it() -> None:
    now = inventory(pool("a", "nodes: 8", 'driver: {branch: "595"}'))
    reload, missing = found(inventory(pool("a", "nodes: 8")), now, change.MISSING)
    assert (reload.rule, reload.severity, reload.cluster, reload.pool) == ("diff/reload", Severity.WARNING, "c", "a")
    assert reload.message == (
        'pool "c/a" reloads: driver 580 -> 595; 8 nodes, 1 at a time; because version "580" -> "595"'
    )
    assert line(now, reload).startswith('"595"')
    assert (missing.rule, missing.severity) == ("diff/missing", Severity.ERROR)
    assert line(now, missing).startswith("5.15.0-173-generic")


@pytest.mark.parametrize(
    ("then", "now", "rule", "at"),
    [
        # What several pools inherit stands where it is said.
        (inventory(pool("a")), inventory(pool("a"), driver='branch: "595"'), "diff/reload", '"595"'),
        (
            inventory(pool("a")),
            inventory(pool("a", "driver: {spec: {rdma: {enabled: true}}}")),
            "diff/reload",
            "true",
        ),
        (inventory(pool("a", selector="{x: z}")), inventory(pool("b", selector="{x: z}")), "diff/blocked", "b:"),
        (
            inventory(pool("a")),
            inventory(pool("a", 'driver: {branch: "595"}', "kernelSource: floating")),
            "diff/unknown",
            "floating",
        ),
        (inventory(pool("a"), pool("b")), inventory(pool("a")), "diff/reload", "a:"),
        (
            inventory(pool("a", 'driver: {mode: precompiled, branch: "580"}')),
            inventory(pool("a", 'driver: {mode: compiled, version: "580.126.20"}')),
            "diff/blocked",
            "compiled",
        ),
        (
            inventory(pool("a"), operator="version: v26.3.3"),
            inventory(pool("a"), operator="version: v26.7.0"),
            "diff/danger",
            "v26.7.0",
        ),
        (
            inventory(pool("a"), operator="version: v26.7.0"),
            inventory(pool("a"), operator="version: v26.9.0"),
            "diff/unknown",
            "v26.9.0",
        ),
    ],
)
def test_places_and_kinds(then: Files, now: Files, rule: str, at: str) -> None:
    assert at in {line(now, one)[: len(at)] for one in found(then, now) if one.rule == rule}


def test_what_is_no_longer_declared_stands_in_its_cluster_or_where_it_was() -> None:
    then = inventory(pool("a"), pool("b"))
    now = inventory(pool("a"))
    (one,) = found(then, now)  # the driver that goes, and what that does, are one thing
    assert one.place.file == CLUSTER
    assert 'NVIDIADriver "b" drives nodes of c' in one.message
    gone = {path: text for path, text in then.items() if path != CLUSTER}
    assert {one.place.file for one in found(then, gone)} == {CLUSTER}


def test_a_pool_without_effect_is_no_entry() -> None:
    then, now = (inventory(pool("a", f"driver: {{upgradePolicy: {{maxParallelUpgrades: {one}}}}}")) for one in (1, 2))
    assert found(then, now) == []


def every(name: str) -> Impact:
    """Everything that can be told, named by somebody who means harm."""
    danger = Danger(kind=Kind.RENAMED, cluster=name, message=name, way_out=name, blocks=True)
    worst = PoolImpact(
        cluster=name,
        ring=name,
        pool=name,
        outcome=Outcome.RELOAD,
        driver=(name, name + "x"),
        changes=(Change(name, name, name),),
        reason=name,
        nodes=Size(1, 2),
        images=tuple(
            ImageChange(
                repository=name,
                platform=name,
                kernel=name,
                upcoming=False,
                was=name,
                becomes=name,
                standing=standing,
                why=name,
            )
            for standing in (Standing.MISSING, Standing.UNKNOWN)
        ),
        evictions=(Eviction(workload=name, team=name, namespace=name, pods=None, at_once=None),),
        troubles=tuple(
            Trouble(rule="disruption/no-room", workload=name, message=name, way_out=name, blocks=one)
            for one in (True, False)
        ),
        dangers=(danger,),
        undecided=(name,),
    )
    cluster = ClusterImpact(
        cluster=name, ring=name, presence=Presence.BOTH, pools=(worst, worst), dangers=(danger, danger)
    )
    return Impact(clusters=(cluster,), total=1)


@pytest.mark.parametrize("name", [one for one in HOSTILE if one])
def test_names_that_mean_harm_stay_text_in_every_format(name: str) -> None:
    fleet = revision_of(inventory(pool("a")))[0].fleet
    made = entries(every(name), Places(fleet, fleet), [change.BLOCKED])
    assert {one.rule for one in made} == {rule.id for rule in CHANGES}
    assert {one.place.file for one in made} == {FLEET}
    rules = {one.id: RuleText(id=one.id, severity=one.severity, summary=one.summary) for one in CHANGES}
    told = Reported(
        verb="diff",
        findings=made,
        sentence=name,
        rules=rules,
        clusters=(name,),
        judged=tuple(rules),
        scope=name,
    )
    run = run_of(sarif(told, version="1.0.0"))
    assert len(run["results"]) == len(made)
    assert len(issues_of(gitlab(told))) == len(made)
    assert len(suite_of(junit(told)).findall("testcase/failure")) == 1
    lines = github(told).splitlines()
    commands = [one for one in lines if one.startswith("::")]
    assert len(commands) == len(made)
    assert all(one.startswith(("::warning file=", "::error file=")) for one in commands)
    assert "<script" not in MarkdownIt("gfm-like", {"linkify": False}).render(markdown(told))
