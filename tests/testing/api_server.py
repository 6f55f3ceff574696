"""A small API server on loopback for the real kubectl: lists, pages, and the ways to say no."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self
from urllib.parse import parse_qs, urlsplit

import yaml


def status(code: int, reason: str, message: str) -> tuple[int, dict]:
    """A metav1.Status as the API server sends it."""
    return code, {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code,
    }  # fmt: skip


class ApiServer:
    """Answers by path; a list of items is paged by `limit`. `asked` holds every request line, method first."""

    def __init__(self, answers: dict[str, object]) -> None:
        self.answers, self.asked = answers, []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(f"GET {self.path}")
                code, body = outer.answer(self.path)
                raw = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, path: str) -> tuple[int, object]:
        parts = urlsplit(path)
        found = self.answers.get(parts.path)
        if found is None:
            return status(404, "NotFound", "the server could not find the requested resource")
        if isinstance(found, tuple):
            return found
        query = parse_qs(parts.query)
        limit, start = int(query.get("limit", ["500"])[0]), int(query.get("continue", ["0"])[0])
        end = start + limit
        metadata = {"continue": str(end)} if end < len(found) else {}
        return 200, {"kind": "List", "apiVersion": "v1", "metadata": metadata, "items": found[start:end]}

    def kubeconfig(self, path: Path, *contexts: str) -> Path:
        """A kubeconfig with these contexts, all of which lead here; the first is the current one."""
        names = contexts or ("test",)
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "here", "cluster": {"server": self.url}}],
            "users": [{"name": "me", "user": {}}],
            "contexts": [{"name": name, "context": {"cluster": "here", "user": "me"}} for name in names],
            "current-context": names[0],
        }
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        return path

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
