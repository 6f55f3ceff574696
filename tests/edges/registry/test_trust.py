"""Proxies by the usual variables: what curl and Python's requests agree on, loopback left out as Go does."""

from pathlib import Path

import pytest

from generator.edges.errors import CouldNotLookError, OutsideError
from generator.edges.registry import trust as registry_trust
from tests.testing.registry import images
from tests.testing.registry.faults import FaultServer, Holding, Reply
from tests.testing.registry.sessions import session

TAG = "580-6.8.0-106-generic-ubuntu24.04"
PROXY = "http://proxy:3128"


@pytest.mark.parametrize(
    ("environ", "url", "expected"),
    [
        ({}, "https://nvcr.io", None),
        ({"HTTPS_PROXY": PROXY}, "https://nvcr.io", PROXY),
        ({"https_proxy": PROXY}, "https://nvcr.io", PROXY),
        ({"https_proxy": PROXY, "HTTPS_PROXY": "http://other"}, "https://nvcr.io", PROXY),
        ({"HTTPS_PROXY": "proxy:3128"}, "https://nvcr.io", PROXY),
        ({"HTTP_PROXY": PROXY}, "https://nvcr.io", None),
        ({"HTTP_PROXY": PROXY}, "http://nvcr.io", PROXY),
        ({"HTTP_PROXY": PROXY, "REQUEST_METHOD": "GET"}, "http://nvcr.io", None),
        ({"ALL_PROXY": PROXY}, "https://nvcr.io", PROXY),
        ({"HTTPS_PROXY": PROXY}, "https://127.0.0.1", None),
        ({"HTTPS_PROXY": PROXY}, "https://localhost", None),
        ({"HTTPS_PROXY": PROXY}, "https://[::1]", None),
    ],
)
def test_which_proxy(environ: dict[str, str], url: str, expected: str | None) -> None:
    scheme, _, host = url.partition("://")
    assert registry_trust.proxy(environ, scheme, host) == expected


@pytest.mark.parametrize(
    ("listed", "host", "excepted"),
    [
        ("nvcr.io", "nvcr.io", True),
        ("nvcr.io", "a.nvcr.io", True),
        ("nvcr.io", "xnvcr.io", False),
        (".nvcr.io", "a.nvcr.io", True),
        ("*.nvcr.io", "a.nvcr.io", True),
        ("nvcr.io:443", "nvcr.io", True),
        ("a, nvcr.io ,b", "NVCR.io", True),
        ("*", "nvcr.io", True),
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "11.1.2.3", False),
        ("10.1.2.3", "10.1.2.3", True),
        ("fd00::/8", "fd00::1", True),
        ("10.0.0.0/8", "nvcr.io", False),
        (",,", "nvcr.io", False),
        ("", "nvcr.io", False),
    ],
)
def test_who_is_reached_without_one(listed: str, host: str, excepted: bool) -> None:
    found = registry_trust.proxy({"HTTPS_PROXY": PROXY, "NO_PROXY": listed}, "https", host)
    assert found == (None if excepted else PROXY)


def test_a_registry_behind_a_proxy_that_wants_a_password(tmp_path: Path) -> None:
    one = images.image()
    with FaultServer(Holding({TAG: one})) as proxy:
        environ = {"HTTP_PROXY": f"http://user:hunter2%21@{proxy.address}"}
        with session(tmp_path, environ, plain_http=["registry.invalid"]) as registries:
            assert registries.repository("registry.invalid/nvidia/driver").digest(TAG) == one.digest
    (asked,) = proxy.asked
    assert asked.headers["proxy-authorization"] == "Basic dXNlcjpodW50ZXIyIQ=="  # printf 'user:hunter2!' | base64
    assert asked.headers["host"] == "registry.invalid"


@pytest.mark.parametrize("status", [407, 502])
def test_a_proxy_that_lets_nobody_through(tmp_path: Path, status: int) -> None:
    with FaultServer(lambda asked: Reply(status)) as proxy:
        environ = {"HTTPS_PROXY": f"http://user:hunter2@{proxy.address}"}
        with session(tmp_path, environ) as registries, pytest.raises(CouldNotLookError, match="proxy") as caught:
            registries.repository("registry.invalid/nvidia/driver").digest(TAG)
    assert "hunter2" not in f"{caught.value.message}{caught.value.hint}"
    assert "registry.invalid" in caught.value.message


@pytest.mark.parametrize("proxy", ["socks5://user:hunter2@proxy", "http://", "http://a:hunter2@b:port", "http://[a"])
def test_a_proxy_that_is_none(tmp_path: Path, proxy: str) -> None:
    with session(tmp_path, {"HTTPS_PROXY": proxy}) as registries, pytest.raises(OutsideError, match="proxy") as caught:
        registries.repository("registry.invalid/nvidia/driver").digest(TAG)
    assert "hunter2" not in f"{caught.value.message}{caught.value.hint}"
