import io
import json
import sys
from pathlib import Path

import pytest
import yaml

from generator.declared.modelparts import API_VERSION
from tests.testing.command import Exit, call
from tests.testing.levels import CATALOG, CLUSTER, FLEET, HEAD, node, repository

Capture = pytest.CaptureFixture[str]
DRIVER = "nvcr.io/nvidia/driver"
RUNNING = f"{DRIVER}:580-6.8.0-1050-aws-ubuntu24.04"
UPCOMING = f"{DRIVER}:580-6.8.0-1053-aws-ubuntu24.04"
# deployments/gpu-operator/values.yaml of v26.7.0, driver.manager.
MANAGER = "nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.12.0  not in the catalog's scope\n"
# gpu-operator.md 1.9, example 19: the minor of rhel is dropped by v26.7.0, and "+" never reaches a tag.
ARM = f"{DRIVER}:580.126.20-5.14.0-427.37.1.el9_4.aarch64_64k-rhel9"
TRAIN = {"kernel": "6.8.0-1050-aws", "os": "ubuntu", "version": "24.04", "arch": "amd64"}


def test_running_images_come_first_and_upcoming_ones_are_marked(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "tag", "one/train", root=repository(tmp_path))
    told = f"{RUNNING}  linux/amd64 built\n{UPCOMING}  linux/amd64 missing  upcoming\n{MANAGER}"
    assert called == Exit(0, told, "")


def test_what_comes_with_a_driver_is_printed_and_not_judged(tmp_path: Path, capfd: Capture) -> None:
    """The same references as `show` and drivergate-images list."""
    gds = 'spec: {gds: {enabled: true, repository: example.com/gds, image: nvidia-fs, version: "2.20.5"}}'
    root = repository(tmp_path, one=CLUSTER.replace("spec: {rdma: {enabled: true}}", gds))
    printed = json.loads(call(capfd, "tag", "one/train", "--format", "json", root=root).out)["images"]
    shown = json.loads(call(capfd, "show", "one/train", "--format", "json", root=root).out)["images"]
    assert sorted(image["reference"] for image in printed) == shown
    assert [image["reference"].partition(":")[0] for image in printed if image["outside"]] == [
        "example.com/gds/nvidia-fs",
        "nvcr.io/nvidia/cloud-native/k8s-driver-manager",
    ]
    text = call(capfd, "tag", "one/train", "--why", root=root).out
    assert [line for line in text.splitlines() if "k8s-driver-manager" in line] == [MANAGER.rstrip()]


@pytest.mark.parametrize(
    ("line", "state", "code"),
    [
        ("platforms: [linux/amd64]", "built", 0),
        ("platforms: [linux/arm64]", "platform missing", 1),
        ("platforms: [linux/amd64], gone: true", "gone", 1),
        ("driverVersion: 580.126.20", "platform unknown", 0),
        (None, "missing", 1),
    ],
)
def test_how_a_running_image_stands(tmp_path: Path, capfd: Capture, line: str | None, state: str, code: int) -> None:
    listed = f'  - {{tag: "{RUNNING.rpartition(":")[2]}", {line}}}\n' if line else "  []\n"
    catalog = f"apiVersion: {API_VERSION}\nkind: ImageCatalog\nrepository: {DRIVER}\nimages:\n{listed}"
    called = call(capfd, "tag", "one/train", root=repository(tmp_path, catalog=catalog))
    assert (called.code, called.out.splitlines()[0]) == (code, f"{RUNNING}  linux/amd64 {state}")


def test_unrecorded_platforms_are_not_enough_for_arm64(tmp_path: Path, capfd: Capture) -> None:
    """Unless the kernel names the machine, as rpm-like ones do."""
    both = CLUSTER.replace("nodeImage: stream", 'os: {id: ubuntu, version: "24.04"}\n    arch: [amd64, arm64]').replace(
        "    driver: {upgrade", "    kernels: [6.8.0-1050-aws]\n    driver: {upgrade"
    )
    unrecorded = CATALOG.replace(", platforms: [linux/amd64]", "").replace(", platforms: [linux/arm64]", "")
    root = repository(tmp_path, one=both, catalog=unrecorded)
    called = call(capfd, "tag", "one/train", root=root)
    unknown = f"{RUNNING}  linux/amd64 platform unknown, linux/arm64 platform unknown\n{MANAGER}"
    assert called == Exit(1, unknown, "")
    assert call(capfd, "tag", "one/arm", root=root) == Exit(0, f"{ARM}  linux/arm64 built\n{MANAGER}", "")


def test_a_compiled_image_has_no_kernel(tmp_path: Path, capfd: Capture) -> None:
    compiled = CLUSTER.replace('driver: {version: "580.126.20"}', 'driver: {mode: compiled, version: "580.126.20"}')
    called = call(capfd, "tag", "one/arm", "--why", root=repository(tmp_path, one=compiled))
    assert called.code == 1
    assert called.out.startswith(f"{DRIVER}:580.126.20-rhel9  linux/arm64 missing\n")
    assert "the module is built on the node, so the tag names no kernel" in called.out


def test_why_explains_each_part(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "tag", "one/arm", "--why", root=repository(tmp_path))
    parts = {line.split()[0]: " ".join(line.split()[1:]) for line in called.out.splitlines()[1:]}
    assert parts["repository"] == f"{DRIVER} inventory/fleet.yaml:7 (defaults)"
    assert parts["driver"] == "580.126.20 inventory/one.yaml:20 (pool)"
    assert parts["kernel"] == (
        "5.14.0-427.37.1.el9_4.aarch64_64k inventory/one.yaml:19 (pool); "
        'the label form of "5.14.0-427.37.1.el9_4.aarch64+64k"'
    )
    assert parts["os"] == (
        "rhel9 ID rhel and VERSION_ID 9.4: inventory/one.yaml:17 (pool); operator v26.7.0 drops the minor of rhel"
    )
    assert parts["catalog"] == "listed inventory/catalog.yaml:6; platforms linux/arm64"


@pytest.mark.parametrize(
    ("release", "os", "tag", "rule"),
    # gpu-operator.md 1.2, OLDER.
    [
        ("v24.9.2", ("rhel", "9.4"), "rhel9.4", "keeps VERSION_ID whole"),
        ("v26.3.3", ("rhel", "9.4"), "rhel9.4", "keeps the minor of rhel before 10"),
        ("v26.3.3", ("rhel", "10.1"), "rhel10", "drops the minor of rhel from 10 on"),
        ("v26.3.3", ("rocky", "9.4"), "rocky9", "drops the minor of rocky"),
        ("v26.3.3", ("ubuntu", "24.04"), "ubuntu24.04", "keeps VERSION_ID whole"),
        ("v26.7.0", ("ubuntu", "24.04"), "ubuntu24.04", "keeps VERSION_ID whole"),
    ],
)
def test_the_os_rule_is_the_releases_for_this_os(
    tmp_path: Path, capfd: Capture, release: str, os: tuple[str, str], tag: str, rule: str
) -> None:
    other = CLUSTER.replace('{id: rhel, version: "9.4"}', f'{{id: {os[0]}, version: "{os[1]}"}}')
    root = repository(tmp_path, fleet=FLEET.replace("v26.7.0", release), one=other)
    called = call(capfd, "tag", "one/arm", "--why", root=root)
    assert called.out.partition(" ")[0].endswith(f"-{tag}")
    assert f"; operator {release} {rule}\n" in called.out


def test_why_says_that_a_release_uses_the_fields_of_another(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, fleet=FLEET.replace("v26.7.0", "v24.9.1"))
    note = "the fields of operator v24.9.1 are taken from v24.9.2"
    assert f"({note})" in call(capfd, "tag", "one/train", "--why", root=root).out
    assert note not in call(capfd, "check", root=root).out


def test_a_pool_of_json(tmp_path: Path, capfd: Capture) -> None:
    printed = json.loads(call(capfd, "tag", "one/train", "--format", "json", root=repository(tmp_path)).out)
    assert (printed["cluster"], printed["pool"], printed["mode"]) == ("one", "train", "precompiled")
    first, second, manager = printed["images"]
    assert (first["reference"], first["upcoming"]) == (RUNNING, False)
    assert (second["reference"], second["upcoming"]) == (UPCOMING, True)
    assert second["platforms"] == [{"platform": "linux/amd64", "state": "missing", "usable": False}]
    assert [part["name"] for part in first["parts"]] == ["repository", "driver", "kernel", "os", "catalog"]
    assert (manager["outside"], first["outside"], printed["findings"]) == (True, False, [])


def test_a_pool_with_a_driver_of_its_own_asks_for_nothing(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "tag", "one/host", root=repository(tmp_path))
    assert (called.code, called.out) == (0, "")
    assert "must register with nvidia.com/gpu.deploy.driver=pre-installed" in called.err


def test_what_the_operator_refuses_is_no_image(tmp_path: Path, capfd: Capture) -> None:
    """A digest as version, beside a precompiled driver (gpu-operator.md 1.9, example 10)."""
    digest = CLUSTER.replace('"580.126.20"', f'"sha256:{"a" * 64}"')
    called = call(capfd, "tag", "one/arm", root=repository(tmp_path, one=digest))
    assert called.code == 2
    assert "no image: a digest can't be used with precompiled drivers" in called.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("one/trian",), 'did you mean "train"?'),
        (("onee/train",), 'did you mean "one"?'),
        (("one",), '"one" names no pool; write CLUSTER/POOL'),
        ((), "give either CLUSTER/POOL or --node FILE"),
        (("one/train", "--node", "x"), "give either CLUSTER/POOL or --node FILE"),
        (("one/train", "--cluster", "one"), "--cluster goes with --node"),
        (("one/train", "--staged", "--rev", "HEAD"), "--staged and --rev are alternatives"),
    ],
)
def test_bad_usage(tmp_path: Path, capfd: Capture, arguments: tuple[str, ...], told: str) -> None:
    called = call(capfd, "tag", *arguments, root=repository(tmp_path))
    assert (called.code, called.out) == (2, "")
    assert told in called.err


def of_nodes(root: Path, capfd: Capture, *nodes: object, arguments: tuple[str, ...] = ()) -> Exit:
    """The answer about nodes in a file beside the repository's."""
    file = root / "nodes.json"
    file.write_text(json.dumps({"kind": "List", "items": nodes}), encoding="utf-8")
    return call(capfd, "tag", "--node", str(file), *arguments, root=root)


def test_a_declared_node_with_a_built_image(tmp_path: Path, capfd: Capture) -> None:
    called = of_nodes(repository(tmp_path), capfd, node("n1", "train", **TRAIN))
    told = f"n1: one/train (precompiled)\n    {RUNNING}  linux/amd64 built  declared (running)\n"
    assert called == Exit(0, told, "")


def test_the_label_form_and_uname_are_no_difference(tmp_path: Path, capfd: Capture) -> None:
    kernel = "5.14.0-427.37.1.el9_4.aarch64_64k"
    one = node("n1", "arm", kernel=kernel, os="rhel", version="9.4", major="9", arch="arm64")
    one["status"] = {"nodeInfo": {"kernelVersion": kernel.replace("_64k", "+64k"), "architecture": "arm64"}}
    called = of_nodes(repository(tmp_path), capfd, one)
    told = f"n1: one/arm (precompiled)\n    {ARM}  linux/arm64 built  declared (running)\n"
    assert called == Exit(0, told, "")


def test_an_upcoming_kernel_is_not_yet_declared_as_running(tmp_path: Path, capfd: Capture) -> None:
    one = node("n1", "train", **{**TRAIN, "kernel": "6.8.0-1053-aws"})
    called = of_nodes(repository(tmp_path), capfd, one)
    assert called.code == 1
    assert f"{UPCOMING}  linux/amd64 missing  declared (upcoming)" in called.out
    assert "problem: it runs ubuntu24.04 with 6.8.0-1053-aws, which the pool declares as upcoming only" in called.out
    tag = "580-6.8.0-1053-aws-ubuntu24.04"
    assert f"problem: it needs {tag} for linux/amd64, which is not in the catalog" in called.out


def test_a_kernel_that_is_not_declared(tmp_path: Path, capfd: Capture) -> None:
    called = of_nodes(repository(tmp_path), capfd, node("n1", "train", **{**TRAIN, "kernel": "6.8.0-1060-aws"}))
    assert called.code == 1
    assert f"{DRIVER}:580-6.8.0-1060-aws-ubuntu24.04  linux/amd64 missing  not declared" in called.out
    declared = "ubuntu24.04 with 6.8.0-1050-aws, 6.8.0-1053-aws on amd64"
    runs = "it runs ubuntu24.04 with 6.8.0-1060-aws on amd64"
    assert f"problem: {runs}, and the pool declares {declared}\n" in called.out


def test_another_os_and_another_machine(tmp_path: Path, capfd: Capture) -> None:
    one = node("n1", "train", **{**TRAIN, "version": "22.04", "arch": "arm64"})
    called = of_nodes(repository(tmp_path), capfd, one)
    assert called.code == 1
    runs = "it runs ubuntu22.04 with 6.8.0-1050-aws on arm64"
    assert f"problem: {runs}, and the pool declares ubuntu24.04 with " in called.out


@pytest.mark.parametrize("where", ["label", "nodeInfo"])
def test_a_node_of_another_architecture_than_its_pools_is_answered_for_its_own(
    tmp_path: Path, capfd: Capture, where: str
) -> None:
    one = node("n1", "train", **{**TRAIN, "arch": "arm64"})
    if where == "nodeInfo":
        del one["metadata"]["labels"]["kubernetes.io/arch"]  # type: ignore[index]
        one["status"] = {"nodeInfo": {"architecture": "arm64"}}
    root = repository(tmp_path)
    called = of_nodes(root, capfd, one)
    assert called == Exit(
        1,
        f"n1: one/train (precompiled)\n    {RUNNING}  linux/arm64 platform missing  not declared\n"
        "    problem: it runs ubuntu24.04 with 6.8.0-1050-aws on arm64, and the pool declares ubuntu24.04 with "
        "6.8.0-1050-aws, 6.8.0-1053-aws on amd64\n"
        "    problem: it needs 580-6.8.0-1050-aws-ubuntu24.04 for linux/arm64, which is not built for linux/arm64\n",
        "",
    )
    (answer,) = json.loads(of_nodes(root, capfd, one, arguments=("--format", "json")).out)["nodes"]
    assert answer["declared"] == ""
    assert answer["platforms"] == [{"platform": "linux/arm64", "state": "platform missing", "usable": False}]


def test_a_node_that_no_image_is_made_for(tmp_path: Path, capfd: Capture) -> None:
    called = of_nodes(repository(tmp_path), capfd, node("n1", "train", **{**TRAIN, "arch": "ppc64le"}))
    assert called.code == 1
    assert "linux/ppc64le platform missing  not declared" in called.out


def test_absent_labels_are_named_and_node_info_is_a_hint_only(tmp_path: Path, capfd: Capture) -> None:
    one = node("n1", "train")
    one["status"] = {"nodeInfo": {"kernelVersion": "6.8.0-1050-aws", "osImage": "Ubuntu 24.04.2 LTS"}}
    called = of_nodes(repository(tmp_path), capfd, one)
    assert called.code == 1
    labels = [
        "feature.node.kubernetes.io/system-os_release.ID",
        "feature.node.kubernetes.io/system-os_release.VERSION_ID",
        "feature.node.kubernetes.io/kernel-version.full",
    ]
    lacks = f"problem: node feature discovery has not labelled it: it lacks {', '.join(labels)}"
    elsewhere = "status.nodeInfo says kernel 6.8.0-1050-aws, Ubuntu 24.04.2 LTS, where the operator never looks"
    assert f"{lacks}; {elsewhere}\n" in called.out
    assert DRIVER not in called.out


def test_a_node_that_rebooted_since_it_was_labelled(tmp_path: Path, capfd: Capture) -> None:
    one = node("n1", "train", **TRAIN)
    one["status"] = {"nodeInfo": {"kernelVersion": "6.8.0-1053-aws"}}
    called = of_nodes(repository(tmp_path), capfd, one)
    assert called.code == 0
    assert "says kernel 6.8.0-1053-aws; the operator goes by NFD's label, 6.8.0-1050-aws" in called.out


def test_rhel_nodes_are_pooled_by_their_major_from_v26_7_on(tmp_path: Path, capfd: Capture) -> None:
    """gpu-operator.md R2.3 and R2.5."""
    kernel = "5.14.0-427.37.1.el9_4.aarch64_64k"
    one = node("n1", "arm", kernel=kernel, os="rhel", version="9.4", arch="arm64")
    called = of_nodes(repository(tmp_path), capfd, one)
    assert called.code == 1
    assert "it lacks feature.node.kubernetes.io/system-os_release.VERSION_ID.major\n" in called.out
    older = repository(tmp_path, fleet=FLEET.replace("v26.7.0", "v26.3.3"))
    assert "it lacks" not in of_nodes(older, capfd, one).out


def test_nodes_that_the_operator_has_no_driver_for(tmp_path: Path, capfd: Capture) -> None:
    passed = f"{CLUSTER}  passed:\n    nodeSelector: {{example.com/pool: passed}}\n    driver: {{mode: unmanaged}}\n"
    root = repository(tmp_path, one=passed)
    called = of_nodes(root, capfd, node("n1", "host", gate="pre-installed"), node("n2", "passed"))
    assert called.code == 0
    assert "n1: one/host (preinstalled)\n    note: the driver is preinstalled" in called.out
    assert "n2: one/passed (unmanaged)\n    note: the driver is unmanaged" in called.out
    assert "loads the driver" not in called.out


def test_a_default_object_takes_nodes_that_are_declared_as_not_its_own(tmp_path: Path, capfd: Capture) -> None:
    rest = f"{CLUSTER}  rest:\n    default: true\n    nodeImage: stream\n"
    root = repository(tmp_path, one=rest)
    called = of_nodes(root, capfd, node("n1", "host"), node("n2", "host", gate="pre-installed"))
    assert called.out.count("so the operator loads the driver of pool rest on it") == 1
    assert called.out.index("loads the driver") < called.out.index("n2:")
    other = of_nodes(root, capfd, node("n3", "elsewhere", **TRAIN))
    assert other.code == 0
    assert other.out.startswith("n3: one/rest (precompiled)\n")
    assert "this is the cluster's default pool" in other.out


def test_a_gate_that_keeps_the_driver_away(tmp_path: Path, capfd: Capture) -> None:
    called = of_nodes(repository(tmp_path), capfd, node("n1", "train", gate="pre-installed", **TRAIN))
    gate = "nvidia.com/gpu.deploy.driver is pre-installed: its host brings a driver"
    assert f"note: {gate}, and the pool declares a precompiled one\n" in called.out
    paused = of_nodes(repository(tmp_path), capfd, node("n1", "train", gate="paused-for-driver-upgrade", **TRAIN))
    assert "note:" not in paused.out


def test_a_node_of_two_pools_or_of_none(tmp_path: Path, capfd: Capture) -> None:
    twice = f"{CLUSTER}  also:\n    nodeSelector: {{zone: a}}\n    nodeImage: stream\n"
    both = node("n1", "train", **TRAIN)
    both["metadata"]["labels"]["zone"] = "a"  # type: ignore[index]
    called = of_nodes(repository(tmp_path, one=twice), capfd, both, node("n2", "nowhere"))
    assert called.code == 1
    twice = "pools train and also both claim it, and the operator then updates no driver of the cluster"
    assert f"n1: one\n    problem: {twice}\n" in called.out
    assert "no pool of one claims it" in called.out


BARE = node("n1", "train")
BARE["metadata"]["labels"].pop("nvidia.com/gpu.present", None)  # type: ignore[index]
BARE["status"] = {"capacity": {"nvidia.com/gpu": "8"}}
COREOS = {"kernel": "5.14.0-427.37.1.el9_4.x86_64", "os": "rhcos", "version": "4.18", "major": "4", "arch": "amd64"}
OSTREE_VERSION = "feature.node.kubernetes.io/system-os_release.OSTREE_VERSION"
ON_OPENSHIFT = """  coreos:
    nodeSelector: {example.com/pool: coreos}
    os: {id: rhcos, version: "4.18"}
    arch: [amd64]
    driver: {mode: compiled, version: "580.126.20"}
"""


@pytest.mark.parametrize(
    ("seen", "problem"),
    [
        (
            node("n1", "train", **{**TRAIN, "kernel": "6.8.0-1053-aws"}),
            "it runs ubuntu24.04 with 6.8.0-1053-aws, which the pool declares as upcoming only",
        ),
        (
            BARE,
            "node feature discovery has not labelled it: it lacks feature.node.kubernetes.io/system-os_release.ID",
        ),
        (
            node("n1", "coreos", **COREOS),
            f"node feature discovery has not labelled it: it lacks {OSTREE_VERSION}",
        ),
    ],
)
def test_tag_and_audit_say_the_same_of_a_node(
    tmp_path: Path, capfd: Capture, seen: dict[str, object], problem: str
) -> None:
    """gpu-operator internal/state/nodepool.go: a node of OpenShift without OSTREE_VERSION is in no pool."""
    tag = "580-6.8.0-1053-aws-ubuntu24.04"
    catalog = f'{CATALOG}  - {{tag: "{tag}", platforms: [linux/amd64]}}\n'
    root = repository(tmp_path, one=CLUSTER + ON_OPENSHIFT, catalog=catalog)
    tagged = of_nodes(root, capfd, seen)
    audited = call(capfd, "audit", "--nodes", str(root / "nodes.json"), "--cluster", "one", root=root)
    assert (tagged.code, audited.code) == (1, 1)
    assert f"    problem: {problem}" in tagged.out
    assert f"  error: node n1 ({seen['metadata']['labels']['example.com/pool']}): {problem}" in audited.out  # type: ignore[index]
    assert f"{DRIVER}:580.126.20" not in tagged.out + audited.out


def test_a_node_of_openshift_with_every_label(tmp_path: Path, capfd: Capture) -> None:
    labelled = node("n1", "coreos", **COREOS)
    labelled["metadata"]["labels"][OSTREE_VERSION] = "418.94.202501011200-0"  # type: ignore[index]
    called = of_nodes(repository(tmp_path, one=CLUSTER + ON_OPENSHIFT), capfd, labelled)
    assert f"{DRIVER}:580.126.20-rhcos4.18  linux/amd64 missing  declared (running)" in called.out


def test_a_node_without_gpus(tmp_path: Path, capfd: Capture) -> None:
    called = of_nodes(repository(tmp_path), capfd, {"kind": "Node", "metadata": {"name": "cpu"}})
    assert called.code == 1
    assert "no GPU node" in called.out


def test_the_cluster_is_named_where_several_claim(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, two=CLUSTER.replace("name: one", "name: two"))
    called = of_nodes(root, capfd, node("n1", "train", **TRAIN))
    assert called.code == 2
    assert "pools of several clusters claim it (one/train and two/train): name its cluster with --cluster" in called.out
    named = of_nodes(root, capfd, node("n1", "train", **TRAIN), arguments=("--cluster", "two"))
    assert named.code == 0
    assert named.out.startswith("n1: two/train")
    unknown = of_nodes(root, capfd, node("n1", "train"), arguments=("--cluster", "tow"))
    assert unknown.code == 2
    assert 'did you mean "two"?' in unknown.err


def test_why_of_a_node(tmp_path: Path, capfd: Capture) -> None:
    called = of_nodes(repository(tmp_path), capfd, node("n1", "train", **TRAIN), arguments=("--why",))
    assert "6.8.0-1050-aws         the node's label feature.node.kubernetes.io/kernel-version.full" in called.out
    assert "ID ubuntu and VERSION_ID 24.04: the node's labels" in called.out


def test_nodes_as_json(tmp_path: Path, capfd: Capture) -> None:
    called = of_nodes(repository(tmp_path), capfd, node("n1", "train", **TRAIN), arguments=("--format", "json"))
    (answer,) = json.loads(called.out)["nodes"]
    assert (answer["node"], answer["cluster"], answer["pool"]) == ("n1", "one", "train")
    assert (answer["reference"], answer["declared"], answer["problems"]) == (RUNNING, "running", [])


def test_standard_input(tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(node("n1", "train", **TRAIN)).encode())))
    assert call(capfd, "tag", "--node", "-", root=repository(tmp_path)).out.startswith("n1: one/train")


def test_yaml_as_kubectl_prints_it(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    one, two = (node(name, "train", **TRAIN) for name in ("n1", "n2"))
    for text in (
        yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [one, two]}),
        yaml.safe_dump_all([one, two]),
    ):
        (root / "node.yaml").write_text(text, encoding="utf-8")
        printed = call(capfd, "tag", "--node", str(root / "node.yaml"), root=root).out
        assert [line[:12] for line in printed.splitlines() if "one/train" in line] == ["n1: one/trai", "n2: one/trai"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("kind: Node\n", "it holds a node without metadata.name"),
        ("n1 Ready", "it is no JSON"),
        ('{"kind": "Pod", "metadata": {"name": "p"}}', "it holds a Pod, no Node"),
        ('{"kind": "Node", "metadata": {"name": "n1", "labels": {"a/b": 8}}}', "label a/b of node n1 is 8, and labels"),
    ],
)
def test_what_is_no_node(tmp_path: Path, capfd: Capture, text: str, told: str) -> None:
    root = repository(tmp_path)
    (root / "node").write_text(text, encoding="utf-8")
    called = call(capfd, "tag", "--node", str(root / "node"), root=root)
    assert (called.code, called.out) == (2, "")
    assert told in called.err
    assert "hint: write it with: kubectl get node NAME -o json" in called.err
    absent = call(capfd, "tag", "--node", str(root / "absent"), root=root)
    assert absent.code == 2
    assert "no such file or directory" in absent.err


def test_an_answer_is_given_beside_what_could_not_be_read(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, two=f"{HEAD}Cluster\nname: two\npool: {{}}\n")
    called = of_nodes(root, capfd, node("n1", "train", **TRAIN))
    assert called.code == 2
    assert called.out.startswith("n1: one/train")
    assert "unknown key" in called.err


@pytest.mark.parametrize("name", ["two/train", "one/arm", "one/train"])
def test_json_of_what_could_not_be_read_holds_the_findings(tmp_path: Path, capfd: Capture, name: str) -> None:
    broken = CLUSTER.replace('driver: {version: "580.126.20"}', 'driver: {version: "580.126.20", branch: "580"}')
    root = repository(tmp_path, one=broken, two=f"{HEAD}Cluster\nname: two\npool: {{}}\n")
    called = call(capfd, "tag", name, "--format", "json", root=root)
    other = "one" if name.startswith("two/") else "two"
    note = f"note: not read: inventory/{other}.yaml, which has errors; run drivergate check\n"
    assert (called.code, called.err) == (2, note)
    printed = json.loads(called.out)
    assert [one["blocking"] for one in printed["findings"]] == [True]
    assert [image["usable"] for image in printed.get("images", ()) if "usable" in image] == []
    assert ("images" in printed) is (name == "one/train")
    assert call(capfd, "tag", name, root=root).err.count("error: ") == 1


def test_json_of_nodes_beside_what_could_not_be_read(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, two=f"{HEAD}Cluster\nname: two\npool: {{}}\n")
    called = of_nodes(root, capfd, node("n1", "train", **TRAIN), arguments=("--format", "json"))
    assert (called.code, called.err) == (2, "")
    assert [one["file"] for one in json.loads(called.out)["findings"]] == ["inventory/two.yaml"]
