"""nodeAffinity of a workload in a cluster, from the inventory as text. Facts: driver-images 5.1, 5.3 and 5.5."""

import pytest

from generator.facts import cuda
from generator.facts.cuda import Need
from generator.facts.cudachoice import By, LabelFamily
from generator.facts.driveraffinity import families, labels_of
from generator.operator.placement import need_terms, workload_terms
from tests.model.node_affinity import matches
from tests.testing.judging import revision_of
from tests.testing.pools import HEAD, inventory, pool

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
