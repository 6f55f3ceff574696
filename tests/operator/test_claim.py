from typing import Any

import pytest

from generator.declared.fleet import Cluster, Driver, Install, Mode, Operator, Pool
from generator.facts import label
from generator.facts.release import DriverApi, Release, resolve
from generator.operator.claim import absent_labels, asked, claims, has_gpu, taken_by
from generator.operator.image import Refused
from tests.testing.shared import oracle, own

GPU = {label.GPU_PRESENT: "true"}


def cluster(
    *pools: Pool, release: str = "v26.7.0", api: DriverApi = DriverApi.NVIDIADRIVER, name: str = "c"
) -> Cluster:
    found = resolve(release)
    assert isinstance(found, Release)
    operator = Operator(
        release=found,
        namespace="gpu-operator",
        install=Install.HELM,
        policy_name="cluster-policy",
        policy_base="",
        driver_api=api,
    )
    return Cluster(name=name, file=f"inventory/{name}.yaml", operator=operator, pools=pools, levels=())


def pool(name: str, selector: dict[str, str] | None = None, *, default: bool = False, **driver: Any) -> Pool:
    settings = {"mode": Mode.PRECOMPILED, "repository": "nvcr.io/nvidia/driver", "version": "580", **driver}
    return Pool(
        name=name,
        cluster="c",
        driver=Driver(**settings),
        object_name=name,
        file="",
        levels=(),
        node_selector=selector or {},
        default=default,
    )


def owner_cases(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of v26.7.0 in which the operator assigns owners and no object is being deleted."""
    return [
        case
        for case in cases
        if "assign_changed" in case["output"] and not any(driver["deleting"] for driver in case["input"]["drivers"])
    ]


def assert_owners(cases: list[dict[str, Any]]) -> None:
    asked_for = 0
    for case in cases:
        drivers = case["input"]["drivers"]
        pools = [pool(one["name"], one["nodeSelector"], default=one["default"]) for one in drivers]
        for node in case["input"]["nodes"]:
            if node["labels"].get(label.GPU_PRESENT) == "true":
                found = claims([cluster(*pools)], node["labels"])
                names = [one.name for claim in found for one in claim.pools]
                owner = case["output"]["owners"][node["name"]]
                assert names == ([owner] if owner else []), (case["id"], node["name"])
                asked_for += 1
    assert asked_for


def test_a_node_belongs_to_the_object_that_the_operator_assigns() -> None:
    assert_owners(owner_cases(own("selector_conflicts")))


def test_a_node_belongs_to_the_object_that_the_operator_assigns_in_every_case() -> None:
    assert_owners(owner_cases(oracle("selector_conflicts")))


def test_where_the_operator_finds_a_conflict_some_node_is_claimed_twice() -> None:
    cases = [
        case
        for case in oracle("selector_conflicts")
        if case["output"].get("assign_error") and set(case["output"]["validator"].values()) == {"conflict"}
    ]
    assert cases
    for case in cases:
        drivers = [one for one in case["input"]["drivers"] if not one["deleting"]]
        made = cluster(*(pool(one["name"], one["nodeSelector"], default=one["default"]) for one in drivers))
        gpu_nodes = [one["labels"] for one in case["input"]["nodes"] if one["labels"].get(label.GPU_PRESENT) == "true"]
        counts = [len(claim.pools) for labels in gpu_nodes for claim in claims([made], labels)]
        assert max(counts) > 1, case["id"]


def image_cases(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those whose driver an inventory can declare: a repository with its image, and a version."""
    return [
        case
        for case in cases
        if case["input"]["component"] == "driver"
        and case["input"]["repository"]
        and "/" not in case["input"]["image"]
        and case["input"]["image"]
        and case["input"]["version"]
    ]


def assert_asked(cases: list[dict[str, Any]]) -> None:
    keys = {
        "os_id": label.OS_ID,
        "os_version_id": label.OS_VERSION,
        "os_version_id_major": label.OS_MAJOR,
        "kernel_label": label.KERNEL,
    }
    absent_in = 0
    for case in cases:
        wanted = case["input"]
        labels = {keys[key]: wanted[key] for key in keys if wanted.get(key)}
        one = pool(
            "a",
            mode=Mode.PRECOMPILED if wanted["precompiled"] else Mode.COMPILED,
            repository=f"{wanted['repository']}/{wanted['image']}",
            version=wanted["version"],
        )
        api = DriverApi.NVIDIADRIVER if wanted["api"] == "nvidiadriver" else DriverApi.CLUSTERPOLICY
        made = cluster(one, release=case["operator"], api=api)
        absent = absent_labels(made, one, labels)
        if case.get("error") in {"node_skipped", "kernel_label_missing", "os_label_missing"}:
            assert absent, case["id"]
            absent_in += 1
        elif not absent:
            found = asked(made, one, labels)
            if "error" in case:
                assert isinstance(found, Refused), case["id"]
            else:
                assert found == case["output"]["image"], case["id"]
    assert absent_in


def test_the_image_of_a_node_is_the_one_that_the_operator_composes() -> None:
    assert_asked(image_cases(oracle("image_refs")))


@pytest.mark.parametrize(
    "key",
    # gpu-operator.md 7: any one of them makes a GPU node.
    [
        "nvidia.com/gpu.present",
        "feature.node.kubernetes.io/pci-10de.present",
        "feature.node.kubernetes.io/pci-0302_10de.present",
        "feature.node.kubernetes.io/pci-0300_10de.present",
    ],
)
def test_a_gpu_node_shows_it_by_a_label(key: str) -> None:
    assert has_gpu({key: "true"})
    assert not has_gpu({key: "false"})


def test_the_operator_labels_a_gpu_node_before_it_looks() -> None:
    """A selector by gpu.present holds for a node that only NFD has labelled so far."""
    made = cluster(pool("all", {label.GPU_PRESENT: "true"}))
    assert claims([made], {"feature.node.kubernetes.io/pci-10de.present": "true"})


def test_a_selector_says_more_than_a_default_of_another_cluster() -> None:
    named, rest = cluster(pool("x", {"pool": "x"}), name="a"), cluster(pool("rest", default=True), name="b")
    assert [claim.cluster.name for claim in claims([named, rest], GPU | {"pool": "x"})] == ["a"]
    assert [claim.cluster.name for claim in claims([named, rest], GPU)] == ["b"]


def test_what_the_operator_does_with_nodes_that_are_not_its_own() -> None:
    host = pool("host", {"pool": "host"}, mode=Mode.UNMANAGED, repository="", version="")
    managed, rest = pool("x", {"pool": "x"}), pool("rest", default=True)
    assert taken_by(cluster(host, managed)) is None
    assert taken_by(cluster(host, managed, rest)) == rest
    assert taken_by(cluster(host, managed, api=DriverApi.CLUSTERPOLICY)) == managed
