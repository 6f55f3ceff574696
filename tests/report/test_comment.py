"""The comment on a pull request: rendered as CommonMark, within its length, the worst first."""

import pytest

from generator.change.danger import Danger, Kind
from generator.change.effect import Outcome
from generator.change.evicted import Eviction, Trouble
from generator.change.gate import Verdict
from generator.change.images import ImageChange, Standing
from generator.change.impact import ClusterImpact, Impact, Noted, PoolImpact, Presence
from generator.declared.modelparts import Size
from generator.finding import Finding, Place, Severity
from generator.operator.reload import Change
from generator.report.comment import comment
from generator.report.formats.markdown import LONGEST
from generator.report.impact import Told, text, values
from tests.testing.markdown import RENDER, shown
from tests.testing.reports import HOSTILE


def pool(name: str, outcome: Outcome = Outcome.NONE, **more: object) -> PoolImpact:
    return PoolImpact(cluster="c", ring="1", pool=name, outcome=outcome, **more)  # type: ignore[arg-type]


def image(standing: Standing, name: str = "595-6.8.0-60-generic-ubuntu24.04") -> ImageChange:
    return ImageChange(
        repository="r",
        platform="linux/amd64",
        kernel="6.8.0-60-generic",
        upcoming=False,
        was="580-6.8.0-60-generic-ubuntu24.04",
        becomes=name,
        standing=standing,
        why="" if standing is Standing.BUILT else "no catalog lists it for r",
    )


def cluster(*pools: PoolImpact, name: str = "c", **more: object) -> ClusterImpact:
    return ClusterImpact(cluster=name, ring="1", presence=Presence.BOTH, pools=pools, **more)  # type: ignore[arg-type]


def told(*clusters: ClusterImpact, everything: str = "", only: tuple[str, ...] = ()) -> Told:
    impact = Impact(clusters=clusters, total=10, everything=everything)
    return Told(base="commit a", head="work tree", impact=impact, clusters=only)


RELOAD = pool(
    "train",
    Outcome.RELOAD,
    driver=("580", "595"),
    changes=(Change("version", '"580"', '"595"'),),
    nodes=Size(4, 8),
    at_once=2,
    images=(image(Standing.MISSING),),
    evictions=(Eviction(workload="job", team="t", namespace="n", pods=Size(4, 4), at_once=1),),
    troubles=(Trouble(rule="disruption/no-room", workload="job", message="no room", way_out="make room", blocks=True),),
)


def test_a_pool_is_a_table_with_all_that_happens_to_it() -> None:
    made = comment(told(cluster(RELOAD, pool("calm"), unavailable=2, nodes=12)))
    assert made.startswith(
        "<!-- drivergate:diff -->\n\n### drivergate diff: 1 pool reloads, 1 image is not built, something blocks\n"
    )
    html = RENDER.render(made)
    assert html.count("<table>") == 1
    assert "<th><strong><code>train</code></strong></th>\n<th><strong>reload</strong></th>" in html
    assert "<td><code>580</code> → <code>595</code></td>" in html
    assert "<td>4 to 8 nodes, 2 at a time</td>" in html
    assert "evicts <code>job</code> of <code>t</code> (4 pods, 1 at a time)" in html
    assert "not built, <code>no catalog lists it for r</code>" in html
    assert "at worst 2 of 12 GPU nodes are down at a time" in html
    assert "<li><code>calm</code>: no effect</li>" in html


def test_the_worst_is_said_first() -> None:
    calm, restart = pool("calm"), pool("restart", Outcome.RESTART)
    danger = Danger(kind=Kind.HELD, cluster="c", pool="held", message="is held", way_out="wait", blocks=True)
    held = pool("held", Outcome.RESTART, dangers=(danger,))
    lacking = pool("lacking", Outcome.ADDED, images=(image(Standing.MISSING),))
    reload = pool("reload", Outcome.RELOAD)
    made = comment(told(cluster(calm, name="z"), cluster(restart, reload, name="a"), cluster(lacking, held, name="b")))
    _, codes = shown(made)
    order = [one for one in codes if one in {"z", "a", "b", "held", "lacking", "reload", "restart"}]
    assert order == ["b", "held", "lacking", "a", "reload", "restart", "z"]
    assert "`z`: no effect" in made


@pytest.mark.parametrize("name", [one for one in HOSTILE if one])
def test_names_are_code_wherever_they_stand(name: str) -> None:
    change = Change(name, f'"{name}"', f'"{name}"')
    danger = Danger(kind=Kind.REMOVED, cluster=name, message=name, way_out=name)
    worst = pool(
        name,
        Outcome.RELOAD,
        driver=(name, name + "x"),
        changes=(change,),
        reason=name,
        images=(image(Standing.MISSING, name),),
        evictions=(Eviction(workload=name, team=name, namespace=name, pods=None, at_once=None),),
        troubles=(Trouble(rule="r", workload=name, message=name, way_out=name, blocks=False),),
        dangers=(danger,),
        undecided=(name,),
    )
    made = comment(told(cluster(worst, pool(name), name=name, dangers=(danger,)), everything=name, only=(name,)))
    plain, _ = shown(made)
    assert not set("@!~<[&") & set(plain.replace("<br>", ""))
    html = RENDER.render(made)
    assert html.count("<table>") == 1
    assert html.count("<tr>") == 9
    assert "<script" not in html.replace("&lt;script", "")
    assert text(told(cluster(worst, name=name))).isprintable() or "\n" in text(told(cluster(worst, name=name)))


def test_a_comment_of_a_thousand_clusters_fits_and_counts_the_rest() -> None:
    """Facts gitops 6.5 and 9, 18: at most 65,536 characters; nothing is cut in the middle."""
    many = [cluster(RELOAD, pool("calm"), name=f"cluster-{number}") for number in range(1000)]
    made = comment(told(*many))
    assert 50_000 < len(made) <= LONGEST
    html = RENDER.render(made)
    kept = html.count("<table>")
    assert html.count("</table>") == kept
    # Each cluster is a table and a line for its calm pool.
    assert f"{2000 - kept - html.count('calm')} more blocks: too many for a comment" in made


def test_a_cell_of_many_is_cut_and_counted() -> None:
    images = tuple(image(Standing.MISSING, f"595-{number}") for number in range(40))
    made = comment(told(cluster(pool("a", Outcome.RELOAD, images=images))))
    assert "<br>and 28 more" in made
    assert "595-11`" in made
    assert "595-12`" not in made


def test_a_scope_has_a_marker_of_its_own() -> None:
    assert comment(told()).startswith("<!-- drivergate:diff -->\n")
    assert comment(told(only=("a", "b"))).startswith("<!-- drivergate:diff/a/b -->\n")


def test_json_holds_the_same() -> None:
    made = values(told(cluster(RELOAD, pool("calm"), unavailable=2, nodes=12), everything="x"))
    (found,) = made["clusters"]
    train, calm = found["pools"]
    assert (train["outcome"], train["driver"], train["atOnce"]) == ("reload", {"was": "580", "becomes": "595"}, 2)
    assert train["images"][0]["standing"] == "missing"
    assert train["evictions"][0]["atOnce"] == 1
    assert (calm["outcome"], calm["images"]) == ("none", ())
    assert {key: made["summary"][key] for key in ("reload", "missing", "blocked", "unknown")} == {
        "reload": True,
        "missing": True,
        "blocked": True,
        "unknown": False,
    }
    assert made["everything"] == "x"


def test_rings_are_told_in_their_order() -> None:
    clusters = [
        ClusterImpact(cluster=name, ring=ring, presence=Presence.BOTH, pools=(pool("p"),))
        for name, ring in (("x", "10"), ("y", ""), ("z", "2"))
    ]
    lines = text(told(*clusters)).splitlines()
    assert [line.strip() for line in lines if "effect" not in line][:-1] == [
        "ring 2",
        "z",
        "ring 10",
        "x",
        "no ring",
        "y",
    ]


def test_long_values_are_shown_from_where_they_differ() -> None:
    was, becomes = (f'["{"x" * 90}", "{end}", "{"y" * 90}"]' for end in ("before", "after"))
    made = told(cluster(pool("a", Outcome.RESTART, changes=(Change("tolerations", was, becomes),))))
    for said in (text(made), comment(made)):
        assert "before" in said
        assert "after" in said
        assert "x" * 30 not in said


def test_what_is_undecided_is_said_once() -> None:
    made = told(
        cluster(pool("a", Outcome.UNDECIDED, reason="the operator is newer", undecided=("the operator is newer",)))
    )
    for said in (text(made), comment(made)):
        assert said.count("the operator is newer") == 1


def test_the_gate_stands_at_the_end() -> None:
    finding = Finding(
        rule="image/missing", severity=Severity.ERROR, place=Place("inventory/c.yaml", 3, 5), message="no `x`", hint="h"
    )
    made = comment(told(cluster(RELOAD)), Verdict((finding,), 2))
    assert made.endswith(
        "#### Gate: 1 new finding (2 findings that stood before)\n\n"
        "- **error** `image/missing` `inventory/c.yaml:3:5`: `` no `x` ``\n"
    )
    assert comment(told(cluster(RELOAD)), Verdict((), 1)).endswith(
        "#### Gate: nothing new (1 finding that stood before)\n"
    )
    assert "Gate" not in comment(told(cluster(RELOAD)), Verdict((), 0))


def test_what_comes_and_goes_beside_drivers_has_a_line() -> None:
    budget = Noted(what="budget", name="ns/b", team="ml", presence=Presence.ADDED)
    job = Noted(what="workload", name="job", team="ml", presence=Presence.REMOVED)
    made = told(cluster(pool("a", renamed_from="b"), workloads=(budget, job)))
    assert "- budget `ns/b` of `ml` is new\n- workload `job` of `ml` is no longer declared\n" in comment(made)
    assert "| renamed from | `b` |" in comment(made)
    assert "    budget ns/b of ml is new\n    workload job of ml is no longer declared\n" in text(made)
    assert "      renamed from b\n" in text(made)
