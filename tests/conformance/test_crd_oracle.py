"""What a real API server answered (v1.36, with the operator's CRDs of v26.7.0), against facts.crd."""

from collections import Counter
from typing import Any

import pytest

from generator.facts import crd
from generator.facts.definition import Definition, judge
from generator.facts.violation import Flaw, dotted
from tests.testing import shared

RELEASE = "v26.7.0"
DEFINITIONS = [crd.definition(kind, RELEASE) for kind in ("ClusterPolicy", "NVIDIADriver")]
# The reason of a cause in the server's answer -> what we call it. FieldValueInvalid is three of ours.
KINDS = {
    "FieldValueRequired": {Flaw.MISSING},
    "FieldValueTypeInvalid": {Flaw.TYPE},
    "FieldValueNotSupported": {Flaw.ENUM},
    "FieldValueInvalid": {Flaw.RANGE, Flaw.PATTERN, Flaw.RULE},
}
# A patch is sent to an object that other requests made; its `what` names the value that was there before.
BEFORE = {
    "NVIDIADriver update: unset->true on nd-e": {},
    "NVIDIADriver update: driverType gpu->vgpu": {"driverType": "gpu"},
    "NVIDIADriver update: driverType null (re-default gpu)": {"driverType": "gpu"},
}


def left_out(case: dict[str, Any]) -> str:
    """Why the answer isn't about the object's schema; empty for the cases that are judged."""
    body = case["request"]["body"]
    if isinstance(body, str):
        return "duplicate JSON keys: nothing that is parsed shows them"
    if set(body) == {"status"}:
        return "status subresource"
    if case["answer"]["code"] == 409:
        return "name already taken"
    if case["request"]["verb"] == "patch" and case["what"] not in BEFORE:
        return "patch of an object that isn't in the file"
    return ""


def definition_of(body: dict[str, Any]) -> Definition | None:
    wanted = (body["apiVersion"], body["kind"])
    return next((one for one in DEFINITIONS if (one.api_version, one.kind) == wanted), None)


def expected(case: dict[str, Any]) -> set[tuple[str, str]]:
    """Field and kind of each cause; an unknown field is told in the message of a 400."""
    answer = case["answer"]
    if answer["code"] == 400:
        return {(answer["message"].split('unknown field "')[1].rstrip('"'), "UNKNOWN")}
    causes = [cause for cause in answer.get("causes", []) if cause["field"] != "<nil>"]
    assert all(cause["reason"] in KINDS for cause in causes)
    return {(cause["field"], cause["reason"]) for cause in causes}


def answered(case: dict[str, Any]) -> set[tuple[str, str]]:
    request = case["request"]
    body, old = request["body"], None
    if request["verb"] == "patch":
        before = BEFORE[case["what"]]
        given = {key: value for key, value in body["spec"].items() if value is not None}  # RFC 7386
        kept = {key: value for key, value in before.items() if key not in body["spec"]}
        kind = {"apiVersion": "nvidia.com/v1alpha1", "kind": "NVIDIADriver"}
        body, old = {**kind, "spec": {**kept, **given}}, {**kind, "spec": before}
    definition = definition_of(body)
    if definition is None:
        return {("spec", "UNKNOWN")}  # no such version: every field is unknown, and the server names spec
    found = judge(definition.checks, body, old)
    if (request["params"] or {}).get("fieldValidation") != "Strict":
        found = tuple(violation for violation in found if violation.kind is not Flaw.UNKNOWN)  # only warned of
    names = {kind: reason for reason, kinds in KINDS.items() for kind in kinds}
    return {(dotted(violation.path), names.get(violation.kind, "UNKNOWN")) for violation in found}


def proof(cases: list[dict[str, Any]]) -> tuple[list[str], Counter[str]]:
    """The ids that are answered otherwise, and how many cases were left out for which reason."""
    out = Counter(left_out(case) for case in cases)
    judged = [case for case in cases if not left_out(case)]
    return [case["id"] for case in judged if answered(case) != expected(case)], out


def test_proof_of_a_real_server() -> None:
    cases = shared.oracle("crd_proof")
    wrong, out = proof(cases)
    assert wrong == []
    assert out.pop("") >= 24
    assert set(out) <= {
        "duplicate JSON keys: nothing that is parsed shows them",
        "status subresource",
        "name already taken",
        "patch of an object that isn't in the file",
    }
    assert out.total() <= len(cases) // 4


def test_own_proof() -> None:
    wrong, out = proof(shared.own("crd_proof"))
    assert wrong == []
    assert out == {
        "": 19,
        "duplicate JSON keys: nothing that is parsed shows them": 1,
        "status subresource": 1,
        "name already taken": 1,
    }


def defaults(cases: list[dict[str, Any]]) -> list[str]:
    """The ids of the objects that a server takes or refuses otherwise, or stores otherwise."""
    wrong = []
    for case in cases:
        accepted = case["create"]["code"] == 201
        stored = crd.defaulted(case["kind"], RELEASE, case["input_spec"])
        refused = crd.violations(case["kind"], RELEASE, case["input_spec"])
        if accepted is bool(refused) or (accepted and stored != case["output_spec"]):
            wrong.append(case["id"])
    return wrong


def test_defaults_of_a_real_server() -> None:
    cases = shared.oracle("crd_defaults")
    assert defaults(cases) == []
    assert len(cases) >= 28
    assert {case["kind"] for case in cases} == {"ClusterPolicy", "NVIDIADriver"}


def test_own_defaults() -> None:
    cases = shared.own("crd_defaults")
    assert defaults(cases) == []
    assert len(cases) == 9


@pytest.mark.parametrize("name", ["crd_defaults", "crd_proof"])
def test_own_cases_are_verbatim(name: str) -> None:
    every = {case["id"]: case for case in shared.oracle(name)}
    assert all(every[case["id"]] == case for case in shared.own(name) if case["id"] in every)
