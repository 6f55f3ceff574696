"""Which files of the work tree are told of as missing in a commit."""

from pathlib import Path

import pytest

from generator.cli.begin import Wanted, begin
from generator.cli.run import run
from generator.cli.state import judged_state
from tests.testing.gitrepo import Repo, isolate
from tests.testing.levels import CLUSTER, repository

BASE = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\nspec: {}\n"
OLM = "operator: {driverApi: ClusterPolicy, install: olm, clusterPolicyBase: bases/policy.yaml}"


def test_only_files_that_would_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """gitignore(5): what a pattern excludes is told with whether git would take it."""
    isolate(monkeypatch)
    repo = Repo(repository(tmp_path))
    repo.commit({".gitignore": "*.swp\nlocal-*\n"})
    repo.write(
        {
            "inventory/README.md": "notes\n",
            "inventory/notes.txt": "notes\n",
            "inventory/.one.yaml.swp": "x",
            "inventory/new.yaml": "x",
            "inventory/sub/new.yml": "x",
            "inventory/local-new.yaml": "x",
            "inventory/new.j2": "x",
            "templates/{cluster}/mine.yaml.j2": "x",
            "templates/local-part.j2": "x",
            "templates/README.md": "notes\n",
            "bases/policy.yaml": BASE,
            "bases/other.yaml": BASE,
            "inventory/two.yaml": f"apiVersion: drivergate.dev/v1alpha1\nkind: Cluster\nname: two\n{OLM}\n",
        }
    )
    assert judged_state(begin(Wanted(root=repo.root))).revision.untracked == {
        "bases/policy.yaml": False,
        "inventory/local-new.yaml": True,
        "inventory/new.yaml": False,
        "inventory/sub/new.yml": False,
        "inventory/two.yaml": False,
        "templates/local-part.j2": True,
        "templates/{cluster}/mine.yaml.j2": False,
    }


BUDGET = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: w}\nspec: {minAvailable: NUMBER}\n"
WORKLOADS = """apiVersion: drivergate.dev/v1alpha1
kind: Workloads
team: ml
workloads:
  w:
    runsOn: {pools: [train]}
    namespace: ns
    owner: {kind: Deployment}
    disruptionBudget: {existing: {file: bases/budgets.yaml}}
"""


def test_a_budgets_manifest_comes_from_what_is_judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The work tree, the index and a commit each have their own; one that git doesn't know is told of."""
    isolate(monkeypatch)
    repo = Repo(repository(tmp_path, workloads=WORKLOADS))
    repo.commit({"bases/budgets.yaml": BUDGET.replace("NUMBER", "1")})
    repo.write({"bases/budgets.yaml": BUDGET.replace("NUMBER", "2")})
    repo.git("add", "bases")
    repo.write({"bases/budgets.yaml": BUDGET.replace("NUMBER", "3")})
    for wanted, number in (
        (Wanted(root=repo.root, rev="HEAD"), 1),
        (Wanted(root=repo.root, staged=True), 2),
        (Wanted(root=repo.root), 3),
    ):
        (workload,) = judged_state(begin(wanted)).revision.fleet.workloads
        assert [budget.min_available for budget in workload.budgets] == [number]
    repo.git("rm", "-q", "--cached", "-f", "bases/budgets.yaml")
    state = judged_state(begin(Wanted(root=repo.root)))
    assert state.revision.untracked == {"bases/budgets.yaml": False}
    (finding,) = judged_state(begin(Wanted(root=repo.root, staged=True))).findings
    assert finding.message == 'workload "w": bases/budgets.yaml is not there'


def test_objects_of_other_clusters_are_not_compared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With some clusters only, the others are not rendered: that is no change of theirs, and nobody reads them."""
    isolate(monkeypatch)
    repo = Repo(repository(tmp_path, two=CLUSTER.replace("name: one", "name: two")))
    assert run(["render", "-C", repo.root]) == 0
    repo.commit()
    repository(tmp_path, one=CLUSTER.replace("driver: {kernelModuleType: open}", 'driver: {branch: "595"}'))
    for wanted in (
        Wanted(root=repo.root, clusters=frozenset({"one"})),
        Wanted(root=repo.root, changed_since="HEAD"),
        Wanted(root=repo.root),
    ):
        against = judged_state(begin(wanted)).revision.against
        assert {(old.cluster, old.name) for old in against or ()} >= {("one", "train")}
        assert {old.cluster for old in against or ()} == {"one"}
    assert judged_state(begin(Wanted(root=repo.root, clusters=frozenset({"two"})))).revision.against == ()
