import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.testing.api_server import ApiServer, status
from tests.testing.audited import KERNEL, OTHER, driver_pod, listed, node
from tests.testing.command import call
from tests.testing.planning import catalog, files, pool, tag
from tests.testing.soak import sizes

Capture = pytest.CaptureFixture[str]
WANTED = f"arch: [amd64], kernels: [{KERNEL}], upcomingKernels: [{OTHER}]"
LISTED = {"inventory/catalog.yaml": catalog(tag(KERNEL), tag(OTHER))}
NEEDS_KUBECTL = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not on PATH")


def laid(root: Path, *pools: str) -> Path:
    for path, text in files(*(pools or (pool(WANTED),)), **LISTED).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def given(root: Path, *items: dict) -> str:
    path = root / "seen.json"
    path.write_bytes(listed(*items))
    return str(path)


def test_a_cluster_as_declared_ends_with_0(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "audit", "--nodes", given(tmp_path, node("n1")), root=laid(tmp_path))
    assert called.code == 0
    assert called.out.startswith("one: 1 GPU node, 0 others\n")
    assert "cannot tell from this input: pods:" in called.out
    assert called.out.endswith("0 errors, 0 warnings: 1 of 1 GPU node as declared by their labels alone\n")


@pytest.mark.parametrize(
    ("status", "count"),
    [({}, 1), ({"ready": False}, 0), ({"image": "nvcr.io/nvidia/driver:570-5.15.0-173-generic-ubuntu22.04"}, 0)],
)
def test_as_declared_is_said_of_a_node_whose_driver_pod_serves(
    tmp_path: Path, capfd: Capture, status: dict[str, Any], count: int
) -> None:
    seen = given(tmp_path, node("n1", labels={"nvidia.com/gpu.deploy.driver": "true"}), driver_pod("n1", **status))
    called = call(capfd, "audit", "--nodes", seen, root=laid(tmp_path))
    assert called.out.endswith(f": {count} of 1 GPU node as declared\n")


def test_a_node_ahead_is_named_and_ends_with_1(tmp_path: Path, capfd: Capture) -> None:
    seen = given(tmp_path, node("n1"), node("n2", kernel="5.15.0-185-generic"))
    called = call(capfd, "audit", "--nodes", seen, root=laid(tmp_path))
    assert called.code == 1
    assert "error: node n2 (a): it needs 580-5.15.0-185-generic-ubuntu22.04 for linux/amd64, which is not" in called.out
    assert "n1" not in called.out


def test_warnings_count_with_strict(tmp_path: Path, capfd: Capture) -> None:
    labels = {"nvidia.com/cuda.driver-version.full": "570.86.15"}
    seen = given(tmp_path, node("n1", labels=labels))
    root = laid(tmp_path)
    assert call(capfd, "audit", "--nodes", seen, root=root).code == 0
    assert call(capfd, "audit", "--nodes", seen, "--strict", root=root).code == 1


def test_json_and_prometheus(tmp_path: Path, capfd: Capture) -> None:
    seen, root = given(tmp_path, node("n1"), node("n2", kernel="5.15.0-185-generic")), laid(tmp_path)
    made = json.loads(call(capfd, "audit", "--nodes", seen, "--format", "json", root=root).out)
    (one,) = made["clusters"]
    assert [each["node"] for each in one["nodes"]] == ["n1", "n2"]
    assert {each["what"] for each in one["differences"]} == {"undeclared", "not-built"}
    text = call(capfd, "audit", "--nodes", seen, "--format", "prometheus", root=root).out
    assert 'drivergate_audit_looked{cluster="one"} 1\n' in text
    assert 'drivergate_gpu_nodes{cluster="one",pool="a"} 2\n' in text
    assert 'drivergate_differences{cluster="one",kind="not-built",severity="error"} 1\n' in text
    assert 'drivergate_differences{cluster="one",kind="unclaimed",severity="error"} 0\n' in text


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"kind": "List", "items": [{"kind": "No', "it ends"),
        (b"kind: List\nitems: [\n", "not valid YAML"),
        (b"", "it is empty"),
        (b'{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "n", "labels": {"a": 1}}}]}', "labels"),
    ],
)
def test_input_that_cannot_be_read_ends_with_2(tmp_path: Path, capfd: Capture, data: bytes, said: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(data)
    called = call(capfd, "audit", "--nodes", str(path), root=laid(tmp_path))
    assert called.code == 2
    assert said in called.err
    assert "bad.json" in called.err
    assert called.out == ""


def test_pods_without_nodes_are_no_cluster(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "audit", "--pods", given(tmp_path, driver_pod("n1")), root=laid(tmp_path))
    assert called.code == 2
    assert "holds no nodes" in called.err


def test_what_runs_is_declared_by_the_lines_that_change(tmp_path: Path, capfd: Capture) -> None:
    root = laid(tmp_path)
    seen = given(tmp_path, node("n1", kernel=OTHER), node("n2", kernel="5.15.0-185-generic"), node("n3", pool="z"))
    before = (root / "inventory/one.yaml").read_text(encoding="utf-8")
    called = call(capfd, "audit", "--nodes", seen, "--propose", root=root)
    assert called.code == 0
    changed = [line for line in called.out.splitlines() if line[:1] in "+-" and line[:3] not in {"+++", "---"}]
    assert len(changed) == 2
    assert f"kernels: [{KERNEL}, {OTHER}, 5.15.0-185-generic]" in changed[1]
    assert "upcomingKernels: []" in changed[1]
    assert "n3: no pool claims it" in called.err
    assert (root / "inventory/one.yaml").read_text(encoding="utf-8") == before
    written = call(capfd, "audit", "--nodes", seen, "--write-inventory", root=root)
    assert written.out == "wrote inventory/one.yaml\n"
    again = call(capfd, "audit", "--nodes", seen, "--propose", root=root)
    assert again.out == ""


def test_a_kernel_of_a_node_image_goes_into_its_file(tmp_path: Path, capfd: Capture) -> None:
    root = laid(tmp_path, "nodeSelector: {x/y: a}, nodeImage: aws")
    seen = given(tmp_path, node("n1", kernel="5.15.0-1115-aws"))
    called = call(capfd, "audit", "--nodes", seen, "--propose", root=root)
    assert "+++ b/inventory/aws.yaml" in called.out
    assert "+  5.15.0-1115-aws: 5.15.0-1115-aws\n" in called.out
    assert '+running: ["2026.04", 5.15.0-1115-aws]\n' in called.out
    assert "named after its kernel" in called.err
    call(capfd, "audit", "--nodes", seen, "--write-inventory", root=root)
    assert "undeclared" not in call(capfd, "audit", "--nodes", seen, root=root).out


@NEEDS_KUBECTL
class TestLive:
    """Through the real kubectl."""

    def test_clusters_by_their_contexts(self, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
        with ApiServer({"/api/v1/nodes": [node("n1")], "/api/v1/pods": [driver_pod("n1")]}) as server:
            monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path / "config", "other", "one")))
            called = call(capfd, "audit", root=laid(tmp_path))
            asked = {line.split("?")[0] for line in server.asked}
        assert called.code == 0
        assert "NVIDIADriver a is rendered, and the cluster has none" in called.out
        assert "GET /apis/nvidia.com/v1alpha1/nvidiadrivers" in asked
        assert all(line.startswith("GET ") for line in asked)

    def test_a_named_context(self, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
        with ApiServer({"/api/v1/nodes": [node("n1")], "/api/v1/pods": []}) as server:
            monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path / "config", "admin")))
            assert call(capfd, "audit", "--context", "admin", root=laid(tmp_path)).code == 0
            assert call(capfd, "audit", "--context", "nobody", root=tmp_path).code == 2

    def test_an_empty_context_is_kubectls_own_choice(
        self, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As in a pod, where there is no kubeconfig: docs/audit.md."""
        with ApiServer({"/api/v1/nodes": [node("n1")], "/api/v1/pods": []}) as server:
            monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path / "config", "current")))
            called = call(capfd, "audit", "--cluster", "one", "--context", "", root=laid(tmp_path))
        assert called.code == 0
        assert "one: 1 GPU node" in called.out

    def test_a_missing_context_does_not_hide_the_other_clusters(
        self, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = laid(tmp_path)
        (root / "inventory/two.yaml").write_text((root / "inventory/one.yaml").read_text().replace("one", "two"))
        with ApiServer({"/api/v1/nodes": [node("n1")], "/api/v1/pods": []}) as server:
            monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path / "config", "two")))
            called = call(capfd, "audit", root=root)
        assert called.code == 3
        assert "two: 1 GPU node" in called.out
        assert "one: could not be looked at: the kubeconfig has no context `one`" in called.out

    def test_forbidden_and_unreachable_are_neither_clean_nor_failed(
        self, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        refused = status(403, "Forbidden", 'nodes is forbidden: User "me" cannot list resource "nodes"')
        with ApiServer({"/api/v1/nodes": refused}) as server:
            monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path / "config", "one")))
            called = call(capfd, "audit", root=laid(tmp_path))
            assert called.code == 3
            assert "one: could not be looked at" in called.out
            gauges = call(capfd, "audit", "--format", "prometheus", root=tmp_path)
            assert 'drivergate_audit_looked{cluster="one"} 0\n' in gauges.out
        gone = call(capfd, "audit", root=tmp_path)
        assert gone.code == 3
        assert "as declared" not in gone.out


# What a run needs that looks at one node.
PYTHON_ITSELF = 60 << 20


@pytest.mark.parametrize("nodes", sizes(500, soak=5000))
def test_many_nodes_and_pods_stay_within_bounds(tmp_path: Path, nodes: int) -> None:
    """Ten pods a node; in memory, the list as kubectl prints it would be several times as large as the bound."""
    root = laid(tmp_path)
    path = tmp_path / "cluster.json"
    filler = {f"annotation-{number}": "x" * 200 for number in range(8)}
    with path.open("wb") as file:
        file.write(b'{"kind":"List","apiVersion":"v1","items":[')
        for number in range(nodes):
            file.write(json.dumps(node(f"n{number}")).encode() + b",")
        for number in range(10 * nodes):
            one = driver_pod(f"n{number % nodes}")
            one["metadata"] |= {"name": f"p{number}", "annotations": filler}
            if number >= nodes:
                one["metadata"]["labels"] = {"app": "other"}
            file.write(json.dumps(one).encode() + (b"," if number < 10 * nodes - 1 else b""))
        file.write(b"]}")
    measured = f"""
import sys
from generator.cli.run import run
code = run(["audit", "--nodes", {str(path)!r}, "-C", {str(root)!r}])
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(code, peak.split()[1], file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", measured], capture_output=True, check=True, cwd=Path(__file__).parents[2]
    )
    code, kilobytes = map(int, done.stderr.decode().split()[-2:])
    assert code == 0
    assert f"one: {nodes} GPU nodes".encode() in done.stdout
    assert kilobytes * 1024 < PYTHON_ITSELF + path.stat().st_size * 3 // 2


BLOCK = f"""\
apiVersion: drivergate.dev/v1alpha1
kind: Cluster
name: one
pools:
  a:   # the only one
    nodeSelector: {{x/y: a}}
    os: {{id: ubuntu, version: "22.04"}}
    arch: [amd64]
    kernels:
      # what runs
      - {KERNEL}   # since May
    upcomingKernels:
      - {OTHER}   # soon
"""


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_git_takes_the_patch_of_a_file_that_people_wrote(ends: str, tmp_path: Path, capfd: Capture) -> None:
    root = laid(tmp_path / "fleet")
    file = root / "inventory/one.yaml"
    file.write_bytes(BLOCK.replace("\n", ends).encode())
    git = ["git", "-C", str(root), "-c", "core.autocrlf=false"]
    subprocess.run([*git, "init", "-q"], check=True)
    seen = given(tmp_path, node("n1", kernel=OTHER), node("n2", kernel="5.15.0-185-generic"))
    called = call(capfd, "audit", "--nodes", seen, "--propose", root=root)
    assert (called.code, called.err) == (0, "")
    patch = tmp_path / "declare.patch"
    patch.write_bytes(called.out.encode())
    subprocess.run([*git, "apply", str(patch)], check=True)
    since = f"      - {KERNEL}   # since May\n"
    wanted = BLOCK.replace(since, f"{since}      - {OTHER}\n      - 5.15.0-185-generic\n")
    wanted = wanted.replace(f"upcomingKernels:\n      - {OTHER}   # soon\n", "upcomingKernels: []\n")
    assert file.read_bytes() == wanted.replace("\n", ends).encode()


SHARED = f"""\
apiVersion: drivergate.dev/v1alpha1
kind: Cluster
name: one
pools:
  a:
    nodeSelector: {{x/y: a}}
    os: {{id: ubuntu, version: "22.04"}}
    arch: [amd64]
    kernels: &running [{KERNEL}]
    upcomingKernels: [{OTHER}]
  b:
    nodeSelector: {{x/y: b}}
    os: {{id: ubuntu, version: "22.04"}}
    arch: [amd64]
    kernels: *running
"""


def test_an_edit_that_cannot_be_made_is_not_half_done_and_ends_with_1(tmp_path: Path, capfd: Capture) -> None:
    root = laid(tmp_path)
    file = root / "inventory/one.yaml"
    file.write_text(SHARED)
    seen = given(tmp_path, node("n1", kernel=OTHER))
    for more in ("--propose", "--write-inventory"):
        called = call(capfd, "audit", "--nodes", seen, more, root=root)
        assert (called.code, called.out) == (1, "")
        changes = f"take {OTHER} out of pools.a.upcomingKernels; add {OTHER} to pools.a.kernels"
        reason = "pools.b.kernels uses the same text as pools.a.kernels, by an alias or a merge"
        assert called.err == f"drivergate: inventory/one.yaml: declare {OTHER} in a by hand ({changes}): {reason}\n"
        assert file.read_text() == SHARED


def test_two_upcoming_kernels_of_a_pool_that_both_run(tmp_path: Path, capfd: Capture) -> None:
    third = "5.15.0-185-generic"
    root = laid(tmp_path, pool(f"arch: [amd64], kernels: [{KERNEL}], upcomingKernels: [{OTHER}, {third}]"))
    seen = given(tmp_path, node("n1", kernel=OTHER), node("n2", kernel=third))
    assert call(capfd, "audit", "--nodes", seen, "--write-inventory", root=root).code == 0
    assert f"kernels: [{KERNEL}, {OTHER}, {third}], upcomingKernels: []" in (root / "inventory/one.yaml").read_text()


@pytest.mark.parametrize("command", [("audit", "--nodes", "NODES", "--write-inventory"), ("migrate",)])
@pytest.mark.parametrize(
    ("twice", "once"),
    [
        (f"kernels: [{KERNEL}], upcomingKernels: [{KERNEL}]", f"kernels: [{KERNEL}], upcomingKernels: []"),
        (
            f"kernels: [{KERNEL}], upcomingKernels: [{OTHER}, {KERNEL}]",
            f"kernels: [{KERNEL}], upcomingKernels: [{OTHER}]",
        ),
    ],
)
def test_a_kernel_that_was_left_in_both_lists_is_no_longer_upcoming(
    tmp_path: Path, capfd: Capture, command: tuple[str, ...], twice: str, once: str
) -> None:
    root = laid(tmp_path, pool(f"arch: [amd64], {twice}"))
    assert "inventory/kernel-twice" in call(capfd, "check", root=root).out
    seen = given(tmp_path, node("n1"))
    called = call(capfd, *(seen if word == "NODES" else word for word in command), root=root)
    assert (called.code, called.out) == (0, "wrote inventory/one.yaml\n")
    assert once in (root / "inventory/one.yaml").read_text()
    assert "inventory/kernel-twice" not in call(capfd, "check", root=root).out


def test_files_are_of_the_cluster_whose_pools_claim_the_nodes(tmp_path: Path, capfd: Capture) -> None:
    root = laid(tmp_path)
    other = (root / "inventory/one.yaml").read_text(encoding="utf-8").replace("name: one", "name: two")
    (root / "inventory/two.yaml").write_text(other.replace("x/y: a", "x/y: b"), encoding="utf-8")
    called = call(capfd, "audit", "--nodes", given(tmp_path, node("n1", pool="b")), root=root)
    assert called.out.startswith("two: 1 GPU node, 0 others\n")
    both = call(capfd, "audit", "--nodes", given(tmp_path, node("n1"), node("n2", pool="b")), root=root)
    assert both.code == 2
    assert "it can't be told which cluster the files are of" in both.err
