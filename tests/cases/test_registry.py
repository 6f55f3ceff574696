"""Public cases of the area registry, against a server that does what the reports say."""

from pathlib import Path

import pytest

from generator.edges.registry import Missing
from generator.observed.image import BuiltImage
from tests.registry import images
from tests.registry.conftest import session
from tests.registry.faults import Asked, FaultServer, Holding, Reply, as_json, error
from tests.registry.looking import look

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
