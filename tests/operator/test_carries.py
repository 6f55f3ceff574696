"""What a pool's driver is and meets, as of the catalog, and the nodeAffinity that follows for a workload."""

import pytest

from generator.facts import cuda
from generator.facts.cuda import Need, parse_driver
from generator.facts.cudachoice import By, Compatibility, LabelFamily
from generator.facts.driveraffinity import families, labels_of
from generator.facts.driverrange import EVERY, Range
from generator.operator.carries import Loaded, Verdict, answer, known_labels, loaded, need_terms, workload_terms
from tests.model.node_affinity import matches
from tests.testing.judging import revision_of
from tests.testing.pools import HEAD, inventory, pool

TAG = "580-5.15.0-%s-generic-ubuntu22.04"


def drivers(one: str, recorded: dict[str, str | None] | None = None):
    files = inventory(one)
    lines = "".join(
        f'  - {{tag: "{TAG % kernel}"{f", driverVersion: {chr(34)}{version}{chr(34)}" if version else ""}}}\n'
        for kernel, version in (recorded or {}).items()
    )
    files["inventory/catalog.yaml"] = f"{HEAD}kind: ImageCatalog\nrepository: nvcr.io/nvidia/driver\nimages:\n{lines}"
    if not lines:
        files.pop("inventory/catalog.yaml")
    context, problems = revision_of(files)
    assert [str(found) for found in problems] == []
    (cluster,) = context.fleet.clusters
    return cluster.pools[0], loaded(cluster, cluster.pools[0], context.catalog)


@pytest.mark.parametrize(
    ("driver", "names"),
    [
        ('branch: "580"', ["branch 580"]),
        ('version: "580.82.07"', ["580.82.07"]),
        ('mode: compiled, version: "580.82.07"', ["580.82.07"]),
        ("mode: compiled, version: 'sha256:%s'" % (64 * "0"), ["an unknown driver"]),
        ('mode: preinstalled, version: "580.126.20"', ["580.126.20"]),
        ("mode: preinstalled", ["an unknown driver"]),
        ("mode: unmanaged", []),
    ],
)
def test_what_the_inventory_tells_of_a_driver(driver, names):
    kernels = "" if "mode" in driver else "[5.15.0-173-generic]"
    assert [one.name for one in drivers(pool("a", f"driver: {{{driver}}}", kernels=kernels))[1]] == names


def test_what_the_catalog_records_behind_each_tag():
    one = pool("a", "upcomingKernels: [5.15.0-177-generic, 5.15.0-179-generic]")
    _, found = drivers(one, {"173": "580.95.05", "177": "580.82.07", "179": "580.95.05"})
    assert [(each.name, each.image, each.upcoming) for each in found] == [
        ("580.95.05", TAG % "173", False),
        ("580.82.07", TAG % "177", True),
    ]
    _, found = drivers(pool("a"), {"173": None})
    assert [each.name for each in found] == ["branch 580"]


def test_what_a_driver_may_be():
    assert Loaded(version="580.82.07", branch="580").may_be == Range((580, 82, 7), (580, 82, 8))
    assert Loaded(version="", branch="580").may_be == Range((580, 65, 6), (581, 0, 0))
    assert Loaded(version="", branch="610").may_be == Range((610, 0, 0), (611, 0, 0))
    assert Loaded(version="", branch="").may_be == EVERY


# driver_branches.yaml (paired CUDA) and the release notes' table 3.
@pytest.mark.parametrize(
    ("version", "branch", "cuda", "toolkit", "paired"),
    [
        ("580.82.07", "580", "13.0", "13.x", "13.0.1"),
        ("550.54.14", "550", "12.4", "12.x", "12.4.0"),
        ("", "610", "13.3", "13.x", "13.3"),
        ("", "580", "13.0", "13.x", "13.0.0"),
        ("", "", "", "", ""),
    ],
)
def test_what_a_driver_carries(version, branch, cuda, toolkit, paired):
    one = Loaded(version=version, branch=branch)
    assert one.cuda == cuda
    assert one.toolkit(Compatibility.MINOR_VERSION) == toolkit
    assert one.toolkit(Compatibility.PAIRED) == paired


@pytest.mark.parametrize(
    ("versions", "verdict", "decides"),
    [
        (["580.82.07", "590.44.01"], Verdict.RUNS, ["580.82.07", "590.44.01"]),
        (["580.82.07", "580.65.06", ""], Verdict.TOO_OLD, ["580.65.06"]),
        (["580.82.07", ""], Verdict.CANNOT_TELL, [""]),
        ([], Verdict.CANNOT_TELL, []),
    ],
)
def test_the_one_that_falls_short_decides(versions, verdict, decides):
    need = parse_driver(">=580.82.07")
    assert isinstance(need, Need)
    given = [Loaded(version=version, branch=version[:3] or "580") for version in versions]
    found = answer(need, Compatibility.MINOR_VERSION, given)
    assert (found.verdict, [one.version for one in found.drivers]) == (verdict, decides)


def test_what_is_known_of_every_node():
    one, found = drivers(pool("a"), {"173": "580.95.05"})
    labels = known_labels(one, found)
    assert labels["example.com/pool"] == "a"
    assert labels["kubernetes.io/arch"] == "amd64"
    assert labels["nvidia.com/cuda.driver.rev"] == "05"
    assert labels["feature.node.kubernetes.io/system-os_release.VERSION_ID"] == "22.04"
    one, found = drivers(pool("a"))
    assert known_labels(one, found)["nvidia.com/cuda.driver.major"] == "580"
    assert "nvidia.com/cuda.driver.minor" not in known_labels(one, found)


ZONE = "{key: zone, operator: In, values: [z1]}"


def terms(cuda_need: str, *own: str, pools: tuple[str, ...] = (pool("a"),), top: str = ""):
    files = inventory(*pools, top=top)
    names = "[a, b]" if len(pools) > 1 else "[a]"
    said = "    nodeSelectorTerms:\n" + "".join(f"      - matchExpressions: [{term}]\n" for term in own) if own else ""
    files["inventory/w.yaml"] = (
        f"{HEAD}kind: Workloads\nteam: t\nworkloads:\n  w:\n    runsOn: {{clusters: [c], pools: {names}}}\n"
        f"    namespace: ml\n    owner: {{kind: Deployment}}\n    podLabels: {{app: w}}\n"
        f"    cuda: {{{cuda_need}}}\n{said}"
    )
    context, problems = revision_of(files)
    assert [str(one) for one in problems] == []
    (workload,) = context.fleet.workloads
    return workload_terms(context.fleet.clusters[0], workload)


def labelled(driver: str, name: str = "a") -> dict[str, str]:
    return {"example.com/pool": name, **labels_of(driver)}


def test_a_toolkit_is_its_floor_on_the_old_labels():
    found = terms('toolkit: "12.4"')
    assert len(found) == 3
    assert families(found) == {LabelFamily.DRIVER}
    assert matches(found, labelled("525.60.13"))
    assert not matches(found, labelled("525.60.12"))


def test_the_cluster_chooses_labels_and_compatibility():
    found = terms('toolkit: "12.4"', top="cuda: {labels: cuda.driver-version, compatibility: paired}\n")
    assert families(found) == {LabelFamily.DRIVER_VERSION}
    assert matches(found, labelled("550.54.14"))
    assert not matches(found, labelled("550.54.13"))


def test_the_workload_may_choose_its_own_compatibility():
    own = 'toolkit: "12.4", compatibility: minor-version'
    assert terms(own, top="cuda: {compatibility: paired}\n") == terms('toolkit: "12.4"')


FROM_ZERO = "nodes: {min: 0, max: 4}"


def test_a_pool_that_can_be_empty_is_named_if_its_driver_is_not_too_old():
    pools = (pool("a", FROM_ZERO), pool("b", FROM_ZERO, 'driver: {branch: "535"}'))
    found = terms('toolkit: "13.0"', pools=pools)
    assert matches(found, {"example.com/pool": "a"})
    assert not matches(found, {"example.com/pool": "b"})
    assert matches(found, labelled("580.65.06", "b"))


def test_by_pool_names_the_pools_whose_driver_is_not_too_old_and_no_label_of_a_driver():
    pools = (pool("a"), pool("b", 'driver: {branch: "535"}'))
    (only,) = terms('toolkit: "13.0", by: pool', pools=pools)
    assert only == {"matchExpressions": [{"key": "example.com/pool", "operator": "In", "values": ["a"]}]}


def test_own_terms_hold_too():
    found = terms('driver: ">=580"', ZONE, "{key: zone, operator: DoesNotExist}")
    assert [len(term["matchExpressions"]) for term in found] == [2, 2]
    assert matches(found, {"zone": "z1", **labelled("580.65.06")})
    assert matches(found, labelled("580.65.06"))
    assert not matches(found, {"zone": "z2", **labelled("580.65.06")})


def test_a_requirement_that_only_some_gpus_meet_says_nothing_by_itself():
    assert terms('require: "brand=tesla,driver>=535"') == ()
    found = terms('require: "cuda>=13.0 brand=tesla,driver>=535,driver<536"')
    assert matches(found, labelled("580.65.06"))
    assert not matches(found, labelled("535.104.05"))


@pytest.mark.parametrize(("by", "count"), [(By.LABELS, 2), (By.POOL, 2)])
def test_a_need_without_a_workload(by, count):
    files = inventory(pool("a", FROM_ZERO), pool("b"))
    (cluster,) = revision_of(files)[0].fleet.clusters
    need = cuda.parse_need("580")
    assert isinstance(need, Need)
    assert len(need_terms(cluster, need, by=by)) == count
