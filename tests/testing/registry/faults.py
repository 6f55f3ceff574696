"""A server of our own for what a good registry won't do: answers as a script says, remembers what it was asked."""

import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qs, urlsplit

from tests.testing.registry.images import Manifest, digest


class Asked(NamedTuple):
    """A request as it arrived."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes

    @property
    def authorization(self) -> str:
        return self.headers.get("authorization", "")


class Reply(NamedTuple):
    """An answer. `cut`: so many bytes are promised and never sent. `pause`: seconds before each byte."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = {}
    cut: int = 0
    pause: float = 0
    delay: float = 0


Script = Callable[[Asked], Reply]


class FaultServer:
    """Runs `script` on a free port of this machine. `with` stops it."""

    def __init__(self, script: Script, context: ssl.SSLContext | None = None) -> None:
        self.script, self.asked = script, list[Asked]()
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.scheme = "http" if context is None else "https"
        self.port = self._server.server_address[1]
        self.address = f"127.0.0.1:{self.port}"
        self.base = f"{self.scheme}://{self.address}"

    def __enter__(self) -> Self:
        # A short poll, so that a test's end doesn't wait half a second.
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def paths(self) -> list[str]:
        """What was asked for, but for the question whether TLS is spoken."""
        return [one.path for one in self.asked if one.path != "/v2/"]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients hang up on us on purpose."""


def _handler(server: FaultServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # headers and body in one packet

        def answer(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, parts.path, parse_qs(parts.query), headers, body)
            with server.lock:
                server.asked.append(asked)
                server.at_once += 1
                server.most_at_once = max(server.most_at_once, server.at_once)
            try:
                self.reply(server.script(asked))
            finally:
                with server.lock:
                    server.at_once -= 1

        def reply(self, reply: Reply) -> None:
            time.sleep(reply.delay)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body) + reply.cut))
            self.end_headers()
            if self.command == "HEAD":
                return
            if reply.pause:
                for byte in reply.body:
                    time.sleep(reply.pause)
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
            else:
                self.wfile.write(reply.body)
            self.close_connection = self.close_connection or reply.cut > 0

        do_GET = do_HEAD = do_POST = do_CONNECT = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    return Handler


def as_json(value: Any, **headers: str) -> Reply:
    return Reply(200, json.dumps(value).encode(), {"Content-Type": "application/json", **headers})


def error(status: int, code: str, **headers: str) -> Reply:
    """A registry's own words for an error."""
    body = {"errors": [{"code": code, "message": "said by a test", "detail": None}]}
    return Reply(status, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})


def of_manifest(one: Manifest) -> Reply:
    return Reply(200, one.body, {"Content-Type": one.media_type, "Docker-Content-Digest": one.digest})


class Holding:
    """The script of a well-behaved registry with the images of one repository."""

    def __init__(self, images: Mapping[str, Manifest]) -> None:
        self.manifests: dict[str, Manifest] = dict(images)
        self.blobs: dict[str, bytes] = {}
        self.tags = sorted(images)
        for one in images.values():
            self._hold(one)

    def _hold(self, one: Manifest) -> None:
        self.manifests[one.digest] = one
        self.blobs |= {digest(blob): blob for blob in one.blobs}
        for member in one.members:
            self._hold(member)

    def __call__(self, asked: Asked) -> Reply:
        *_, kind, reference = asked.path.split("/")
        if asked.path == "/v2/":
            return Reply()
        if reference == "list":
            return as_json({"name": "nvidia/driver", "tags": self.tags})
        if kind == "manifests" and reference in self.manifests:
            return of_manifest(self.manifests[reference])
        if kind == "blobs" and reference in self.blobs:
            return Reply(200, self.blobs[reference], {"Content-Type": "application/octet-stream"})
        return error(404, "MANIFEST_UNKNOWN" if kind == "manifests" else "BLOB_UNKNOWN")
