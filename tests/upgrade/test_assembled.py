"""Every answer of the operator on which pods use a GPU: a cluster's objects, as simulate and status take them in."""

import json
from pathlib import Path
from typing import Any

import pytest

from generator.upgrade.assembled import assembled
from generator.upgrade.ruling import ruling
from tests.testing.command import process
from tests.testing.live import Object, daemonset, driver_pod, files, node, other_daemonset, pod, policy, read, validator
from tests.testing.shared import mismatches, oracle, own, release_of

Case = dict[str, Any]
FILES = (oracle, own)


def objects_of(case: Case) -> list[Object]:
    """The pod on a node, and the claims of the cluster."""
    given = case["input"]
    written = {"kind": "Pod", **given["pod"], "spec": {**given["pod"]["spec"], "nodeName": "n1"}}
    claims = [{"kind": "ResourceClaim", **claim} for claim in given["resource_claims"]]
    return [
        policy(),
        *daemonset(),
        node("n1", "upgrade-done"),
        driver_pod("n1", "old"),
        validator("n1"),
        written,
        *claims,
    ]


def matched(case: Case) -> dict[str, Any]:
    """Whether the operator's filter takes it."""
    objects, release = read(*objects_of(case)), release_of(case)
    found = assembled(objects, ruling(objects, release), release)
    metadata = case["input"]["pod"]["metadata"]
    (pod_of_case,) = [pod for pod in found.pods if pod.name == f"{metadata['namespace']}/{metadata['name']}"]
    return {"matched": pod_of_case.gpu}


@pytest.mark.parametrize("cases", FILES)
def test_every_pod_that_the_operator_takes_for_a_gpu_pod(cases) -> None:
    assert mismatches(cases("gpu_pod_filter"), matched) == []


def test_one_of_each_answer_through_the_process(tmp_path: Path) -> None:
    """Such a pod, without a controller, fails its node; others are left alone."""
    classes = {(case["operator"], case["output"]["matched"]): case for case in own("gpu_pod_filter")}
    assert set(classes) == {(operator, answer) for operator in ("v26.7.0", "v26.3.3") for answer in (True, False)}
    for number, case in enumerate(classes.values()):
        (tmp_path / str(number)).mkdir()
        options = files(tmp_path / str(number), *objects_of(case))
        ran = process("upgrade", "simulate", *options, "--operator", case["operator"], "--format", "json")
        kept = [event["why"] for event in json.loads(ran.out)["events"] if event["kind"] == "cannot-leave"]
        assert kept == (["unmanaged"] if case["output"]["matched"] else []), case["id"]


@pytest.mark.parametrize(
    ("others", "found", "shown"),
    [
        (["kube-system"], False, True),  # DaemonSets of two namespaces are of all: it is gone
        ([], True, False),  # of one namespace, which may be all that was asked for
    ],
)
def test_a_daemonset_is_gone_only_where_all_of_them_are_shown(others: list[str], found: bool, shown: bool) -> None:
    agent = pod("agent-x", "n1", "DaemonSet", gpus=0)
    elsewhere = [other_daemonset("proxy", namespace) for namespace in others]
    objects = read(policy(), *daemonset(), node("n1", "upgrade-done"), driver_pod("n1"), agent, *elsewhere)
    release = release_of({"operator": "v26.7.0"})
    (taken,) = assembled(objects, ruling(objects, release), release).pods
    assert (taken.standing.owner_found, taken.owner_shown) == (found, shown)
