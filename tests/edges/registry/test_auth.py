"""What a registry asks for, and who gets what: distribution docs/spec/auth/token.md, and what servers make of it."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from threading import Lock

import pytest

from generator.edges.errors import CouldNotLookError
from generator.edges.parallel import each
from generator.edges.registry.challenge import Challenge, challenges, token_url
from tests.testing.registry import images
from tests.testing.registry.faults import Asked, FaultServer, Holding, Reply, as_json
from tests.testing.registry.sessions import session

TAG = "580-6.8.0-106-generic-ubuntu24.04"
ONE = images.image()
OURS = "repository:nvidia/driver:pull"


def refusal(home: Path, server: FaultServer, environ: Mapping[str, str] | None = None) -> CouldNotLookError:
    with session(home, environ) as registries, pytest.raises(CouldNotLookError) as caught:
        registries.repository(f"{server.address}/nvidia/driver").manifest("t1")
    assert "hunter2" not in f"{caught.value.message}{caught.value.hint}"
    return caught.value


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", []),
        ("Bearer", [Challenge("bearer")]),
        ('Bearer realm="https://a/t",service="s",scope="x"', [Challenge("bearer", "https://a/t", "s")]),
        ("bearer REALM=https://a/t , Service = s", [Challenge("bearer", "https://a/t", "s")]),
        ('Bearer realm="https://a/t?x=1,2&y=\\"q\\""', [Challenge("bearer", 'https://a/t?x=1,2&y="q"')]),
        ('Basic realm="r", Bearer realm="https://a/t"', [Challenge("basic", "r"), Challenge("bearer", "https://a/t")]),
        ('Negotiate, Basic realm="r"', [Challenge("negotiate"), Challenge("basic", "r")]),
        ('Bearer realm="https://a', [Challenge("bearer", '"https://a')]),
        ("= =,,=", []),
    ],
)
def test_challenges(header: str, expected: list[Challenge]) -> None:
    found = list(challenges([header]))
    if header.count('"') == 1:  # nothing sensible can be read, but nothing breaks
        assert [one.scheme for one in found][:1] == ["bearer"]
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("realm", "service", "expected"),
    [
        ("https://a/t", "", f"https://a/t?scope={OURS}"),
        ("https://a/t", "s t", f"https://a/t?service=s+t&scope={OURS}"),
        ("https://a/t?account=x", "s", f"https://a/t?account=x&service=s&scope={OURS}"),
        ("https://a/t?scope=repository:other:pull,push", "", f"https://a/t?scope={OURS}"),
        ("https://a/t?service=own", "other", f"https://a/t?service=own&scope={OURS}"),
        ("https://a:8443/t?", "", f"https://a:8443/t?scope={OURS}"),
    ],
)
def test_where_a_token_is_fetched(realm: str, service: str, expected: str) -> None:
    assert token_url(Challenge("bearer", realm, service), "nvidia/driver") == expected


class Service:
    """A registry that wants a token, and its token service on the same port; `lives` requests each."""

    def __init__(self, header: str = 'Bearer realm="{base}/token"', lives: int = 1000, **answer: object) -> None:
        self.header, self.lives, self.answer = header, lives, answer or {"token": "{token}"}
        self.holding = Holding(
            {f"t{number}": images.image(images.config(env={"N": str(number)})) for number in range(40)}
        )
        self.issued = 0
        self.left: dict[str, int] = {}
        self.lock = Lock()

    def __call__(self, asked: Asked) -> Reply:
        if asked.path == "/v2/":
            return Reply()
        with self.lock:
            if asked.path == "/token":
                self.issued += 1
                token = f"t{self.issued}"
                self.left[f"Bearer {token}"] = self.lives
                return as_json({name: str(value).format(token=token) for name, value in self.answer.items()})
            if self.left.get(asked.authorization, 0) <= 0:
                header = self.header.format(base=f"http://{asked.headers['host']}")
                return Reply(401, headers={"WWW-Authenticate": header})
            self.left[asked.authorization] -= 1
        return self.holding(asked)


@pytest.mark.parametrize(
    "answer", [{"token": "{token}"}, {"access_token": "{token}"}, {"token": "{token}", "access_token": "x"}]
)
@pytest.mark.parametrize(
    "header",
    [
        'Bearer realm="{base}/token"',
        'Bearer realm="{base}/token?account=a&scope=repository:other:pull"',
        'Bearer realm="{base}/token",service="s",scope="repository:nvidia/driver:pull,push"',
        'Basic realm="x", Bearer realm="{base}/token"',
    ],
)
def test_an_anonymous_token(tmp_path: Path, header: str, answer: dict[str, str]) -> None:
    service = Service(header, **answer)
    with FaultServer(service) as server, session(tmp_path) as registries:
        repository = registries.repository(f"{server.address}/nvidia/driver")
        assert repository.digest("t1")
        assert repository.digest("t2")
    (fetched,) = [one for one in server.asked if one.path == "/token"]
    assert fetched.query["scope"] == [OURS]
    assert fetched.authorization == ""
    assert service.issued == 1


def test_a_token_that_ends_in_mid_run_is_fetched_anew_once(tmp_path: Path) -> None:
    service = Service(lives=12)
    with FaultServer(service) as server, session(tmp_path) as registries:
        repository = registries.repository(f"{server.address}/nvidia/driver")
        found = dict(each([f"t{number}" for number in range(40)], repository.digest))
    assert all(isinstance(one, str) for one in found.values())
    assert len(found) == 40
    assert service.issued == 4  # 40 requests at 12 a token, four at once or not


def test_a_registry_that_likes_no_token_is_asked_twice(tmp_path: Path) -> None:
    service = Service(lives=0)
    with FaultServer(service) as server:
        told = refusal(tmp_path, server)
    assert "401" in told.message
    assert service.issued == 1
    assert "docker login" in told.hint


@pytest.mark.parametrize(
    "answer", [{}, {"token": ""}, {"token": None}, {"token": 1}, {"token": "a\nb: c"}, {"token": "ü"}, []]
)
def test_a_token_service_without_a_token(tmp_path: Path, answer: object) -> None:
    def script(asked: Asked) -> Reply:
        if asked.path == "/token":
            return Reply(200, json.dumps(answer).encode())
        host = asked.headers["host"]
        return Reply(401, headers={"WWW-Authenticate": f'Bearer realm="http://{host}/token"'})

    with FaultServer(script) as server:
        assert "without one" in refusal(tmp_path, server).message


@pytest.mark.parametrize(
    ("realm", "why"),
    [
        ("http://registry.invalid/token", "over plain HTTP"),
        ("https://user:hunter2@127.0.0.1/token", "no URL"),
        ("ftp://127.0.0.1/token", "no URL"),
        ("/token", "no URL"),
        ("http://[/token", "no URL"),
        ("http://127.0.0.1:99999/", "no URL"),
        ("file:///etc/passwd", "no URL"),
    ],
)
@pytest.mark.parametrize("known", [False, True])
def test_realms_that_are_not_asked(tmp_path: Path, realm: str, why: str, known: bool) -> None:
    header = {"WWW-Authenticate": f'Bearer realm="{realm}"'}
    with FaultServer(lambda asked: Reply(401, headers=header)) as server:
        environ = {"DRIVERGATE_REGISTRY_USERNAME": "u", "DRIVERGATE_REGISTRY_PASSWORD": "hunter2"}
        environ |= {"DRIVERGATE_REGISTRY": server.address}
        assert why in refusal(tmp_path, server, environ if known else {}).message


@pytest.mark.parametrize("header", ["", "Negotiate", 'Basic realm="x"', "Bearer", 'Digest realm="x"'])
def test_ways_to_log_in_that_lead_nowhere(tmp_path: Path, header: str) -> None:
    headers = {"WWW-Authenticate": header} if header else {}
    with FaultServer(lambda asked: Reply(401, headers=headers)) as server:
        assert "401" in refusal(tmp_path, server).message


def test_a_token_service_on_another_port_gets_the_credentials_and_the_registry_the_token(tmp_path: Path) -> None:
    expected = "Basic " + base64.b64encode(b"$oauthtoken:hunter2").decode()

    def tokens(asked: Asked) -> Reply:
        return as_json({"token": "fresh"}) if asked.authorization == expected else Reply(401)

    with FaultServer(tokens) as realm:

        def script(asked: Asked) -> Reply:
            if asked.authorization == "Bearer fresh":
                return Holding({TAG: ONE})(asked)
            return Reply(401, headers={"WWW-Authenticate": f'Bearer realm="{realm.base}/token"'})

        with FaultServer(script) as server:
            environ = {
                "DRIVERGATE_REGISTRY": server.address,
                "DRIVERGATE_REGISTRY_USERNAME": "$oauthtoken",
                "DRIVERGATE_REGISTRY_PASSWORD": "hunter2",
            }
            with session(tmp_path, environ) as registries:
                assert registries.repository(f"{server.address}/nvidia/driver").digest(TAG) == ONE.digest
    assert {one.authorization for one in server.asked} == {"", "Bearer fresh"}
    assert {one.authorization for one in realm.asked} == {expected}


def test_a_token_service_that_redirects_takes_nothing_along(tmp_path: Path) -> None:
    """Neither the password by GET nor the refresh token by POST."""
    with FaultServer(lambda asked: as_json({"token": "t"})) as elsewhere:
        for secret in ({"auth": base64.b64encode(b"u:hunter2").decode()}, {"identitytoken": "hunter2"}):

            def script(asked: Asked) -> Reply:
                if asked.path == "/token":
                    return Reply(307, headers={"Location": f"{elsewhere.base}/token"})
                host = asked.headers["host"]
                return Reply(401, headers={"WWW-Authenticate": f'Bearer realm="http://{host}/token"'})

            with FaultServer(script) as server:
                config = tmp_path / "config.json"
                config.write_text(json.dumps({"auths": {server.address: secret}}))
                refusal(tmp_path, server, {"DOCKER_CONFIG": str(tmp_path)})
        assert "hunter2" not in str(elsewhere.asked)
        assert base64.b64encode(b"u:hunter2").decode() not in str(elsewhere.asked)


def test_plain_http_is_spoken_where_the_user_says_so(tmp_path: Path) -> None:
    """`0.0.0.0` is this machine, but no loopback address by its text."""
    with FaultServer(Holding({TAG: ONE})) as server:
        address = f"0.0.0.0:{server.port}"
        with session(tmp_path, plain_http=[address]) as registries:
            assert registries.repository(f"{address}/nvidia/driver").digest(TAG) == ONE.digest
        with session(tmp_path) as registries, pytest.raises(CouldNotLookError, match="TLS"):
            registries.repository(f"{address}/nvidia/driver").digest(TAG)


def test_a_plain_registry_can_not_name_a_token_service_elsewhere(tmp_path: Path) -> None:
    """Whoever listens on the line could have written that challenge."""
    with FaultServer(lambda asked: as_json({"token": "t"})) as realm:
        header = {"WWW-Authenticate": f'Bearer realm="{realm.base}/token"'}
        with FaultServer(lambda asked: Reply(401, headers=header)) as server:
            address = f"0.0.0.0:{server.port}"
            environ = {"DRIVERGATE_REGISTRY": address, "DRIVERGATE_REGISTRY_USERNAME": "u"}
            environ["DRIVERGATE_REGISTRY_PASSWORD"] = "hunter2"
            with (
                session(tmp_path, environ, plain_http=[address]) as registries,
                pytest.raises(CouldNotLookError, match="elsewhere"),
            ):
                registries.repository(f"{address}/nvidia/driver").manifest(TAG)
        assert realm.asked == []
