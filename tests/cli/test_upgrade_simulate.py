"""`upgrade simulate` on files and on the inventory alone."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.testing.command import REPO, call
from tests.testing.levels import CLUSTER, repository
from tests.testing.live import FAILED, WELL, budget, daemonset, driver_pod, files, node, pod, policy, validator

Capture = pytest.CaptureFixture[str]


def test_an_upgrade_that_ends(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "upgrade", "simulate", *files(tmp_path, *WELL, pod("a-0", "n1")))
    assert called.code == 0
    assert called.out.startswith("an upgrade of every node ends after 0:")
    assert "n1 evicts ml/a-0\n" in called.out
    assert "assumed: a new driver pod is Ready 180 s after the old one is deleted\n" in called.out


def test_an_upgrade_that_stalls(tmp_path: Path, capfd: Capture) -> None:
    guarded = (pod("a-0", "n1", labels={"app": "a"}), budget("a", {"app": "a"}, (1, 1, 1), minAvailable=1))
    called = call(capfd, "upgrade", "simulate", *files(tmp_path, *WELL, *guarded))
    assert called.code == 1
    assert "timeouts alone last 0:05:00 of node time\n" in called.out
    assert "n1 stalls in upgrade-failed\n" in called.out
    assert "needs 1 healthy pods and has 1 currently (HTTP 429)" in called.out


def test_a_replay_without_pods_proves_nothing(tmp_path: Path, capfd: Capture) -> None:
    file = tmp_path / "nodes.json"
    file.write_text(json.dumps({"kind": "List", "items": [policy(), node("n1", "upgrade-done")]}))
    called = call(capfd, "upgrade", "simulate", "--nodes", str(file))
    assert called.code == 3
    assert "cannot tell from this input" in called.out


def test_the_inventory_alone(capfd: Capture) -> None:
    called = call(capfd, "upgrade", "simulate", "--cluster", "ocp-lab", root=REPO)
    assert called.code == 0
    found = json.loads(call(capfd, "upgrade", "simulate", "--cluster", "ocp-lab", "--format", "json", root=REPO).out)
    assert [lane["node"] for lane in found["lanes"]] == ["a100-1", "a100-2", "a100-3"]
    assert found["done"]
    assert call(capfd, "upgrade", "simulate", "--cluster", "nowhere", root=REPO).code == 2


def test_the_drawing_needs_nothing_from_elsewhere(tmp_path: Path, capfd: Capture) -> None:
    drawn = call(capfd, "upgrade", "simulate", *files(tmp_path, *FAILED), "--format", "svg")
    root = ET.fromstring(drawn.out)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    page = call(capfd, "upgrade", "simulate", *files(tmp_path, *FAILED), "--format", "html").out
    assert page.startswith("<!doctype html>")
    for outside in ("<script", "<link", "src=", "@import", "url("):
        assert outside not in page + drawn.out
    assert page.count("http") == page.count("http://www.w3.org/2000/svg") + page.count("HTTP 429".lower())


def test_names_are_data_in_a_drawing(tmp_path: Path, capfd: Capture) -> None:
    name = "<script>alert(1)</script>&\x1b[31m"
    objects = (policy(), *daemonset(), node(name, "upgrade-done"), driver_pod(name), validator(name))
    for form in ("svg", "html"):
        out = call(capfd, "upgrade", "simulate", *files(tmp_path, *objects), "--format", form).out
        assert "<script" not in out
        assert "\x1b" not in out
        assert "&lt;script&gt;" in out
    assert "\x1b" not in call(capfd, "upgrade", "status", *files(tmp_path, *objects)).out


def test_a_ring_of_the_inventory_alone(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, two=CLUSTER.replace("name: one", "name: two").replace('ring: "0"', 'ring: "1"'))
    both = call(capfd, "upgrade", "simulate", "--cluster", "one", "--cluster", "two", root=root)
    assert both.out.count("== ") == 2
    alone = call(capfd, "upgrade", "simulate", "--ring", "1", root=root)
    assert alone.out in both.out
    told = json.loads(
        call(capfd, "upgrade", "simulate", "--cluster", "one", "--cluster", "two", "--format", "json", root=root).out
    )
    assert [one["cluster"] for one in told["clusters"]] == ["one", "two"]
