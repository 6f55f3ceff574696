import json
from pathlib import Path

import pytest

from tests.testing.command import call
from tests.testing.levels import CATALOG, FLEET, HEAD, repository

Capture = pytest.CaptureFixture[str]
NEXT = "580-6.8.0-1053-aws-ubuntu24.04"


def test_a_page_for_what_is_upcoming(tmp_path: Path, capfd: Capture) -> None:
    built = CATALOG + f'  - {{tag: "{NEXT}", platforms: [linux/amd64]}}\n'
    called = call(capfd, "upgrade", "runbook", root=repository(tmp_path, catalog=built))
    assert called.code == 0
    assert called.out.startswith("# Runbook: roll what is declared as upcoming\n\n1 pool in 1 wave, 1 pull request.")
    assert (
        "kubectl --context one get nodes -l example.com/pool=train -L nvidia.com/gpu-driver-upgrade-state" in called.out
    )
    assert "`580-6.8.0-1050-aws-ubuntu24.04`" in called.out.partition("The way back")[2]


def test_nothing_is_emptied_before_its_image_is_there(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "upgrade", "runbook", root=repository(tmp_path))
    assert called.code == 0
    assert f"`nvcr.io/nvidia/driver:{NEXT}`" in called.out
    assert "kubectl" not in called.out


def test_json_holds_the_same(tmp_path: Path, capfd: Capture) -> None:
    made = json.loads(call(capfd, "upgrade", "runbook", "--format", "json", root=repository(tmp_path)).out)
    assert made["waves"] == []
    assert [one["pool"] for one in made["waiting"]] == ["train"]
    assert made["work"][0]["tag"] == NEXT


def test_an_inventory_that_cannot_be_read_gets_no_runbook(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "upgrade", "runbook", root=repository(tmp_path, broken="kind: [\n"))
    assert (called.code, called.out) == (2, "")
    assert "broken.yaml" in called.err


def test_bad_usage(tmp_path: Path, capfd: Capture) -> None:
    assert call(capfd, "upgrade", "runbook", "--pool", "nobody", root=repository(tmp_path)).code == 2


WORKLOADS = f"""{HEAD}Workloads
team: ml
workloads:
  api:
    runsOn: {{clusters: [one], pools: [train]}}
    namespace: serving
    owner: {{kind: Deployment}}
    podLabels: {{app: api}}
    replicas: 3
    disruptionBudget: {{existing: {{minAvailable: "80%"}}}}
"""


def test_a_budget_without_room_is_mended_before_another_branch_comes(tmp_path: Path, capfd: Capture) -> None:
    """80% of 3 pods rounds up to 3 (kubernetes pkg/controller/disruption): no eviction is let through."""
    tags = [f"595-6.8.0-{number}-aws-ubuntu24.04" for number in (1050, 1053)]
    built = CATALOG + "".join(f'  - {{tag: "{tag}", platforms: [linux/amd64]}}\n' for tag in tags)
    root = repository(tmp_path, catalog=built, ml=WORKLOADS)
    asked = ("upgrade", "runbook", "--branch", "595", "--pool", "train")
    before, _, after = call(capfd, *asked, root=root).out.partition("## 3. How each block is merged")
    assert "Mend these first" in before
    assert "rounds up to 3" in before
    assert "- `serving/api` of team ml" in after
    (wave,) = call(capfd, *asked, "--format", "json", root=root).json["waves"]
    (step,) = wave["steps"]
    assert (step["pool"], step["way"], step["tags"]) == ("train", "operator", tags)
    assert [one["rule"] for one in step["troubles"]] == ["disruption/no-room"]
    assert [(one["namespace"], one["workload"], one["team"]) for one in step["evictions"]] == [("serving", "api", "ml")]
    assert step["nodes"] == {"min": 1, "max": 4}


def test_another_release_of_the_operator_takes_a_whole_cluster(tmp_path: Path, capfd: Capture) -> None:
    built = CATALOG + f'  - {{tag: "{NEXT}", platforms: [linux/amd64]}}\n'
    root = repository(tmp_path, fleet=FLEET.replace("v26.7.0", "v26.3.3, install: helm"), catalog=built)
    called = call(capfd, "upgrade", "runbook", "--operator", "v26.7.0", root=root)
    assert called.code == 0
    values = "-f VALUES.yaml -f out/one/values/gpu-operator.yaml"
    assert "helm upgrade gpu-operator gpu-operator " in called.out
    assert f"--version v26.7.0 --kube-context one -n gpu-operator {values}" in called.out
