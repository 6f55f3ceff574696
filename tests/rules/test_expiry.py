"""Silences that are past their day, and which changes are stopped for them."""

from datetime import date

import pytest
from msgspec.structs import replace

from generator.declared.baseline import Baseline, Entry, entry_of
from generator.finding import Finding, Severity
from generator.rules.judge import judge
from generator.rules.table import RULES
from tests.testing.judging import revision_of
from tests.testing.pools import CLUSTER, FLEET, cluster, fleet, pool

ENDED = "{rule: image/missing, reason: being built, until: 2026-03-30}"
DAY = date(2026, 3, 31)
OTHER = "inventory/other.yaml"


def silenced(entry: str) -> str:
    return f"silenced: [{entry}]\n"


def of_cluster(*lines: str, entry: str = ENDED, **more: str) -> dict[str, str]:
    """One cluster with one pool, and a silence of its own."""
    return {FLEET: fleet(), CLUSTER: cluster(pool("a", *lines, **more), top=silenced(entry))}


def judged(
    now: dict[str, str],
    then: dict[str, str] | None,
    *,
    day: date = DAY,
    scheduled: bool = False,
    rewritten: frozenset[str] = frozenset(),
    baseline: Baseline | None = None,
) -> list[Finding]:
    revision, problems = revision_of(now, before=then, day=day)
    assert problems == ()
    revision = replace(revision, scheduled=scheduled, rewritten=rewritten)
    return list(judge(revision, RULES, baseline=baseline).findings)


def expired(now: dict[str, str], then: dict[str, str] | None, **more: object) -> list[tuple[Severity, str, str]]:
    found = judged(now, then, **more)  # type: ignore[arg-type]
    return [(one.severity, one.cluster, one.message) for one in found if one.rule == "inventory/expired"]


MESSAGE = 'the silence of image/missing ended on 2026-03-30 ("being built")'
WARNED = [(Severity.WARNING, "c", MESSAGE)]
STOPPED = [(Severity.ERROR, "c", f"{MESSAGE}, and the change touches c")]


@pytest.mark.parametrize(
    "then",
    [
        of_cluster("nodes: 3"),
        of_cluster("owner: somebody"),
        of_cluster(kernels="[5.15.0-173-generic, 5.15.0-177-generic]"),
        of_cluster(os='{id: ubuntu, version: "24.04"}'),
        of_cluster('driver: {branch: "595"}'),
        {**of_cluster(), FLEET: fleet(operator="version: v26.3.3")},
        {**of_cluster(), FLEET: fleet(driver='branch: "595"')},
    ],
    ids=["size", "owner", "kernel", "OS", "driver", "release of the fleet", "driver of the fleet"],
)
def test_a_change_of_values_or_machines_is_stopped(then: dict[str, str]) -> None:
    assert expired(of_cluster(), then) == STOPPED


@pytest.mark.parametrize(
    "then",
    [
        None,
        of_cluster(),
        of_cluster(entry="{rule: branch/end-of-life, reason: x}"),
        {FLEET: of_cluster()[FLEET], "inventory/moved.yaml": f"# a note\n{of_cluster()[CLUSTER]}"},
        of_cluster("hold: {reason: benchmarks}"),
        {**of_cluster(), FLEET: fleet().replace("name: f\n", "name: g\n")},
    ],
    ids=["nothing to compare with", "no change", "a silence", "another file", "a hold", "the fleet's name"],
)
def test_what_changes_nothing_of_a_cluster_is_warned(then: dict[str, str] | None) -> None:
    assert expired(of_cluster(), then) == WARNED


def test_a_rendered_file_that_differs_is_a_change() -> None:
    assert expired(of_cluster(), of_cluster(), rewritten=frozenset({"c"})) == STOPPED
    assert expired(of_cluster(), of_cluster(), rewritten=frozenset({"d"})) == WARNED


def test_a_scheduled_run_fails_without_a_change() -> None:
    assert expired(of_cluster(), None, scheduled=True) == [(Severity.ERROR, "c", MESSAGE)]


def test_its_last_day_is_one_of_its_days() -> None:
    assert expired(of_cluster(), of_cluster("nodes: 3"), day=date(2026, 3, 30), scheduled=True) == []


def test_the_fleets_silence_is_for_every_cluster_or_those_that_it_names() -> None:
    def files(entry: str, nodes: int) -> dict[str, str]:
        return {
            FLEET: fleet(more=silenced(entry)),
            CLUSTER: cluster(pool("a")),
            OTHER: cluster(pool("a", f"nodes: {nodes}"), name="d"),
        }

    stopped = (Severity.ERROR, "d", f"{MESSAGE}, and the change touches d")
    assert expired(files(ENDED, 2), files(ENDED, 3)) == [stopped]
    of_d, of_c = (ENDED.replace("until", f"clusters: [{name}], until") for name in "dc")
    assert expired(files(of_d, 2), files(of_d, 3)) == [stopped]
    assert expired(files(of_c, 2), files(of_c, 3)) == WARNED


def test_an_ended_silence_still_silences_and_is_reported_once() -> None:
    found = judged(of_cluster(), of_cluster("nodes: 3"))
    assert [one.rule for one in found if one.rule in {"image/missing", "inventory/unused-silence"}] == []
    assert [one.rule for one in found if one.severity is Severity.ERROR] == ["inventory/expired"]


def test_nothing_silences_it_and_no_baseline_lists_it() -> None:
    again = "{rule: inventory/expired, reason: later}"
    now = of_cluster(entry=f"{ENDED}, {again}")
    found = judged(now, of_cluster("nodes: 3"))
    errors = [one for one in found if one.severity is Severity.ERROR]
    assert [one.rule for one in errors] == ["inventory/expired"]
    (unused,) = [one for one in found if one.rule == "inventory/unused-silence"]
    assert unused.message == "inventory/expired can't be silenced, since it is about silences"
    entries: tuple[Entry, ...] = (entry_of(errors[0]),)
    listed = judged(now, of_cluster("nodes: 3"), baseline=Baseline(entries))
    assert [one.rule for one in listed if one.severity is Severity.ERROR] == ["inventory/expired"]
