"""What render may not remove unasked: told alike by render, --check and --diff, and by the gate before."""

import json
from pathlib import Path

import pytest

from generator.cli.run import run
from tests.testing.command import Exit, call
from tests.testing.inventories import CLUSTER_FILE, POOL, files

Capture = pytest.CaptureFixture[str]
B = POOL.replace("pool: a", "pool: b")
GONE = "out/one/gpu-operator/nvidiadriver-b.yaml"
REFUSED = f"{GONE}: error: NVIDIADriver b of cluster one would be removed from git"


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


@pytest.mark.parametrize("mode", ["", "--check", "--diff"])
@pytest.mark.parametrize(
    ("name", "hint"),
    [("one/bb", 'did you mean "one/b"?'), ("nope", "what would go: one/b"), ("b", "what would go: one/b")],
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
