"""`upgrade status`, and what both verbs read: files, standard input, dumps and running clusters."""

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.cli.observing import RESOURCES
from generator.edges import kubectl
from generator.edges.kubectl import PATHS
from tests.testing.api_server import ApiServer, status
from tests.testing.command import REPO, call
from tests.testing.levels import CLUSTER, repository
from tests.testing.live import FAILED, WELL, budget, daemonset, driver_pod, files, node, pod, policy, validator
from tests.testing.soak import sizes

Capture = pytest.CaptureFixture[str]
FILLER = {f"annotation-{number}": "x" * 200 for number in range(8)}


def test_a_failed_node_blocks_the_rest(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "upgrade", "status", *files(tmp_path, *FAILED))
    assert called.code == 1
    assert "3 upgrade-required: waits for a free slot; nothing is done to it\n" in called.out
    assert "n2, n3, n4: upgrade-required, stuck\n" in called.out
    assert "    n1 is upgrade-failed, which counts as in progress\n" in called.out
    assert "    try: kubectl delete pod -n ml train-0\n" in called.out


def test_status_for_programs(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "upgrade", "status", *files(tmp_path, *FAILED), "--format", "json")
    found = json.loads(called.out)
    assert (called.code, found["stuck"], found["untold"], found["release"]) == (1, True, False, "v26.7.0")
    assert found["states"] == [{"state": "upgrade-required", "nodes": 3}, {"state": "upgrade-failed", "nodes": 1}]
    assert found["nodes"][0]["command"] == "kubectl delete pod -n ml train-0"


def test_where_all_is_done(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "upgrade", "status", *files(tmp_path, *WELL))
    assert (called.code, called.err) == (0, "")


def test_one_list_of_mixed_kinds_on_standard_input(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    data = json.dumps({"kind": "List", "items": [*FAILED, budget("b", {"app": "b"}, (1, 1, 1), minAvailable=1)]})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data.encode())))
    called = call(capfd, "upgrade", "status", "--nodes", "-")
    assert called.code == 1
    assert "pod ml/train-0 has an emptyDir and podDeletion.deleteEmptyDir is false" in called.out


def test_standard_input_is_read_once(capfd: Capture) -> None:
    called = call(capfd, "upgrade", "status", "--nodes", "-", "--pods", "-")
    assert called.code == 2
    assert "standard input" in called.err


def test_a_dump_of_yaml_and_json_at_any_depth(tmp_path: Path, capfd: Capture) -> None:
    """As a must-gather lays them: lists and single objects, beside much else."""
    nodes = [one for one in FAILED if one["kind"] == "Node"]
    pods = [one for one in FAILED if one["kind"] == "Pod"]
    others = [one for one in FAILED if one["kind"] not in {"Node", "Pod"}]
    for one in nodes:
        path = tmp_path / "cluster-scoped-resources/core/nodes" / f"{one['metadata']['name']}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\n{yaml.safe_dump(one)}")
    space = tmp_path / "namespaces/gpu-operator"
    space.mkdir(parents=True)
    (space / "pods.yaml").write_text(yaml.safe_dump({"kind": "PodList", "apiVersion": "v1", "items": pods}))
    (space / "others.json").write_text(json.dumps({"kind": "List", "items": others}))
    (space / "values.yaml").write_text("driver: {enabled: true}\n")
    (space / "driver.log").write_text("kind: nothing\n")
    called = call(capfd, "upgrade", "status", "--dump", str(tmp_path))
    assert called.code == 1
    assert "n2, n3, n4: upgrade-required, stuck\n" in called.out
    assert called.out.endswith("not in the input: PodDisruptionBudgets (--budgets)\n")


def test_items_of_a_list_of_one_kind_and_a_gpu_that_a_claim_holds(tmp_path: Path, capfd: Capture) -> None:
    """`kubectl get --raw` prints a PodList, whose items don't repeat their kind; a claim's driver makes it a GPU's."""
    claiming = pod("claiming", "n1", "", gpus=0)
    claiming["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "mine"}]
    claim = {
        "kind": "ResourceClaim",
        "metadata": {"name": "mine", "namespace": "ml"},
        "status": {"allocation": {"devices": {"results": [{"driver": "gpu.nvidia.com"}]}}},
    }
    stands = (policy(), *daemonset(), node("n1", "pod-deletion-required", cordoned=True))
    options = files(tmp_path, *stands, claim)
    pods = [{key: value for key, value in one.items() if key != "kind"} for one in (claiming, driver_pod("n1", "old"))]
    (tmp_path / "pods.json").write_text(json.dumps({"kind": "PodList", "apiVersion": "v1", "items": pods}))
    called = call(capfd, "upgrade", "status", *options)
    assert called.code == 1
    assert "pod ml/claiming has no controller and podDeletion.force is false" in called.out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"kind": "List", "items": [{"kind": "Pod", "metadata": {"name": "a"}}, {"kind": "Po',
            "in the middle of object 2",
        ),
        ("error: You must be logged in to the server", "it is no JSON"),
        ("", "it is empty"),
        ("apiVersion: v1\nkind: Pod\n", "a Pod is not as an API server writes it"),
        ("kind: Pod\nmetadata: {name: [\n", "pods.json:3"),
        (
            '{"kind": "Pod", "metadata": {"name": "p", "labels": {"a": 1}}}',
            "Pod p is not as an API server writes it",
        ),
    ],
)
def test_what_can_not_be_read_is_named(tmp_path: Path, capfd: Capture, text: str, said: str) -> None:
    file = tmp_path / "pods.json"
    file.write_text(text)
    for verb in ("status", "simulate"):
        called = call(capfd, "upgrade", verb, "--pods", str(file))
        assert called.code == 2
        assert called.out == ""
        assert "pods.json" in called.err
        assert said in called.err


def test_a_truncated_file_of_a_dump_is_named_with_its_line(tmp_path: Path, capfd: Capture) -> None:
    (tmp_path / "pods.yaml").write_text("kind: Node\nmetadata: {name: n1}\n---\nkind: PodList\nitems: [{kind: Pod")
    called = call(capfd, "upgrade", "status", "--dump", str(tmp_path))
    assert called.code == 2
    assert "pods.yaml:6" in called.err
    assert "begins in line 5" in called.err


def test_what_is_not_there(tmp_path: Path, capfd: Capture) -> None:
    assert call(capfd, "upgrade", "status", "--nodes", str(tmp_path / "gone.json")).code == 2
    assert call(capfd, "upgrade", "status", "--dump", str(tmp_path / "gone")).code == 2
    assert call(capfd, "upgrade", "status", root=tmp_path).code == 2
    assert call(capfd, "upgrade", "simulate").code == 2
    assert call(capfd, "upgrade", "status", "--dump", str(tmp_path), "--operator", "9").code == 2


def test_no_node_is_not_all_fine(tmp_path: Path, capfd: Capture) -> None:
    for verb in ("status", "simulate"):
        assert call(capfd, "upgrade", verb, *files(tmp_path, policy())).code == 3


def test_the_reason_that_the_input_leaves_open(tmp_path: Path, capfd: Capture) -> None:
    file = tmp_path / "nodes.json"
    file.write_text(json.dumps(node("n1", "pod-deletion-required", cordoned=True)))
    called = call(capfd, "upgrade", "status", "--nodes", str(file))
    assert called.code == 3
    assert "cannot tell from this input: give pods of all namespaces (--pods)" in called.out


def test_only_pods_of_the_selector_are_waited_for(tmp_path: Path, capfd: Capture) -> None:
    """A label that is no number is on neither side of a bound (apimachinery pkg/labels, Requirement.Matches)."""
    waiting = policy(waitForCompletion={"podSelector": "tier>2,stage notin (test)", "timeoutSeconds": 0})
    labels = {"slow-0": {"tier": "3"}, "quick-0": {"tier": "2"}, "odd-0": {"tier": "x"}}
    pods = [pod(name, "n1", "Job", labels=tiers) for name, tiers in labels.items()]
    pods.append(pod("tried-0", "n1", "Job", labels={"tier": "3", "stage": "test"}))
    rest = (*daemonset(), node("n1", "wait-for-jobs-required", cordoned=True), driver_pod("n1", "old"), validator("n1"))
    called = call(capfd, "upgrade", "status", *files(tmp_path, waiting, *rest, *pods))
    assert "it waits for ml/slow-0 (tier>2,stage notin (test)), for ever: timeoutSeconds is 0\n" in called.out


def test_pods_hold_gpus_by_their_claims(tmp_path: Path, capfd: Capture) -> None:
    """Admin access only watches, and other drivers' devices are no GPUs (gpu-operator main.go gpuPodSpecFilter)."""
    devices = {
        "train": {"driver": "gpu.nvidia.com"},
        "watch": {"driver": "gpu.nvidia.com", "adminAccess": True},
        "network": {"driver": "dra.net"},
    }
    objects: list[dict[str, Any]] = []
    for name, device in devices.items():
        claiming = pod(f"{name}-0", "n1", gpus=0)
        claiming["spec"]["resourceClaims"] = [{"name": "device", "resourceClaimName": name}]
        claim = {"kind": "ResourceClaim", "metadata": {"name": name, "namespace": "ml"}}
        objects += [claiming, {**claim, "status": {"allocation": {"devices": {"results": [device]}}}}]
    called = call(capfd, "upgrade", "simulate", *files(tmp_path, *WELL, *objects))
    assert called.code == 0
    evicted = [line.partition("evicts ")[2] for line in called.out.splitlines() if "evicts" in line]
    assert evicted == ["ml/train-0"]


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not on PATH")
class TestLive:
    """Through the real kubectl."""

    def answers(self, *items: dict) -> dict[str, object]:
        paths = {kind: PATHS[resource] for kind, resource in RESOURCES.items()}
        found: dict[str, list[dict]] = {path: [] for path in paths.values()}
        for item in items:
            found[paths[item["kind"]]].append(item)
        return dict(found)

    def test_status_of_a_context(self, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(kubectl, "PAGE", 3)
        with ApiServer(self.answers(*FAILED)) as server:
            monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path / "config", "here")))
            called = call(capfd, "upgrade", "status", "--context", "here")
            assert all(line.startswith("GET ") for line in server.asked)
            assert f"GET {PATHS['nodes']}?continue=3&limit=3&timeout=30s" in server.asked
        of_files = call(capfd, "upgrade", "status", *files(tmp_path, *FAILED))
        assert called._replace(out=called.out.replace(" --context here", "")) == of_files
        assert "try: kubectl --context here " in called.out
        assert called.out.count("kubectl ") == called.out.count("kubectl --context here ")

    def test_every_declared_cluster(self, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
        root = repository(tmp_path, two=CLUSTER.replace("name: one", "name: two"))
        with ApiServer(self.answers(*WELL)) as server:
            monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path / "config", "one", "two")))
            called = call(capfd, "upgrade", "status", root=root)
            assert (called.code, called.out.count("== ")) == (0, 2)
            only = json.loads(call(capfd, "upgrade", "status", "--cluster", "two", "--format", "json", root=root).out)
            assert [one["cluster"] for one in only["clusters"]] == ["two"]
            assert call(capfd, "upgrade", "status", "--ring", "7", root=root).code == 2
        gone = call(capfd, "upgrade", "status", root=root)
        assert gone.code == 3
        assert gone.out.count("could not be looked at") == 2

    def test_what_is_forbidden_is_said_and_the_rest_told(
        self, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        refused = status(403, "Forbidden", "poddisruptionbudgets.policy is forbidden")
        answers = {**self.answers(*FAILED), PATHS["poddisruptionbudgets"]: refused}
        with ApiServer(answers) as server:
            monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path / "config", "here")))
            called = call(capfd, "upgrade", "status", "--context", "here")
        assert called.code == 1
        assert "note: context `here` forbids to list poddisruptionbudgets" in called.err

    def test_simulate_begins_with_what_is_there(
        self, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with ApiServer(self.answers(*WELL)) as server:
            monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path / "config", "here")))
            called = call(capfd, "upgrade", "simulate", "--context", "here")
        assert called == call(capfd, "upgrade", "simulate", *files(tmp_path, *WELL))

    def test_simulate_looks_at_every_declared_cluster(
        self, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = repository(tmp_path, two=CLUSTER.replace("name: one", "name: two"))
        with ApiServer(self.answers(*WELL)) as server:
            monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path / "config", "one")))
            called = call(capfd, "upgrade", "simulate", "--live", root=root)
            assert call(capfd, "upgrade", "simulate", "--live", "--format", "svg", root=root).code == 2
            alone = json.loads(
                call(capfd, "upgrade", "simulate", "--live", "--cluster", "one", "--format", "json", root=root).out
            )
        assert called.code == 3
        assert "an upgrade of every node ends after" in called.out
        assert "two: could not be looked at: the kubeconfig has no context `two`" in called.out
        assert alone["done"]

    def test_an_inventory_that_can_not_be_read_whole_is_said(
        self, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = repository(tmp_path, broken="kind: [\n")
        with ApiServer(self.answers(*WELL)) as server:
            monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path / "config", "one")))
            for verb in (["status"], ["simulate", "--live"]):
                called = call(capfd, "upgrade", *verb, root=root)
                assert called.code == 2
                assert "broken.yaml" in called.err

    def test_files_and_contexts_are_alternatives(self, tmp_path: Path, capfd: Capture) -> None:
        given = files(tmp_path, *WELL)
        assert call(capfd, "upgrade", "status", *given, "--context", "x").code == 2
        assert call(capfd, "upgrade", "simulate", *given, "--context", "x").code == 2
        assert call(capfd, "upgrade", "status", "--context", "x", "--context", "y", "--cluster", "one").code == 2


def test_the_release_that_runs_is_read_off_the_validator(tmp_path: Path, capfd: Capture) -> None:
    """Its image is of the operator's version; what is named wins, and what nothing tells is said to be assumed."""
    image = {"name": "nvidia-operator-validator", "ready": True, "image": "nvcr.io/nvidia/gpu-operator:v25.10.1"}
    told = [json.loads(json.dumps(one)) for one in WELL]
    for one in told:
        if one["metadata"]["name"].startswith("nvidia-operator-validator"):
            one["status"]["containerStatuses"] = [image]
    given = files(tmp_path, *told)
    assert json.loads(call(capfd, "upgrade", "status", *given, "--format", "json").out)["release"] == "v25.10.1"
    named = call(capfd, "upgrade", "status", *given, "--operator", "v26.3.3", "--format", "json")
    assert json.loads(named.out)["release"] == "v26.3.3"
    assert "assumed" not in call(capfd, "upgrade", "status", *given).out
    for verb in ("status", "simulate"):
        untold = call(capfd, "upgrade", verb, *files(tmp_path, *WELL))
        assert "assumed: the operator is v26.7.0, the newest that is known: --operator names another" in untold.out


# What a run needs that looks at one node.
PYTHON_ITSELF = 60 << 20


class TestThousands:
    """Ten pods a node, read object by object: the list alone is larger than the bound."""

    def objects(self, nodes: int) -> Iterator[dict]:
        served, spare = 8 * nodes, nodes // 5
        yield policy(maxParallelUpgrades=nodes // 100)
        yield from daemonset()
        yield budget("serving", {"app": "serving"}, (served, served - spare, served), maxUnavailable=spare)
        for number in range(nodes):
            yield node(f"n{number}", "upgrade-done", devices={"nvidia.com/gpu": "8"})
            yield driver_pod(f"n{number}")
            yield validator(f"n{number}")
        for number in range(8 * nodes):
            one = pod(f"serving-{number}", f"n{number % nodes}", labels={"app": "serving"})
            one["metadata"]["annotations"] = FILLER
            yield one

    @pytest.mark.parametrize(
        ("verb", "said"),
        [
            ("status", "{} upgrade-done: runs the driver that is wanted\n"),
            ("simulate", ": {} nodes are upgrade-done\n"),
        ],
    )
    @pytest.mark.parametrize("nodes", sizes(500, soak=5000))
    def test_they_stay_within_bounds(self, tmp_path: Path, verb: str, said: str, nodes: int) -> None:
        path = tmp_path / "cluster.json"
        with path.open("w") as file:
            file.write('{"apiVersion":"v1","items":[')
            for number, one in enumerate(self.objects(nodes)):
                file.write(f"{',' * bool(number)}{json.dumps(one)}")
            file.write('],"kind":"List"}')
        measured = f"""
import sys
from generator.cli.run import run
code = run(["upgrade", {verb!r}, "--nodes", {str(path)!r}])
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(code, peak.split()[1], file=sys.stderr)
"""
        done = subprocess.run([sys.executable, "-c", measured], capture_output=True, check=True, cwd=REPO)
        code, kilobytes = map(int, done.stderr.decode().split()[-2:])
        assert code == 0
        assert said.format(nodes).encode() in done.stdout
        assert kilobytes * 1024 < PYTHON_ITSELF + path.stat().st_size * 3 // 2


@pytest.mark.parametrize("option", ["--nodes", "--pods", "--budgets"])
def test_a_file_of_another_kind_is_no_empty_cluster(option: str, tmp_path: Path, capfd: Capture) -> None:
    file = tmp_path / "services.json"
    file.write_text(json.dumps({"kind": "List", "items": [{"kind": "Service", "metadata": {"name": "s"}}]}))
    called = call(capfd, "upgrade", "status", *files(tmp_path, *WELL), option, str(file))
    assert (called.code, called.out) == (2, "")
    assert "services.json`: it holds Service, and no " in called.err


def test_a_list_that_is_empty_is_of_its_kind(tmp_path: Path, capfd: Capture) -> None:
    file = tmp_path / "none.json"
    file.write_text('{"kind": "List", "items": []}')
    assert call(capfd, "upgrade", "status", *files(tmp_path, *WELL), "--budgets", str(file)).code == 0


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_documents_of_a_dump_begin_as_yaml_lets_them(ends: str, tmp_path: Path, capfd: Capture) -> None:
    labels = "labels: {nvidia.com/gpu.present: 'true'}"
    first, second = (f"kind: Node\nmetadata: {{name: {name}, {labels}}}\n" for name in ("n1", "n2"))
    text = f"---\n{first}--- # the next\n{second}"
    (tmp_path / "nodes.yaml").write_text(text.replace("\n", ends), newline="")
    (tmp_path / "log.json").write_text('[{"kind": "Event"}]')
    called = call(capfd, "upgrade", "status", "--dump", str(tmp_path), "--format", "json")
    assert [one["node"] for one in json.loads(called.out)["nodes"]] == ["n1", "n2"]
    (tmp_path / "nodes.yaml").write_text(f"{text}---\nkind: Node\nmetadata: [\n".replace("\n", ends), newline="")
    called = call(capfd, "upgrade", "status", "--dump", str(tmp_path))
    assert called.code == 2
    assert "nodes.yaml:" in called.err
