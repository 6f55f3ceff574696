"""`audit --gone`: whether a node still runs what shall leave the inventory."""

import json
from pathlib import Path

import pytest

from tests.testing.audited import KERNEL, OTHER, listed, node, validator
from tests.testing.command import call
from tests.testing.planning import catalog, files, pool, tag

Capture = pytest.CaptureFixture[str]
WANTED = f"arch: [amd64], kernels: [{KERNEL}, {OTHER}]"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    laid = files(pool(WANTED), **{"inventory/catalog.yaml": catalog(tag(KERNEL), tag(OTHER))})
    for path, text in laid.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def asked(root: Path, capfd: Capture, *arguments: str, nodes: list[dict]) -> tuple[int, str]:
    seen = root / "seen.json"
    seen.write_bytes(listed(*nodes))
    called = call(capfd, "audit", "--nodes", str(seen), *arguments, root=root)
    return called.code, called.out


def test_nodes_that_still_run_it_are_named_and_it_ends_with_1(root: Path, capfd: Capture) -> None:
    nodes = [node("n1"), node("n2"), node("n3", kernel=OTHER)]
    code, printed = asked(root, capfd, "--gone", KERNEL, nodes=nodes)
    assert (code, printed) == (1, f"one: 2 of 3 nodes still on {KERNEL}: n1, n2\n")
    assert asked(root, capfd, "--gone", KERNEL, "--pool", "a", nodes=nodes)[0] == 1
    assert asked(root, capfd, "--gone", "ubuntu22.04", nodes=nodes)[0] == 1


def test_where_none_runs_it_it_ends_with_0(root: Path, capfd: Capture) -> None:
    nodes = [node("n3", kernel=OTHER)]
    assert asked(root, capfd, "--gone", KERNEL, nodes=nodes) == (0, f"one: none of 1 node runs {KERNEL}\n")
    assert asked(root, capfd, "--gone", "ubuntu24.04", nodes=nodes)[0] == 0


def test_a_node_that_says_nothing_is_not_taken_for_one_that_left(root: Path, capfd: Capture) -> None:
    silent = node("n4")
    labels = {key: value for key, value in silent["metadata"]["labels"].items() if "kernel-version" not in key}
    silent["metadata"]["labels"] = labels
    silent.setdefault("status", {}).pop("nodeInfo", None)
    code, printed = asked(root, capfd, "--gone", KERNEL, nodes=[silent])
    assert code == 3
    assert "cannot tell whether n4 runs" in printed


def test_a_kubelet_that_is_ahead_of_the_labels_counts(root: Path, capfd: Capture) -> None:
    """After a reboot NFD's label is the old kernel's for a while; either one may be what the operator asks for."""
    rebooted = node("n5", kernel=OTHER)
    rebooted.setdefault("status", {})["nodeInfo"] = {"kernelVersion": KERNEL}
    assert asked(root, capfd, "--gone", KERNEL, nodes=[rebooted])[0] == 1
    assert asked(root, capfd, "--gone", OTHER, nodes=[rebooted])[0] == 1


def test_what_goes_with_nothing_is_refused(root: Path, capfd: Capture) -> None:
    for arguments in (("--pool", "a"), ("--gone", KERNEL, "--propose"), ("--gone", KERNEL, "--pool", "x")):
        assert asked(root, capfd, *arguments, nodes=[node("n1")])[0] == 2


def test_a_driver_is_gone_when_no_node_has_it_loaded(root: Path, capfd: Capture) -> None:
    """GPU feature discovery labels what is loaded (k8s-device-plugin internal/lm/nvml.go)."""
    full = "nvidia.com/cuda.driver-version.full"
    old, new = node("n1", labels={full: "580.126.20"}), node("n2", labels={full: "595.45.04"})
    assert asked(root, capfd, "--gone", "580", nodes=[old, new]) == (1, "one: 1 of 2 nodes still on 580: n1\n")
    assert asked(root, capfd, "--gone", "580.105.08", nodes=[old, new])[0] == 0
    assert asked(root, capfd, "--gone", "580", "--pool", "a", nodes=[new])[0] == 0
    assert asked(root, capfd, "--gone", "580", nodes=[new, node("n3")])[0] == 3  # n3 has no such label


def test_a_release_of_the_operator_is_gone_when_another_one_runs(root: Path, capfd: Capture) -> None:
    """The validator's image is of the operator's version (chart values, validator.version)."""
    pods = root / "pods.json"
    pods.write_bytes(listed(validator("n1", "nvcr.io/nvidia/gpu-operator:v26.3.3")))
    given = ("--pods", str(pods), "--gone")
    assert asked(root, capfd, *given, "v26.3.3", nodes=[node("n1")]) == (1, "one: operator v26.3.3 still runs\n")
    assert asked(root, capfd, *given, "v25.10.1", nodes=[node("n1")]) == (0, "one: operator v25.10.1 no longer runs\n")
    code, printed = asked(root, capfd, "--gone", "v26.3.3", nodes=[node("n1")])
    assert (code, "cannot tell which release of the operator runs" in printed) == (3, True)


@pytest.mark.parametrize("value", ["", "jammy", "linux", "58", "latest"])
def test_what_is_neither_kernel_nor_system_driver_or_release_is_refused(root: Path, capfd: Capture, value: str) -> None:
    assert asked(root, capfd, "--gone", value, nodes=[node("n1")])[0] == 2


def test_json_holds_the_same(root: Path, capfd: Capture) -> None:
    nodes = [node("n1"), node("n3", kernel=OTHER)]
    code, printed = asked(root, capfd, "--gone", KERNEL, "--pool", "a", "--format", "json", nodes=nodes)
    assert code == 1
    (remaining,) = json.loads(printed)["remaining"]
    assert remaining == {
        "cluster": "one", "pool": "a", "value": KERNEL, "seen": 2, "running": ["n1"], "unknown": []
    }  # fmt: skip
