import pytest

from generator.declared.fleet import Mode
from generator.facts import label
from generator.facts.release import DriverApi
from generator.operator.claim import claims, has_gpu, taken_by
from tests.testing.clusters import cluster, pool

GPU = {label.GPU_PRESENT: "true"}


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
