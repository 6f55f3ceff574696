"""What the real operator's renderer does with a change of settings, against what `diff` says of a pool.

Each case is a pool, and of a ClusterPolicy a cluster. A template of the repository prints the object as the case has
it, first the old and in the next commit the new one.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.testing.command import DRIVERGATE, call_in, run_process
from tests.testing.fleet import Fleet
from tests.testing.inventories import FLEET, FLEET_FILE, HEAD
from tests.testing.shared import oracle, own

Case = dict[str, Any]
CASE_LABEL = "example.com/case"
OBJECT = "templates/{cluster}/gpu-operator/nvidiadriver-{pool}.yaml.j2"
BASE_FILE = "bases/policy.yaml"
BASE = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\nspec: {}\n"
POLICY = "templates/{cluster}/gpu-operator/clusterpolicy.yaml.j2"
# What the operator answers -> what `diff` calls it. Where the operator makes no pod, nothing happens to the nodes, and
# `diff` says that it can't tell, or whose nodes the new selector leaves.
OUTCOMES = {
    "none": "none",
    "restart_only": "restart",
    "full_reload": "reload",
    "new_render:operator_panic": "undecided",
    "new_render:no_pool": "moved",
}


def name_of(case: Case) -> str:
    return str(case["id"]).partition("@")[0]


def expected(case: Case) -> str:
    answer = case.get("error") or case["output"]["effect"]
    return OUTCOMES.get(answer, answer)


def left_out(case: Case) -> str:
    """Why a case can't be laid as a repository; empty for the cases that are compared."""
    labels = {key.rpartition("_release.")[2]: value for key, value in case["input"]["node_labels"].items()}
    if (labels.get("ID"), labels.get("VERSION_ID")) != ("ubuntu", "22.04"):
        return "its node runs another system than the pool that is declared for it"
    if str(case.get("error", "")).endswith("config_map_missing"):
        return "which ConfigMaps a cluster has is not in git"
    if any(case["input"].get(f"host_root_{when}") for when in ("old", "new")):
        return "a host root beside an NVIDIADriver is of the chart's values, which a case doesn't have"
    return ""


def pool(case: Case) -> dict[str, Any]:
    return {
        "nodeSelector": {CASE_LABEL: name_of(case)},
        "os": {"id": "ubuntu", "version": "22.04"},
        "arch": ["amd64"],
        "kernels": ["5.15.0-173-generic"],
        "driver": {"mode": "compiled", "version": "580.126.20"},
    }


def clusters(cases: list[Case]) -> dict[str, str]:
    """The cluster files of cases of one release: all pools of one cluster, or a cluster with a pool for each."""
    release = cases[0]["operator"]
    operator: dict[str, Any] = {"version": release, "install": "helm", "driverApi": "NVIDIADriver"}
    groups = {"one": cases}
    if cases[0]["input"]["api"] == "clusterpolicy":
        operator |= {"driverApi": "ClusterPolicy", "install": "manifest", "clusterPolicyBase": BASE_FILE}
        groups = {name_of(case): [case] for case in cases}
    return {
        f"inventory/{name}.yaml": f"{HEAD}kind: Cluster\nname: {name}\noperator: {json.dumps(operator)}\n"
        f"pools: {json.dumps({name_of(case): pool(case) for case in group})}\n"
        for name, group in groups.items()
    }


def template(cases: list[Case], when: str) -> dict[str, str]:
    """The template that prints the objects of cases, each as it is before or after."""
    is_policy = cases[0]["input"]["api"] == "clusterpolicy"
    kind, version = ("ClusterPolicy", "nvidia.com/v1") if is_policy else ("NVIDIADriver", "nvidia.com/v1alpha1")
    lines = []
    for case in cases:
        metadata = {"name": "cluster-policy" if is_policy else name_of(case)}
        printed = {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": case["input"][when]}
        asked = "cluster.name" if is_policy else "pool.name"
        lines.append(f'{{% if {asked} == "{name_of(case)}" %}}\n{json.dumps(printed)}\n{{% endif %}}\n')
    return {POLICY if is_policy else OBJECT: "".join(lines)}


def lay(root: Path, cases: list[Case]) -> Fleet:
    """A repository of cases of one API and release, the old settings committed and the new ones in the work tree."""
    fleet = Fleet(root, {FLEET_FILE: FLEET, BASE_FILE: BASE, **clusters(cases), **template(cases, "old")})
    fleet.commit()
    fleet.write(dict(template(cases, "new")))
    return fleet


def outcomes(printed: dict[str, Any]) -> dict[str, str]:
    """What `diff --format json` says of each pool."""
    return {pool["pool"]: pool["outcome"] for cluster in printed["clusters"] for pool in cluster["pools"]}


def mismatches(root: Path, cases: list[Case]) -> list[tuple[str, str, str]]:
    """Id, expected and printed of each case that differs."""
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        if not left_out(case):
            groups.setdefault((case["input"]["api"], case["operator"]), []).append(case)
    found = []
    for group in groups.values():
        fleet = lay(root / "-".join((group[0]["input"]["api"], group[0]["operator"])), group)
        result = call_in(fleet.path, "diff", "HEAD", "--format", "json")
        assert result.code in {0, 1}, result.text
        printed = outcomes(result.json)
        answers = [(case["id"], expected(case), printed.get(name_of(case), "none")) for case in group]
        found += [answer for answer in answers if answer[1] != answer[2]]
    return found


@pytest.mark.parametrize("read", [own, oracle])
def test_every_verdict_of_the_operator(read, tmp_path):
    assert mismatches(tmp_path, read("driver_reload")) == []


def test_a_case_of_each_kind_through_the_real_process(tmp_path):
    cases = [case for case in own("driver_reload") if not left_out(case)]
    kinds = {(case["input"]["api"], case["operator"], expected(case)): case for case in cases}
    assert len(kinds) >= 6
    for number, (kind, case) in enumerate(kinds.items()):
        fleet = lay(tmp_path / str(number), [case])
        result = run_process(DRIVERGATE, "diff", "HEAD", "--format", "json", cwd=fleet.path)
        assert outcomes(result.json).get(name_of(case), "none") == kind[2], case["id"]
