"""Public cases of the area registry, against a server that does what the reports say."""

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.cli.looking import look
from generator.edges.registry.client import Missing
from generator.observed.image import BuiltImage
from tests.cases import inventory
from tests.testing.command import Exit
from tests.testing.registry import images
from tests.testing.registry.faults import Asked, FaultServer, Holding, Reply, as_json, error
from tests.testing.registry.sessions import session
from tests.testing.repository import CaseRepo

FOUND = "580-6.8.0-90-generic-ubuntu24.04"


@pytest.mark.parametrize("relative", [True, False])
def test_d98_all_pages_are_read(tmp_path: Path, relative: bool) -> None:
    """lilydjwg/nvchecker#189."""
    first = [f"580-6.8.0-{abi}-generic-ubuntu24.04" for abi in range(100, 200)]

    def script(asked: Asked) -> Reply:
        if "last" in asked.query:
            return as_json({"tags": [FOUND]} if asked.query["last"] == [first[-1]] else {"tags": []})
        start = "" if relative else f"http://{asked.headers['host']}"
        return as_json({"tags": first}, Link=f'<{start}{asked.path}?last={first[-1]}&n=100>; rel="next"')

    with FaultServer(script) as server, session(tmp_path) as registries:
        tags = registries.repository(f"{server.address}/nvidia/driver").tags()
        assert not isinstance(tags, Missing)
        assert list(tags) == [*first, FOUND]


@pytest.mark.parametrize("form", images.FORMS)
def test_d99_an_image_is_found_in_each_of_the_four_forms(tmp_path: Path, form: str) -> None:
    """sergi0g/cup#132: 404 unless Accept names the form that is stored."""
    one = images.in_form(form)
    holding = Holding({FOUND: one})

    def script(asked: Asked) -> Reply:
        if "/manifests/" in asked.path:
            stored = holding(asked).headers["Content-Type"]
            return holding(asked) if stored in asked.headers["accept"] else error(404, "MANIFEST_UNKNOWN")
        return holding(asked)

    with FaultServer(script) as server, session(tmp_path) as registries:
        repository = registries.repository(f"{server.address}/nvidia/driver")
        assert repository.digest(FOUND) == one.digest
        found = look(repository, FOUND)
    assert isinstance(found, BuiltImage)
    assert (found.digest, found.platforms) == (one.digest, ("linux/amd64",))


@pytest.mark.parametrize("answer", ["token", "access_token"])
@pytest.mark.parametrize("user", ["$oauthtoken", ""])
def test_d101_the_vendor_s_login(tmp_path: Path, user: str, answer: str) -> None:
    """google/go-containerregistry#728: no service, no scope, a user name with a dollar sign; or nobody at all."""
    holding = Holding({FOUND: images.image()})

    def script(asked: Asked) -> Reply:
        if asked.path == "/proxy_auth":
            return as_json({answer: "t"})
        if asked.authorization == "Bearer t":
            return holding(asked)
        realm = f"http://{asked.headers['host']}/proxy_auth"
        return Reply(401, headers={"WWW-Authenticate": f'Bearer realm="{realm}"'})

    with FaultServer(script) as server:
        environ = {"oauthtoken": "expanded"}
        if user:
            environ["DRIVERGATE_REGISTRY"] = server.address
            environ |= {"DRIVERGATE_REGISTRY_USERNAME": user, "DRIVERGATE_REGISTRY_PASSWORD": "key"}
        with session(tmp_path, environ) as registries:
            assert registries.repository(f"{server.address}/nvidia/driver").digest(FOUND) == images.image().digest
    (asked,) = [one for one in server.asked if one.path == "/proxy_auth"]
    assert asked.query == {"scope": ["repository:nvidia/driver:pull"]}
    assert asked.authorization == ("Basic JG9hdXRodG9rZW46a2V5" if user else "")  # printf '$oauthtoken:key' | base64


def synced(repo: CaseRepo, script: Callable[[Asked], Reply], monkeypatch: pytest.MonkeyPatch, **more: str) -> Exit:
    """`catalog sync` of a fleet whose pools pull from a server of the tests."""
    monkeypatch.setenv("HOME", str(repo.path.parent / "home"))
    with FaultServer(script) as server:
        name = f"{server.address}/nvidia/driver"
        os = 'id: ubuntu, version: "24.04"'
        files = inventory.files(inventory.pool("a", 'branch: "580"', os=os, kernels="6.8.0-90-generic"))
        fleet = files[inventory.FLEET]
        assert isinstance(fleet, str)
        repo.lay({**files, inventory.FLEET: fleet.replace(inventory.REPOSITORY, name)})
        for key, value in more.items():
            monkeypatch.setenv(key, value.replace("{server}", server.address))
        return repo.drivergate("catalog", "sync")


def test_d98_sync_finds_the_tag_of_the_second_page(repo: CaseRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    holding = Holding({FOUND: images.image(images.config(env=images.ubuntu_env("6.8.0-90-generic", "580.126.20")))})
    first = [f"535-6.8.0-{abi}-generic-ubuntu24.04" for abi in range(100, 200)]

    def script(asked: Asked) -> Reply:
        if not asked.path.endswith("/list"):
            return holding(asked)
        if "last" in asked.query:
            return as_json({"tags": [FOUND]})
        return as_json({"tags": first}, Link=f'<{asked.path}?last={first[-1]}&n=100>; rel="next"')

    said = synced(repo, script, monkeypatch)
    assert (said.code, said.err) == (0, "")
    assert f"/nvidia/driver:{FOUND}\n" in said.out
    assert repo.drivergate("catalog", "list", "--state", "published").out.count(FOUND) == 1


def test_d98_a_loop_of_pages_ends_without_a_verdict(repo: CaseRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    def script(asked: Asked) -> Reply:
        return as_json({"tags": [FOUND]}, Link=f'<{asked.path}?n=1>; rel="next"')

    said = synced(repo, script, monkeypatch)
    assert said.code == 3
    assert "could not look: " in said.err


def test_d99_no_form_of_an_image_is_missing(repo: CaseRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    for form in images.FORMS:
        said = synced(repo, Holding({FOUND: images.in_form(form)}), monkeypatch)
        assert said.code == 0
        assert "missing" not in said.text
        assert repo.drivergate("catalog", "show", FOUND).out.splitlines()[0].endswith(f"{FOUND}  published")


def test_d101_sync_logs_in_as_the_vendor_wants(repo: CaseRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    """And neither the key nor the token that it gets is in what is said, wherever the run ends."""
    secret, token = "planted-key-7d1", "planted-token-9c2"
    holding = Holding({FOUND: images.image()})

    def script(asked: Asked) -> Reply:
        if asked.path == "/proxy_auth":
            wanted = "Basic " + b64encode(f"$oauthtoken:{secret}".encode()).decode()
            return as_json({"token": token}) if asked.authorization == wanted else error(401, "UNAUTHORIZED")
        if asked.authorization == f"Bearer {token}":
            return holding(asked)
        realm = f"http://{asked.headers['host']}/proxy_auth"
        return Reply(401, headers={"WWW-Authenticate": f'Bearer realm="{realm}"'})

    login = {
        "DRIVERGATE_REGISTRY": "{server}",
        "DRIVERGATE_REGISTRY_USERNAME": "$oauthtoken",
        "DRIVERGATE_REGISTRY_PASSWORD": secret,
    }
    said = synced(repo, script, monkeypatch, **login)
    assert said.code == 0
    assert FOUND in said.out
    refused = synced(repo, lambda _: error(403, "DENIED"), monkeypatch, **login)
    assert refused.code == 3
    monkeypatch.setattr("generator.cli.looking.built", lambda *_: 1 / 0)
    repo.lay({inventory.CATALOG: ""})
    with pytest.raises(AssertionError, match="this is a bug in drivergate") as crashed:
        synced(repo, script, monkeypatch, **login)
    for text in (said.text, refused.text, str(crashed.value)):
        assert secret not in text
        assert token not in text
        assert b64encode(f"$oauthtoken:{secret}".encode()).decode() not in text
