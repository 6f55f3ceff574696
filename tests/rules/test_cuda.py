"""Rules on CUDA needs: edges that tests/bad/cuda leaves. Facts: driver-images 4 and 5, driver_branches.yaml."""

import pytest

from tests.testing.pools import CLUSTER, HEAD, cluster, inventory, messages, pool, told

WORKLOADS, CATALOG = "inventory/w.yaml", "inventory/catalog.yaml"
TAG = "580-5.15.0-173-generic-ubuntu22.04"
RULES = (
    "cuda/driver-too-old",
    "cuda/unsatisfiable",
    "cuda/cannot-tell",
    "cuda/scale-from-zero",
    "cuda/deprecated-label",
)


def workload(cuda: str = "", *terms: str, pools: str = "[a]", name: str = "w", clusters: str = "[c]") -> str:
    text = (
        f"  {name}:\n    runsOn: {{clusters: {clusters}, pools: {pools}}}\n    namespace: ml\n"
        "    owner: {kind: Deployment}\n    podLabels: {app: w}\n"
    )
    text += f"    cuda: {{{cuda}}}\n" if cuda else ""
    text += "    nodeSelectorTerms:\n" if terms else ""
    return text + "".join(f"      - matchExpressions: [{term}]\n" for term in terms)


def files(*workloads: str, pools: tuple[str, ...], top: str = "", recorded: dict[str, str] | None = None) -> dict:
    found = inventory(*pools, top=top)
    found[WORKLOADS] = f"{HEAD}kind: Workloads\nteam: t\nworkloads:\n" + "".join(workloads)
    lines = "".join(
        f'  - {{tag: "{tag}", platforms: [linux/amd64], driverVersion: "{version}"}}\n'
        for tag, version in (recorded or {}).items()
    )
    if lines:
        found[CATALOG] = f"{HEAD}kind: ImageCatalog\nrepository: nvcr.io/nvidia/driver\nimages:\n{lines}"
    return found


def found(given: dict) -> list[str]:
    return [rule for rule in RULES for _ in told(rule, given)]


EXACT = "driver: {mode: compiled, version: %s}"


# CUDA release notes, Table 3, and the floors of minor-version compatibility.
@pytest.mark.parametrize(
    ("cuda", "driver", "rules"),
    [
        ('toolkit: "12.4"', "525.60.13", []),
        ('toolkit: "12.4"', "525.60.12", ["cuda/driver-too-old"]),
        ('toolkit: "12.4", compatibility: paired', "550.54.13", ["cuda/driver-too-old"]),
        ('toolkit: "12.4", compatibility: paired', "550.54.14", []),
        ('toolkit: "13.4"', "580.65.06", []),
        ('toolkit: "13.4", compatibility: paired', "610.57.04", ["cuda/driver-too-old"]),
        ('require: "cuda>=13.0"', "580.65.06", []),
        ('require: "cuda>=13.1"', "580.178.04", ["cuda/driver-too-old"]),
        ('require: "driver>=470,driver<471"', "580.65.06", ["cuda/driver-too-old"]),
        ('require: ["cuda>=12.4", "driver>=580.95.05"]', "580.82.07", ["cuda/driver-too-old"]),
        ('driver: ">=580.82.07"', "580.142", []),
    ],
)
def test_an_exact_driver(cuda, driver, rules):
    given = files(workload(cuda), pools=(pool("a", EXACT % f'"{driver}"'),))
    assert found(given) == rules


# The first data-center releases: 580.65.06, 550.54.14; of 610 none is known.
@pytest.mark.parametrize(
    ("cuda", "branch", "rules"),
    [
        ('toolkit: "13.2"', "580", []),
        ('toolkit: "12.4", compatibility: paired', "550", []),
        ('toolkit: "12.4.1", compatibility: paired', "550", ["cuda/cannot-tell"]),
        ('driver: ">=610.43"', "610", ["cuda/cannot-tell"]),
        ('toolkit: "13.0"', "575", ["cuda/driver-too-old"]),
    ],
)
def test_a_branch_without_a_recorded_version(cuda, branch, rules):
    given = files(workload(cuda), pools=(pool("a", f'driver: {{branch: "{branch}"}}'),))
    assert found(given) == rules


def test_every_kernel_counts_and_the_one_that_falls_short_is_named():
    other = TAG.replace("173", "177")
    kernels = "[5.15.0-173-generic, 5.15.0-177-generic]"
    given = files(
        workload('driver: ">=580.82.07"'),
        pools=(pool("a", kernels=kernels),),
        recorded={TAG: "580.95.05", other: "580.65.06"},
    )
    (message,) = messages("cuda/driver-too-old", given)
    assert f"loads 580.65.06 ({other})" in message
    assert found(given) == ["cuda/driver-too-old"]


def test_a_kernel_that_only_comes_counts_too():
    other = TAG.replace("173", "177")
    given = files(
        workload('driver: ">=580.82.07"'),
        pools=(pool("a", "upcomingKernels: [5.15.0-177-generic]"),),
        recorded={TAG: "580.95.05", other: "580.65.06"},
    )
    assert found(given) == ["cuda/driver-too-old"]


def test_the_clusters_choice_holds_unless_the_workload_has_its_own():
    one = pool("a", EXACT % '"535.183.06"')
    paired = "cuda: {compatibility: paired}\n"
    assert found(files(workload('toolkit: "12.4"'), pools=(one,), top=paired)) == ["cuda/driver-too-old"]
    own = workload('toolkit: "12.4", compatibility: minor-version')
    assert found(files(own, pools=(one,), top=paired)) == []


def test_one_finding_for_each_pool_that_falls_short():
    given = files(
        workload('toolkit: "13.0"', pools="[a, b, d]"),
        pools=(pool("a"), pool("b", 'driver: {branch: "535"}'), pool("d", 'driver: {branch: "550"}')),
    )
    assert [one.pool for one in told("cuda/driver-too-old", given)] == ["b", "d"]
    assert {one.workload for one in told("cuda/driver-too-old", given)} == {"w"}


def test_a_pool_that_own_terms_leave_out_is_not_judged():
    terms = "{key: example.com/pool, operator: In, values: [a]}"
    given = files(
        workload('toolkit: "13.0"', terms, pools="[a, b]"),
        pools=(pool("a"), pool("b", 'driver: {branch: "535"}')),
    )
    assert found(given) == []


def test_a_label_that_is_not_known_may_have_any_value():
    terms = "{key: topology.kubernetes.io/zone, operator: In, values: [z1]}"
    assert found(files(workload('toolkit: "13.0"', terms), pools=(pool("a"),))) == []


@pytest.mark.parametrize(
    "term",
    [
        "{key: kubernetes.io/arch, operator: In, values: [arm64]}",
        "{key: nvidia.com/gpu.present, operator: DoesNotExist}",
        "{key: nvidia.com/cuda.driver-version.major, operator: Gt, values: ['580']}",
        '{key: feature.node.kubernetes.io/system-os_release.VERSION_ID, operator: NotIn, values: ["22.04"]}',
    ],
)
def test_own_terms_against_what_is_known_of_every_node(term):
    given = files(workload("", term), pools=(pool("a"),))
    assert found(given) == ["cuda/unsatisfiable"]


# 580 is the last branch of volta, 470 of kepler.
def test_gpus_whose_drivers_end_too_early():
    volta, ampere = "gpu: {family: volta}", "gpu: {family: ampere}"
    need = 'driver: ">=590"'
    alone = files(workload(need), pools=(pool("a", volta),))
    assert found(alone) == ["cuda/unsatisfiable"]
    beside = files(
        workload(need, pools="[a, b]"), pools=(pool("a", volta), pool("b", ampere, 'driver: {branch: "595"}'))
    )
    (one,) = told("cuda/driver-too-old", beside)
    assert one.pool == "a"
    assert one.hint == "take a out of runsOn: no driver for volta does"
    assert found(beside) == ["cuda/driver-too-old"]


# 570 is the first branch of blackwell.
def test_gpus_whose_drivers_begin_too_late():
    given = files(workload('require: "driver>=470,driver<471"'), pools=(pool("a", "gpu: {family: blackwell}"),))
    assert found(given) == ["cuda/unsatisfiable"]
    assert messages("cuda/unsatisfiable", given)[0].endswith("does: blackwell begins with branch 570")


def test_the_hosts_own_driver():
    host = pool("a", "driver: {mode: preinstalled%s}", kernels="")
    known = files(workload('toolkit: "13.0"'), pools=(host % ', version: "580.126.20"',))
    assert found(known) == []
    unknown = files(workload('toolkit: "13.0"'), pools=(host % "",))
    assert messages("cuda/cannot-tell", unknown) == [
        'workload "w" needs CUDA 13.0, driver 580.65.06 or newer, and pool "c/a" declares no driver version'
    ]
    branch = files(workload('driver: ">=580.95.05"'), pools=(host % ', version: "580"',))
    assert "declares only branch 580" in messages("cuda/cannot-tell", branch)[0]


@pytest.mark.parametrize(
    ("cuda", "terms", "nodes", "rules"),
    [
        ('toolkit: "12.4"', (), "{min: 0, max: 4}", []),
        ('toolkit: "12.4", by: pool', (), "{min: 0, max: 4}", []),
        ('toolkit: "12.4"', ("Gt",), "{min: 1, max: 4}", []),
        ('toolkit: "12.4"', ("Gt",), "{min: 0, max: 4}", ["cuda/scale-from-zero"]),
        ("", ("Gt",), "{min: 0, max: 4}", ["cuda/scale-from-zero"]),
        # a term that holds without the label lets a node come up
        ('toolkit: "12.4"', ("Gt", "NotIn"), "{min: 0, max: 4}", []),
    ],
)
def test_a_pool_that_scales_from_zero(cuda, terms, nodes, rules):
    own = [f'{{key: nvidia.com/cuda.driver.major, operator: {one}, values: ["549"]}}' for one in terms]
    given = files(workload(cuda, *own), pools=(pool("a", f"nodes: {nodes}"),))
    assert found(given) == rules


def test_old_names_are_told_where_the_new_ones_were_chosen():
    old = '{key: nvidia.com/cuda.%s.major, operator: Gt, values: ["11"]}'
    new = "cuda: {labels: cuda.driver-version}\n"
    runtime = files(workload("", old % "runtime"), pools=(pool("a"),), top=new)
    (one,) = told("cuda/deprecated-label", runtime)
    assert one.hint == "write nvidia.com/cuda.runtime-version.major"
    assert found(files(workload("", old % "driver"), pools=(pool("a"),))) == []
    assert found(files(workload("", old % "driver-version"), pools=(pool("a"),), top=new)) == []


def test_each_cluster_is_judged_by_its_own_pools():
    given = files(workload('toolkit: "13.0"', clusters="[c, d]"), pools=(pool("a"),))
    given["inventory/d.yaml"] = cluster(pool("a", 'driver: {branch: "535"}'), name="d")
    (one,) = told("cuda/driver-too-old", given)
    assert (one.cluster, one.place.file) == ("d", WORKLOADS)
    assert CLUSTER in given
