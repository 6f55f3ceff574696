"""The scaffolded `.ci/comment.py` against servers that answer as GitHub and GitLab do, on loopback."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from generator.facts import data
from generator.report.formats.markdown import marker
from tests.testing.command import Exit
from tests.testing.fleet import run

TOKEN = "secret-of-the-test"
BODY = f"{marker('diff')}\n\n### nothing\n"
ROUTE = re.compile(
    r"/api/(?:repos/o/r/issues/(?:7/)?comments|projects/5/merge_requests/7/notes)"
    r"(?:/(\d+))?(?:\?per_page=100&page=(\d+))?"
)


class Forge:
    """Comments in memory, a hundred a page. `status` is what every writing is answered with."""

    def __init__(self, *, github: bool) -> None:
        self.github, self.status, self.comments, self.seen = github, 200, [], []
        forge = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                forge.answer(self)

            do_POST = do_PATCH = do_PUT = do_GET  # noqa: N815 - names of http.server

            def log_message(self, *_arguments: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.api = f"http://127.0.0.1:{self.server.server_port}/api"

    def comment(self, body: str, author: str) -> dict[str, Any]:
        who = {"user": {"login": author}} if self.github else {"author": {"username": author}}
        made = {"id": len(self.comments) + 1, "body": body, **who}
        self.comments.append(made)
        return made

    @property
    def me(self) -> str:
        return "github-actions[bot]" if self.github else "project_5_bot"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        method, value = request.command, None
        self.seen.append(method)
        expected = f"Bearer {TOKEN}" if self.github else TOKEN
        assert request.headers["Authorization" if self.github else "PRIVATE-TOKEN"] == expected
        match = ROUTE.fullmatch(request.path)
        if request.path == "/api/user" and not self.github:
            value = {"username": self.me}
        elif match and method == "GET":
            page = int(match[2])
            value = self.comments[(page - 1) * 100 : page * 100]
        elif match and self.status == 200:
            body = json.loads(request.rfile.read(int(request.headers["Content-Length"])))["body"]
            if method == "POST":
                value = self.comment(body, self.me)
            elif method == ("PATCH" if self.github else "PUT"):
                value = self.comments[int(match[1]) - 1]
                value["body"] = body
        request.send_response(self.status if method != "GET" else 200 if value is not None else 404)
        request.end_headers()
        request.wfile.write(json.dumps(value).encode())

    def environment(self) -> dict[str, str]:
        if self.github:
            return {"GITHUB_API_URL": self.api, "GITHUB_REPOSITORY": "o/r", "GITHUB_TOKEN": TOKEN, "PULL_REQUEST": "7"}
        return {
            "CI_API_V4_URL": self.api,
            "CI_PROJECT_ID": "5",
            "CI_MERGE_REQUEST_IID": "7",
            "DRIVERGATE_TOKEN": TOKEN,
        }


@pytest.fixture(params=["github", "gitlab"])
def forge(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Forge]:
    made = Forge(github=request.param == "github")
    for name in ("GITHUB_TOKEN", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in made.environment().items():
        monkeypatch.setenv(name, value)
    yield made
    made.server.shutdown()
    made.server.server_close()


def put(folder: Path, body: str = BODY) -> Exit:
    (folder / "comment.py").write_text(data.scaffold("comment.py.in"), encoding="utf-8")
    (folder / "body.md").write_text(body, encoding="utf-8")
    said = run(folder, "python3", "comment.py", "body.md")
    assert TOKEN not in said.text
    return said


def test_the_first_is_written_and_the_next_updates_it(forge: Forge, tmp_path: Path) -> None:
    for _ in range(130):
        forge.comment("chatter", "somebody")
    assert put(tmp_path).code == 0
    assert len(forge.comments) == 131
    said = put(tmp_path, BODY.replace("nothing", "much: ü\n\"'`$(id)"))
    assert (said.code, said.out) == (0, "comment updated\n")
    assert len(forge.comments) == 131
    assert forge.comments[-1]["body"].endswith("much: ü\n\"'`$(id)\n")


def test_another_scope_and_another_author_are_left_alone(forge: Forge, tmp_path: Path) -> None:
    forge.comment(BODY, "somebody")
    forge.comment(BODY.replace("diff", "check"), forge.me)
    forge.comment(f"quoted: {BODY}", forge.me)
    assert put(tmp_path).out == "comment written\n"
    assert len(forge.comments) == 4
    assert forge.comments[0]["body"] == BODY


@pytest.mark.parametrize("status", [401, 403])
def test_without_the_right_to_write_it_says_so_and_ends_well(forge: Forge, tmp_path: Path, status: int) -> None:
    forge.status = status
    said = put(tmp_path)
    assert said.code == 0
    assert "no right to comment" in said.out


def test_what_fails_is_told_without_a_traceback(forge: Forge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forge.status = 500
    said = put(tmp_path)
    assert said.code == 1
    assert "500" in said.err
    assert "Traceback" not in said.text
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("CI_API_V4_URL", "http://127.0.0.1:1")
    said = put(tmp_path)
    assert said.code == 1
    assert "Traceback" not in said.text


def test_a_text_without_a_marker_is_refused(forge: Forge, tmp_path: Path) -> None:
    said = put(tmp_path, "hello\n")
    assert said.code == 1
    assert "marker" in said.err
    assert forge.seen == []
