"""What `upgrade status` makes of the NVIDIADrivers of a live cluster, against the operator's validator."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from generator.facts.label import GPU_PRESENT, OWNER
from generator.observed.objects import Objects, Reading
from generator.upgrade.ruling import ruling
from tests.testing.shared import oracle, own, release_of

Case = dict[str, Any]
# The operator's class, and the words that tell it.
WORDS = {
    "conflict": "both claim",
    "multiple_default": "are both the default",
    "default_with_selector": "is the default and has a nodeSelector",
    "reserved_label": "selects by the operator's own label",
}


def driver(given: dict[str, Any]) -> dict[str, Any]:
    """The object as the API server has it; null is omitted, an empty selector is not."""
    spec: dict[str, Any] = {"default": given["default"]}
    if given["nodeSelector"] is not None:
        spec["nodeSelector"] = given["nodeSelector"]
    metadata = {"name": given["name"]}
    if given["deleting"]:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    return {"kind": "NVIDIADriver", "metadata": metadata, "spec": spec}


def objects_of(case: Case, *, without: frozenset[str] = frozenset()) -> Objects:
    """The cluster of a case as a dump of it reads; labels may be left out."""
    items = [driver(given) for given in case["input"]["drivers"]]
    for node in case["input"]["nodes"]:
        labels = {key: value for key, value in node["labels"].items() if key not in without}
        items.append({"kind": "Node", "metadata": {"name": node["name"], "labels": labels}})
    reading = Reading()
    assert reading.add([json.dumps({"kind": "List", "apiVersion": "v1", "items": items}).encode()]) is None
    return reading.objects()


@pytest.mark.parametrize("source", [oracle, own])
def test_the_verdict_on_the_drivers_of_a_cluster(source: Callable[[str], list[Case]]) -> None:
    differing = []
    cases = source("selector_conflicts")
    assert cases
    for case in cases:
        conflict = ruling(objects_of(case), release_of(case)).conflict
        classes = [name for name, words in WORDS.items() if words in conflict]
        expected = [case["output"]["conflict_class"]] if case["output"]["conflict"] else []
        if classes != expected:
            differing.append((case["id"], expected, conflict))
    assert differing == []


@pytest.mark.parametrize("source", [oracle, own])
def test_the_owner_that_the_operator_gives_a_node(source: Callable[[str], list[Case]]) -> None:
    """Nodes without an owner label get the operator's; where it refuses the drivers, no node gets any."""
    differing = []
    cases = [case for case in source("selector_conflicts") if "owners" in case["output"]]
    assert cases
    for case in cases:
        owners = ruling(objects_of(case, without=frozenset({OWNER})), release_of(case)).owners
        refused = "assign_error" in case["output"]
        for node in case["input"]["nodes"]:
            gpu = node["labels"].get(GPU_PRESENT) == "true"
            expected = case["output"]["owners"][node["name"]] if gpu and not refused else None
            if owners[node["name"]] != (expected or ""):
                differing.append((case["id"], node["name"], expected, owners[node["name"]]))
    assert differing == []
