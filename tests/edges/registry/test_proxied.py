"""The catalog's verbs through a proxy, with a credential helper, tokens that end and blobs that lie elsewhere."""

import json
from pathlib import Path

import pytest

from tests.testing.registry import keeping
from tests.testing.registry.faults import Asked, FaultServer, Holding, Reply, as_json
from tests.testing.registry.images import config, image
from tests.testing.registry.keeping import A, B, Capture, Kept, built, line

HOST, STORE = "registry.invalid", "store.invalid"
IDENTITY = "identity-of-the-helper"
# As RHEL's Dockerfile leaves it: no KERNEL_VERSION, and KERNEL-OS as a label.
LABELLED = image(
    config(
        env={"DRIVER_VERSION": "580.126.20", "DRIVER_BRANCH": "580"}, labels={"release": "6.8.0-1053-aws-ubuntu24.04"}
    )
)


class Company:
    """What stands behind the proxy: it is busy at first, wants a token that counts five times, and redirects blobs."""

    def __init__(self, holding: Holding) -> None:
        self.holding, self.busy, self.tokens, self.left = holding, 1, 0, 0

    def __call__(self, asked: Asked) -> Reply:
        if asked.path == "/token":
            if asked.method != "POST" or IDENTITY.encode() not in asked.body:
                return Reply(401)
            self.tokens, self.left = self.tokens + 1, 5
            return as_json({"access_token": f"token-{self.tokens}"})
        if asked.path.startswith("/stored/"):
            return self.holding(asked._replace(path=f"/v2/nvidia/driver/blobs/{asked.path.rpartition('/')[2]}"))
        if self.busy:
            self.busy -= 1
            return Reply(429, headers={"Retry-After": "0"})
        if asked.authorization != f"Bearer token-{self.tokens}" or not self.left:
            return Reply(401, headers={"WWW-Authenticate": f'Bearer realm="http://{HOST}/token",service="{HOST}"'})
        self.left -= 1
        if "/blobs/" in asked.path:
            return Reply(307, headers={"Location": f"http://{STORE}/stored/{asked.path.rpartition('/')[2]}"})
        return self.holding(asked)


def test_through_a_proxy_with_a_helper_s_identity(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeping.alone(tmp_path, monkeypatch)
    helper = tmp_path / "docker-credential-company"
    helper.write_text(
        f'#!/bin/sh\ncat > {tmp_path}/asked\necho \'{{"Username": "<token>", "Secret": "{IDENTITY}"}}\'\n'
    )
    helper.chmod(0o755)
    (tmp_path / "config.json").write_text(json.dumps({"credHelpers": {HOST: "company"}}))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    first = built(A)
    plain = ("--plain-http", HOST, "--plain-http", STORE)
    company = Company(Holding({A: first, B: LABELLED}))
    with FaultServer(company) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.address}")
        monkeypatch.setenv("NO_PROXY", "10.0.0.0/8, .example.com")
        kept = Kept(tmp_path / "r", capfd, HOST)
        synced = kept.sync("--all", *plain)
        assert (synced.code, synced.err) == (0, "")
        assert kept.lines == [line(A, first), line(B, LABELLED)]
        assert (tmp_path / "asked").read_text() == HOST
        assert company.tokens > 1
        assert {one.authorization for one in proxy.asked if one.path.startswith("/stored/")} == {""}
        # One of the two is no manifest any more: what can't be read is neither as listed nor missing.
        company.holding.manifests[B] = first._replace(body=b"{}")
        verified = kept.call("verify", *plain)
    assert verified.code == 3
    assert B in verified.text
    assert A not in verified.text
    assert IDENTITY not in synced.text + verified.text
