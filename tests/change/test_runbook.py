"""Waves by ring, canaries first, no step before its image exists: issue of the product, facts/gpu-operator.md 6."""

from generator.change.need import Needs
from generator.change.plan import plan
from generator.change.runbook import Runbook, Way, runbook, whole
from generator.change.whatif import Asked
from generator.change.wish import Wish, meant
from generator.change.work import work
from generator.render.output import Rendered
from generator.report.runbook import markdown
from generator.revision.revision import Revision
from tests.testing.inventories import FLEET, HEAD, cluster
from tests.testing.judging import DAY
from tests.testing.planning import EMPTY, NEXT, NOWHERE, RUNNING, UPCOMING, catalog, files, pool, read, tag

BUILT = {"inventory/catalog.yaml": catalog(tag(RUNNING), tag(NEXT), tag(RUNNING, "595"))}


def made(repository: dict[str, str], **wished: object) -> Runbook:
    fleet, listed, images = read(repository)
    asked = meant(Wish(**{**EMPTY, **NOWHERE, **wished}), fleet, images)
    found = plan(fleet, listed, asked, Needs(fleet, listed).objections)
    revision = Revision(day=DAY, fleet=fleet, catalog=listed, rendered=Rendered((), ()))
    return runbook(revision, asked, found, work(found.answers, listed))


def rings(*named: tuple[str, str, str]) -> dict[str, str]:
    """Clusters by name, ring and the one pool of each."""
    clusters = {
        f"inventory/{name}.yaml": cluster(one, name=name, more=f'ring: "{ring}"\n' if ring else "")
        for name, ring, one in named
    }
    return {**files(**BUILT), "inventory/one.yaml": cluster(pool(UPCOMING)), **clusters, "inventory/fleet.yaml": FLEET}


def steps(book: Runbook) -> list[tuple[str, str]]:
    return [(wave.ring, f"{step.cluster.name}/{step.pool.name}") for wave in book.waves for step in wave.steps]


def test_rings_in_their_order_and_those_without_one_last() -> None:
    book = made(rings(("b", "10", pool(UPCOMING)), ("c", "2", pool(UPCOMING)), ("d", "canary", pool(UPCOMING))))
    assert steps(book) == [("2", "c/a"), ("10", "b/a"), ("canary", "d/a"), ("", "one/a")]


def test_the_smallest_pool_that_has_nodes_is_the_canary_of_its_ring() -> None:
    sizes = ("nodes: 24", "nodes: {min: 0, max: 2}", "nodes: 3")
    book = made(files(*(pool(f"{UPCOMING}, {size}") for size in sizes), **BUILT))
    assert steps(book) == [("", "one/c"), ("", "one/a"), ("", "one/b")]
    assert [step.canary for step in book.waves[0].steps] == [True, False, False]


def test_no_step_empties_a_node_before_its_image_exists() -> None:
    lacking = files(pool(UPCOMING), pool(UPCOMING.replace(NEXT, "5.15.0-181-generic")), **BUILT)
    book = made(lacking)
    assert steps(book) == [("", "one/a")]
    assert [one.pool.name for one in book.waiting] == ["b"]
    text = markdown(book)
    assert "`one/b` (HOLD)" in text
    assert "### Canary: `one/a`" in text
    assert "one/b`\n\n" not in text.partition("## 2.")[2]
    assert "580-5.15.0-181-generic-ubuntu22.04" in text.partition("## 2.")[0]


def test_with_nothing_built_there_is_no_wave_at_all() -> None:
    book = made(files(pool(UPCOMING), **{"inventory/catalog.yaml": catalog(tag(RUNNING))}))
    assert book.waves == ()
    text = markdown(book)
    assert "There is nothing to do yet" in text
    assert "Canary" not in text
    assert "kubectl" not in text


def test_who_moves_the_nodes() -> None:
    """A kernel comes with a boot; a driver with the operator, unless its autoUpgrade is off."""
    kernels = f"arch: [amd64], kernels: [{RUNNING}], nodes: 8"
    by_hand = f"{kernels}, driver: {{upgradePolicy: {{autoUpgrade: false}}}}"
    assert made(files(pool(UPCOMING), **BUILT)).waves[0].steps[0].way is Way.ROLL
    assert made(files(pool(kernels), **BUILT), driver="595").waves[0].steps[0].way is Way.OPERATOR
    assert made(files(pool(by_hand), **BUILT), driver="595").waves[0].steps[0].way is Way.BY_HAND


def test_the_operators_own_limits_are_said() -> None:
    """facts/gpu-operator.md 6.3: maxParallelUpgrades 1 by default; 25% of 8 nodes is 2."""
    kernels = f"arch: [amd64], kernels: [{RUNNING}], nodes: 8"
    assert made(files(pool(kernels), **BUILT), driver="595").waves[0].steps[0].at_once == 1
    faster = f"{kernels}, driver: {{upgradePolicy: {{maxParallelUpgrades: 4}}}}"
    assert made(files(pool(faster), **BUILT), driver="595").waves[0].steps[0].at_once == 2


def test_the_way_back_is_proven_by_the_catalog() -> None:
    there = made(files(pool(UPCOMING), **BUILT)).waves[0].steps[0].back
    assert (there.built, there.lost) == ((f"580-{RUNNING}-ubuntu22.04",), ())
    gone = catalog(tag(RUNNING, more=", platforms: [linux/amd64], gone: true"), tag(NEXT))
    book = made(files(pool(UPCOMING), **{"inventory/catalog.yaml": gone}))
    assert book.waves[0].steps[0].back.lost == (f"580-{RUNNING}-ubuntu22.04",)
    assert "there is no way back" in markdown(book)


WORKLOADS = f"""{HEAD}kind: Workloads
team: ml
workloads:
  api:
    runsOn: {{clusters: [one], pools: [a]}}
    namespace: serving
    owner: {{kind: Deployment}}
    podLabels: {{app: api}}
    replicas: 3
    disruptionBudget: {{existing: {{minAvailable: "80%"}}}}
"""


def test_a_budget_that_will_stop_it_is_mended_first() -> None:
    """facts/kubernetes.md: percentages round up, 80% of 3 is 3."""
    kernels = f"arch: [amd64], kernels: [{RUNNING}], nodes: 8"
    book = made({**files(pool(kernels), **BUILT), "inventory/ml.yaml": WORKLOADS}, driver="595")
    assert [one.rule for one in book.waves[0].steps[0].troubles] == ["disruption/no-room"]
    before, _, after = markdown(book).partition("## 3. How each block is merged")
    assert "Mend these first" in before
    assert "rounds up to 3" in before
    assert "`serving/api` of team ml" in after


def test_names_cannot_break_out_of_the_page() -> None:
    hostile = rings(("one", "`0`\\n# x", pool(UPCOMING)))
    text = markdown(made(hostile))
    assert "\n# x" not in text.partition("\n")[2]


def test_where_nothing_is_upcoming_the_page_says_so_and_nothing_else() -> None:
    kernels = f"arch: [amd64], kernels: [{RUNNING}]"
    text = markdown(made(files(pool(kernels), **BUILT)))
    assert text.count("\n#") == 0
    assert "There is nothing to do.** None of these pools declares anything as upcoming" in text
    assert "already ask for these images" in markdown(made(files(pool(kernels), **BUILT), driver="580"))


def test_a_canary_is_waited_for_before_the_rest_of_its_wave() -> None:
    text = markdown(made(files(pool(f"{UPCOMING}, nodes: 24"), pool(f"{UPCOMING}, nodes: 3"), **BUILT)))
    canary, _, rest = text.partition("**Roll** `one/b`")[2].partition("**Roll** `one/a`")
    assert "go on with the next one when its nodes are through" in canary
    assert "go on with the next one" not in rest


def test_a_boot_is_taken_back_by_a_boot() -> None:
    """A kernel that runs doesn't change with git: what is rendered only follows."""
    kernels = f"arch: [amd64], kernels: [{RUNNING}], nodes: 8"
    assert "boot the nodes with the machine image that they had" in markdown(made(files(pool(UPCOMING), **BUILT)))
    assert "boot the nodes" not in markdown(made(files(pool(kernels), **BUILT), driver="595"))


BUILT_595 = {"inventory/catalog.yaml": catalog(tag(RUNNING), tag(RUNNING, "595"))}
EIGHT = f"arch: [amd64], kernels: [{RUNNING}], nodes: 8"


def parts(text: str) -> tuple[str, str]:
    """What the first wave does before and after its canary has held."""
    wave = text.partition("## 4. ")[2].partition("## 5. ")[0]
    before, _, after = wave.partition("This is the canary: begin the next block when all of that is so")
    return before, after


def test_a_driver_that_the_operator_rolls_reaches_the_canary_alone() -> None:
    """One sync of everything would move all pools at once, whatever the order of the headings."""
    book = made(files(pool(EIGHT), pool(f"arch: [amd64], kernels: [{RUNNING}], nodes: 2"), **BUILT_595), driver="595")
    assert [step.pool.name for step in book.waves[0].canaries] == ["b"]
    before, after = parts(markdown(book))
    assert before.count("**Merge**") == after.count("**Merge**") == 1
    assert before.count("**Sync** `one`") == after.count("**Sync** `one`") == 1
    assert "### Canary: `one/b`" in before
    assert "### `one/a`" in after


def test_a_boot_needs_no_sync_and_no_merge_of_its_own_for_the_canary() -> None:
    book = made(files(pool(f"{UPCOMING}, nodes: 24"), pool(f"{UPCOMING}, nodes: 3"), **BUILT))
    assert book.waves[0].canaries == ()
    text = markdown(book)
    assert "Sync" not in text
    assert text.count("**Merge**") == 1
    gone = [f"drivergate audit --cluster one --pool {name} --gone {RUNNING}" for name in ("b", "a")]
    assert "\n".join(gone) in text


POLICY = "operator: {version: v26.3.3, driverApi: ClusterPolicy}\n"


def test_the_one_driver_of_a_clusterpolicy_moves_all_pools_or_none() -> None:
    """facts/gpu-operator.md 1.5: one driver for the cluster. The other pool's image is not built."""
    lacking = f"arch: [amd64], kernels: [{NEXT}], nodes: 2"
    book = made(files(pool(EIGHT), pool(lacking), more=POLICY, **BUILT_595), driver="595")
    assert book.waves == ()
    assert [one.pool.name for one in book.waiting] == ["a", "b"]
    assert "the whole cluster goes at once, and b can't" in markdown(book)


def test_another_operator_replaces_the_driver_pods_of_every_pool() -> None:
    """Its images are the same here; before v26.7 any change of the template is a full upgrade (facts 6.5)."""
    older = "operator: {version: v26.3.3}\n"
    plain = files(pool(EIGHT), pool(EIGHT), more=older, **BUILT_595)
    assert steps(made(plain, operator="v26.7.0")) == [("", "one/a"), ("", "one/b")]
    assert made(plain, operator="v26.3.3").waves == ()
    text = markdown(made(plain, operator="v26.7.0"))
    upgraded = "helm upgrade gpu-operator gpu-operator --repo https://helm.ngc.nvidia.com/nvidia --version v26.7.0"
    assert f"{upgraded} --kube-context one -n gpu-operator -f VALUES.yaml -f out/one/values/gpu-operator.yaml" in text
    assert text.index("helm upgrade") < text.index("**Sync** `one`")


def test_another_operator_waits_for_a_held_pool_of_its_cluster() -> None:
    held = f"{EIGHT}, hold: {{reason: a long run}}"
    book = made(files(pool(EIGHT), pool(held), more="operator: {version: v26.3.3}\n", **BUILT_595), operator="v26.7.0")
    assert book.waves == ()
    told = {one.pool.name: one.objections for one in book.waiting}
    assert told["b"] == ("the pool is held: a long run",)
    assert told["a"] == ("the whole cluster goes at once, and b can't",)


def test_another_operator_is_of_the_whole_cluster_whichever_pool_is_named() -> None:
    fleet, _, images = read(files(pool(EIGHT), pool(EIGHT), more="operator: {version: v26.3.3}\n", **BUILT_595))
    asked = meant(Wish(**{**EMPTY, **NOWHERE, "operator": "v26.7.0", "pools": frozenset({"one/a"})}), fleet, images)
    assert isinstance(asked, Asked)
    assert (whole(asked, fleet).clusters, whole(asked, fleet).pools) == (frozenset({"one"}), frozenset())


def test_on_older_releases_too_the_operator_rolls_a_driver() -> None:
    """facts/gpu-operator.md 9: before v26.7 the ClusterPolicy's upgradePolicy applied to NVIDIADrivers as well."""
    for more in ("operator: {version: v25.10.1}\n", POLICY):
        book = made(files(pool(EIGHT), more=more, **BUILT_595), driver="595")
        assert book.waves[0].steps[0].way is Way.OPERATOR


def test_a_change_that_takes_several_pull_requests_has_a_block_for_each() -> None:
    """595 is built for both kernels, 580 for the old one alone: the driver goes first."""
    images = catalog(tag(RUNNING), tag(RUNNING, "595"), tag(NEXT, "595"))
    book = made(files(pool(EIGHT), **{"inventory/catalog.yaml": images}), driver="595", kernels=(NEXT,))
    ways = [(str(step.edit.move), step.way) for step in book.waves[0].steps if step.edit is not None]
    assert ways == [("driver", Way.OPERATOR), ("join", Way.ROLL), ("leave", Way.NONE)]
    blocks = markdown(book).partition("## 4. ")[2].partition("## 5. ")[0].split("### ")[1:]
    assert [block.partition("\n")[0] for block in blocks] == [f"`one/a`, {number} of 3" for number in (1, 2, 3)]
    assert ["**Sync**" in block for block in blocks] == [True, False, False]
    seen = [f"--gone {value}" if value else "" for value in ("580", RUNNING, "")]
    assert all(value in block for value, block in zip(seen, blocks, strict=True))
    back = [block.partition("**The way back**")[2] for block in blocks]
    assert f"`580-{RUNNING}-ubuntu22.04`" in back[0]
    assert f"`595-{RUNNING}-ubuntu22.04`" in back[1]
    assert f"`595-{NEXT}-ubuntu22.04`" in back[2]


def test_the_sync_is_the_one_that_moves_the_driver() -> None:
    """Without a GitOps tool: chart values by helm, objects by themselves, and never a folder that holds a ConfigMap."""
    chart = markdown(made(files(pool(EIGHT), more=POLICY, **BUILT_595), driver="595"))
    values = "-f VALUES.yaml -f out/one/values/gpu-operator.yaml"
    assert f"--version v26.3.3 --kube-context one -n gpu-operator {values}" in chart
    objects = markdown(made(files(pool(EIGHT), **BUILT_595), driver="595"))
    assert "apply --server-side -f out/one/gpu-operator/nvidiadriver-a.yaml" in objects
    assert " -k " not in chart + objects


def test_no_pool_is_a_canary_where_one_policy_moves_all() -> None:
    book = made(files(pool(EIGHT), pool(EIGHT), more=POLICY, **BUILT_595), driver="595")
    text = markdown(book)
    assert [step.canary for step in book.waves[0].steps] == [False, False]
    assert "anary" not in text
    assert text.count("**Merge**") == text.count("**Sync**") == 1
