"""Every spec of a budget that a real API took or refused, through `check`: to render, declared, and in a file.

The fields that the API takes and we don't are left out: a budget without a number protects nothing that can be said.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.testing.command import call
from tests.testing.inventories import HEAD, files
from tests.testing.shared import oracle, own

Capture = pytest.CaptureFixture[str]
Spec = dict[str, Any]
# What check says where the API answers so: HTTP code and reason.
RULES = {(422, "Invalid"): "inventory/schema", (400, "BadRequest"): "inventory/schema"}
KEYS = ("minAvailable", "maxUnavailable", "unhealthyPodEvictionPolicy", "operator", "matchLabels")
MANIFESTS = "budgets/all.yaml"


def specs(cases: Any) -> list[tuple[Spec, dict[str, Any]]]:
    """Each spec once, with the API's answer."""
    found: dict[str, tuple[Spec, dict[str, Any]]] = {}
    for case in cases("pdb"):
        for spec, answer in zip(case["input"]["pdbs"], case["output"]["pdbs"], strict=True):
            if "minAvailable" in spec or "maxUnavailable" in spec:
                found.setdefault(json.dumps(spec, sort_keys=True), (spec, answer))
    return list(found.values())


def field_of(answer: dict[str, Any]) -> str:
    """The first field that the API names; a 400 names it in its message alone."""
    causes = answer.get("causes")
    field = causes[0]["field"] if causes else answer["message"].split("PodDisruptionBudgetSpec.")[1].split()[0]
    return str(field).rpartition(".")[2]


def repository(folder: Path, form: str, listed: list[Spec]) -> None:
    """One team for each budget, since a document whose shape is wrong is not looked into; a manifest a line."""
    manifests = []
    written = dict(files())
    for number, spec in enumerate(listed):
        name = f"w{number:03}"
        budget: dict[str, Any] = {form: {"name": name, **spec}}
        if form == "file":
            budget = {"existing": {"file": MANIFESTS, "name": name}}
            metadata = {"name": name, "namespace": "shop"}
            manifests.append(
                {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}
            )
        workload = {
            "runsOn": {"pools": ["a"]},
            "namespace": "shop",
            "owner": {"kind": "Deployment"},
            "podLabels": {"app": name},
            "disruptionBudget": budget,
        }
        team = f"{HEAD}kind: Workloads\nteam: {name}\nworkloads:\n  {name}: {json.dumps(workload)}\n"
        written[f"inventory/{name}.yaml"] = team
    written[MANIFESTS] = "".join(f"---\n{json.dumps(manifest)}\n" for manifest in manifests) or "# none\n"
    for path, text in written.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def named(finding: dict[str, Any], line: str) -> tuple[str, str]:
    """The budget that a finding is about, and the field that its place stands at."""
    start = finding["column"] - 1
    keys = re.findall(rf'"({"|".join(KEYS)})"', line[:start])
    name = re.search(r"w[0-9]{3}", line)
    assert keys
    assert name is not None
    return name[0], keys[-1]


@pytest.mark.parametrize("form", ["existing", "render", "file"])
@pytest.mark.parametrize("cases", [oracle, own])
def test_check_refuses_what_the_api_refuses(cases: Any, form: str, tmp_path: Path, capfd: Capture) -> None:
    listed = specs(cases)
    repository(tmp_path, form, [spec for spec, _ in listed])
    answered = call(capfd, "check", "--format", "json", root=tmp_path)
    refused = set(RULES.values())
    findings = [one for one in json.loads(answered.out)["findings"] if one["rule"] in refused]
    found = set()
    for one in findings:
        line = (tmp_path / one["file"]).read_text().splitlines()[one["line"] - 1]
        found.add((one["rule"], *named(one, line)))
    wanted = {
        (RULES[answer["created"], answer["reason"]], f"w{number:03}", field_of(answer))
        for number, (_, answer) in enumerate(listed)
        if answer["created"] != 201
    }
    assert found == wanted
    assert wanted
    assert answered.code == 2
