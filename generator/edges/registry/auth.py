"""Authentication at a registry: nothing until it asks, then a token for one repository, or basic authentication.

Credentials go to their own registry and to the token service that it names itself, over TLS (plain HTTP on this
machine, or where the user allowed it).
"""

from threading import Lock
from urllib.parse import parse_qsl, urlencode, urlsplit

from msgspec import DecodeError, Struct, ValidationError, json

from generator.edges.errors import CouldNotLookError
from generator.edges.registry.address import Address, is_loopback, origin, port, shown
from generator.edges.registry.challenge import Challenge, challenges, scope, token_url
from generator.edges.registry.credentials import Credentials, Kind, Login
from generator.edges.registry.retry import Patient
from generator.edges.registry.secret import Secret, basic, bearer
from generator.edges.registry.transport import Answer, Request, Transport


class _Token(Struct):
    token: str | None = None
    access_token: str | None = None


class Authenticator:
    """What is sent as Authorization for one repository. Threads that are refused together fetch one token."""

    def __init__(self, address: Address, transport: Transport, patient: Patient, credentials: Credentials) -> None:
        self._address, self._transport, self._patient = address, transport, patient
        self._credentials = credentials
        self._lock = Lock()
        self._current: Secret | None = None
        self._login: tuple[Login | None] | None = None

    @property
    def current(self) -> Secret | None:
        """What the registry accepted last; None before it asked for anything."""
        return self._current

    def renew(self, refused: Secret | None, answer: Answer) -> Secret:
        """Another authorization after a 401; raise CouldNotLookError where there is none to be had."""
        with self._lock:
            if self._current is None or self._current == refused:
                self._current = self._authorized(answer)
            return self._current

    def advice(self) -> str:
        """What to do about a refusal."""
        login = self._found()
        if login is None:
            return (
                f"log in with docker login {self._address.registry}, or set DRIVERGATE_REGISTRY and the credentials "
                "beside it"
            )
        return f"see whether the credentials of {login.source} may read {self._address}"

    def _found(self) -> Login | None:
        """Looked for once: a helper may ask the user."""
        if self._login is None:
            self._login = (self._credentials.of(self._address),)
        return self._login[0]

    def _authorized(self, answer: Answer) -> Secret:
        if not answer.own:
            raise self._refused(f"redirects to {shown(answer.url)}, which asks for credentials of its own")
        login = self._found()
        if login is not None and login.kind is Kind.BEARER:
            self._check_plain(answer.url)
            return bearer(login.secret)
        offered = tuple(challenges(answer.challenges))
        for challenge in offered:
            if challenge.scheme == "bearer" and challenge.realm:
                return bearer(self._token(challenge, login, answer))
        if login is not None and login.kind is Kind.PASSWORD and any(one.scheme == "basic" for one in offered):
            self._check_plain(answer.url)
            return basic(login.username, login.secret)
        raise self._refused(f"answers 401 for {self._address.path}")

    def _token(self, challenge: Challenge, login: Login | None, asked: Answer) -> Secret:
        self._check_realm(challenge.realm, login, asked.url)
        url = token_url(challenge, self._address.path)
        answer = self._patient.send(_request(url, challenge, self._address.path, login), self._address.registry)
        where = f"its token service at {shown(url)}"
        if answer.status in {401, 403}:
            raise self._refused(f"lets nobody in: {where} answers {answer.status}")
        if answer.status != 200:
            raise CouldNotLookError(
                f"{self._address.registry} gives no token: {where} answers {answer.status}",
                "try again later; nothing is known to be missing",
            )
        try:
            found = json.decode(answer.body, type=_Token)
        except (DecodeError, ValidationError, UnicodeDecodeError):
            found = _Token()
        token = found.token or found.access_token
        if not token or not token.isascii() or not token.isprintable():
            raise CouldNotLookError(
                f"{self._address.registry} gives no token: {where} answers 200 without one",
                "ask whoever runs the registry; nothing is known to be missing",
            )
        return Secret(token)

    def _check_plain(self, url: str) -> None:
        if urlsplit(url).scheme != "https" and not self._transport.may_speak_plainly(url):
            raise self._refused(f"asks for credentials over plain HTTP at {shown(url)}")

    def _check_realm(self, realm: str, login: Login | None, asked: str) -> None:
        """A token service is named over a line that nobody else can write on, and is itself reached so."""
        try:
            parts = urlsplit(realm)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and port(parts) is not None
        except ValueError:
            usable = False
        if not usable or "@" in parts.netloc:
            raise self._refused("names a token service that is no URL")
        self._check_plain(realm)
        _, host, _ = origin(asked)
        foreign = parts.hostname != host and not is_loopback(host)
        if login is not None and urlsplit(asked).scheme == "http" and foreign:
            raise self._refused(f"names over plain HTTP a token service elsewhere, {shown(realm)}")

    def _refused(self, what: str) -> CouldNotLookError:
        return CouldNotLookError(f"{self._address.registry} {what}", self.advice())


def _request(url: str, challenge: Challenge, path: str, login: Login | None) -> Request:
    """Anonymous, with user name and password, or with an identity token (distribution docs/spec/auth/oauth.md)."""
    if login is None:
        return Request(url=url)
    if login.kind is Kind.PASSWORD:
        return Request(url=url, authorization=basic(login.username, login.secret))
    parts = urlsplit(url)
    service = challenge.service or dict(parse_qsl(parts.query)).get("service", "")
    form = {
        "grant_type": "refresh_token",
        "service": service,
        "scope": scope(path),
        "client_id": "drivergate",
        "refresh_token": login.secret.reveal(),
    }
    return Request(
        url=parts._replace(query="").geturl(),
        method="POST",
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        form=Secret(urlencode(form)),
    )
