"""What a real control plane (v1.36) does with nodeSelectorTerms, against what `check` concludes of a workload's own.

Each case is a pool whose nodes bear its labels, and a workload that runs there with its terms. A pod that the API
server refuses is refused where its terms are written; of the others `cuda/unsatisfiable` says whether no node matches.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.facts.driver import is_driver
from generator.facts.driveraffinity import labels_of
from tests.model.node_affinity import matches
from tests.testing.command import DRIVERGATE, call_in, run_process
from tests.testing.inventories import CLUSTER_FILE, FLEET, FLEET_FILE, HEAD
from tests.testing.shared import oracle, own

Case = dict[str, Any]
Finding = dict[str, Any]
CASE_LABEL = "example.com/case"
# Our words of what is refused -> the field of the expression that the API server names, and what it calls the cause.
REFUSALS = {
    "takes no values": ("values", "FieldValueForbidden"),
    "takes one value, and has": ("values", "FieldValueRequired"),
    "takes at least one value, and has none": ("values", "FieldValueRequired"),
    "must be letters, digits": ("values", "FieldValueInvalid"),
    "has a key that is none": ("key", "FieldValueInvalid"),
    "key is empty, text that is not empty is wanted": ("key", "FieldValueInvalid"),
    '"operator" is missing': ("operator", "FieldValueInvalid"),
    "is no operator for a field": ("operator", "FieldValueInvalid"),
    "nodeSelectorTerms is empty, at least one entry is wanted": ("nodeSelectorTerms", "FieldValueRequired"),
}


def name_of(case: Case) -> str:
    return str(case["id"]).lower()


def pool(case: Case) -> str:
    """The pool's line. Labels that follow from a driver come from its version; others are in the node selector."""
    labels, version = case["input"]["labels"], case["input"]["labels"].get("nvidia.com/cuda.driver-version.full", "")
    derived = is_driver(version) and labels == labels_of(version)
    driver = {"mode": "compiled", "version": version if derived else "of-this-case"}
    selector = {CASE_LABEL: name_of(case), **({} if derived else labels)}
    values = {
        "nodeSelector": selector,
        "driver": driver,
        "os": {"id": "ubuntu", "version": "22.04"},
        "arch": ["amd64"],
        "kernels": ["5.15.0-173-generic"],
    }
    return f"  {name_of(case)}: {json.dumps(values)}\n"


def workloads(case: Case) -> str:
    """The workload's file: its terms end the last line, so that a finding's column is a place in their JSON."""
    return (
        f"{HEAD}kind: Workloads\nteam: {name_of(case)}\nworkloads:\n  {name_of(case)}:\n"
        f"    runsOn: {{pools: [{name_of(case)}]}}\n    namespace: ns\n    owner: {{kind: Deployment}}\n"
        f"    podLabels: {{app: {name_of(case)}}}\n    nodeSelectorTerms: {json.dumps(case['input']['terms'])}\n"
    )


def lay(root: Path, cases: Iterable[Case]) -> None:
    """One repository with a pool and a workload for each case."""
    cases = list(cases)
    text = {FLEET_FILE: FLEET, CLUSTER_FILE: f"{HEAD}kind: Cluster\nname: one\npools:\n{''.join(map(pool, cases))}"}
    text |= {f"inventory/{name_of(case)}.yaml": workloads(case) for case in cases}
    for path, content in text.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content, encoding="utf-8")


def checked(root: Path, cases: Iterable[Case]) -> dict[str, list[Finding]]:
    """The findings of `check` by the case in whose file they are."""
    lay(root, cases)
    result = call_in(root, "check", "--format", "json")
    by_case: dict[str, list[Finding]] = {}
    for finding in result.json["findings"]:
        by_case.setdefault(Path(finding["file"]).stem, []).append(finding)
    return by_case


def left_out(case: Case) -> str:
    """Why a case says nothing of what `check` concludes; empty for the cases that are compared."""
    terms, labels = case["input"]["terms"], case["input"]["labels"]
    output = case["output"]
    if output["decode_error"]:
        return "a number where the API wants a text: the inventory reads the text that is written, and render quotes it"
    if output["api"]["code"] != 201:
        return ""
    if output["node_labels_api_code"] != 201:
        return "no node can have the labels"
    if not all(any(term.values()) for term in terms):
        return ""
    asked = {expression["key"] for term in terms for expression in term.get("matchExpressions") or ()}
    if not output["match"] and (asked - labels.keys() or any(term.get("matchFields") for term in terms)):
        return "no label, or another name: an inventory says which labels nodes have, and not which they lack"
    return ""


def conclusion(case: Case, findings: list[Finding]) -> set[tuple[str, ...]]:
    """What `check` says of a case's terms, in the API server's words."""
    found: set[tuple[str, ...]] = set()
    for finding in findings:
        if finding["rule"] == "cuda/unsatisfiable":
            found.add(("matches no node",))
        if finding["rule"] == "inventory/schema":
            place = path_at(workloads(case), finding["line"], finding["column"])
            field, reason = refusal(finding["message"])
            found.add(("refused", place if place.endswith(field) else f"{place}.{field}", reason))
    return found


def refusal(message: str) -> tuple[str, str]:
    """The entry of REFUSALS whose words are in a message; the message itself where none is."""
    if message.endswith("is empty, and an empty term matches no node"):
        return "", "empty term"
    return next((told for words, told in REFUSALS.items() if words in message), ("", message))


def expected(case: Case) -> set[tuple[str, ...]]:
    """The same of the control plane. An empty term is taken by the API server; a workload that has one is refused."""
    terms, output = case["input"]["terms"], case["output"]
    if output["api"]["code"] != 201:
        causes = output["api"]["causes"] or ()
        return {("refused", _without_index(cause["field"]), cause["reason"]) for cause in causes}
    empty = [index for index, term in enumerate(terms) if not any(term.values())]
    if empty:
        return {("refused", f"nodeSelectorTerms[{index}]", "empty term") for index in empty}
    return set() if output["match"] else {("matches no node",)}


def _without_index(field: str) -> str:
    """The path of a cause from nodeSelectorTerms on. Which of the values it is, a finding says in its message."""
    return re.sub(r"values\[\d+\]$", "values", field[field.index("nodeSelectorTerms") :])


def path_at(text: str, line: int, column: int) -> str:
    """The path below the workload of what begins at a place of a YAML text."""

    def below(node: yaml.Node, path: str) -> str | None:
        if (node.start_mark.line + 1, node.start_mark.column + 1) == (line, column) and "nodeSelectorTerms" in path:
            return path
        children: list[tuple[str, yaml.Node]] = []
        if isinstance(node, yaml.MappingNode):
            children = [(f"{path}.{key.value}", value) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            children = [(f"{path}[{index}]", value) for index, value in enumerate(node.value)]
        paths = (below(child, longer) for longer, child in children)
        return next((found for found in paths if found is not None), None)

    whole = below(yaml.compose(text), "")
    assert whole is not None, (text, line, column)
    return whole[whole.index("nodeSelectorTerms") :]


def mismatches(root: Path, cases: list[Case]) -> list[tuple[str, object, object]]:
    """Id, expected and concluded of each case that differs. A refused document hides the rest: two repositories."""
    compared = [case for case in cases if not left_out(case)]
    refused = [case for case in compared if any(what[0] == "refused" for what in expected(case))]
    accepted = [case for case in compared if case not in refused]
    found = checked(root / "accepted", accepted) | checked(root / "refused", refused)
    answers = [(case["id"], expected(case), conclusion(case, found.get(name_of(case), []))) for case in compared]
    return [answer for answer in answers if answer[1] != answer[2]]


@pytest.mark.parametrize("read", [own, oracle])
def test_every_answer_of_the_library_and_the_api_server(read, tmp_path):
    assert mismatches(tmp_path, read("affinity")) == []


@pytest.mark.parametrize("read", [own, oracle])
def test_the_reference_model_answers_as_the_library_and_the_scheduler_do(read):
    for case in read("affinity"):
        if not case["output"]["decode_error"]:
            given = case["input"]
            assert matches(given["terms"], given["labels"], given["node_name"]) == case["output"]["match"], case["id"]
    for case in read("affinity_scheduler"):
        terms = case["input"]["terms"]
        name = next((field["values"][0] for term in terms for field in term.get("matchFields", ())), "")
        assert matches(terms, case["input"]["labels"], name) == case["output"]["bound"], case["id"]


@pytest.mark.parametrize("read", [own, oracle])
def test_every_binding_of_the_scheduler(read, tmp_path):
    """The scheduler's cases are pods that the API server took, on nodes that it took."""
    api = {"decode_error": False, "api": {"code": 201}, "node_labels_api_code": 201}
    cases = [case | {"output": {"match": case["output"]["bound"], **api}} for case in read("affinity_scheduler")]
    assert mismatches(tmp_path, cases) == []


def test_a_case_of_each_kind_through_the_real_process(tmp_path):
    by_kind = {}
    for case in own("affinity"):
        if not left_out(case):
            kind = sorted(what[0] for what in expected(case))
            by_kind.setdefault(tuple(kind), case)
    assert len(by_kind) >= 3
    for number, case in enumerate(by_kind.values()):
        root = tmp_path / str(number)
        lay(root, [case])
        result = run_process(DRIVERGATE, "check", "--format", "json", cwd=root)
        findings = [finding for finding in result.json["findings"] if Path(finding["file"]).stem == name_of(case)]
        assert conclusion(case, findings) == expected(case), case["id"]
