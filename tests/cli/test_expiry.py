"""Silences that have ended, in git: what a change renders otherwise, and what the scheduled run says."""

from pathlib import Path

import pytest

from tests.testing.fleet import EAST, WEST, Fleet, cluster, drivergate, inventory, judged
from tests.testing.gitrepo import isolate

ENDED = 'silenced: [{rule: branch/end-of-life, reason: "a lab, until spring", until: 2026-03-30}]\n'
TODAY = ("--today", "2026-03-31")
MESSAGE = 'the silence of branch/end-of-life ended on 2026-03-30 ("a lab, until spring")'
WARNED = [f"warning inventory/expired {EAST}:13:77 {MESSAGE}"]
STOPPED = [f"error inventory/expired {EAST}:13:77 {MESSAGE}, and the change touches east"]


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fleet:
    isolate(monkeypatch)
    made = Fleet(tmp_path / "fleet", {**inventory(), EAST: cluster() + ENDED, WEST: cluster("west")})
    made.render()
    made.commit()
    return made


def test_it_is_an_error_of_the_change_that_touches_the_cluster(fleet: Fleet) -> None:
    assert judged(fleet.path, *TODAY) == WARNED
    fleet.write({WEST: cluster("west").replace("nodes: 4", "nodes: 5")})
    assert judged(fleet.path, *TODAY) == WARNED
    fleet.write({EAST: cluster().replace("nodes: 4", "nodes: 5") + ENDED})
    assert judged(fleet.path, *TODAY) == STOPPED
    fleet.git("add", "-A")
    assert judged(fleet.path, *TODAY, "--staged") == STOPPED
    assert judged(fleet.path, *TODAY, "--changed-since", "HEAD") == STOPPED
    fleet.write({EAST: cluster().replace("nodes: 4", "nodes: 5") + ENDED.replace("2026-03-30", "2026-09-30")})
    assert not [line for line in judged(fleet.path, *TODAY) if "inventory/expired" in line]


def test_a_file_that_renders_otherwise_touches_its_cluster(fleet: Fleet) -> None:
    out = next((fleet.path / "out" / "east").rglob("*.yaml")).relative_to(fleet.path)
    rendered = (fleet.path / out).read_text()
    fleet.commit({str(out): f"{rendered}# by hand\n"})
    fleet.write({str(out): rendered})
    assert judged(fleet.path, *TODAY) == STOPPED
    fleet.commit()
    assert judged(fleet.path, *TODAY) == WARNED
    (fleet.path / out).unlink()
    fleet.commit()
    fleet.write({str(out): rendered})
    assert judged(fleet.path, *TODAY) == STOPPED


def test_the_scheduled_run_fails(fleet: Fleet) -> None:
    ended = fleet.check("--scheduled", *TODAY)
    assert (ended.code, ended.err) == (1, "")
    assert f"error: {MESSAGE} [inventory/expired]\n" in ended.out
    assert fleet.check(*TODAY).code == 0
    assert fleet.check("--scheduled", "--today", "2026-03-30").code == 0


@pytest.mark.parametrize(
    ("with_it", "message"),
    [
        (("--rev", "HEAD"), "--scheduled asks what has ended by now; a commit is judged on the day of its own date"),
        (("--write-baseline",), "--write-baseline lists the errors of the whole work tree"),
    ],
)
def test_what_is_no_scheduled_run_is_bad_usage(fleet: Fleet, with_it: tuple[str, ...], message: str) -> None:
    ended = drivergate(fleet.path, "check", "--scheduled", *with_it)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


def test_what_cannot_be_compared_is_a_warning_and_said(fleet: Fleet, tmp_path: Path) -> None:
    fleet.commit({EAST: cluster().replace("nodes: 4", "nodes: 5") + ENDED.replace("2026", "2020")})
    assert fleet.check("--rev", "HEAD").code == 1
    fleet.git("clone", "-q", "--depth=1", f"file://{fleet.root}", str(tmp_path / "shallow"))
    ended = drivergate(tmp_path / "shallow", "check", "--rev", "HEAD")
    assert ended.code == 0
    assert "whether clusters with a silence that has ended are touched can't be told: " in ended.err
    assert "[inventory/expired]" in ended.out
