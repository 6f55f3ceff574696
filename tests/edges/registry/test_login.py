"""Logging in at Debian's registry: basic, tokens, TLS with a private authority."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import trustme

from generator.cli.looking import look
from generator.edges.errors import CouldNotLookError, UnreadableError
from generator.edges.registry.client import Absent, Missing
from generator.observed.image import BuiltImage
from tests.testing.registry import debian, images, keeping
from tests.testing.registry.faults import FaultServer
from tests.testing.registry.pusher import Pusher
from tests.testing.registry.sessions import session
from tests.testing.registry.tokens import ISSUER, SERVICE, TokenService

TAG = "580-6.8.0-106-generic-ubuntu24.04"
# As NVIDIA's registry has it, dollar sign and all; a password with a colon and beyond ASCII.
USER, PASSWORD = "$oauthtoken", "p$ss:wörd hunter2"
REFRESH = "refresh-hunter2"
HTPASSWD = f"{USER}:$2b$04$ITg8.tsYjzFQ81Ht2UN.l.Vg3w4MVoTKFPkdaPyYd3n1HSZX69z9a\n"


class Guarded(NamedTuple):
    """A registry with TLS of a private authority; `cafile` is that authority's certificate."""

    address: str
    cafile: str


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def cafile(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("authority") / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


def served_with(authority: trustme.CA, folder: Path) -> dict[str, str]:
    certificate = authority.issue_cert("127.0.0.1")
    certificate.private_key_pem.write_to_path(str(folder / "key.pem"))
    certificate.cert_chain_pems[0].write_to_path(str(folder / "cert.pem"))
    return {
        "REGISTRY_HTTP_TLS_CERTIFICATE": str(folder / "cert.pem"),
        "REGISTRY_HTTP_TLS_KEY": str(folder / "key.pem"),
    }


@pytest.fixture(scope="module")
def basic(authority: trustme.CA, cafile: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder = tmp_path_factory.mktemp("basic")
    (folder / "htpasswd").write_text(HTPASSWD)
    settings = served_with(authority, folder) | {
        "REGISTRY_AUTH": "htpasswd",
        "REGISTRY_AUTH_HTPASSWD_REALM": "tests",
        "REGISTRY_AUTH_HTPASSWD_PATH": str(folder / "htpasswd"),
    }
    with debian.running(folder / "registry", settings) as address:
        Pusher(f"https://{address}", (USER, PASSWORD), cafile).push("nvidia/driver", TAG, images.image())
        yield Guarded(address, cafile)


@pytest.fixture(scope="module")
def token(authority: trustme.CA, cafile: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder = tmp_path_factory.mktemp("token")
    service = TokenService(authority, (USER, PASSWORD), REFRESH)
    with FaultServer(service) as server:
        settings = served_with(authority, folder) | {
            "REGISTRY_AUTH": "token",
            "REGISTRY_AUTH_TOKEN_REALM": f"{server.base}/token",
            "REGISTRY_AUTH_TOKEN_SERVICE": SERVICE,
            "REGISTRY_AUTH_TOKEN_ISSUER": ISSUER,
            "REGISTRY_AUTH_TOKEN_ROOTCERTBUNDLE": cafile,
        }
        with debian.running(folder / "registry", settings) as address:
            pusher = Pusher(f"https://{address}", cafile=cafile)
            for repository in ("public/driver", "private/driver"):
                pusher.authorize(lambda name: service.signed(name, ["pull", "push"]), repository)
                pusher.push(repository, TAG, images.image())
            yield Guarded(address, cafile)


def docker_config(home: Path, registry: str, **entry: str) -> None:
    (home / ".docker").mkdir()
    (home / ".docker" / "config.json").write_text(json.dumps({"auths": {registry: entry}}))


def auth(password: str = PASSWORD) -> str:
    return base64.b64encode(f"{USER}:{password}".encode()).decode()


def found(home: Path, guarded: Guarded, path: str, **environ: str) -> BuiltImage | Missing:
    with session(home, {"SSL_CERT_FILE": guarded.cafile, **environ}) as registries:
        repository = registries.repository(f"{guarded.address}/{path}")
        listed = repository.tags()
        assert not isinstance(listed, Missing)
        assert list(listed) == [TAG]
        assert repository.digest(TAG) == images.image().digest
        assert repository.digest("none") == Missing(Absent.TAG)
        return look(repository, TAG)


def refusal(home: Path, guarded: Guarded, path: str, **environ: str) -> CouldNotLookError:
    with session(home, {"SSL_CERT_FILE": guarded.cafile, **environ}) as registries:
        with pytest.raises(CouldNotLookError) as caught:
            look(registries.repository(f"{guarded.address}/{path}"), TAG)
        assert guarded.address in caught.value.message
        assert "hunter2" not in f"{caught.value.message} {caught.value.hint}"
        return caught.value


def test_basic_from_docker_s_file(tmp_path: Path, basic: Guarded) -> None:
    docker_config(tmp_path, basic.address, auth=auth())
    assert isinstance(found(tmp_path, basic, "nvidia/driver"), BuiltImage)


def test_basic_from_the_environment(tmp_path: Path, basic: Guarded) -> None:
    environ = {
        "DRIVERGATE_REGISTRY": basic.address,
        "DRIVERGATE_REGISTRY_USERNAME": USER,
        "DRIVERGATE_REGISTRY_PASSWORD": PASSWORD,
    }
    assert isinstance(found(tmp_path, basic, "nvidia/driver", **environ), BuiltImage)


def test_basic_without_or_with_wrong_credentials(tmp_path: Path, basic: Guarded) -> None:
    told = refusal(tmp_path, basic, "nvidia/driver")
    assert "401" in told.message
    assert f"docker login {basic.address}" in told.hint
    docker_config(tmp_path, basic.address, auth=auth("hunter2 of yesterday"))
    told = refusal(tmp_path, basic, "nvidia/driver")
    assert "401 (UNAUTHORIZED)" in told.message
    assert ".docker/config.json" in told.hint


def test_credentials_of_another_registry_are_not_sent(tmp_path: Path, basic: Guarded) -> None:
    docker_config(tmp_path, "nvcr.io", auth=auth())
    environ = {"DRIVERGATE_REGISTRY": "nvcr.io", "DRIVERGATE_REGISTRY_TOKEN": "hunter2"}
    assert "401" in refusal(tmp_path, basic, "nvidia/driver", **environ).message


def test_everybody_may_read_with_an_anonymous_token(tmp_path: Path, token: Guarded) -> None:
    assert isinstance(found(tmp_path, token, "public/driver"), BuiltImage)
    told = refusal(tmp_path, token, "private/driver")
    assert "401 (UNAUTHORIZED)" in told.message
    assert "docker login" in told.hint


@pytest.mark.parametrize(
    "entry", [{"auth": auth()}, {"username": USER, "password": PASSWORD}, {"identitytoken": REFRESH}]
)
def test_a_token_for_credentials(tmp_path: Path, token: Guarded, entry: dict[str, str]) -> None:
    docker_config(tmp_path, f"https://{token.address}/v2/", **entry)
    assert isinstance(found(tmp_path, token, "private/driver"), BuiltImage)


@pytest.mark.parametrize("entry", [{"auth": auth("hunter2 of yesterday")}, {"identitytoken": "hunter2"}])
def test_a_token_service_that_refuses(tmp_path: Path, token: Guarded, entry: dict[str, str]) -> None:
    docker_config(tmp_path, token.address, **entry)
    told = refusal(tmp_path, token, "private/driver")
    assert "token service" in told.message
    assert "401" in told.message
    assert ".docker/config.json" in told.hint


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_a_private_authority_by_each_variable(tmp_path: Path, token: Guarded, name: str) -> None:
    with session(tmp_path, {name: token.cafile}) as registries:
        assert isinstance(look(registries.repository(f"{token.address}/public/driver"), TAG), BuiltImage)


def test_an_authority_that_nobody_named(tmp_path: Path, basic: Guarded) -> None:
    docker_config(tmp_path, basic.address, auth=auth())
    told = refusal(tmp_path, basic, "nvidia/driver", SSL_CERT_FILE="")
    assert "isn't trusted" in told.message
    assert "SSL_CERT_FILE" in told.hint


def test_a_certificate_for_another_name(tmp_path: Path, basic: Guarded) -> None:
    elsewhere = Guarded(basic.address.replace("127.0.0.1", "localhost"), basic.cafile)
    assert "isn't trusted" in refusal(tmp_path, elsewhere, "nvidia/driver").message


@pytest.mark.parametrize(("text", "why"), [(None, "no such file"), ("none", "holds no certificate")])
def test_an_authority_s_file_that_can_not_be_read(tmp_path: Path, basic: Guarded, text: str | None, why: str) -> None:
    path = tmp_path / "ca.pem"
    if text is not None:
        path.write_text(text)
    with session(tmp_path, {"SSL_CERT_FILE": str(path)}) as registries:
        with pytest.raises(UnreadableError, match=why) as caught:
            registries.repository(f"{basic.address}/nvidia/driver").digest(TAG)
        assert str(path) in caught.value.message


@pytest.mark.parametrize("guard", ["basic", "token"])
def test_sync_and_verify_from_end_to_end(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    guard: str,
) -> None:
    """Private authority, credentials and real registry: refused without, exit 3 and nothing written; synced with."""
    keeping.alone(tmp_path, monkeypatch)
    guarded = request.getfixturevalue(guard)
    path = "nvidia/driver" if guard == "basic" else "private/driver"
    kept = keeping.Kept(tmp_path / "r", capfd, guarded.address, path=path)
    before = kept.text
    untrusted = kept.sync()
    assert (untrusted.code, kept.text) == (3, before)
    assert "isn't trusted" in untrusted.err
    monkeypatch.setenv("SSL_CERT_FILE", guarded.cafile)
    refused = kept.sync()
    assert (refused.code, kept.text) == (3, before)
    assert f"docker login {guarded.address}" in refused.err
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"auths": {guarded.address: {"auth": auth("hunter2 of yesterday")}}}))
    wrong = kept.sync()
    assert (wrong.code, kept.text) == (3, before)
    config.write_text(json.dumps({"auths": {guarded.address: {"auth": auth()}}}))
    done = kept.sync("--all")
    assert done.code == 0
    assert kept.lines == [keeping.line(TAG, images.image())]
    assert kept.call("verify").code == 0
    said = "".join(f"{one.out}{one.err}" for one in (untrusted, refused, wrong, done))
    assert [secret for secret in ("hunter2", auth(), auth("hunter2 of yesterday")) if secret in said] == []
