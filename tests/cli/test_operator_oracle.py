"""The operator's answers through real processes: one case for each release, API and kind of answer."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from generator.observed.node import Node
from tests.testing.command import DRIVERGATE, call_in, run_process
from tests.testing.image_cases import (
    REFUSED,
    UNPULLABLE,
    Case,
    ImagePools,
    has_node_without_os,
    is_declarable,
    kind_of,
)
from tests.testing.many_clusters import files_of
from tests.testing.shared import own

# What keeps a node from an image, in the words of the operator and of an audit.
UNLABELLED = {"node_skipped", "os_label_missing", "kernel_label_missing"}
KINDS = {"image", UNPULLABLE, *UNLABELLED, "os_version_parse", "unparseable_ref", "digest_with_precompiled"}


def one_of_each_kind() -> list[Case]:
    """The first case of each release, API and kind of answer."""
    found: dict[tuple[str, str, str], Case] = {}
    for case in own("image_refs"):
        if case["input"]["component"] == "driver" and is_declarable(case) and not has_node_without_os(case):
            found.setdefault((case["operator"], case["input"]["api"], kind_of(case)), case)
    return list(found.values())


CASES = one_of_each_kind()
POOLS = ImagePools(CASES)


def as_json(nodes: Iterable[Node]) -> str:
    items = [{"kind": "Node", "metadata": {"name": node.name, "labels": node.labels}} for node in nodes]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An inventory with a pool for each driver, beside the nodes of all its clusters."""
    root = tmp_path_factory.mktemp("oracle")
    (root / "inventory").mkdir()
    for path, text in files_of(POOLS.documents).items():
        (root / path).write_text(text, encoding="utf-8")
    return root


def run_json(root: Path, *arguments: str) -> Any:
    """What the command printed as JSON in a process of its own, findings aside, whatever its exit code."""
    ended = run_process(DRIVERGATE, *arguments, "--format", "json", "-C", str(root))
    assert "Traceback" not in ended.err
    return ended.json


def test_the_cases_are_of_every_kind() -> None:
    assert {kind_of(case) for case in CASES} >= KINDS


def test_the_images_that_tag_gives_nodes(repository: Path) -> None:
    nodes = [POOLS.node(case, name=case["id"]) for case in CASES]
    (repository / "all.json").write_text(as_json(nodes), encoding="utf-8")
    answers = {
        answer["node"]: answer
        for answer in run_json(repository, "tag", "--node", str(repository / "all.json"))["nodes"]
    }
    for case in CASES:
        answer = answers[case["id"]]
        assert (answer["cluster"], answer["pool"]) == POOLS.place(case)
        assert answer["reference"] == case.get("output", {}).get("image", ""), case["id"]
        assert answer["problems"]


def test_the_images_that_an_audit_gives_nodes(repository: Path) -> None:
    clusters: dict[str, list[Case]] = {}
    for case in CASES:
        clusters.setdefault(POOLS.place(case)[0], []).append(case)
    for cluster, cases in clusters.items():
        file = repository / f"{cluster}.json"
        file.write_text(as_json(POOLS.node(case, name=case["id"]) for case in cases), encoding="utf-8")
        ended = call_in(repository, "audit", "--nodes", str(file), "--cluster", cluster, "--format", "json")
        (audit,) = ended.json["clusters"]
        nodes = {node["node"]: node for node in audit["nodes"]}
        for case in cases:
            node = nodes[case["id"]]
            assert node["image"] == case.get("output", {}).get("image", ""), case["id"]
            differences = {difference["what"] for difference in node["differences"]}
            if "error" in case:
                assert differences == {"unlabelled" if case["error"] in UNLABELLED else "no-reference"}, case["id"]
            else:
                assert "not-built" in differences, case["id"]


def test_what_the_gate_refuses_is_what_the_operator_refuses(repository: Path) -> None:
    findings = run_json(repository, "check")["findings"]
    refused: dict[tuple[str, str], set[str]] = {}
    for finding in findings:
        if finding["blocking"]:
            refused.setdefault((finding["cluster"], finding["pool"]), set()).add(finding["rule"])
    assert refused
    for case in CASES:
        for rule in refused.get(POOLS.place(case), ()):
            assert kind_of(case) in REFUSED[rule], case["id"]
    digests = [case for case in CASES if case.get("error") == "digest_with_precompiled"]
    assert digests
    for case in digests:
        assert refused[POOLS.place(case)] == {"image/digest-with-precompiled"}
