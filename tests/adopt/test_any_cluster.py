"""Whatever nodes a cluster shows: the proposal loads, its selectors are disjoint, and nothing but images is missing."""

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from generator.adopt.given import Given
from generator.adopt.proposal import proposed
from generator.documents.document import read
from generator.facts import label
from generator.facts.release import Release, resolve
from generator.observed.node import parse
from generator.observed.unreadable import Unreadable
from generator.operator.selector import Driver, validate
from tests.testing.judging import DAY, findings
from tests.testing.nodes import GPU, listed, nfd, node

SYSTEMS = st.sampled_from(
    [
        nfd("ubuntu", "22.04", "5.15.0-173-generic"),
        nfd("ubuntu", "24.04", "6.8.0-1053-aws"),
        nfd("ubuntu", "24.04", "6.8.0-1053-aws", "arm64"),
        nfd("rhel", "9.4", "5.14.0-427.37.1.el9_4.x86_64"),
        nfd("rhel", "9.6", "5.14.0-570.12.1.el9_6.aarch64", "arm64"),
        nfd("cos", "113", "6.1.112"),
        {},
        {"kubernetes.io/arch": "amd64"},
    ]
)
POOL = st.sampled_from(["a", "b", "A", "gpu_1", "-", "x" * 63])
KEYS = ("eks.amazonaws.com/nodegroup", "karpenter.sh/nodepool", "node.kubernetes.io/instance-type", "example.com/pool")
LABELS = st.dictionaries(st.sampled_from([*KEYS, "site", "node-role.kubernetes.io/gpu"]), POOL, max_size=3)
GATES = st.sampled_from(
    [
        {},
        {},
        {"nvidia.com/gpu.deploy.driver": "pre-installed", "nvidia.com/cuda.driver-version.full": "580.126.20"},
        {"nvidia.com/gpu.workload.config": "vm-vgpu"},
        {"nvidia.com/gpu.product": "NVIDIA-B200"},
        {"nvidia.com/gpu.product": "Tesla-T4", "nvidia.com/gpu.family": "turing"},
        {"eks.amazonaws.com/nodegroup-image": "ami-1"},
        {"nvidia.com/gpu.present": "false"},
    ]
)
TAINTS = st.lists(
    st.sampled_from(["nvidia.com/gpu=present:NoSchedule", "a/b:NoExecute", "x:PreferNoSchedule"]), max_size=2
)


@st.composite
def clusters(draw: st.DrawFn) -> list[dict[str, Any]]:
    made = []
    for number in range(draw(st.integers(1, 6))):
        labels = {**GPU, **draw(SYSTEMS), **draw(LABELS), **draw(GATES)}
        labels = {key: value for key, value in labels.items() if label.label_value_problem(value) is None}
        made.append(node(f"n{number}", labels, *draw(TAINTS), kernelVersion="5.15.0-1-x", osImage="Ubuntu 22.04 LTS"))
    return made


def drivers(pools: Mapping[str, Any]) -> list[Driver]:
    """The NVIDIADriver objects that the pools render as."""
    rendered = []
    for name, pool in pools.items():
        if pool.get("driver", {}).get("mode", "precompiled") == "precompiled":
            selector = pool.get("nodeSelector")
            rendered.append(Driver(name=name, node_selector=selector, default=pool.get("default", False)))
    return rendered


@given(clusters(), st.sampled_from(["v24.9.2", "v26.3.3", "v26.7.0"]))
def test_the_proposal_holds(items: list[dict[str, Any]], operator: str) -> None:
    nodes = parse(listed(items))
    assert not isinstance(nodes, Unreadable)
    proposal = proposed("fleet", [Given(name="one", nodes=nodes, operator=operator)], {}, day=DAY)
    assert proposal.blocking == ()
    pools = read(proposal.files["inventory/clusters/one.yaml"], "").value["pools"]
    release = resolve(operator)
    assert isinstance(release, Release)
    labelled = [label.Node(node.name, {**node.labels, label.GPU_PRESENT: "true"}) for node in nodes]
    assert validate(release, drivers(pools), labelled) is None
    wrong = {finding.rule for finding in findings(proposal.files) if finding.severity != "warning"}
    assert wrong <= {"image/missing", "image/missing-platform", "operator/kernel-name-collision"}
    for pool in pools.values():
        assert not any(label.is_circular(key) or key == label.OWNER for key in pool.get("nodeSelector", {}))
    assert read(proposal.files["inventory/fleet.yaml"], "").value["kind"] == "Fleet"
