"""What a real API server (v1.36, with the operator's CRDs of v26.7.0) answered, against what `check` says.

A template of the repository prints the custom resource of each case, so that it is judged as rendered objects are.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from generator.facts import crd
from tests.testing.command import DRIVERGATE, call_in, run_process
from tests.testing.fleet import Fleet, lay
from tests.testing.inventories import files
from tests.testing.shared import oracle, own

Case = dict[str, Any]
Finding = dict[str, Any]
RELEASE = "v26.7.0"
VERSIONS = {"ClusterPolicy": "nvidia.com/v1", "NVIDIADriver": "nvidia.com/v1alpha1"}
NOT_IN_RELEASE, UNKNOWN, IMMUTABLE = (
    "operator/field-not-in-release",
    "operator/unknown-field",
    "operator/immutable-change",
)
# The reason of a cause in the server's answer -> our rule, and words of its message.
RULES = {
    "FieldValueRequired": (NOT_IN_RELEASE, ("is required",)),
    "FieldValueTypeInvalid": (NOT_IN_RELEASE, ("must be a boolean", "must be a string", "must be an object")),
    "FieldValueNotSupported": (NOT_IN_RELEASE, ("must be one of",)),
    "FieldValueInvalid": (NOT_IN_RELEASE, ("must be at least", "must match", "must not use nodeSelector")),
}
# A patch is sent to an object that other requests made; its `what` names the value that was there before.
BEFORE: dict[str, dict[str, Any]] = {
    "NVIDIADriver update: unset->true on nd-e": {},
    "NVIDIADriver update: driverType gpu->vgpu": {"driverType": "gpu"},
    "NVIDIADriver update: driverType null (re-default gpu)": {"driverType": "gpu"},
}


def left_out(case: Case) -> str:
    """Why the answer isn't about an object that a repository can hold; empty for the cases that are compared."""
    body = case["request"]["body"]
    if isinstance(body, str):
        return "duplicate keys: no template that prints values makes them"
    if set(body) == {"status"}:
        return "the status is the operator's own"
    if case["answer"]["code"] == 409:
        return "the name is taken by an object of an earlier request"
    if case["request"]["verb"] == "patch" and case["what"] not in BEFORE:
        return "a patch of an object that isn't in the file"
    return ""


def body_of(case: Case) -> dict[str, Any]:
    """The object that a request comes to."""
    body: dict[str, Any] = case["request"]["body"]
    if case["request"]["verb"] != "patch":
        return body
    kept = {key: value for key, value in BEFORE[case["what"]].items() if key not in body["spec"]}
    given = {key: value for key, value in body["spec"].items() if value is not None}  # RFC 7386
    return driver(case, {**kept, **given})


def driver(case: Case, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": VERSIONS["NVIDIADriver"],
        "kind": "NVIDIADriver",
        "metadata": {"name": case["id"]},
        "spec": spec,
    }


def default_case(case: Case) -> dict[str, Any]:
    """The object of a case of crd_defaults."""
    kind = case["kind"]
    metadata = {"name": case["id"]}
    return {"apiVersion": VERSIONS[kind], "kind": kind, "metadata": metadata, "spec": case["input_spec"]}


def repository(objects: dict[str, dict[str, Any]]) -> dict[str, str | bytes]:
    """A repository whose cluster has these objects, each by the name of its template."""
    folder = "templates/{cluster}/gpu-operator"
    printed = {f"{folder}/{name}.yaml.j2": f"{json.dumps(body)}\n" for name, body in objects.items()}
    return {**files(), **printed}


def by_template(printed: dict[str, Any]) -> dict[str, list[Finding]]:
    """The findings that say what the API server refuses, by the template that they are about."""
    found: dict[str, list[Finding]] = {}
    for finding in printed["findings"]:
        if finding["rule"] in {NOT_IN_RELEASE, UNKNOWN, IMMUTABLE}:
            found.setdefault(Path(finding["file"]).name.partition(".")[0], []).append(finding)
    return found


def expected(case: Case) -> set[tuple[str, str]]:
    """Field and rule of each cause. Without strict validation a server warns of unknown fields, and `check` refuses."""
    answer, body = case["answer"], case["request"]["body"]
    if body.get("kind") in VERSIONS and body["apiVersion"] != VERSIONS[body["kind"]]:
        return {("apiVersion", NOT_IN_RELEASE)}  # of a version that isn't served every field is unknown
    told = f"{answer['message'] if answer['code'] == 400 else ''} {answer['warning'] or ''}".replace('\\"', '"')
    fields = {part.partition('"')[0] for part in told.split('unknown field "')[1:]}
    if fields:
        return {(field, UNKNOWN) for field in fields}
    causes = [cause for cause in answer.get("causes") or () if cause["field"] != "<nil>"]
    if case["request"]["verb"] == "patch":
        return {(f"{cause['field'].removeprefix('spec.')} of NVIDIADriver {case['id']}", IMMUTABLE) for cause in causes}
    return {(cause["field"], RULES[cause["reason"]][0]) for cause in causes}


def reasons(case: Case) -> dict[str, tuple[str, ...]]:
    """Words of ours, one of which must be said of each field."""
    causes = [cause for cause in case["answer"].get("causes") or () if cause["field"] != "<nil>"]
    return {cause["field"]: RULES[cause["reason"]][1] for cause in causes if case["request"]["verb"] != "patch"}


def mismatches(cases: list[Case], found: dict[str, list[Finding]]) -> list[tuple[str, object, object]]:
    """Id, expected and found of each case that differs, in field, rule or reason."""
    wrong: list[tuple[str, object, object]] = []
    for case in cases:
        findings = found.get(case["id"], [])
        answered = {(finding["fact"], finding["rule"]) for finding in findings}
        if answered != expected(case):
            wrong.append((case["id"], expected(case), answered))
        for field, words in reasons(case).items():
            messages = [finding["message"] for finding in findings if finding["fact"] == field]
            if not any(word in message for word in words for message in messages):
                wrong.append((case["id"], words, messages))
    return wrong


@pytest.mark.parametrize("read", [own, oracle])
def test_proof_of_a_real_server(read, tmp_path):
    cases = [case for case in read("crd_proof") if not left_out(case) and case["request"]["verb"] != "patch"]
    lay(tmp_path, repository({case["id"]: body_of(case) for case in cases}))
    result = call_in(tmp_path, "check", "--format", "json")
    assert mismatches(cases, by_template(result.json)) == []


@pytest.mark.parametrize("read", [own, oracle])
def test_changes_that_a_real_server_refuses(read, tmp_path):
    cases = [case for case in read("crd_proof") if not left_out(case) and case["request"]["verb"] == "patch"]
    assert cases
    fleet = Fleet(tmp_path, repository({case["id"]: driver(case, BEFORE[case["what"]]) for case in cases}))
    call_in(fleet.path, "render")
    fleet.commit()
    fleet.write(repository({case["id"]: body_of(case) for case in cases}))
    result = call_in(fleet.path, "check", "--format", "json")
    assert mismatches(cases, by_template(result.json)) == []


@pytest.mark.parametrize("read", [own, oracle])
def test_what_a_real_server_takes_and_stores(read, tmp_path):
    """Taken or refused as `check` says; stored as `render` fills in, which asks crd.defaulted for what it prints."""
    cases = read("crd_defaults")
    lay(tmp_path, repository({case["id"]: default_case(case) for case in cases}))
    found = by_template(call_in(tmp_path, "check", "--format", "json").json)
    assert [case["id"] for case in cases if (case["create"]["code"] == 201) is bool(found.get(case["id"]))] == []
    taken = [case for case in cases if case["create"]["code"] == 201]
    stored = {case["id"]: crd.defaulted(case["kind"], RELEASE, case["input_spec"]) for case in taken}
    assert [case["id"] for case in taken if stored[case["id"]] != case["output_spec"]] == []


def test_a_case_of_each_kind_through_the_real_process(tmp_path):
    kinds = {}
    for case in own("crd_proof"):
        if not left_out(case) and case["request"]["verb"] != "patch":
            kind = (case["request"]["body"]["kind"], tuple(sorted(rule for _, rule in expected(case))))
            kinds.setdefault(kind, case)
    assert len(kinds) >= 4
    for number, case in enumerate(kinds.values()):
        root = tmp_path / str(number)
        lay(root, repository({case["id"]: body_of(case)}))
        result = run_process(DRIVERGATE, "check", "--format", "json", cwd=root)
        assert mismatches([case], by_template(result.json)) == []
