"""Limits: docs.github.com "Running variations of jobs in a workflow" (256), docs.gitlab.com parallel:matrix (200)."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from generator.change.work import to_build
from generator.report import matrix
from tests.testing.command import REPO
from tests.testing.planning import NEXT, RUNNING, UPCOMING, catalog, files, pool, tag, works


def wanted() -> tuple:
    return tuple(to_build(works(files(pool(UPCOMING), **{"inventory/catalog.yaml": catalog(tag(RUNNING))}))))


def test_github_takes_one_line_of_json() -> None:
    text = matrix.github(wanted())
    assert text.count("\n") == 1
    (row,) = json.loads(text)["include"]
    assert row["tag"] == f"580-{NEXT}-ubuntu22.04"
    assert (row["folder"], row["kernel_version"], row["driver_branch"]) == ("ubuntu22.04/precompiled", NEXT, "580")
    assert row["open_arguments"] == "DRIVER_VERSION"
    assert all(isinstance(value, str) for value in row.values())


def test_gitlab_takes_a_child_pipeline() -> None:
    pipeline = yaml.safe_load(matrix.gitlab(wanted()))
    job = pipeline["build-driver-image"]
    assert job["extends"] == ".build-driver-image"
    (row,) = job["parallel"]["matrix"]
    assert row["DRIVERGATE_IMAGE"] == f"nvcr.io/nvidia/driver:580-{NEXT}-ubuntu22.04"


def valid(path: Path, schema: str, document: Any) -> None:
    """By the schema that the forge publishes, as check-jsonschema ships it."""
    path.write_text(json.dumps(document))
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_forges_take_what_is_printed_and_what_the_page_shows(tmp_path: Path) -> None:
    page = (REPO / "docs/plan.md").read_text(encoding="utf-8")
    hub, lab = (yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    workflow = {"on": {"schedule": [{"cron": "0 5 * * *"}]}, **hub}
    steps = {"runs-on": "ubuntu-latest", "steps": [{"run": "make"}]}
    workflow["jobs"]["build"] |= steps
    valid(tmp_path / "page.json", "github-workflows", workflow)
    printed = {"strategy": {"matrix": json.loads(matrix.github(wanted()))}}
    valid(tmp_path / "hub.json", "github-workflows", {**workflow, "jobs": {"build": {**steps, **printed}}})
    valid(tmp_path / "page-lab.json", "gitlab-ci", lab)
    for works_ in (wanted(), ()):
        valid(tmp_path / "lab.json", "gitlab-ci", yaml.safe_load(matrix.gitlab(works_)))


def test_nothing_to_build_is_a_pipeline_too() -> None:
    """GitLab refuses a child pipeline without a visible job."""
    assert json.loads(matrix.github(())) == {"include": []}
    assert list(yaml.safe_load(matrix.gitlab(()))) == ["include", "nothing-to-build"]


def test_no_matrix_is_larger_than_its_reader_takes() -> None:
    many = wanted() * 300
    assert len(json.loads(matrix.github(many))["include"]) == 256
    assert len(yaml.safe_load(matrix.gitlab(many))["build-driver-image"]["parallel"]["matrix"]) == 200
