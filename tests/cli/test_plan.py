import json
from pathlib import Path

import pytest
import yaml

from tests.testing.command import call
from tests.testing.levels import CATALOG, CLUSTER, repository

Capture = pytest.CaptureFixture[str]
NEXT = "580-6.8.0-1053-aws-ubuntu24.04"
WITH_NEXT = CATALOG + f'  - {{tag: "{NEXT}", platforms: [linux/amd64]}}\n'


def test_the_sample_fleet_may_roll_what_it_declares(capfd: Capture) -> None:
    called = call(capfd, "plan")
    assert called.code == 0
    assert "HOLD" not in called.out
    assert called.out.count("GO  ") == 6


def test_a_missing_image_is_no_failure_unless_asked_for(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    called = call(capfd, "plan", root=root)
    assert called.code == 0
    assert "HOLD       one/train  1 to 4 nodes, 1 image\n" in called.out
    assert f"missing: {NEXT} for linux/amd64 (now 580-6.8.0-1050-aws-ubuntu24.04)" in called.out
    assert f"  nvcr.io/nvidia/driver:{NEXT}  linux/amd64\n      not built yet: " in called.out
    assert call(capfd, "plan", "--fail-on", "missing", root=root).code == 1
    assert call(capfd, "plan", "--fail-on", "unknown", root=root).code == 0


def test_what_is_built_may_go(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "plan", "--fail-on", "missing", root=repository(tmp_path, catalog=WITH_NEXT))
    assert called.code == 0
    assert called.out.startswith("GO  ")
    assert called.out.endswith("1 GO, 2 not asked; 0 images to come by first\n")


def test_json_holds_the_same(tmp_path: Path, capfd: Capture) -> None:
    made = json.loads(call(capfd, "plan", "--format", "json", root=repository(tmp_path)).out)
    (pool,) = made["pools"]
    assert (pool["cluster"], pool["pool"], pool["verdict"]) == ("one", "train", "HOLD")
    assert pool["images"][0]["after"] == NEXT
    assert made["work"][0]["recipe"]["arguments"]["KERNEL_VERSION"] == "6.8.0-1053-aws"
    assert {one["pool"] for one in made["skipped"]} == {"arm", "host"}
    assert made["findings"] == []


def test_a_matrix_says_on_stderr_what_it_leaves_out(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, one=CLUSTER.replace("nodeImage: stream", GKE))
    called = call(capfd, "plan", "--format", "github", root=root)
    assert json.loads(called.out) == {"include": []}
    assert (
        "note: not in the matrix: nvcr.io/nvidia/driver:580-6.8.0-1062-gke-ubuntu24.04: nobody packages" in called.err
    )


GKE = (
    ('os: {id: ubuntu, version: "24.04"}, arch: [amd64], kernels: [6.8.0-1061-gke], upcomingKernels: [6.8.0-1062-gke]')
    .replace(", arch", "\n    arch")
    .replace(", kernels", "\n    kernels")
    .replace(", upcomingKernels", "\n    upcomingKernels")
)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--pool", "trai"), 'no pool is named "trai"'),
        (("--operator", "v99"), '"v99" is no operator release'),
        (("--rev", "HEAD", "--staged"), "alternatives"),
    ],
)
def test_bad_usage(tmp_path: Path, capfd: Capture, arguments: tuple[str, ...], said: str) -> None:
    called = call(capfd, "plan", *arguments, root=repository(tmp_path))
    assert called.code == 2
    assert said in called.err
    assert called.out == ""


def test_a_release_that_nobody_knows_is_said(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "plan", "--operator", "v27.9.0", root=repository(tmp_path))
    assert called.code == 0
    assert "note: operator v27.9.0 is not known; v26.7.0 is judged in its place\n" in called.err


def test_a_file_that_cannot_be_read_leaves_exit_2_and_what_could_be_told(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "plan", root=repository(tmp_path, broken="kind: [\n"))
    assert called.code == 2
    assert "broken.yaml" in called.err
    assert "one/train" in called.out


def test_a_line_of_the_catalog_that_cannot_be_read_proves_nothing_missing(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "plan", root=repository(tmp_path, catalog=CATALOG + "  - {tag: 580}\n  - {tagg: x}\n"))
    assert called.code == 2
    assert "UNKNOWN    one/train" in called.out
    assert "missing:" not in called.out


def test_matrices_of_both_forges(tmp_path: Path, capfd: Capture) -> None:
    """What Canonical packages can be built: of the pool that boots it, for its one platform."""
    root = repository(tmp_path)
    (row,) = json.loads(call(capfd, "plan", "--format", "github", root=root).out)["include"]
    image = f"nvcr.io/nvidia/driver:{NEXT}"
    assert (row["tag"], row["image"], row["platforms"]) == (NEXT, image, "linux/amd64")
    assert (row["folder"], row["kernel_version"]) == ("ubuntu24.04/precompiled", "6.8.0-1053-aws")
    pipeline = yaml.safe_load(call(capfd, "plan", "--format", "gitlab", root=root).out)
    (variables,) = pipeline["build-driver-image"]["parallel"]["matrix"]
    assert variables == {f"DRIVERGATE_{name.upper()}": value for name, value in row.items()}


def test_a_release_of_a_node_image(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    called = call(capfd, "plan", "--node-image", "stream=2", "--pool", "train", "--format", "json", root=root)
    (pool,) = called.json["pools"]
    assert [image["after"] for image in pool["images"]] == [NEXT]
    unknown = call(capfd, "plan", "--node-image", "stream=3", root=root)
    assert unknown.code == 2
    assert 'node image "stream" has no release "3"' in unknown.err


def test_json_holds_the_branches_that_could_serve(tmp_path: Path, capfd: Capture) -> None:
    """The open branch of V100s is 580 (NVIDIA's data-center driver pages); its image is there and that of 595 too."""
    volta = CLUSTER.replace("  train:\n", "  train:\n    gpu: {family: volta}\n", 1)
    listed = CATALOG + "".join(
        f'  - {{tag: "595-6.8.0-{number}-aws-ubuntu24.04", platforms: [linux/amd64]}}\n' for number in (1050, 1053)
    )
    root = repository(tmp_path, one=volta, catalog=listed + f'  - {{tag: "{NEXT}", platforms: [linux/amd64]}}\n')
    asked = ("plan", "--branch", "595", "--pool", "train", "--format", "json")
    (proposal,) = call(capfd, *asked, root=root).json["proposals"]
    assert (proposal["cluster"], proposal["pool"], proposal["branch"]) == ("one", "train", "595")
    assert proposal["fitting"] == ["580"]
    assert [reason["text"] for reason in proposal["against"]] == ["it does not drive volta GPUs"]
