"""Limits: docs.github.com "Running variations of jobs in a workflow" (256), docs.gitlab.com parallel:matrix (200)."""

import json

import yaml

from generator.report import matrix
from generator.upgrade.work import to_build
from tests.upgrade.planning import works
from tests.upgrade.test_plan import NEXT, RUNNING, UPCOMING, catalog, files, pool, tag


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


def test_nothing_to_build_is_a_pipeline_too() -> None:
    """GitLab refuses a child pipeline without a visible job."""
    assert json.loads(matrix.github(())) == {"include": []}
    assert list(yaml.safe_load(matrix.gitlab(()))) == ["include", "nothing-to-build"]


def test_no_matrix_is_larger_than_its_reader_takes() -> None:
    many = wanted() * 300
    assert len(json.loads(matrix.github(many))["include"]) == 256
    assert len(yaml.safe_load(matrix.gitlab(many))["build-driver-image"]["parallel"]["matrix"]) == 200
