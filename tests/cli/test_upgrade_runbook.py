import json
from pathlib import Path

import pytest

from tests.testing.command import call
from tests.testing.levels import CATALOG, repository

Capture = pytest.CaptureFixture[str]
NEXT = "580-6.8.0-1053-aws-ubuntu24.04"


def test_a_page_for_what_is_upcoming(tmp_path: Path, capfd: Capture) -> None:
    built = CATALOG + f'  - {{tag: "{NEXT}", platforms: [linux/amd64]}}\n'
    called = call(capfd, "upgrade", "runbook", root=repository(tmp_path, catalog=built))
    assert called.code == 0
    assert called.out.startswith("# Runbook: roll what is declared as upcoming\n\n1 pool in 1 wave.")
    assert (
        "kubectl --context one get nodes -l example.com/pool=train -L nvidia.com/gpu-driver-upgrade-state" in called.out
    )
    assert "`580-6.8.0-1050-aws-ubuntu24.04`" in called.out.partition("The way back")[2]


def test_nothing_is_emptied_before_its_image_is_there(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "upgrade", "runbook", root=repository(tmp_path))
    assert called.code == 0
    assert f"`nvcr.io/nvidia/driver:{NEXT}`" in called.out
    assert "kubectl" not in called.out


def test_json_holds_the_same(tmp_path: Path, capfd: Capture) -> None:
    made = json.loads(call(capfd, "upgrade", "runbook", "--format", "json", root=repository(tmp_path)).out)
    assert made["waves"] == []
    assert [one["pool"] for one in made["waiting"]] == ["train"]
    assert made["work"][0]["tag"] == NEXT


def test_an_inventory_that_cannot_be_read_gets_no_runbook(tmp_path: Path, capfd: Capture) -> None:
    called = call(capfd, "upgrade", "runbook", root=repository(tmp_path, broken="kind: [\n"))
    assert (called.code, called.out) == (2, "")
    assert "broken.yaml" in called.err


def test_bad_usage(tmp_path: Path, capfd: Capture) -> None:
    assert call(capfd, "upgrade", "runbook", "--pool", "nobody", root=repository(tmp_path)).code == 2
