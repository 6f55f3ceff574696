"""One HTTP exchange with a registry: bounded in time and size, and careful with whom it shows the credentials.

urllib3 does the talking and nothing on its own: no redirect, no retry, no netrc.
"""

import logging
import time
from collections.abc import Mapping
from threading import BoundedSemaphore, Lock
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

import urllib3
from msgspec import Struct
from urllib3 import exceptions as trouble
from urllib3.util import Timeout

from generator.edges.errors import UnreadableError
from generator.edges.registry import trust as registry_trust
from generator.edges.registry.address import is_loopback, origin, port, shown
from generator.edges.registry.secret import Secret, basic

# It would warn with whole URLs, whose queries may be signed; what matters is told by our errors.
logging.getLogger("urllib3").setLevel(logging.CRITICAL + 1)

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CHUNK = 1 << 16
# Registries take manifests of 4 MiB at least (distribution-spec, "Pushing Manifests"); none of a driver comes near.
DOCUMENT = 8 << 20
_AGENT = "drivergate"


class Limits(Struct, frozen=True, kw_only=True):
    """What an exchange may cost, in seconds, bytes and numbers."""

    connect: float = 10
    silence: float = 30  # between two bytes
    whole: float = 120  # one answer, however steadily it trickles
    body: int = 64 << 20  # whatever is asked for
    redirects: int = 5
    parallel: int = 4


class Request(Struct, frozen=True, kw_only=True):
    """What is asked. `authorization` goes to the URL's own origin only."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = {}
    authorization: Secret | None = None
    form: Secret | None = None
    most: int = DOCUMENT  # bytes of an answer


class Answer(Struct, frozen=True):
    """What came back. `own` where the asked origin itself said it, not somebody it redirected to."""

    status: int
    headers: Mapping[str, str]
    challenges: tuple[str, ...]
    body: bytes
    url: str
    own: bool


class ExchangeError(Exception):
    """No answer. `transient` where the next try may well get one. Says nothing that was sent."""

    def __init__(self, reason: str, hint: str, *, transient: bool) -> None:
        super().__init__(reason)
        self.reason, self.hint, self.transient = reason, hint, transient


class Transport:
    """Connections to any number of hosts, at most `limits.parallel` exchanges at once."""

    def __init__(self, environ: Mapping[str, str], plain_http: frozenset[str], limits: Limits) -> None:
        self._environ, self._plain, self._limits = environ, plain_http, limits
        self._slots = BoundedSemaphore(limits.parallel)
        self._lock = Lock()
        self._pools: dict[str | None, urllib3.PoolManager] = {}

    def close(self) -> None:
        """Let go of every connection."""
        with self._lock:
            for pool in self._pools.values():
                pool.clear()
            self._pools.clear()

    def may_speak_plainly(self, url: str) -> bool:
        """Is plain HTTP allowed to this URL: this machine, or a host that the user named?"""
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
        return is_loopback(host) or host in self._plain or f"{host}:{port(parts)}" in self._plain

    def send(self, request: Request) -> Answer:
        """The answer after redirects, whatever its status; raise ExchangeError where there is none."""
        url, own = request.url, True
        for _ in range(self._limits.redirects + 1):
            answer = self._exchange(request, url, own=own)
            target = answer.headers.get("location")
            if answer.status not in _REDIRECTS or target is None:
                return answer
            url = self._redirected(request, url, target)
            own = own and origin(url) == origin(request.url)
        raise ExchangeError("redirects without an end", "ask whoever runs the registry", transient=False)

    def _redirected(self, request: Request, url: str, target: str) -> str:
        """Where a redirect leads; never from TLS to plain HTTP, never with a form that holds a token."""
        hint = "ask whoever runs the registry; drivergate follows redirects over TLS only"
        try:
            following = urljoin(url, target)
            scheme, host, number = origin(following)
        except ValueError:
            raise ExchangeError("redirects to what is no URL", hint, transient=False) from None
        if scheme not in {"http", "https"} or not host or number is None or "@" in urlsplit(following).netloc:
            raise ExchangeError("redirects to what is no place on the web", hint, transient=False)
        if scheme == "http" and (urlsplit(url).scheme == "https" or not self.may_speak_plainly(following)):
            raise ExchangeError(f"redirects to plain HTTP at {shown(following)}", hint, transient=False)
        if request.form is not None:
            raise ExchangeError(f"redirects a token request to {shown(following)}", hint, transient=False)
        return following

    def _exchange(self, request: Request, url: str, *, own: bool) -> Answer:
        headers = {"User-Agent": _AGENT, "Accept-Encoding": "identity", **request.headers}
        if own and request.authorization is not None:
            headers["Authorization"] = request.authorization.reveal()
        with self._slots:
            try:
                return self._asked(request, url, headers, own=own)
            except (trouble.HTTPError, ValueError, OSError) as error:
                # `from None`: the chain holds frames with the headers in them.
                raise _told(error, url) from None

    def _asked(self, request: Request, url: str, headers: Mapping[str, str], *, own: bool) -> Answer:
        end = time.monotonic() + self._limits.whole
        response = self._pool(url).request(
            request.method,
            url,
            body=None if request.form is None else request.form.reveal().encode(),
            headers=headers,
            redirect=False,
            retries=False,
            preload_content=False,
            timeout=Timeout(connect=self._limits.connect, read=self._limits.silence),
        )
        try:
            body = b"" if request.method == "HEAD" else self._read(response, min(request.most, self._limits.body), end)
        except BaseException:
            response.close()  # what is left of the answer isn't read, so the connection can't serve another
            raise
        response.release_conn()
        lowered = {name.lower(): value for name, value in response.headers.items()}
        challenges = tuple(response.headers.getlist("www-authenticate"))
        return Answer(response.status, lowered, challenges, body, url, own)

    def _read(self, response: urllib3.BaseHTTPResponse, most: int, end: float) -> bytes:
        """The body, piece by piece, so that neither a trickle nor a flood is followed to its end."""
        pieces: list[bytes] = []
        size = 0
        while piece := response.read1(_CHUNK, decode_content=True):
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise ExchangeError(f"answers with more than {most >> 20} MiB", _HINT_ODD, transient=False)
            if time.monotonic() > end:
                raise ExchangeError(
                    f"takes more than {self._limits.whole:g} s for one answer", _HINT_AGAIN, transient=False
                )
        return b"".join(pieces)

    def _pool(self, url: str) -> urllib3.PoolManager:
        parts = urlsplit(url)
        proxy = registry_trust.proxy(self._environ, parts.scheme, parts.hostname or "")
        with self._lock:
            if proxy not in self._pools:
                self._pools[proxy] = self._connected(proxy)
            return self._pools[proxy]

    def _connected(self, proxy: str | None) -> urllib3.PoolManager:
        context = registry_trust.tls(self._environ)
        if proxy is None:
            return urllib3.PoolManager(maxsize=self._limits.parallel, ssl_context=context)
        parts = _proxy(proxy)
        headers = {}
        if parts.username:
            login = basic(unquote(parts.username), Secret(unquote(parts.password or "")))
            headers["Proxy-Authorization"] = login.reveal()
        return urllib3.ProxyManager(
            shown(proxy), proxy_headers=headers, maxsize=self._limits.parallel, ssl_context=context
        )


def _proxy(url: str) -> SplitResult:
    """The parts of a proxy's URL; raise UnreadableError for another kind of proxy. It may hold a password."""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname or port(parts) is None:
        raise UnreadableError("a proxy variable names no HTTP proxy", "write it like HTTPS_PROXY=http://proxy:3128")
    return parts


_HINT_AGAIN = "try again later; nothing is known to be missing"
_HINT_ODD = "see whether this is a registry; nothing is known to be missing"
_HINT_NET = "check the name, the network and the proxy variables (HTTPS_PROXY, NO_PROXY)"
_HINT_CA = "let SSL_CERT_FILE name the certificate of the authority that signed it"


def _told(error: Exception, url: str) -> ExchangeError:
    """Why there was no answer, in our words: those of the libraries may quote a URL or a proxy's password."""
    where = shown(url)
    cause = error.original_error if isinstance(error, trouble.ProxyError) else error
    via = "through the proxy " if cause is not error else ""
    match cause:
        case trouble.SSLError():
            return _of_tls(cause, where)
        case trouble.NameResolutionError():
            return ExchangeError(f"can't be found {via}under the name of {where}", _HINT_NET, transient=True)
        case trouble.NewConnectionError() | OSError():
            return ExchangeError(f"can't be reached {via}at {where}", _HINT_NET, transient=True)
        case trouble.TimeoutError():
            return ExchangeError(f"stays silent {via}at {where}", _HINT_AGAIN, transient=True)
        case trouble.ProtocolError():
            return ExchangeError(f"breaks off in the middle of an answer {via}at {where}", _HINT_AGAIN, transient=True)
        case _:
            return ExchangeError(f"gives no usable answer {via}at {where}", _HINT_ODD, transient=False)


def _of_tls(error: Exception, where: str) -> ExchangeError:
    cause = error.args[0] if error.args else None
    verdict = getattr(cause, "verify_message", "")
    if verdict:
        return ExchangeError(f"has a certificate that isn't trusted at {where}: {verdict}", _HINT_CA, transient=False)
    why = getattr(cause, "reason", None) or "no reason given"
    return ExchangeError(f"fails at TLS at {where}: {str(why).lower().replace('_', ' ')}", _HINT_NET, transient=False)
