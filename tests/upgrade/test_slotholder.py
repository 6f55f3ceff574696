"""Every count of the operator's free slots: a cluster's nodes, as status counts them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from generator.operator.slots import BadMaxUnavailable
from generator.upgrade.assembled import assembled
from generator.upgrade.machine import slots_now
from generator.upgrade.ruling import ruling
from generator.upgrade.status import scene_of, status
from tests.testing.command import process
from tests.testing.live import Object, daemonset, driver_pod, files, node, policy, read
from tests.testing.shared import mismatches, oracle, own, release_of

Case = dict[str, Any]
FILES = (oracle, own)


def objects_of(case: Case) -> list[Object]:
    """The nodes with a driver pod each, under one policy."""
    given = case["input"]
    there = [
        policy(maxParallelUpgrades=given["maxParallelUpgrades"], maxUnavailable=given["maxUnavailable"]),
        *daemonset(),
    ]
    for number, one in enumerate(given["nodes"]):
        made = node(f"n{number}", one["state"], cordoned=one["cordoned"], ready=one["ready_condition"])
        if not one["ready_condition"]:
            made["status"]["conditions"] = []
        there += [made, driver_pod(f"n{number}")]
    return there


def counted(case: Case) -> dict[str, Any]:
    """The counters of the one scope."""
    objects, release = read(*objects_of(case)), release_of(case)
    ruled = ruling(objects, release)
    scene = scene_of(objects, ruled, assembled(objects, ruled, release))
    found = slots_now(scene.world, ruled.controller.scopes[0])
    return {"error": "bad_max_unavailable"} if isinstance(found, BadMaxUnavailable) else to_builtins(found)


@pytest.mark.parametrize("cases", FILES)
def test_every_count(cases) -> None:
    assert mismatches(cases("upgrade_slots"), counted) == []


@pytest.mark.parametrize("cases", FILES)
def test_status_says_how_many_are_free(cases) -> None:
    for case in cases("upgrade_slots"):
        if case["input"]["nodes"]:
            assert said(status(read(*objects_of(case)), release_of(case)).scopes[0].slots) == wanted(case), case["id"]


def said(words: str) -> int | str:
    free = re.match(r"([0-9]+) free slots? ", words)
    return int(free[1]) if free else "bad_max_unavailable" if words.endswith("is no number") else words


def wanted(case: Case) -> int | str:
    """Less than none is none."""
    return case["error"] if "error" in case else max(case["output"]["available"], 0)


def test_one_of_each_kind_through_the_process(tmp_path: Path) -> None:
    classes: dict[str, Case] = {}
    for case in own("upgrade_slots"):
        kind = case["error"] if "error" in case else "free" if case["output"]["available"] > 0 else "none"
        if case["input"]["nodes"]:
            classes.setdefault(kind, case)
    assert set(classes) == {"free", "none", "bad_max_unavailable"}
    for kind, case in classes.items():
        (tmp_path / kind).mkdir()
        options = files(tmp_path / kind, *objects_of(case))
        ran = process("upgrade", "status", *options, "--operator", case["operator"], "--format", "json")
        assert said(json.loads(ran.out)["scopes"][0]["slots"]) == wanted(case)
