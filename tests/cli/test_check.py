"""The gate as a command: what it compares with, what a baseline may hold, what it says of silences it didn't judge."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from generator.cli.run import run
from generator.layout import BASELINE
from tests.testing import levels
from tests.testing.command import call
from tests.testing.gitrepo import Repo

FLEET = """\
apiVersion: drivergate.dev/v1alpha1
kind: Fleet
name: f
defaults:
  operator: {version: v26.7.0}
  driver: {repository: nvcr.io/nvidia/driver, branch: "580"}
"""
CLUSTER = """\
apiVersion: drivergate.dev/v1alpha1
kind: Cluster
name: c1
pools:
  a100:
    nodeSelector: {pool: a100}
    os: {id: ubuntu, version: "22.04"}
    arch: [amd64]
    kernels: [5.15.0-173-generic]
"""
CATALOG = """\
apiVersion: drivergate.dev/v1alpha1
kind: ImageCatalog
repository: nvcr.io/nvidia/driver
images:
  - {tag: "580-5.15.0-173-generic-ubuntu22.04", platforms: [linux/amd64]}
"""


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    made = Repo(tmp_path / "r")
    for name, text in (("fleet", FLEET), ("c1", CLUSTER), ("images", CATALOG)):
        path = tmp_path / "r" / "inventory" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path / "r")
    assert run(["render"]) == 0
    git("add", "-A")
    git("commit", "-qm", "first")
    return made


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def rename() -> None:
    path = Path("inventory/c1.yaml")
    path.write_text(path.read_text().replace("  a100:\n", "  a100-new:\n"))
    assert run(["render", "--allow-remove", "c1/a100"]) == 0


def test_an_empty_revision_is_no_revision(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    """`--against "$(git merge-base …)"` where git prints nothing must not pass for HEAD (product.md, exit code 3)."""
    rename()
    git("add", "-A")
    git("commit", "-qm", "renamed")
    assert run(["check", "--against", "HEAD~1"]) == 1
    capfd.readouterr()
    assert run(["check", "--against", ""]) == 3
    assert run(["check", "--rev", ""]) == 2
    assert capfd.readouterr().err.count("is empty") == 2


def test_silences_of_rules_that_were_not_judged_are_not_unused(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    rename()
    path = Path("inventory/c1.yaml")
    path.write_text(
        path.read_text() + "silenced: [{rule: operator/renamed, reason: planned}, {rule: out/drift, reason: x}]\n"
    )
    capfd.readouterr()
    run(["render"])
    assert "unused-silence" not in "".join(capfd.readouterr())
    run(["check"])
    told = capfd.readouterr().out
    assert "(1 silenced)" in told
    assert "no operator/renamed" not in told


def test_a_baseline_lists_the_fleet_and_no_passing_state(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    path = Path("inventory/c1.yaml")
    path.write_text(path.read_text().replace("5.15.0-173-generic", "5.15.0-999-generic"))
    capfd.readouterr()
    assert run(["check", "--write-baseline"]) == 0
    assert "out/drift" in capfd.readouterr().out
    written = Path(BASELINE).read_text()
    assert "image/missing" in written
    assert "out/drift" not in written
    assert run(["render"]) == 0
    assert run(["check"]) == 0
    driver = Path("out/c1/gpu-operator/nvidiadriver-a100.yaml")
    Path(BASELINE).write_text(
        written + '  - {rule: "out/drift", cluster: "c1", fact: "out/c1/gpu-operator/nvidiadriver-a100.yaml"}\n'
    )
    driver.write_text(driver.read_text().replace('version: "580"', 'version: "111"'))
    assert run(["check"]) == 1


def test_a_precompiled_pool_needs_a_running_kernel(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    path = Path("inventory/c1.yaml")
    path.write_text(path.read_text().replace("    kernels:", "    upcomingKernels:"))
    assert run(["check"]) == 2
    assert "kernels must be known" in capfd.readouterr().out


def test_a_cluster_that_is_not_declared_has_a_likely_name(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--cluster", "c11"]) == 2
    assert 'did you mean "c1"?' in capfd.readouterr().err


def test_a_closed_stdout_is_told(repo: Repo) -> None:
    command = f"{sys.executable} -m generator check >&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "stdout is closed" in done.stderr


def test_a_budget_of_a_workload_without_replicas_is_a_warning(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    """It blocks nothing yet: from the first pod on, minAvailable 1 leaves none to go."""
    (repo.path / "inventory/ml.yaml").write_text("""\
apiVersion: drivergate.dev/v1alpha1
kind: Workloads
team: ml
workloads:
  api:
    runsOn: {pools: [a100]}
    namespace: serving
    owner: {kind: Deployment}
    podLabels: {app: api}
    replicas: 0
    disruptionBudget: {existing: {minAvailable: 1}}
""")
    found = call(capfd, "check", "--format", "json", root=repo.path).findings
    (line,) = [one for one in found if " disruption/no-room " in one]
    assert line.startswith("warning disruption/no-room inventory/ml.yaml:11:49 ")
    assert line.endswith("minAvailable 1 of 0 replicas: the first pod that runs can't be evicted")


WRITE_BASELINE = ("check", "--write-baseline")


def rendered_levels(tmp_path: Path, capfd: pytest.CaptureFixture[str], **changed: str) -> Path:
    """A rendered repository in which every level says something."""
    root = levels.repository(tmp_path, **changed)
    call(capfd, "render", root=root)
    return root


@pytest.mark.parametrize(
    ("catalog", "entries"),
    [
        (levels.CATALOG.replace("1050-aws", "1051-aws"), "1 finding"),
        (levels.CATALOG.replace("1050-aws", "1051-aws").replace("427.37.1", "427.38.1"), "2 findings"),
        (levels.CATALOG, "0 findings"),
    ],
)
def test_entries_of_a_baseline_are_counted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], catalog: str, entries: str
) -> None:
    called = call(capfd, *WRITE_BASELINE, root=rendered_levels(tmp_path, capfd, catalog=catalog))
    assert (called.code, called.err) == (0, f"wrote {BASELINE} with {entries}\n")


def test_a_baseline_as_json(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    root = rendered_levels(tmp_path, capfd, catalog=levels.CATALOG.replace("1050-aws", "1051-aws"))
    called = call(capfd, *WRITE_BASELINE, "--format", "json", root=root)
    assert (called.code, called.err) == (0, "")
    assert json.loads(called.out) == {"written": [BASELINE], "entries": 1, "blocked": False, "findings": []}
    assert (root / BASELINE).exists()


def test_json_of_what_no_baseline_can_hold(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    root = levels.repository(tmp_path, two=f"{levels.HEAD}Cluster\nname: two\npool: {{}}\n")
    called = call(capfd, *WRITE_BASELINE, "--format", "json", root=root)
    printed = json.loads(called.out)
    assert (called.code, called.err, printed["written"], printed["blocked"]) == (2, "", [], True)
    assert [one["file"] for one in printed["findings"]] == ["inventory/two.yaml"]
    assert not (root / BASELINE).exists()
