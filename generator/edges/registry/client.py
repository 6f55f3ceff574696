"""A registry that speaks the OCI distribution API: tags, manifests and blobs of one repository, read only.

Only a 404 of the registry itself means missing. Everything else that isn't an answer is a CouldNotLookError: it
names the registry, what it said, and what to do.
"""

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from threading import Lock
from types import TracebackType
from typing import Self

from msgspec import DecodeError, Struct, ValidationError, json

from generator.edges.errors import CouldNotLookError, ImageUnreadableError
from generator.edges.registry import address as registry_address
from generator.edges.registry import paging as registry_paging
from generator.edges.registry.address import Address
from generator.edges.registry.auth import Authenticator
from generator.edges.registry.credentials import Credentials
from generator.edges.registry.retry import BUSY, Pace, Patient
from generator.edges.registry.transport import DOCUMENT, Answer, ExchangeError, Limits, Request, Transport

# All four, always: with fewer a registry says 404 for an image of another form, or hands out one platform's.
_FORMS = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
_DIGEST = re.compile(r"(sha256|sha512):[0-9a-f]+")
_LIST = 64 << 20  # bytes: a million tags on one page
_EMPTY_PAGES = 100  # in a row
_LATER = "try again later; nothing is known to be missing"
_ASK = "ask whoever runs the registry; nothing is known to be missing"


class Absent(StrEnum):
    """What a 404 is about."""

    TAG = "tag"
    REPOSITORY = "repository"


class Missing(Struct, frozen=True):
    """The registry itself says that there is no such thing."""

    what: Absent


class Document(Struct, frozen=True):
    """A manifest as the registry holds it; the digest was computed from the very bytes."""

    media_type: str
    digest: str
    body: bytes


class _Error(Struct):
    code: str = ""


class _Errors(Struct):
    errors: list[_Error] | None = None


class Session:
    """Connections, credentials and patience of one run, for any number of registries. `with` closes it.

    `environ` is the environment that credentials, proxies and certificates are named in; `plain_http` lists
    registries (`host` or `host:port`) that may be spoken to without TLS.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        plain_http: Collection[str] = (),
        limits: Limits = Limits(),  # noqa: B008 - frozen
        pace: Pace = Pace(),  # noqa: B008
    ) -> None:
        plain = frozenset(registry_address.canonical(host) for host in plain_http)
        self._transport = Transport(environ, plain, limits)
        self._patient = Patient(self._transport, pace)
        self._credentials = Credentials(environ)
        self._lock = Lock()
        self._bases: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._transport.close()

    def repository(self, name: str) -> "Repository":
        """A repository by its whole name, `nvcr.io/nvidia/driver`; raise UnreadableError for anything else."""
        address = registry_address.parse(name)
        login = Authenticator(address, self._transport, self._patient, self._credentials)
        return Repository(self, address, self._patient, login)

    def base(self, address: Address) -> str:
        """The origin of a registry's API. On this machine it may speak TLS or not, so it is asked once."""
        secure, plain = f"https://{address.host}", f"http://{address.host}"
        if not self._transport.may_speak_plainly(plain):
            return secure
        if not registry_address.is_loopback(registry_address.origin(plain)[1]):
            return plain
        with self._lock:
            if address.host not in self._bases:
                self._bases[address.host] = plain if self._answers(plain) else secure
            return self._bases[address.host]

    def _answers(self, plain: str) -> bool:
        """Servers that speak TLS answer plain HTTP with 400, or hang up."""
        try:
            return self._transport.send(Request(url=f"{plain}/v2/")).status != 400
        except ExchangeError as error:
            return not error.transient


class Repository:
    """One repository of a registry. Safe to use from several threads."""

    def __init__(self, session: Session, address: Address, patient: Patient, login: Authenticator) -> None:
        self._session, self._patient, self._login = session, patient, login
        self.address = address

    def __str__(self) -> str:
        return str(self.address)

    def tags(self) -> Iterator[str] | Missing:
        """Every tag once, page by page, in the registry's order. The first page is fetched at once."""
        url = registry_paging.first(self._base, self.address.path)
        answer = self._page(url)
        return Missing(Absent.REPOSITORY) if answer.status == 404 else self._listed(url, answer)

    def digest(self, tag: str) -> str | Missing:
        """The digest that a tag points to; asks for no more than it must."""
        answer = self._asked("manifests", tag, method="HEAD")
        told = answer.headers.get("docker-content-digest", "")
        if answer.status == 200 and answer.own and re.fullmatch(r"sha256:[0-9a-f]{64}", told):
            return told
        if answer.status in BUSY:
            self._check(answer, f"{self.address.path}, {_named(tag)}")
        # No digest, no body that tells tag from repository, or no HEAD at all: a GET has all of it.
        document = self.manifest(tag)
        return document if isinstance(document, Missing) else document.digest

    def manifest(self, reference: str) -> Document | Missing:
        """What a tag or a digest names; raise ImageUnreadableError where the bytes aren't what they should be."""
        answer = self._asked("manifests", reference)
        if answer.status == 404:
            return Missing(Absent.REPOSITORY if "NAME_UNKNOWN" in _codes(answer) else Absent.TAG)
        self._check(answer, f"{self.address.path}, {_named(reference)}")
        told = answer.headers.get("docker-content-digest", "")
        digest = f"sha256:{hashlib.sha256(answer.body).hexdigest()}"
        for wanted in (told, reference):
            self._check_digest(answer.body, wanted, reference)
        return Document(answer.headers.get("content-type", "").partition(";")[0].strip().lower(), digest, answer.body)

    def blob(self, digest: str) -> bytes | Missing:
        """The bytes of a blob, proven by its digest; for configs, not for layers."""
        answer = self._asked("blobs", digest)
        if answer.status == 404:
            return Missing(Absent.TAG)
        self._check(answer, f"{self.address.path}, {_named(digest)}")
        self._check_digest(answer.body, digest, digest)
        return answer.body

    @property
    def _base(self) -> str:
        return self._session.base(self.address)

    def _asked(self, kind: str, reference: str, method: str = "GET") -> Answer:
        """A 404 is the registry's own, as itself said it; a web page is nobody's."""
        url = f"{self._base}/v2/{self.address.path}/{kind}/{reference}"
        answer = self._sent(url, method, {"Accept": ", ".join(_FORMS) if kind == "manifests" else "*/*"})
        if answer.status == 404 and method != "HEAD":
            self._check_missing(answer)
        return answer

    def _sent(self, url: str, method: str, headers: Mapping[str, str], most: int = DOCUMENT) -> Answer:
        """With the token of before, and once more with a new one where that is refused."""
        authorization = self._login.current
        for last in (False, True):
            request = Request(url=url, method=method, headers=headers, authorization=authorization, most=most)
            answer = self._patient.send(request, self.address.registry)
            if answer.status != 401 or last:
                break
            authorization = self._login.renew(authorization, answer)
        return answer

    def _check(self, answer: Answer, what: str) -> None:
        """Nothing but 200 is an answer; raise for the rest."""
        status = answer.status
        if status == 200:
            return
        codes = _codes(answer)
        said = f"{self.address.registry} answers {status}{f' ({codes[0]})' if codes else ''} for {what}"
        if status in {401, 403}:
            raise CouldNotLookError(said, self._login.advice())
        if status >= 500:
            raise ImageUnreadableError(said, _LATER)
        raise CouldNotLookError(said, _LATER if status == 429 else _ASK)

    def _check_missing(self, answer: Answer) -> None:
        if answer.own and answer.body.lstrip()[:1] != b"<":
            return
        where = registry_address.shown(answer.url)
        raise CouldNotLookError(
            f"{self.address.registry} leads to {where}, which answers 404 and is no registry",
            "see whether a proxy or another server stands in its place; nothing is known to be missing",
        )

    def _check_digest(self, body: bytes, wanted: str, reference: str) -> None:
        match = _DIGEST.fullmatch(wanted)
        if match is None:
            return
        found = f"{match[1]}:{hashlib.new(match[1], body).hexdigest()}"
        if found != wanted:
            raise ImageUnreadableError(
                f"{self.address.registry} gives {found} for {self.address.path}, {_named(reference)}, "
                f"where {wanted} was promised",
                _ASK,
            )

    def _page(self, url: str) -> Answer:
        answer = self._sent(url, "GET", {"Accept": "application/json"}, most=_LIST)
        if answer.status == 404:
            self._check_missing(answer)
        return answer

    def _listed(self, url: str, answer: Answer) -> Iterator[str]:
        """Follow the pages. One that was asked before, or brings nothing new, would be followed for ever."""
        seen: set[str] = set()
        asked = {url}
        guessed, empty = False, 0
        while True:
            new = self._new(answer, seen, guessed=guessed)
            yield from new
            following = None if guessed and not new else self._following(url, answer)
            if following is None and not new:
                return
            empty = 0 if new else empty + 1
            guessed = following is None
            url = following or registry_paging.after(self._base, self.address.path, new[-1])
            if empty > _EMPTY_PAGES or (url in asked and not guessed):
                raise self._astray("pages without an end")
            asked.add(url)
            answer = self._page(url)

    def _new(self, answer: Answer, seen: set[str], *, guessed: bool) -> list[str]:
        if guessed and answer.status in {400, 404}:
            return []
        self._check(answer, f"the tags of {self.address.path}")
        try:
            listed = registry_paging.tags(answer.body)
        except registry_paging.PageError as error:
            raise self._astray(str(error)) from None
        new = [tag for tag in dict.fromkeys(listed) if tag not in seen]
        if listed and not new and not guessed:
            raise self._astray("a page without a new tag")
        seen.update(new)
        return new

    def _following(self, url: str, answer: Answer) -> str | None:
        """Seen from where we asked, wherever the answer came from: our token goes there."""
        try:
            return registry_paging.following(url, answer.headers.get("link", ""))
        except registry_paging.PageError as error:
            raise self._astray(str(error)) from None

    def _astray(self, what: str) -> CouldNotLookError:
        return CouldNotLookError(
            f"{self.address.registry} answers with {what} for the tags of {self.address.path}", _ASK
        )


def _codes(answer: Answer) -> list[str]:
    """The registry's own words for an error, in capitals; nothing else of what it says is repeated."""
    try:
        errors = json.decode(answer.body, type=_Errors).errors or []
    except (DecodeError, ValidationError, UnicodeDecodeError):
        return []
    return [error.code for error in errors if re.fullmatch(r"[A-Z][A-Z_]{0,39}", error.code)]


def _named(reference: str) -> str:
    return reference if ":" in reference else f'tag "{reference}"'
