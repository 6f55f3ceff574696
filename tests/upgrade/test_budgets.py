"""Every answer of a real control plane on budgets and evictions: objects as simulate and status see them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.testing.command import process
from tests.testing.disruption import CUSTOM, Case, Cluster, evicted_in_turn, objects_of
from tests.testing.live import daemonset, driver_pod, files, node, policy
from tests.testing.shared import oracle, own

FILES = (oracle, own)


def uncountable(case: Case) -> str:
    """Why the budgets of a dump without their statuses don't tell what the controller counts; empty where they do."""
    owners = case["input"]["owners"]
    if any(owner["kind"] in CUSTOM for owner in owners):
        return "whether a custom resource has a scale is said by its CRD, which no dump holds"
    if any(owner.get("late") for owner in owners):
        return "the status that a failing sync leaves is of before the owner came"
    return ""


@pytest.mark.parametrize("cases", FILES)
def test_every_eviction_by_the_statuses_that_the_controller_wrote(cases) -> None:
    for case in cases("pdb"):
        evictions = Cluster(case, statuses=True).evictions()
        assert evictions == case["output"]["evictions_all"], case["id"]
        assert evictions[case["input"]["target"]] == case["output"]["eviction"], case["id"]


@pytest.mark.parametrize("cases", FILES)
def test_every_budget_counted_from_pods_and_owners(cases) -> None:
    for case in cases("pdb"):
        if uncountable(case):
            continue
        cluster = Cluster(case, statuses=False)
        taken = {answer["name"]: answer for answer in case["output"]["pdbs"] if answer["created"] == 201}
        assert cluster.budgets() == taken, case["id"]
        assert cluster.evictions() == case["output"]["evictions_all"], case["id"]


@pytest.mark.parametrize("cases", FILES)
def test_evictions_one_after_the_other(cases) -> None:
    prior = [case for case in cases("pdb") if "prior_evictions" in case["input"] and not uncountable(case)]
    assert prior
    for case in prior:
        assert evicted_in_turn(case) == [one["code"] for one in case["input"]["prior_evictions"]], case["id"]


def kind_of_answer(case: Case) -> tuple[int, str]:
    """The code, and the reason without names and numbers."""
    answer = case["output"]["eviction"]
    causes: list[dict[str, Any]] = answer.get("causes") or [{"message": ""}]
    return answer["code"], re.sub(r"\b(b)?[0-9]+\b|\"[^\"]*\"", "", causes[0]["message"])


def test_one_of_each_kind_of_answer_through_the_process(tmp_path: Path) -> None:
    """The pod's node is being emptied; what the API would answer is why it isn't empty."""
    classes: dict[tuple[int, str], Case] = {}
    for case in own("pdb"):
        target = case["input"]["pods"][case["input"]["target"]]
        owner = case["input"]["owners"][target["owner"]]["kind"]
        # Finished pods are no work to the operator, and a DaemonSet's it doesn't evict.
        if target["phase"] in {"Running", "Pending"} and owner != "DaemonSet":
            classes.setdefault(kind_of_answer(case), case)
    assert {code for code, _ in classes} == {201, 429, 500}
    for number, case in enumerate(classes.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        there = [policy(podDeletion={"force": True, "deleteEmptyDir": True, "timeoutSeconds": 300}), *daemonset()]
        there += [node("n1", "pod-deletion-required", cordoned=True), driver_pod("n1", "old")]
        target = f"pod-{case['input']['target']}"
        for one in objects_of(case, statuses=True):
            if one["metadata"]["name"] == target:
                one["spec"]["nodeName"] = "n1"
            there.append(one)
        ran = process("upgrade", "status", *files(folder, *there), "--format", "json")
        (found,) = json.loads(ran.out)["nodes"]
        answer = case["output"]["eviction"]
        if answer["code"] == 201:
            assert found["verdict"] != "stuck", case["id"]
            continue
        said = (answer.get("causes") or [answer])[0]["message"].rstrip(".")
        assert f"{said[:1].lower()}{said[1:]}" in found["why"][0], case["id"]
        assert found["why"][0].endswith(f"(HTTP {answer['code']})")
        assert ran.code == 1
