"""The user's credentials for a registry, from where users keep them; never asked for, never stored.

In this order: the environment (for CI), podman's file where REGISTRY_AUTH_FILE names one, Docker's, podman's own
places. Text is taken as it stands: `$oauthtoken` is a user name, no variable.
"""

import os
from collections.abc import Iterator, Mapping
from enum import StrEnum

from msgspec import Struct

from generator.edges.errors import UnreadableError
from generator.edges.registry.address import Address, canonical
from generator.edges.registry.authfile import AuthFile, Stored, read
from generator.edges.registry.credential_helper import ask
from generator.edges.registry.secret import Secret
from generator.words import printable

_PREFIX = "DRIVERGATE_REGISTRY"


class Kind(StrEnum):
    """What the secret is."""

    PASSWORD = "password"  # noqa: S105 - a word, no password
    IDENTITY = "identity"  # a refresh token, to be exchanged at the token service
    BEARER = "bearer"  # what the token service would answer


class Login(Struct, frozen=True, kw_only=True):
    """Credentials of one registry; `source` says where they were found, for messages."""

    username: str
    secret: Secret
    kind: Kind
    source: str


class Credentials:
    """Looks a registry up where users keep credentials. Files are read when the first registry asks for any."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._files: tuple[AuthFile, ...] | None = None

    def of(self, address: Address) -> Login | None:
        """The credentials of a registry; None where there are none, which is the usual case for public ones."""
        found = self._of_environment(address.registry)
        if found is not None:
            return found
        if self._files is None:
            self._files = tuple(self._read())
        return next((login for file in self._files if (login := self._of_file(file, address))), None)

    def _of_environment(self, registry: str) -> Login | None:
        """The four variables; raise UnreadableError where they don't say whose credentials they are."""
        token, username, password = (self._environ.get(f"{_PREFIX}_{name}", "") for name in _NAMES)
        owner = self._environ.get(_PREFIX, "")
        if not (token or username or password):
            return None
        if not owner:
            raise UnreadableError(
                f"the environment has credentials but {_PREFIX} doesn't name their registry",
                f"set {_PREFIX} to the host that they are for, such as nvcr.io",
            )
        if canonical(owner.removeprefix("https://").rstrip("/")) != registry:
            return None
        if token:
            return Login(username="", secret=Secret(token), kind=Kind.BEARER, source=f"{_PREFIX}_TOKEN")
        if not (username and password):
            lacking = f"{_PREFIX}_{'PASSWORD' if username else 'USERNAME'}"
            raise UnreadableError(f"{_PREFIX} is set for {registry} but {lacking} is not", f"set {lacking} too")
        return Login(
            username=username, secret=Secret(password), kind=Kind.PASSWORD, source=f"{_PREFIX}_USERNAME and _PASSWORD"
        )

    def _of_file(self, file: AuthFile, address: Address) -> Login | None:
        if helper := file.helper(address):
            stored = ask(helper, address, self._environ, file.path)
        else:
            stored = file.stored(address)
        return None if stored is None else _login(stored)

    def _read(self) -> Iterator[AuthFile]:
        for path, needed in _paths(self._environ):
            file = read(path)
            if file is not None:
                yield file
            elif needed:
                raise UnreadableError(
                    f"REGISTRY_AUTH_FILE={printable(path)} is absent", "let it name the file, or unset it"
                )


_NAMES = ("TOKEN", "USERNAME", "PASSWORD")


def _login(stored: Stored) -> Login:
    kinds = ((stored.bearer, Kind.BEARER), (stored.identity, Kind.IDENTITY), (stored.password, Kind.PASSWORD))
    secret, kind = next((secret, kind) for secret, kind in kinds if secret)
    return Login(username=stored.username, secret=secret, kind=kind, source=stored.source)


def _paths(environ: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """Where auth files may lie, and whether somebody said that one does (containers-auth.json(5), docker login)."""
    home = environ.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - text all the way
    if named := environ.get("REGISTRY_AUTH_FILE"):
        yield named, True
    yield f"{environ.get('DOCKER_CONFIG') or f'{home}/.docker'}/config.json", False
    if runtime := environ.get("XDG_RUNTIME_DIR"):
        yield f"{runtime}/containers/auth.json", False
    yield f"{environ.get('XDG_CONFIG_HOME') or f'{home}/.config'}/containers/auth.json", False
