"""Pushes over the distribution API, as little as the tests need (distribution-spec, "Push")."""

import base64
from collections.abc import Callable

import urllib3

from tests.testing.registry.images import Manifest, digest


def basic_auth(login: tuple[str, str]) -> dict[str, str]:
    """User name and password in UTF-8 (RFC 7617)."""
    return {"Authorization": f"Basic {base64.b64encode(':'.join(login).encode()).decode()}"}


class Pusher:
    """Puts images into one registry. `login` is a user name and a password, or nothing."""

    def __init__(self, base: str, login: tuple[str, str] | None = None, cafile: str | None = None) -> None:
        self.base = base
        self._headers = basic_auth(login) if login else {}
        self._pool = urllib3.PoolManager(ca_certs=cafile, headers=self._headers)

    def authorize(self, token: Callable[[str], str], repository: str) -> None:
        """With a token for a repository instead of a password."""
        self._headers = {"Authorization": f"Bearer {token(repository)}"}

    def push(self, repository: str, tag: str, manifest: Manifest) -> str:
        """The image under a tag, with everything that it needs; its digest."""
        for member in manifest.members:
            self.push(repository, member.digest, member)
        for blob in manifest.blobs:
            self._blob(repository, blob)
        url = f"{self.base}/v2/{repository}/manifests/{tag}"
        self._sent("PUT", url, 201, manifest.body, manifest.media_type)
        return manifest.digest

    def delete(self, repository: str, reference: str) -> None:
        """A manifest by its digest, or what a tag names."""
        self._sent("DELETE", f"{self.base}/v2/{repository}/manifests/{reference}", 202)

    def _blob(self, repository: str, data: bytes) -> None:
        known = self._pool.request("HEAD", f"{self.base}/v2/{repository}/blobs/{digest(data)}", headers=self._headers)
        if known.status == 200:
            return
        started = self._sent("POST", f"{self.base}/v2/{repository}/blobs/uploads/", 202)
        place = started.headers["location"]
        url = place if "://" in place else f"{self.base}{place}"
        self._sent("PUT", f"{url}{'&' if '?' in url else '?'}digest={digest(data)}", 201, data)

    def _sent(
        self, method: str, url: str, wanted: int, body: bytes | None = None, kind: str = "application/octet-stream"
    ) -> urllib3.BaseHTTPResponse:
        answer = self._pool.request(method, url, body=body, headers={**self._headers, "Content-Type": kind})
        assert answer.status == wanted, (method, url, answer.status, answer.data)
        return answer
