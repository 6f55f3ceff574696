"""Where users keep credentials: containers-auth.json(5), docker login, docker-credential-helpers, the environment."""

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from generator.edges.errors import CouldNotLookError, OutsideError, UnreadableError
from generator.edges.registry.address import Address, parse
from generator.edges.registry.credentials import Credentials, Kind, Login

NVCR = Address("nvcr.io", "nvidia/driver")


def packed(text: str) -> dict[str, str]:
    return {"auth": base64.b64encode(text.encode()).decode()}


def written(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def found(environ: Mapping[str, str], home: Path, address: Address = NVCR) -> Login | None:
    return Credentials({"HOME": str(home), "PATH": os.environ["PATH"], **environ}).of(address)


def pair(login: Login | None) -> tuple[str, str] | None:
    return None if login is None else (login.username, login.secret.reveal())


def helper(folder: Path, name: str, script: str) -> str:
    """A credential helper on a PATH of its own; what it prints."""
    program = folder / "bin" / f"docker-credential-{name}"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return f"{program.parent}:{os.environ['PATH']}"


@pytest.mark.parametrize(
    "key",
    [
        "nvcr.io", "https://nvcr.io", "https://nvcr.io/v1/", "https://nvcr.io/v2/", "http://nvcr.io/", "NVCR.IO",
        "nvcr.io/nvidia", "nvcr.io/nvidia/driver",
    ],
)  # fmt: skip
def test_a_registry_is_found_however_it_was_written(tmp_path: Path, key: str) -> None:
    written(tmp_path / ".docker/config.json", {"auths": {key: packed("$oauthtoken:a:b c")}})
    assert pair(found({}, tmp_path)) == ("$oauthtoken", "a:b c")


@pytest.mark.parametrize(
    "key", ["evil.nvcr.io", "nvcr.io.evil", "nvcr.io:443", "cr.io", "nvcr.io/nvid", "nvcr.io/other"]
)
def test_another_registry_is_another_registry(tmp_path: Path, key: str) -> None:
    written(tmp_path / ".docker/config.json", {"auths": {key: packed("u:p")}})
    assert found({}, tmp_path) is None


@pytest.mark.parametrize("key", ["https://index.docker.io/v1/", "docker.io", "registry-1.docker.io"])
def test_docker_hub_has_three_names(tmp_path: Path, key: str) -> None:
    written(tmp_path / ".docker/config.json", {"auths": {key: packed("u:p")}})
    for name in ("docker.io", "index.docker.io", "registry-1.docker.io"):
        address = parse(f"{name}/nvidia/driver")
        assert pair(found({}, tmp_path, address)) == ("u", "p")
        assert (address.registry, address.host) == ("docker.io", "registry-1.docker.io")


def test_the_nearest_of_podman_s_entries_counts(tmp_path: Path) -> None:
    auths = {
        "nvcr.io": packed("far:p"),
        "nvcr.io/nvidia/driver": packed("near:p"),
        "nvcr.io/nvidia": packed("nearer:p"),
    }
    written(tmp_path / ".config/containers/auth.json", {"auths": auths})
    assert pair(found({}, tmp_path)) == ("near", "p")
    assert pair(found({}, tmp_path, Address("nvcr.io", "nvidia/cuda"))) == ("nearer", "p")
    assert pair(found({}, tmp_path, Address("nvcr.io", "other"))) == ("far", "p")


def test_the_order_of_the_places(tmp_path: Path) -> None:
    """The environment, podman's named file, Docker's, podman's own places."""
    places = {
        "auth.json": tmp_path / "named/auth.json",
        "docker": tmp_path / "docker/config.json",
        "home": tmp_path / ".docker/config.json",
        "runtime": tmp_path / "run/containers/auth.json",
        "config": tmp_path / ".config/containers/auth.json",
    }
    for name, path in places.items():
        written(path, {"auths": {"nvcr.io": packed(f"{name}:p")}})
    environ = {
        "DRIVERGATE_REGISTRY": "nvcr.io",
        "DRIVERGATE_REGISTRY_USERNAME": "env",
        "DRIVERGATE_REGISTRY_PASSWORD": "p",
        "REGISTRY_AUTH_FILE": str(places["auth.json"]),
        "DOCKER_CONFIG": str(tmp_path / "docker"),
        "XDG_RUNTIME_DIR": str(tmp_path / "run"),
    }
    seen = []
    for drop in ("DRIVERGATE_REGISTRY_USERNAME", "REGISTRY_AUTH_FILE", "DOCKER_CONFIG", "", "XDG_RUNTIME_DIR", ""):
        login = found(environ, tmp_path)
        assert login is not None
        seen.append(login.username)
        if drop == "DRIVERGATE_REGISTRY_USERNAME":
            environ = {key: value for key, value in environ.items() if not key.startswith("DRIVERGATE")}
        elif drop:
            environ.pop(drop)
        else:
            places["home"].unlink(missing_ok=True)
    assert seen == ["env", "auth.json", "docker", "home", "runtime", "config"]


def test_a_file_that_holds_nothing_for_a_registry_leaves_it_to_the_next(tmp_path: Path) -> None:
    written(tmp_path / ".docker/config.json", {"auths": {"nvcr.io": {}, "ghcr.io": None}})
    written(tmp_path / ".config/containers/auth.json", {"auths": {"nvcr.io": packed("u:p")}})
    assert pair(found({}, tmp_path)) == ("u", "p")


@pytest.mark.parametrize("content", ["", "{}", '{"auths": null}', '{"HttpHeaders": {"a": "b"}, "auths": {}}'])
def test_files_without_credentials(tmp_path: Path, content: str) -> None:
    written(tmp_path / ".docker/config.json", content)
    assert found({}, tmp_path) is None


@pytest.mark.parametrize(
    ("entry", "kind", "expected"),
    [
        (packed("u:p\0\0"), Kind.PASSWORD, ("u", "p")),
        ({"username": "u", "password": "p"}, Kind.PASSWORD, ("u", "p")),
        ({**packed("u:"), "identitytoken": "i"}, Kind.IDENTITY, ("u", "i")),
        ({"registrytoken": "r"}, Kind.BEARER, ("", "r")),
    ],
)
def test_kinds_of_credentials(tmp_path: Path, entry: dict[str, str], kind: Kind, expected: tuple[str, str]) -> None:
    written(tmp_path / ".docker/config.json", {"auths": {"nvcr.io": entry}})
    login = found({}, tmp_path)
    assert login is not None
    assert (login.kind, pair(login)) == (kind, expected)
    assert expected[1] not in repr(login.secret)


@pytest.mark.parametrize("name", ["credHelpers", "credsStore"])
def test_a_helper_is_asked_for_that_registry_alone(tmp_path: Path, name: str) -> None:
    path = helper(tmp_path, "test", f'cat > {tmp_path}/asked; echo \'{{"Username": "u", "Secret": "p w"}}\'')
    named = {"nvcr.io": "test"} if name == "credHelpers" else "test"
    written(tmp_path / ".docker/config.json", {"auths": {"nvcr.io": {}}, name: named})
    assert pair(found({"PATH": path}, tmp_path)) == ("u", "p w")
    assert (tmp_path / "asked").read_text() == "nvcr.io"
    if name == "credHelpers":
        assert found({"PATH": path}, tmp_path, Address("ghcr.io", "a")) is None


def test_docker_hub_has_a_name_of_its_own_in_helpers(tmp_path: Path) -> None:
    path = helper(tmp_path, "test", f"cat > {tmp_path}/asked; echo '{{}}'")
    written(tmp_path / ".docker/config.json", {"credsStore": "test"})
    assert found({"PATH": path}, tmp_path, parse("docker.io/nvidia/driver")) is None
    assert (tmp_path / "asked").read_text() == "https://index.docker.io/v1/"


def test_a_helper_s_identity_token(tmp_path: Path) -> None:
    path = helper(tmp_path, "test", 'echo \'{"Username": "<token>", "Secret": "i"}\'')
    written(tmp_path / ".docker/config.json", {"credsStore": "test"})
    login = found({"PATH": path}, tmp_path)
    assert login is not None
    assert (login.kind, pair(login)) == (Kind.IDENTITY, ("", "i"))
    assert login.source == "docker-credential-test"


def test_a_helper_that_has_none_leaves_it_to_the_next_file(tmp_path: Path) -> None:
    path = helper(tmp_path, "test", "echo credentials not found in native keychain; exit 1")
    written(tmp_path / ".docker/config.json", {"credsStore": "test"})
    written(tmp_path / ".config/containers/auth.json", {"auths": {"nvcr.io": packed("u:p")}})
    assert pair(found({"PATH": path}, tmp_path)) == ("u", "p")


@pytest.mark.parametrize(
    ("name", "script", "why"),
    [
        ("test", "echo hunter2; echo hunter2 >&2; exit 2", "docker-credential-test ended with 2"),
        ("test", "echo hunter2", "answered for nvcr.io with something else"),
        ("test", 'echo \'{"Username": 1, "Secret": "hunter2"}\'', "something else"),
        ("absent", "", "docker-credential-absent is not on the PATH"),
        ("../bin/sh", "", "which is no credential helper"),
        ("a b", "", "which is no credential helper"),
    ],
)
def test_a_helper_that_fails_is_told_and_never_quoted(tmp_path: Path, name: str, script: str, why: str) -> None:
    path = helper(tmp_path, "test", script)
    written(tmp_path / ".docker/config.json", {"credHelpers": {"nvcr.io": name}})
    with pytest.raises(CouldNotLookError, match=why) as caught:
        found({"PATH": path}, tmp_path)
    assert ".docker/config.json" in f"{caught.value.message}{caught.value.hint}"
    assert "hunter2" not in f"{caught.value.message}{caught.value.hint}"


@pytest.mark.parametrize(
    "content",
    [
        '{"auths": {"nvcr.io": {"auth": "hunter2"',
        '{"auths": {"nvcr.io": {"auth": ["hunter2"]}}}',
        '{"auths": ["hunter2"]}',
        '["hunter2"]',
        '{"auths": {"nvcr.io": {"auth": "hunter2!"}}}',
        json.dumps({"auths": {"nvcr.io": packed("hunter2")}}),
        json.dumps({"auths": {"nvcr.io": {"auth": base64.b64encode(b"\xff:hunter2").decode()}}}),
    ],
)
def test_a_file_that_can_not_be_read_is_named_and_never_quoted(tmp_path: Path, content: str) -> None:
    path = written(tmp_path / ".docker/config.json", content)
    with pytest.raises(UnreadableError) as caught:
        found({}, tmp_path)
    assert str(path) in caught.value.message
    assert "hunter2" not in f"{caught.value.message}{caught.value.hint}"
    assert caught.value.__cause__ is None


def test_a_file_that_may_not_be_opened(tmp_path: Path) -> None:
    (tmp_path / ".docker/config.json").mkdir(parents=True)
    with pytest.raises(UnreadableError, match="is a directory"):
        found({}, tmp_path)


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="REGISTRY_AUTH_FILE=/nowhere is absent"):
        found({"REGISTRY_AUTH_FILE": "/nowhere"}, tmp_path)
    assert found({"DOCKER_CONFIG": "/nowhere"}, tmp_path) is None  # as docker takes it


@pytest.mark.parametrize(
    ("environ", "why"),
    [
        ({"DRIVERGATE_REGISTRY_TOKEN": "hunter2"}, "DRIVERGATE_REGISTRY doesn't name their registry"),
        (
            {"DRIVERGATE_REGISTRY": "nvcr.io", "DRIVERGATE_REGISTRY_USERNAME": "u"},
            "DRIVERGATE_REGISTRY_PASSWORD is not",
        ),
        ({"DRIVERGATE_REGISTRY": "nvcr.io", "DRIVERGATE_REGISTRY_PASSWORD": "hunter2"}, "REGISTRY_USERNAME is not"),
    ],
)
def test_half_of_the_variables(tmp_path: Path, environ: dict[str, str], why: str) -> None:
    with pytest.raises(OutsideError, match=why) as caught:
        found(environ, tmp_path)
    assert "hunter2" not in f"{caught.value.message}{caught.value.hint}"


@pytest.mark.parametrize("owner", ["nvcr.io", "https://nvcr.io/", "NVCR.io"])
def test_the_environment_belongs_to_one_registry(tmp_path: Path, owner: str) -> None:
    environ = {"DRIVERGATE_REGISTRY": owner, "DRIVERGATE_REGISTRY_TOKEN": "t"}
    login = found(environ, tmp_path)
    assert login is not None
    assert (login.kind, pair(login)) == (Kind.BEARER, ("", "t"))
    assert found(environ, tmp_path, Address("ghcr.io", "nvidia/driver")) is None


def test_variables_are_no_templates(tmp_path: Path) -> None:
    environ = {
        "DRIVERGATE_REGISTRY": "nvcr.io",
        "DRIVERGATE_REGISTRY_USERNAME": "$oauthtoken",
        "DRIVERGATE_REGISTRY_PASSWORD": "${HOME}%HOME%",
        "oauthtoken": "expanded",
    }
    assert pair(found(environ, tmp_path)) == ("$oauthtoken", "${HOME}%HOME%")


def test_netrc_is_not_read(tmp_path: Path) -> None:
    written(tmp_path / ".netrc", "machine nvcr.io login u password p\n")
    assert found({"NETRC": str(tmp_path / ".netrc")}, tmp_path) is None
