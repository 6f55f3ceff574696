"""What render writes, what it removes only if it is asked to, and what `check` says of that before."""

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from generator.cli.run import run
from tests.testing.command import Exit, call
from tests.testing.inventories import CLUSTER_FILE, POOL, files
from tests.testing.levels import CATALOG, CLUSTER, HEAD, repository

Capture = pytest.CaptureFixture[str]
KEYS = {"written", "removed", "findings", "blocked"}
MANIFEST = "out/.drivergate-manifest"
B = POOL.replace("pool: a", "pool: b")
GONE = "out/one/gpu-operator/nvidiadriver-b.yaml"
REFUSED = f"{GONE}: error: NVIDIADriver b of cluster one would be removed from git"


def as_json(capfd: Capture, root: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    called = call(capfd, "render", *arguments, "--format", "json", root=root)
    printed: dict[str, Any] = json.loads(called.out)
    assert (printed.keys(), called.err) == (KEYS, "")
    return called.code, printed


def test_json_has_one_shape_whatever_becomes_of_the_run(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    code, first = as_json(capfd, root)
    assert (code, first["blocked"], first["removed"]) == (0, False, [])
    assert "image/upcoming-missing" in {one["rule"] for one in first["findings"]}
    again = as_json(capfd, root)[1]
    assert (again["written"], again["removed"]) == ([], [])
    repository(tmp_path, one=CLUSTER.replace("  arm:", "  ARM:"))
    code, blocked = as_json(capfd, root)
    assert (code, blocked["blocked"], blocked["written"], blocked["removed"]) == (2, True, [], [])
    assert [one["rule"] for one in blocked["findings"] if one["blocking"]] == ["inventory/schema"]


def test_what_was_written_is_every_file_that_changed(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    before = {str(path.relative_to(root)) for path in (root / "out").rglob("*") if path.is_file()}
    _, told = as_json(capfd, root)
    after = {str(path.relative_to(root)) for path in (root / "out").rglob("*") if path.is_file()}
    assert before == set()
    assert set(told["written"]) == after
    assert MANIFEST in after


def test_the_manifest_is_among_the_lines_where_it_changed(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    planned = call(capfd, "render", "--check", root=root)
    assert f"would write {MANIFEST}\n" in planned.out
    assert call(capfd, "render", root=root).out == planned.out.replace("would write", "wrote")
    (root / "out/one/gpu-operator/nvidiadriver-arm.yaml").write_text("edited: true\n", encoding="utf-8")
    assert call(capfd, "render", root=root).out == "wrote out/one/gpu-operator/nvidiadriver-arm.yaml\n"
    two = f"{HEAD}Cluster\nname: two\npools: {{}}\n"
    assert f"wrote {MANIFEST}\n" in call(capfd, "render", root=repository(tmp_path, two=two)).out


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def test_a_difference_is_colored_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, terminal = repository(tmp_path), Terminal(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert run(["render", "--diff", "-C", str(root)]) == 0
    terminal.flush()
    lines = terminal.buffer.getvalue().decode().splitlines()
    # ECMA-48: 32 is green, 31 red, 36 cyan, 0 the default.
    assert "\x1b[32m+kind: NVIDIADriver\x1b[0m" in lines
    assert any(line.startswith("\x1b[36m@@ -0,0 +1,") for line in lines)


def test_templates_of_a_workload_and_of_the_fleet(tmp_path: Path, capfd: Capture) -> None:
    """A digest that the catalog records stands behind its tag, where the fleet asks for that."""
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n  namespace: ns\ndata:\n"
    digest = f"sha256:{'0123456789abcdef' * 4}"
    workloads = f"""{HEAD}Workloads
team: ml
workloads:
  api:
    runsOn: {{pools: [train]}}
    namespace: serving
    owner: {{kind: Deployment}}
    podLabels: {{app: api}}
"""
    listed = CATALOG.replace("[linux/amd64]}", f"[linux/amd64], digest: {digest}}}")
    by_digest = CLUSTER.replace("driver:", "delivery: {imageDigests: true}\ndriver:", 1)
    root = repository(tmp_path, ml=workloads, catalog=listed, one=by_digest)
    texts = {
        "{cluster}/teams/{workload}.yaml.j2": head % "{{ name }}" + "  team: {{ workload.team }}\n",
        "_delivery/argocd/all.yaml.j2": head % "all" + "  first: {{ fleet.clusters[0].name }}\n",
    }
    for path, text in texts.items():
        (root / "templates" / path).parent.mkdir(parents=True, exist_ok=True)
        (root / "templates" / path).write_text(text, encoding="utf-8")
    assert call(capfd, "render", root=root).code == 0
    made = {
        path: (root / "out" / path).read_text(encoding="utf-8")
        for path in ("one/teams/api.yaml", "_delivery/argocd/all.yaml")
    }
    assert made["one/teams/api.yaml"].endswith("  name: api\n  namespace: ns\ndata:\n  team: ml\n")
    assert made["_delivery/argocd/all.yaml"].endswith("data:\n  first: one\n")
    images = (root / "out/one/gpu-operator/drivergate-images.yaml").read_text(encoding="utf-8")
    assert f"580-6.8.0-1050-aws-ubuntu24.04@{digest}\n" in images
    (root / "templates/_delivery/argocd/all.yaml.j2").rename(root / "templates/_delivery/argocd/one.yaml.j2")
    called = call(capfd, "render", root=root)
    assert called.code == 2
    assert "out/_delivery/argocd/one.yaml is the whole fleet's, and lies where those of cluster" in called.out


def test_what_killed_runs_left_is_swept_and_a_run_that_lives_keeps_its_file(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path)
    (root / "out").mkdir()
    ended = subprocess.Popen(["true"])
    ended.wait()
    left, alive = (root / "out" / f".{number}.drivergate-tmp" for number in (ended.pid, os.getppid()))
    left.touch()
    alive.touch()
    assert call(capfd, "render", root=root).code == 0
    assert (left.exists(), alive.exists()) == (False, True)


def test_a_folder_that_may_not_be_read_is_named(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root nothing is kept from tests, so the system says no by itself."""
    root = repository(tmp_path)
    (root / "inventory/secret").mkdir()

    def scandir(path: str) -> Any:
        if path.endswith("/inventory/secret"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return scan(path)

    scan = os.scandir
    monkeypatch.setattr(os, "scandir", scandir)
    called = call(capfd, "render", root=root)
    assert (called.code, called.out) == (2, "")
    assert "drivergate: can't read `inventory/secret`: permission denied\n    hint: make it readable" in called.err


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """A fleet of two pools as rendered, of which one is declared no more."""
    for path, text in files(POOL, B).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    assert run(["render", "-C", str(tmp_path)]) == 0
    (tmp_path / CLUSTER_FILE).write_text(files(POOL)[CLUSTER_FILE])
    return tmp_path


def test_check_refuses_what_render_would(fleet: Path, capfd: Capture) -> None:
    for arguments in (("render",), ("render", "--check")):
        called = call(capfd, *arguments, root=fleet)
        assert called.code == 2
        assert REFUSED in called.out
        assert "drivergate render --allow-remove one/b" in called.out
    assert call(capfd, "render", "--check", "--allow-remove", "one/b", root=fleet).code == 1
    assert (fleet / GONE).exists()


def test_a_diff_is_printed_with_what_forbids_it(fleet: Path, capfd: Capture) -> None:
    called = call(capfd, "render", "--diff", root=fleet)
    assert called.code == 2
    assert f"--- a/{GONE}\n+++ /dev/null\n" in called.out
    assert "out/removal" not in called.out
    assert REFUSED in called.err
    allowed = call(capfd, "render", "--diff", "--allow-remove", "one/b", root=fleet)
    assert (allowed.code, allowed.out, allowed.err) == (0, called.out, "")
    told = json.loads(call(capfd, "render", "--diff", "--format", "json", root=fleet).out)
    assert told["blocked"] is True
    assert [one["rule"] for one in told["findings"]] == ["out/removal"]


def test_a_diff_of_an_inventory_that_can_t_be_rendered_is_none(fleet: Path, capfd: Capture) -> None:
    (fleet / "inventory/x.yaml").write_text("a: [\n")
    called = call(capfd, "render", "--diff", root=fleet)
    assert called.code == 2
    assert "---" not in called.out


def test_the_name_of_the_pool_is_enough_where_no_other_has_it(fleet: Path, capfd: Capture) -> None:
    assert call(capfd, "render", "--allow-remove", "b", root=fleet).code == 0
    assert not (fleet / GONE).exists()


@pytest.mark.parametrize("mode", ["", "--check", "--diff"])
@pytest.mark.parametrize(
    ("name", "hint"),
    [("one/bb", 'did you mean "one/b"?'), ("nope", "what would go: one/b")],
)
def test_a_name_that_allows_nothing_is_bad_usage(fleet: Path, capfd: Capture, name: str, hint: str, mode: str) -> None:
    called = call(capfd, "render", *([mode] if mode else []), "--allow-remove", name, root=fleet)
    assert (called.code, called.out) == (2, "")
    assert called.err == f'drivergate: nothing that would go is named "{name}"\n    hint: {hint}\n'
    assert (fleet / GONE).exists()


def test_where_nothing_goes_there_is_nothing_to_allow(fleet: Path, capfd: Capture) -> None:
    def again() -> Exit:
        return call(capfd, "render", "--allow-remove", "one/b", root=fleet)

    assert again().code == 0
    assert not (fleet / GONE).exists()
    said = again()
    assert said.code == 2
    assert "hint: leave the option out" in said.err


def test_the_gate_says_how_it_is_allowed(fleet: Path, capfd: Capture) -> None:
    called = call(capfd, "check", root=fleet)
    assert called.code == 1
    told = called.out.partition(f"{GONE}: ")[2].splitlines()
    assert told[0] == "error: the file is rendered from nothing any more [out/drift]"
    assert told[1] == "    hint: run: drivergate render --allow-remove one/b"


def test_origins_are_of_one_cluster_or_pool(fleet: Path, capfd: Capture) -> None:
    called = call(capfd, "show", "--origin", root=fleet)
    assert (called.code, called.out) == (2, "")
    assert "--origin is for one cluster or pool: name it as CLUSTER or CLUSTER/POOL" in called.err
    assert call(capfd, "show", "one", "--origin", root=fleet).code == 0


def test_the_inventory_itself_is_no_repository(fleet: Path, capfd: Capture) -> None:
    called = call(capfd, "check", root=fleet / "inventory")
    assert (called.code, called.out) == (2, "")
    assert f"no inventory/ in `{fleet}/inventory`" in called.err
