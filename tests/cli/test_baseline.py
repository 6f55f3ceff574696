import json
from pathlib import Path

import pytest

from generator.layout import BASELINE
from tests.testing.command import call
from tests.testing.levels import CATALOG, HEAD, repository

Capture = pytest.CaptureFixture[str]
WRITE = ("check", "--write-baseline")


def rendered(tmp_path: Path, capfd: Capture, **changed: str) -> Path:
    root = repository(tmp_path, **changed)
    call(capfd, "render", root=root)
    return root


@pytest.mark.parametrize(
    ("catalog", "told"),
    [
        (CATALOG.replace("1050-aws", "1051-aws"), "1 finding"),
        (CATALOG.replace("1050-aws", "1051-aws").replace("427.37.1", "427.38.1"), "2 findings"),
        (CATALOG, "0 findings"),
    ],
)
def test_entries_are_counted(tmp_path: Path, capfd: Capture, catalog: str, told: str) -> None:
    called = call(capfd, *WRITE, root=rendered(tmp_path, capfd, catalog=catalog))
    assert (called.code, called.err) == (0, f"wrote {BASELINE} with {told}\n")


def test_as_json(tmp_path: Path, capfd: Capture) -> None:
    root = rendered(tmp_path, capfd, catalog=CATALOG.replace("1050-aws", "1051-aws"))
    called = call(capfd, *WRITE, "--format", "json", root=root)
    assert (called.code, called.err) == (0, "")
    assert json.loads(called.out) == {"written": [BASELINE], "entries": 1, "blocked": False, "findings": []}
    assert (root / BASELINE).exists()


def test_json_of_what_no_baseline_can_hold(tmp_path: Path, capfd: Capture) -> None:
    root = repository(tmp_path, two=f"{HEAD}Cluster\nname: two\npool: {{}}\n")
    called = call(capfd, *WRITE, "--format", "json", root=root)
    printed = json.loads(called.out)
    assert (called.code, called.err, printed["written"], printed["blocked"]) == (2, "", [], True)
    assert [one["file"] for one in printed["findings"]] == ["inventory/two.yaml"]
    assert not (root / BASELINE).exists()
