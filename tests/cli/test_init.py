"""`drivergate init` on disk: what is written, kept and refused. The files themselves: tests/adopt."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from generator.edges import installed as module
from tests.testing import shapes
from tests.testing.command import call
from tests.testing.nodes import listed


def files(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


@pytest.fixture
def nodes(tmp_path: Path) -> Path:
    path = tmp_path / "nodes.json"
    path.write_bytes(listed(shapes.gke()))
    return path


SCRIPTS = {".ci/drivergate", ".ci/requirements.txt", ".ci/catalog_sync.py", ".ci/comment.py", ".gitignore"}
EMPTY = {
    ".gitattributes", ".pre-commit-config.yaml", "README.md", "inventory/fleet.yaml",
    "inventory/catalog/nvcr.io/nvidia/driver.yaml",
}  # fmt: skip


@pytest.mark.parametrize(
    ("options", "more"),
    [
        ([], {"CODEOWNERS"}),
        (["--ci", "github"], {
            *SCRIPTS, ".github/CODEOWNERS", ".github/workflows/drivergate.yaml",
            ".github/workflows/drivergate-catalog.yaml",
        }),
        (["--ci", "gitlab"], {
            *SCRIPTS, "CODEOWNERS", ".gitlab-ci.yml", ".gitlab/drivergate.yml",
        }),
    ],
)  # fmt: skip
def test_a_new_repository_passes_its_own_gate(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, options: list[str], more: set[str]
) -> None:
    root = tmp_path / "new" / "drivers"
    called = call(capfd, "init", *options, str(root))
    assert called.code == 0
    assert files(root) == EMPTY | more
    assert called.out == "".join(f"wrote {path}\n" for path in sorted(EMPTY | more))
    assert "next:" in called.err
    checked = call(capfd, "check", "--strict", root=root)
    assert (checked.code, checked.out) == (
        0, "0 errors, 0 warnings in 0 clusters, 0 pools, 0 images of the work tree\n"
    )  # fmt: skip
    assert call(capfd, "render", "--check", root=root).code == 0


def test_what_is_there_is_never_touched(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    kept = {"README.md": "mine\n", ".gitattributes": "* text\n", ".pre-commit-config.yaml": "repos: []\n"}
    for name, text in kept.items():
        (tmp_path / name).write_text(text)
    called = call(capfd, "init", str(tmp_path))
    assert called.code == 0
    assert {name: (tmp_path / name).read_text() for name in kept} == kept
    for name in kept:
        assert f"kept {name}: it is there already\n" in called.out
    assert "add to .gitattributes:\n    inventory/** text eol=lf\n" in called.err
    assert "add to .pre-commit-config.yaml:\n" in called.err
    again = call(capfd, "init", str(tmp_path))
    assert "wrote" not in again.out


def test_a_link_that_leads_nowhere_is_something_too(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "README.md").symlink_to("nowhere")
    assert "kept README.md" in call(capfd, "init", str(tmp_path)).out
    assert (tmp_path / "README.md").is_symlink()


def test_a_cluster_from_its_nodes(capfd: pytest.CaptureFixture[str], tmp_path: Path, nodes: Path) -> None:
    root = tmp_path / "repo"
    called = call(capfd, "init", "--from-nodes", f"west={nodes}", str(root))
    assert "wrote inventory/clusters/west.yaml\n" in called.out
    assert "west/t4-pool: mode preinstalled: no driver image is built for cos\n" in called.err
    checked = call(capfd, "check", root=root)
    assert checked.code == 1
    assert checked.out.count("[image/missing]") == 1
    assert call(capfd, "render", root=root).code == 0
    assert (root / "out/west/gpu-operator/nvidiadriver-h100-pool.yaml").is_file()


def test_a_second_cluster_beside_the_first(capfd: pytest.CaptureFixture[str], tmp_path: Path, nodes: Path) -> None:
    root = tmp_path / "repo"
    call(capfd, "init", str(root))
    called = call(capfd, "init", "--cluster", "west", "--from-nodes", str(nodes), str(root))
    assert "wrote inventory/clusters/west.yaml\n" in called.out
    assert "wrote inventory/fleet.yaml" not in called.out
    assert call(capfd, "show", "west/h100-pool", root=root).code == 0


def test_json(capfd: pytest.CaptureFixture[str], tmp_path: Path, nodes: Path) -> None:
    called = call(capfd, "init", "--format", "json", "--from-nodes", f"west={nodes}", str(tmp_path / "repo"))
    told = json.loads(called.out)
    assert "inventory/clusters/west.yaml" in told["wrote"]
    assert {"about", "message", "hint"} == set(told["notes"][0])
    assert called.err == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--from-nodes", "NODES"], "names no cluster"),
        (["--from-nodes", "a=NODES", "--pool-label", "nvidia.com/gpu.product"], "only after a driver ran"),
        (["--from-nodes", "a=NODES", "--operator", "v1"], "no operator release"),
        (["--from-driver", "a=NODES"], "needs its --from-nodes"),
        (["--from-nodes", "a=/nowhere/nodes.json"], "can't read"),
        (["--from-nodes", "a=NODES", "--from-driver", "a=NODES"], "holds no ClusterPolicy"),
        (["--cluster", "a b", "--from-nodes", "NODES"], "no cluster name"),
    ],
)
def test_bad_usage_writes_nothing(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, nodes: Path, arguments: list[str], said: str
) -> None:
    root = tmp_path / "repo"
    called = call(capfd, "init", *(one.replace("NODES", str(nodes)) for one in arguments), str(root))
    assert called.code == 2
    assert said in " ".join(called.err.replace("│", " ").split())
    assert not root.exists()


def test_a_broken_inventory_is_told_and_nothing_written(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, nodes: Path
) -> None:
    (tmp_path / "inventory").mkdir()
    (tmp_path / "inventory" / "fleet.yaml").write_text("kind: Fleet\n")
    before = files(tmp_path)
    called = call(capfd, "init", "--from-nodes", f"a={nodes}", str(tmp_path))
    assert called.code == 2
    assert "inventory/schema" in called.out
    assert files(tmp_path) == before


def test_a_file_in_the_place_of_the_folder(capfd: pytest.CaptureFixture[str], nodes: Path) -> None:
    called = call(capfd, "init", str(nodes))
    assert called.code == 2
    assert "is no folder" in called.err


def test_ci_installs_what_wrote_it_without_the_credentials_of_its_url(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = "1a2b" * 10
    direct = {
        "url": "https://user:hunter2@example.com:8443/drivergate.git",
        "vcs_info": {"vcs": "git", "commit_id": commit},
    }
    found = SimpleNamespace(version="0.1.0", read_text=lambda _: json.dumps(direct))
    monkeypatch.setattr(module, "distribution", lambda _: found)
    assert call(capfd, "init", "--ci", "github", str(tmp_path)).code == 0
    needed = (tmp_path / ".ci/requirements.txt").read_text(encoding="utf-8")
    assert f"drivergate @ git+https://example.com:8443/drivergate.git@{commit}\n" in needed
    assert [path for path in files(tmp_path) if "hunter2" in (tmp_path / path).read_text(encoding="utf-8")] == []


def test_a_repository_that_can_not_be_read_gets_no_cluster(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, nodes: Path
) -> None:
    (tmp_path / "inventory").mkdir()
    (tmp_path / "inventory/fleet.yaml").write_text("kind: Fleet\n", encoding="utf-8")
    arguments = ("init", "--from-nodes", f"west={nodes}", str(tmp_path))
    called = call(capfd, *arguments)
    assert (called.code, called.err) == (2, "nothing is written\n")
    assert "inventory/fleet.yaml" in called.out
    printed = call(capfd, *arguments, "--format", "json").json
    assert printed["wrote"] == []
    assert {one["file"] for one in printed["findings"]} == {"inventory/fleet.yaml"}
    assert files(tmp_path) == {"inventory/fleet.yaml", nodes.name}


def test_what_is_wrong_is_listed_by_file_and_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Though the one is seen while the documents are read, and the other only when they are put together."""
    image = "kind: NodeImage\nname: x\nos: {id: ubuntu, version: '22.04'}\narch: [amd64]\nkernels: {}\nrunning: ['1']\n"
    inventory = tmp_path / "inventory"
    inventory.mkdir()
    (inventory / "a.yaml").write_text(f"apiVersion: drivergate.dev/v1alpha1\n{image}")
    (inventory / "z.yaml").write_text("apiVersion: drivergate.dev/v1alpha1\nkind: Fleet\nname: x\nbogus: 1\n")
    called = call(capfd, "init", str(tmp_path))
    assert called.code == 2
    places = [line.partition(": error")[0] for line in called.out.splitlines() if ": error" in line]
    assert places == ["inventory/a.yaml:7:11", "inventory/z.yaml:4:1"]
