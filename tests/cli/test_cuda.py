"""`drivergate cuda` on small repositories; what it says of the sample fleet is docs/cuda.md, which is run too."""

import json
from pathlib import Path

import pytest
import yaml

from generator.facts.driveraffinity import labels_of
from tests.model.node_affinity import matches
from tests.testing.command import Exit, call
from tests.testing.levels import CLUSTER, HEAD, IMAGE, repository

Capture = pytest.CaptureFixture[str]
TAG = "580-6.8.0-1050-aws-ubuntu24.04"
NEXT = "580-6.8.0-1053-aws-ubuntu24.04"
WORKLOADS = f"""{HEAD}Workloads
team: t
workloads:
  api:
    runsOn: {{pools: [train]}}
    namespace: serving
    owner: {{kind: Deployment}}
    podLabels: {{app: api}}
    cuda: {{%s}}
"""


def catalog(first: str, second: str = "") -> str:
    told = [
        (tag, f', driverVersion: "{version}"' if version else "") for tag, version in ((TAG, first), (NEXT, second))
    ]
    lines = "".join(f'  - {{tag: "{tag}", platforms: [linux/amd64]{more}}}\n' for tag, more in told)
    return f"{HEAD}ImageCatalog\nrepository: nvcr.io/nvidia/driver\nimages:\n{lines}"


# CUDA release notes, Table 3: 13.1 runs from 580.65.06 on, the first release of branch 580 (driver_branches.yaml).
def test_which_pools_run_a_toolkit(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "cuda", "13.1", root=repository(tmp_path))
    told = "runs: one/train, one/arm\ntoo old: one/host (570.86.15)\n"
    assert called == Exit(0, told, "CUDA 13.1, driver 580.65.06 or newer, as of the catalog\n")


def test_a_driver_inside_a_branch_cannot_be_told_without_a_recorded_version(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "cuda", ">=580.82.07", root=repository(tmp_path))
    assert called.code == 0
    assert called.out == "runs: one/arm\ntoo old: one/host (570.86.15)\ncannot tell: one/train (branch 580)\n"


@pytest.mark.parametrize(
    ("first", "second", "out"),
    [
        ("580.82.07", "580.95.05", "runs: one/train, one/arm\ntoo old: one/host (570.86.15)\n"),
        ("580.82.07", "580.65.06", "runs: one/arm\ntoo old: one/train (580.65.06), one/host (570.86.15)\n"),
        (
            "580.82.07",
            "",
            "runs: one/arm\ntoo old: one/host (570.86.15)\ncannot tell: one/train (branch 580)\n",
        ),
    ],
)
def test_the_version_behind_each_tag_decides(tmp_path: Path, capfd: Capture, first: str, second: str, out: str) -> None:
    root = repository(tmp_path, catalog=catalog(first, second))
    assert call(capfd, "cuda", ">=580.82.07", root=root).out == out


def test_nobody_runs_it(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "cuda", "cuda>=13.4", root=repository(tmp_path))
    assert (called.code, called.out.splitlines()[0]) == (0, "runs: none")


@pytest.mark.parametrize(
    ("need", "reason", "hint"),
    [
        ("12.7", "there is no CUDA toolkit 12.7", 'use "12.6.3" or "12.8.0"'),
        ("<580", '"<580" is no version of a CUDA toolkit', "write one such as"),
        ("cuda=>12", '"cuda=>12" is no requirement', "cuda>=12.4"),
    ],
)
def test_a_need_that_is_none_is_bad_usage(tmp_path: Path, capfd: Capture, need: str, reason: str, hint: str) -> None:
    called = call(capfd, "cuda", need, root=repository(tmp_path))
    assert (called.code, called.out) == (2, "")
    assert called.err.startswith(f"drivergate: {reason}")
    assert hint in called.err


def test_what_each_pool_carries_and_what_stands_in_the_way(tmp_path: Path, capfd: Capture) -> None:
    held = CLUSTER.replace("    owner: Müller\n", "    owner: Müller\n    hold: {reason: a long run}\n")
    asked = WORKLOADS % 'require: "driver>=470,driver<590"'
    called = call(capfd, "cuda", root=repository(tmp_path, one=held, ml=asked))
    assert called.code == 0
    head, train, arm, host, cluster = called.out.splitlines()
    assert head.split() == ["POOL", "DRIVER", "CUDA", "TOOLKITS", "IN", "THE", "WAY", "OF", "A", "NEWER", "ONE"]
    assert train.split()[:5] == ["one/train", "branch", "580", "13.0", "13.x"]
    assert train.endswith('held: a long run; api needs "driver>=470,driver<590"')
    assert arm.split() == ["one/arm", "580.126.20", "13.0", "13.x"]
    assert host.endswith("the host's own driver")
    assert cluster == "one: host (570.86.15) stands in the way of 13.x on every pool; all carry 12.x"


# CUDA release notes, Table 3: 13.0.0 came with 580.65.06, 13.0.2 with 580.95.05, 13.1.0 with 590.44.01; 12.8.0 with
# 570.26, 12.8.1 with 570.124.06. Of branch 580 any release may be loaded, 580.65.06 is its first.
def test_the_newest_toolkit_that_each_driver_is_paired_with(tmp_path: Path, capfd: Capture) -> None:
    paired = CLUSTER.replace("profile: careful\n", "profile: careful\ncuda: {compatibility: paired}\n")
    called = call(capfd, "cuda", root=repository(tmp_path, one=paired))
    _, train, arm, host, cluster = called.out.splitlines()
    assert train.split()[:5] == ["one/train", "branch", "580", "13.0", "13.0.0"]
    assert arm.split() == ["one/arm", "580.126.20", "13.0", "13.0.2"]
    assert host.split()[:4] == ["one/host", "570.86.15", "12.8", "12.8.0"]
    assert cluster == "one: host (570.86.15) stands in the way of 13.0.2 on every pool; all carry 12.8.0"


# 580 is the last branch of volta (driver_branches.yaml); a ClusterPolicy holds one driver for all pools.
def test_gpus_hold_their_cluster_back(tmp_path: Path, capfd: Capture) -> None:
    pools = "".join(
        f"  {name}: {{nodeSelector: {{p: {name}}}, nodeImage: stream, gpu: {{family: {family}}}}}\n"
        for name, family in (("old", "volta"), ("new", "hopper"))
    )
    one = f"{HEAD}Cluster\nname: one\noperator: {{driverApi: ClusterPolicy}}\npools:\n{pools}"
    lines = call(capfd, "cuda", root=repository(tmp_path, one=one)).out.splitlines()
    assert lines[1].endswith("580 is the last branch for volta")
    assert lines[2].endswith("one driver with old, and 580 is the last branch for volta")


def test_own_terms_that_end_below_stand_in_the_way(tmp_path: Path, capfd: Capture) -> None:
    expression = '{key: nvidia.com/cuda.driver.major, operator: Lt, values: ["590"]}'
    terms = f"    nodeSelectorTerms:\n      - matchExpressions: [{expression}]\n"
    lines = call(capfd, "cuda", root=repository(tmp_path, ml=WORKLOADS % 'toolkit: "13.0"' + terms)).out.splitlines()
    assert lines[1].endswith("api has nodeSelectorTerms that end below")


def test_json(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    answered = json.loads(call(capfd, "cuda", "13.1", "--format", "json", root=root).out)
    assert answered["need"] == ["CUDA 13.1, driver 580.65.06 or newer"]
    assert answered["pools"][0] == {"cluster": "one", "pool": "train", "verdict": "runs", "drivers": ["branch 580"]}
    assert answered["findings"] == []
    carried = json.loads(call(capfd, "cuda", "--format", "json", root=root).out)
    assert carried["pools"][1]["toolkit"] == "13.x"
    assert carried["heldBack"][0]["pools"] == ["host (570.86.15)"]


def test_a_cluster_that_is_not_there(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "cuda", "--cluster", "two", root=repository(tmp_path))
    assert (called.code, called.out) == (2, "")
    assert 'no cluster is named "two"' in called.err


def test_what_cannot_be_read_is_told_and_the_rest_answered(tmp_path: Path, capfd: Capture) -> None:
    broken = IMAGE.replace("stream", "other").replace("arch: [amd64]", "arch: [riscv]")
    called = call(capfd, "cuda", "13.1", root=repository(tmp_path, other=broken))
    assert called.code == 2
    assert "riscv" in called.err
    assert called.out.startswith("runs: one/train")


def terms(called: Exit) -> list:
    document = yaml.safe_load(called.out)
    required = document["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return required["nodeSelectorTerms"]


def test_the_affinity_of_a_workload_is_yaml_for_a_pod(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "cuda", "affinity", "api", root=repository(tmp_path, ml=WORKLOADS % 'toolkit: "12.4"'))
    assert called.code == 0
    assert called.out.startswith("# one: api needs CUDA 12.4, driver 525.60.13 or newer\n")
    found = terms(called)
    assert matches(found, labels_of("525.60.13"))
    assert not matches(found, labels_of("525.60.12"))
    assert all(isinstance(one["values"][0], str) for term in found for one in term["matchExpressions"])


def test_the_affinity_of_a_need(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    assert terms(call(capfd, "cuda", "affinity", ">=580", root=root)) == [
        {"matchExpressions": [{"key": "nvidia.com/cuda.driver.major", "operator": "Gt", "values": ["579"]}]}
    ]
    by_pool = terms(call(capfd, "cuda", "affinity", ">=580", "--by-pool", root=root))
    assert [one["matchExpressions"][0]["values"] for one in by_pool] == [["train"], ["arm"]]


def test_clusters_that_share_their_terms_are_told_together(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, two=CLUSTER.replace("name: one", "name: two"))
    called = call(capfd, "cuda", "affinity", ">=580", root=root)
    assert called.out.startswith("# one, two: driver 580 or newer\n")
    assert "---" not in called.out


def test_what_no_label_can_say_is_exit_1(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, ml=WORKLOADS % 'require: "brand=tesla,driver>=535"')
    called = call(capfd, "cuda", "affinity", "api", root=root)
    assert (called.code, called.out.splitlines()[-1]) == (1, "# no nodeAffinity follows from that")


def test_without_a_name_every_workload_with_a_need_is_printed(tmp_path: Path, capfd: Capture) -> None:
    more = WORKLOADS % 'toolkit: "12.4"'
    more += more[more.index("  api:") : more.index("    cuda:")].replace("api", "idle")
    more += (WORKLOADS % 'driver: ">=580"').partition("workloads:\n")[2].replace("api", "batch")
    root = repository(tmp_path, ml=more)
    called = call(capfd, "cuda", "affinity", root=root)
    assert called.code == 0
    assert [line for line in called.out.splitlines() if line.startswith("# one: ")] == [
        "# one: api needs CUDA 12.4, driver 525.60.13 or newer",
        "# one: batch needs driver 580 or newer",
    ]
    assert len(list(yaml.safe_load_all(called.out))) == 2
    printed = json.loads(call(capfd, "cuda", "affinity", "--format", "json", root=root).out)
    assert [one["workload"] for one in printed["affinity"]] == ["api", "batch"]


def test_a_workload_of_other_clusters_is_not_said_to_be_missing(tmp_path: Path, capfd: Capture) -> None:
    root = repository(
        tmp_path,
        ml=WORKLOADS % 'toolkit: "12.4"',
        two=CLUSTER.replace("name: one", "name: two").replace("  train:", "  other:"),
    )
    called = call(capfd, "cuda", "affinity", "api", "--cluster", "two", root=root)
    assert (called.code, called.out) == (2, "")
    assert 'workload "api" does not run on two' in called.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["apy"], 'did you mean "api"'),
        (["zzz"], "name a workload of inventory/, or a need"),
        (["12.7"], "there is no CUDA toolkit 12.7"),
        (["api", "--by-pool"], "--by-pool goes with a NEED"),
    ],
)
def test_what_is_neither_workload_nor_need(tmp_path: Path, capfd: Capture, arguments: list[str], told: str) -> None:
    root = repository(tmp_path, ml=WORKLOADS % 'toolkit: "12.4"')
    called = call(capfd, "cuda", "affinity", *arguments, root=root)
    assert (called.code, called.out) == (2, "")
    assert told in called.err


def test_help_names_both_forms(capfd: Capture) -> None:
    called = call(capfd, "cuda", "--help")
    assert called.code == 0
    assert "drivergate cuda [NEED]" in called.out
    assert "affinity" in called.out
