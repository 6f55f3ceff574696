from generator.facts import label
from generator.facts.label import Node
from generator.facts.release import Release, resolve
from generator.operator import selector
from generator.operator.selector import Conflict, Conflicting, Driver

GPU = {label.GPU_PRESENT: "true"}


def release(version):
    found = resolve(version)
    assert isinstance(found, Release)
    return found


# internal/validator/validator_test.go: the message names the node and both objects.
def test_a_conflict_names_the_node_and_both_objects():
    drivers = [Driver(name="b", node_selector={"pool": "x"}), Driver(name="a")]
    found = selector.validate(release("v26.7.0"), drivers, [Node("n1", GPU), Node("n2", GPU | {"pool": "x"})])
    assert found == Conflicting(Conflict.SAME_NODE, ("a", "b"), "n2")


def test_an_omitted_selector_means_gpu_nodes_and_an_empty_one_all_nodes():
    nodes = [Node("cpu", {"pool": "x"}), Node("gpu", GPU)]
    claimed = Driver(name="b", node_selector={"pool": "x"})
    assert selector.validate(release("v26.7.0"), [Driver(name="a"), claimed], nodes) is None
    found = selector.validate(release("v26.7.0"), [Driver(name="a", node_selector={}), claimed], nodes)
    assert found == Conflicting(Conflict.SAME_NODE, ("a", "b"), "cpu")


def test_the_default_takes_what_no_other_claims():
    drivers = [Driver(name="rest", default=True), Driver(name="x", node_selector={"pool": "x"})]
    nodes = [Node("n1", GPU | {"pool": "x"}), Node("n2", GPU), Node("cpu", {label.OWNER: "stale"})]
    assert selector.owners(drivers, nodes) == {"n1": "x", "n2": "rest", "cpu": "stale"}
