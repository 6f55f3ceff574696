import pytest

from generator.adopt.machine import Machine, machine
from generator.adopt.poollabel import divided, refused
from generator.observed.node import Node


def machines(*labels: dict[str, str]) -> list[Machine]:
    return [machine(Node(name=f"n{number}", labels=one)) for number, one in enumerate(labels)]


def keys(*labels: dict[str, str], first: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    return list(divided("one", machines(*labels), first)[0])


EKS, EKSCTL, TYPE = "eks.amazonaws.com/nodegroup", "alpha.eksctl.io/nodegroup-name", "node.kubernetes.io/instance-type"


def test_the_first_label_that_all_nodes_have_divides_them() -> None:
    assert keys({EKS: "a", EKSCTL: "a"}, {EKSCTL: "b"}) == [(EKSCTL, "a"), (EKSCTL, "b")]


def test_without_such_a_label_each_node_goes_by_its_own() -> None:
    assert keys({EKS: "a"}, {"karpenter.sh/nodepool": "b"}) == [(EKS, "a"), ("karpenter.sh/nodepool", "b")]


def test_a_machine_type_is_the_last_resort_of_clouds() -> None:
    assert keys({TYPE: "p4d.24xlarge"}, {TYPE: "g6.12xlarge"}) == [(TYPE, "g6.12xlarge"), (TYPE, "p4d.24xlarge")]


def test_a_word_for_pool_wins_over_other_labels_of_peoples_own() -> None:
    nodes = [{"site": "muc", "example.com/pool": "a"}, {"site": "muc", "example.com/pool": "b"}]
    assert keys(*nodes) == [("example.com/pool", "a"), ("example.com/pool", "b")]


def test_several_that_fit_are_asked_about() -> None:
    groups, notes = divided("one", machines({"site": "muc", "rack": "a"}, {"site": "muc", "rack": "a"}), ())
    assert list(groups) == [("", "")]
    assert [note.message for note in notes] == ["several labels could tell pools apart: rack, site"]


def test_labels_of_systems_and_names_of_nodes_are_no_pools() -> None:
    nodes = [{"kubernetes.io/os": "linux", "nvidia.com/gpu.count": "8", "serial": f"s{one}"} for one in range(3)]
    assert keys(*nodes) == [("", "")]


def test_a_role_tells_gpu_nodes_on_openshift() -> None:
    role, worker = "node-role.kubernetes.io/gpu", "node-role.kubernetes.io/worker"
    assert keys({role: "", worker: ""}, {role: "", worker: ""}) == [(role, "")]


@pytest.mark.parametrize(
    "key", ["nvidia.com/gpu.product", "nvidia.com/cuda.driver.major", "nvidia.com/gpu-operator.driver.owner", "a b"]
)
def test_labels_that_can_not_place_a_driver_are_refused(key: str) -> None:
    assert refused(key) is not None


def test_a_pool_label_is_not() -> None:
    assert refused("example.com/pool") is None
