"""The file that `docker login` and `podman login` write: config.json, auth.json, a pull secret's .dockerconfigjson."""

import binascii
from base64 import b64decode
from collections.abc import Iterator

from msgspec import DecodeError, Struct, ValidationError, json

from generator.edges.errors import UnreadableError, reason
from generator.edges.registry.address import HUB, Address, canonical
from generator.edges.registry.secret import Secret
from generator.words import printable

_MOST = 4 << 20


class Stored(Struct, frozen=True, kw_only=True):
    """What a file or a helper holds for one registry; at least one of the secrets is there."""

    username: str
    password: Secret = Secret("")
    identity: Secret = Secret("")
    bearer: Secret = Secret("")
    source: str


class _Auth(Struct):
    auth: str = ""
    username: str = ""
    password: str = ""
    identitytoken: str = ""
    registrytoken: str = ""


class _Config(Struct):
    auths: dict[str, _Auth | None] | None = None
    credHelpers: dict[str, str] | None = None  # noqa: N815 - the file's own word
    credsStore: str = ""  # noqa: N815


class AuthFile:
    """One file: which helper it names for a registry, and what it holds itself."""

    def __init__(self, path: str, config: _Config) -> None:
        self.path = path
        self._auths = {_key(name): auth for name, auth in (config.auths or {}).items()}
        self._helpers = {_key(name): helper for name, helper in (config.credHelpers or {}).items()}
        self._store = config.credsStore

    def helper(self, address: Address) -> str:
        """The helper that keeps this registry's credentials, "" where the file keeps them."""
        return self._helpers.get(address.registry, "") or self._store

    def stored(self, address: Address) -> Stored | None:
        """The nearest entry: podman's may name a repository or a part of its path."""
        for key in _keys(address):
            if auth := self._auths.get(key):
                return self._opened(auth, key)
        return None

    def _opened(self, auth: _Auth, key: str) -> Stored | None:
        username, password = auth.username, auth.password
        if auth.auth:
            username, password = self._decoded(auth.auth, key)
        if not (password or auth.identitytoken or auth.registrytoken):
            return None
        return Stored(
            username=username,
            password=Secret(password),
            identity=Secret(auth.identitytoken),
            bearer=Secret(auth.registrytoken),
            source=printable(self.path),
        )

    def _decoded(self, text: str, key: str) -> tuple[str, str]:
        """`user:password` in base64; Docker writes NULs after some passwords and cuts them on reading."""
        try:
            username, colon, password = b64decode(text, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            colon = ""
        if not colon:
            raise UnreadableError(
                f'{printable(self.path)}: "auth" of {printable(key)} is no user name and password in base64',
                "log in to that registry again",
            ) from None
        return username, password.rstrip("\0")


def read(path: str) -> AuthFile | None:
    """The file, None where there is none; raise UnreadableError where it can't be read. Nothing of it is quoted."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - text all the way
            data = file.read(_MOST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UnreadableError(
            f"{printable(path)}: {reason(error)}", "make it readable, or unset its variable"
        ) from None
    try:
        return AuthFile(path, json.decode(data or b"{}", type=_Config))
    except (DecodeError, ValidationError, UnicodeDecodeError):
        raise UnreadableError(
            f"{printable(path)} is not what docker login writes", "mend its JSON, or log in again"
        ) from None


def _key(name: str) -> str:
    """Docker's keys are hosts or URLs, podman's may go on with a path."""
    text = name.removeprefix("https://").removeprefix("http://").rstrip("/")
    for version in ("/v1", "/v2"):
        text = text.removesuffix(version)
    host, slash, path = text.partition("/")
    return f"{canonical(host)}{slash}{path}"


def _keys(address: Address) -> Iterator[str]:
    key = f"{address.registry}/{address.path}"
    while key:
        yield key
        key = key.rpartition("/")[0]


def server(address: Address) -> str:
    """A registry's name in a credential helper's store."""
    return "https://index.docker.io/v1/" if address.registry == HUB else address.registry


def stored_of(username: str, secret: str, source: str) -> Stored | None:
    """What a helper answers: the user name `<token>` marks an identity token (docker-credential-helpers)."""
    if not secret:
        return None
    if username == "<token>":
        return Stored(username="", identity=Secret(secret), source=source)
    return Stored(username=username, password=Secret(secret), source=source)
