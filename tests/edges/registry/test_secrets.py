"""Secrets in everything that is read, and nothing of them in anything that is said."""

import base64
import json
import logging
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from generator.cli.looking import look
from generator.edges.errors import OutsideError
from generator.edges.registry.secret import Secret
from tests.testing.registry import images
from tests.testing.registry.faults import Asked, FaultServer, Holding, Reply, as_json
from tests.testing.registry.sessions import session

WORD = "hunter2"
ENCODED = [base64.b64encode(f"{before}{WORD}".encode()).decode().rstrip("=") for before in ("", "u:", "$oauthtoken:")]
TAG = "580-6.8.0-106-generic-ubuntu24.04"
PLANTED = {"message": WORD, "detail": WORD, "code": f"{WORD}"}


def challenge(asked: Asked, realm: str = "/token") -> Reply:
    host = asked.headers["host"]
    header = f'Bearer realm="http://{host}{realm}",service="{WORD}"'
    return Reply(401, json.dumps({"errors": [PLANTED]}).encode(), {"WWW-Authenticate": header})


def wants_token(then: Callable[[Asked], Reply], token: object = None) -> Callable[[Asked], Reply]:
    """A registry that asks for a token and gives one, then answers so."""

    def script(asked: Asked) -> Reply:
        if asked.path == "/v2/":
            return Reply()
        if asked.path == "/token":
            return as_json({"token": f"token-{WORD}"} if token is None else token)
        return then(asked) if asked.authorization else challenge(asked)

    return script


def echo(asked: Asked) -> Reply:
    """An error that repeats what it was sent, as some proxies do."""
    said = {"errors": [{"code": asked.authorization, "message": asked.authorization}]}
    return Reply(403, json.dumps(said).encode(), {"X-Echo": asked.authorization})


SCRIPTS: dict[str, Callable[[Asked], Reply]] = {
    "refused": lambda asked: Reply() if asked.path == "/v2/" else challenge(asked),
    "echoed": wants_token(echo),
    "no token": wants_token(echo, token={"error": WORD}),
    "token of two lines": wants_token(echo, token={"token": f"{WORD}\r\nX: {WORD}"}),
    "refused by the service": lambda asked: Reply(401, WORD.encode()) if asked.path == "/token" else challenge(asked),
    "realm with a password": lambda asked: challenge(asked, f"@{WORD}:{WORD}@127.0.0.1/"),
    "realm with a query": lambda asked: challenge(asked, f"/nowhere?key={WORD}"),
    "signed redirect": wants_token(lambda asked: Reply(307, headers={"Location": f"http://127.0.0.1:1/?sig={WORD}"})),
    "redirect to plain": wants_token(lambda asked: Reply(307, headers={"Location": f"http://a.invalid/{WORD}"})),
    "redirect with a password": wants_token(lambda asked: Reply(307, headers={"Location": f"http://u:{WORD}@a/"})),
    "cut": wants_token(lambda asked: Reply(200, WORD.encode(), cut=9)),
    "busy": wants_token(lambda asked: Reply(503, WORD.encode())),
    "patience": wants_token(lambda asked: Reply(429, headers={"Retry-After": "9999"})),
    "no manifest": wants_token(lambda asked: Reply(200, json.dumps({"config": WORD}).encode())),
    "wrong digest": wants_token(lambda asked: Reply(200, b"{}", {"Docker-Content-Digest": f"sha256:{'0' * 64}"})),
    "page elsewhere": wants_token(lambda asked: as_json({"tags": ["a"]}, Link=f"<http://a/?k={WORD}>; rel=next")),
    "broken headers": wants_token(lambda asked: Reply(400, b"", {"X ": WORD})),
}


def planted(home: Path, address: str, kind: str) -> dict[str, str]:
    """The word in one of the places that credentials come from."""
    match kind:
        case "password":
            return {
                "DRIVERGATE_REGISTRY": address,
                "DRIVERGATE_REGISTRY_USERNAME": "u",
                "DRIVERGATE_REGISTRY_PASSWORD": WORD,
            }
        case "bearer":
            return {"DRIVERGATE_REGISTRY": address, "DRIVERGATE_REGISTRY_TOKEN": WORD}
        case "file":
            entry = {"auth": base64.b64encode(f"$oauthtoken:{WORD}".encode()).decode()}
        case "identity":
            entry = {"identitytoken": WORD}
        case _:
            program = home / "docker-credential-test"
            program.write_text(f'#!/bin/sh\necho \'{{"Username": "u", "Secret": "{WORD}"}}\'; echo {WORD} >&2\n')
            program.chmod(0o755)
            (home / "config.json").write_text(json.dumps({"credsStore": "test"}))
            return {"DOCKER_CONFIG": str(home), "PATH": f"{home}:/usr/bin:/bin"}
    (home / "config.json").write_text(json.dumps({"auths": {address: entry}}))
    return {"DOCKER_CONFIG": str(home)}


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    caplog.set_level(logging.DEBUG)
    return caplog


KINDS = ("password", "bearer", "file", "identity", "helper")


@pytest.mark.parametrize(
    ("what", "kind"),
    # A server whose headers break is waited for, so once is enough.
    [(what, kind) for what in SCRIPTS for kind in KINDS if what != "broken headers" or kind == "password"],
)
def test_no_secret_is_said(
    tmp_path: Path, log: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], what: str, kind: str
) -> None:
    (tmp_path / ".netrc").write_text(f"machine 127.0.0.1 login u password {WORD}\n")
    with FaultServer(SCRIPTS[what]) as server:
        environ = planted(tmp_path, server.address, kind)
        environ |= {"HTTPS_PROXY": f"http://u:{WORD}@127.0.0.1:1", "NETRC": str(tmp_path / ".netrc")}
        with session(tmp_path, environ) as registries:
            repository = registries.repository(f"{server.address}/nvidia/driver")
            with pytest.raises(OutsideError) as caught:
                list(repository.tags() if what == "page elsewhere" else [look(repository, TAG)])
            said = [str(caught.value), repr(caught.value), caught.value.hint, str(caught.value.args)]
            said += [repr(registries), repr(repository), str(repository)]
    said += traceback.format_exception(caught.value)
    said += [record.getMessage() for record in log.records]
    said += capfd.readouterr()
    everything = "\n".join(said)
    assert [secret for secret in (WORD, *ENCODED) if secret in everything] == []


def test_a_bug_underneath_shows_no_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: pytest.LogCaptureFixture
) -> None:
    """The whole chain of exceptions, as Python prints it for one that nobody catches."""
    server = FaultServer(wants_token(Holding({TAG: images.image()})))
    with server, session(tmp_path, planted(tmp_path, server.address, "password")) as registries:
        repository = registries.repository(f"{server.address}/nvidia/driver")
        look(repository, TAG)
        monkeypatch.setattr("urllib3.response.HTTPResponse.read1", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError) as caught:
            look(repository, TAG)
    said = "".join(traceback.format_exception(caught.value))
    assert [secret for secret in (WORD, *ENCODED) if secret in said] == []


def test_a_secret_shows_itself_to_nobody_who_does_not_ask() -> None:
    secret = Secret(WORD)
    assert WORD not in f"{secret} {secret!r} {[secret]} {{'a': {secret}}}"
    assert secret.reveal() == WORD
    assert secret == Secret(WORD) != Secret("other")
    assert hash(secret) == hash(Secret(WORD))
    assert not Secret("")
