"""--cluster: the others' files are not looked at, and a cluster that isn't declared is bad usage."""

from pathlib import Path

import pytest

from tests.testing.command import call
from tests.testing.inventories import CATALOG, HEAD, POOL, cluster, files, workload, workloads
from tests.testing.rendered_root import lines, write

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two clusters, rendered."""
    write(tmp_path, {**files(), "inventory/two.yaml": cluster(POOL, name="two")})
    return tmp_path


def test_a_broken_other_cluster_does_not_disturb(root: Path, capfd: Capture) -> None:
    assert call(capfd, "render", root=root).code == 0
    write(root, {"inventory/two.yaml": f"{HEAD}kind: Cluster\nname: two\npools: [\n"})
    assert call(capfd, "check", "--cluster", "one", root=root).code == 0
    assert call(capfd, "render", "--cluster", "one", root=root).code == 0
    assert call(capfd, "check", root=root).code == 2


def test_only_its_own_files_are_written(root: Path, capfd: Capture) -> None:
    assert call(capfd, "render", root=root).code == 0
    before = lines(root)
    (root / "out/two/values/gpu-operator.yaml").write_text("edited: true\n", encoding="utf-8")
    write(root, {"inventory/one.yaml": cluster(f"{POOL}, owner: team, protect: false")})
    called = call(capfd, "render", "--cluster", "one", root=root)
    written = "wrote out/.drivergate-manifest\nwrote out/one/gpu-operator/nvidiadriver-a.yaml\n"
    assert (called.code, called.out) == (0, written)
    assert [line for line in lines(root) if "  two/" in line] == [line for line in before if "  two/" in line]
    assert (root / "out/two/values/gpu-operator.yaml").read_text(encoding="utf-8") == "edited: true\n"


def test_its_workloads_and_their_manifests_are_known(root: Path, capfd: Capture) -> None:
    """Teams' files are read whole; of manifests only those that a workload of the cluster names."""
    here = workload("disruptionBudget: {existing: {file: bases/here.yaml}}", on="{clusters: [one, two], pools: [a]}")
    there = workload("disruptionBudget: {existing: {file: bases/there.yaml}}", on="{clusters: [two], pools: [a]}")
    budget = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: w}\nspec: {minAvailable: 1}\n"
    write(root, {"inventory/workloads.yaml": workloads(here, there), "bases/here.yaml": budget})
    called = call(capfd, "show", "one/a", root=root)
    assert (called.code, called.out.splitlines()[-1]) == (0, '  - "ns/w (Deployment of ml)"')
    assert "is not there" not in call(capfd, "check", "--cluster", "one", root=root).out
    assert "bases/there.yaml is not there" in call(capfd, "check", "--cluster", "two", root=root).out
    assert "bases/there.yaml is not there" in call(capfd, "check", root=root).out


@pytest.mark.parametrize("verb", ["check", "render"])
@pytest.mark.parametrize("catalog", [CATALOG, f'{CATALOG}  - {{tag: "580-5.15.0-1000-aws-ubuntu22.04"}}\n'])
def test_a_cluster_that_is_not_declared(root: Path, capfd: Capture, verb: str, catalog: str) -> None:
    """Also beside a warning, which alone would leave a clean exit over no cluster at all."""
    write(root, {"inventory/catalog.yaml": catalog})
    called = call(capfd, verb, "--cluster", "thre", root=root)
    assert called.code == 2
    assert 'no cluster is named "thre"' in called.err
    assert not (root / "out").exists()


@pytest.mark.parametrize("path", ["../../secret", "/etc/hosts", ":(top)x", "*.yaml"])
def test_a_base_outside_the_repository_is_a_finding(root: Path, capfd: Capture, path: str) -> None:
    operator = f"operator: {{install: olm, driverApi: ClusterPolicy, clusterPolicyBase: '{path}'}}\n"
    write(root, {"inventory/one.yaml": cluster(POOL, more=operator)})
    called = call(capfd, "check", root=root)
    assert called.code == 2
    assert f"inventory/one.yaml:4:71: error: clusterPolicyBase {path} is " in called.out


def test_a_manifest_that_leads_out_of_the_folder_removes_nothing(root: Path, capfd: Capture) -> None:
    assert call(capfd, "render", root=root).code == 0
    victim = root / "inventory" / "one.yaml"
    listed = root / "out" / ".drivergate-manifest"
    listed.write_text(
        f"{listed.read_text(encoding='utf-8')}sha256:{'0' * 64}  ../inventory/one.yaml\n", encoding="utf-8"
    )
    assert call(capfd, "check", root=root).code == 1
    assert call(capfd, "render", root=root).code == 0
    assert victim.exists()
    assert call(capfd, "check", root=root).code == 0
