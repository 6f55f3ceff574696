"""out/_delivery through the command line: whose a file is decides what --cluster and --allow-remove do with it."""

from pathlib import Path

import pytest
import yaml

from tests.testing.command import call
from tests.testing.inventories import FLEET, FLEET_FILE, POOL, cluster, files
from tests.testing.rendered_root import lines, write

Capture = pytest.CaptureFixture[str]

ARGOCD = '  delivery: {argocd: {repoURL: "https://git.example.com/fleet.git"}}\n'
FLUX = "delivery: {flux: {dependsOn: [{name: gpu-operator}], valuesConfigMap: true}}\n"
HEALTH = "out/_delivery/argocd/_health/argocd-cm.yaml"


@pytest.fixture
def root(tmp_path: Path, capfd: Capture) -> Path:
    """One cluster by Argo CD, one by Flux, rendered."""
    two = cluster(POOL, name="two", more=FLUX)
    write(tmp_path, {**files(POOL, fleet=FLEET + ARGOCD), "inventory/two.yaml": two})
    assert call(capfd, "render", root=tmp_path).code == 0
    assert call(capfd, "check", root=tmp_path).code == 0
    return tmp_path


def delivered(root: Path) -> list[str]:
    folder = root / "out" / "_delivery"
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_what_is_there(root: Path) -> None:
    assert delivered(root) == [
        "argocd/_health/argocd-cm.yaml",
        "argocd/one.yaml",
        "flux/two/gpu-drivers.yaml",
        "flux/two/gpu-operator-values.yaml",
        "flux/two/kustomization.yaml",
    ]


def test_only_the_clusters_own_is_written(root: Path, capfd: Capture) -> None:
    before = lines(root)
    (root / HEALTH).write_text("edited: true\n", encoding="utf-8")
    (root / "out/_delivery/flux/two/gpu-drivers.yaml").write_text("edited: true\n", encoding="utf-8")
    write(root, {FLEET_FILE: FLEET + ARGOCD.replace("argocd: {", "argocd: {project: gpu, ")})
    assert call(capfd, "check", "--cluster", "two", root=root).code == 1
    called = call(capfd, "render", "--cluster", "one", root=root)
    written = "wrote out/.drivergate-manifest\nwrote out/_delivery/argocd/one.yaml\n"
    assert (called.code, called.out) == (0, written)
    assert (root / HEALTH).read_text(encoding="utf-8") == "edited: true\n"
    others = [line for line in before if not line.endswith("/argocd/one.yaml")]
    assert [line for line in lines(root) if not line.endswith("/argocd/one.yaml")] == others
    assert call(capfd, "check", "--cluster", "one", root=root).code == 0
    assert call(capfd, "check", root=root).code == 1


def test_a_removed_clusters_objects_go_with_it(root: Path, capfd: Capture) -> None:
    (root / "inventory/two.yaml").unlink()
    refused = call(capfd, "render", root=root)
    assert refused.code == 2
    assert refused.out.count("[out/removal]") == 1
    assert "--allow-remove two" in refused.out
    assert len(delivered(root)) == 5
    assert call(capfd, "render", "--allow-remove", "two", root=root).code == 0
    assert delivered(root) == ["argocd/_health/argocd-cm.yaml", "argocd/one.yaml"]
    assert call(capfd, "check", root=root).code == 0


def test_what_is_asked_for_no_more_goes_alone(root: Path, capfd: Capture) -> None:
    """It takes nothing with it, so nobody is asked."""
    write(root, {FLEET_FILE: FLEET, "inventory/two.yaml": cluster(POOL, name="two")})
    assert call(capfd, "render", root=root).code == 0
    assert not (root / "out" / "_delivery").exists()
    assert (root / "out/two/gpu-operator/nvidiadriver-a.yaml").exists()


def test_every_value_and_where_it_comes_from(root: Path, capfd: Capture) -> None:
    shown = call(capfd, "show", "one", "--origin", root=root).out
    assert "# inventory/fleet.yaml:7 (defaults)" in next(line for line in shown.splitlines() if "git.example" in line)
    assert "    project: default" in shown
    other = call(capfd, "show", "two", "--origin", root=root).out
    assert "argocd" not in other
    assert "# inventory/two.yaml:4 (cluster)" in next(line for line in other.splitlines() if "valuesConfigMap" in line)


def test_a_variable_is_escaped_for_flux_where_that_is_asked_for(tmp_path: Path, capfd: Capture) -> None:
    """Fluxcd/pkg envsubst makes `${` of `$${`."""
    pool = f'{POOL}, driver: {{spec: {{env: [{{name: GREETING, value: "${{USER}} and $HOME"}}]}}}}'
    more = FLUX.replace("valuesConfigMap: true", "substitute: escape")
    write(tmp_path, files(pool, more=more))
    assert call(capfd, "render", root=tmp_path).code == 0
    text = (tmp_path / "out/one/gpu-operator/nvidiadriver-a.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(text)["spec"]["env"] == [{"name": "GREETING", "value": "$${USER} and $HOME"}]
