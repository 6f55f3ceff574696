"""PEP 610: direct_url.json says where a distribution came from."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from generator.edges import installed as module
from generator.edges.installed import Installed, installed

COMMIT = "1a2b" * 10


def recorded(monkeypatch: pytest.MonkeyPatch, direct: Any) -> Installed:
    text = None if direct is None else direct if isinstance(direct, str) else json.dumps(direct)
    found = SimpleNamespace(version="0.1.0", read_text=lambda _: text)
    monkeypatch.setattr(module, "distribution", lambda _: found)
    return installed()


def from_git(url: str, **more: str) -> dict[str, Any]:
    return {"url": url, "vcs_info": {"vcs": "git", "commit_id": COMMIT, **more}}


def test_from_an_index(monkeypatch: pytest.MonkeyPatch) -> None:
    assert recorded(monkeypatch, None) == Installed(requirement="drivergate==0.1.0")


def test_from_git_at_a_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    found = recorded(monkeypatch, from_git("https://example.com/drivergate.git", requested_revision="v0.1.0"))
    url = "https://example.com/drivergate.git"
    assert found == Installed(f"drivergate @ git+{url}@{COMMIT}", url, "v0.1.0")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:secret@example.com:8443/a", "https://example.com:8443/a"),
        ("https://secret@example.com/a", "https://example.com/a"),
        ("ssh://git:secret@example.com/a", "ssh://git@example.com/a"),
    ],
)
def test_credentials_stay_behind(monkeypatch: pytest.MonkeyPatch, url: str, shown: str) -> None:
    found = recorded(monkeypatch, from_git(url))
    assert found.url == shown
    assert found.revision == COMMIT
    assert "secret" not in found.requirement


@pytest.mark.parametrize(
    "direct",
    [
        {"url": "file:///home/me/drivergate", "dir_info": {"editable": True}},
        from_git("file:///srv/drivergate"),
        {"url": "https://example.com/a.whl", "archive_info": {}},
        "{",
    ],
)
def test_a_place_that_others_can_not_reach_is_no_place(monkeypatch: pytest.MonkeyPatch, direct: Any) -> None:
    assert recorded(monkeypatch, direct) == Installed()


def test_not_installed_at_all() -> None:
    assert installed("no-such-distribution-anywhere") == Installed()
